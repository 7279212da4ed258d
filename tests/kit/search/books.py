"""Books on a shelf of the tests' own, and an index of them."""

from __future__ import annotations

from partita.kit.search import Catalog, Document, Text, Texts
from partita.table import Attribute, Item, Query, Table, attribute, key_part

SHELF = Table("search-shelf", pk="PK", sk="SK")


class Book(Item, table=SHELF, pk="SHELF", sk="BOOK#{id}"):
    id: Attribute[str] = key_part()
    title: Attribute[str] = attribute(default="")
    body: Attribute[str] = attribute(default="")
    shelf: Attribute[str] = attribute(default="a")
    tags: Attribute[tuple[str, ...]] = attribute(default=())
    hidden: Attribute[bool] = attribute(default=False)
    year: Attribute[int | None] = attribute(default=None)


class Scan(Item, table=SHELF, pk="SCANS", sk="SCAN#{book_id}#{page}"):
    """The text of a scanned page, which comes long after its book."""

    book_id: Attribute[str] = key_part()
    page: Attribute[str] = key_part()
    text: Attribute[str] = attribute(default="")


def document(book: Book) -> Document | None:
    if book.hidden:
        return None
    return Document(
        book.id,
        {"title": book.title, "body": book.body},
        {"shelf": book.shelf, "tag": book.tags},
        {"year": book.year, "title": book.title},
    )


def all_books() -> Query[Book]:
    return Book.query()


def all_scans() -> Query[Scan]:
    return Scan.query()


BOOKS = Catalog(
    name="search.books",
    item_type=Book,
    document=document,
    weights={"title": 8.0, "body": 1.0},
    sources=(all_books(),),
    filters=("shelf", "tag"),
    sorts=("year", "title"),
    order="-year",
)

SCANNED = Catalog(
    name="search.scanned",
    item_type=Book,
    document=document,
    weights={"title": 8.0, "body": 1.0, "pages": 0.5},
    sources=(all_books(),),
    filters=("shelf", "tag"),
    texts=(
        Texts(
            "pages", Scan, lambda scan: Text(scan.book_id, scan.page, scan.text) if scan.text else None, (all_scans(),)
        ),
    ),
)
