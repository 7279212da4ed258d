"""Adopting what another program wrote: by its change, and a whole table at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from partita.engine import Engine, FaultPlan
from partita.kit.adoption import Adoption, AdoptionRefused, adopt_all, adoption_handler, plainly
from partita.kit.changes import Change
from partita.store import EmbeddedStore
from partita.store.store import AsyncStore
from partita.table import Attribute, Item, Put, Table, Transaction, Update, attribute, key_part

pytestmark = pytest.mark.anyio

LIBRARY = Table("library", pk="PK", sk="SK")


class Author(Item, table=LIBRARY, pk="AUTHOR#{name}", sk="ABOUT"):
    name: Attribute[str] = key_part()
    books: Attribute[int] = attribute(default=0)
    listed: Attribute[bool] = attribute(default=False)


class Book(Item, table=LIBRARY, pk="BOOK#{title}", sk="ABOUT"):
    title: Attribute[str] = key_part()
    author: Attribute[str]
    counted: Attribute[bool] = attribute(default=False)


def _is_due(item: Author | Book) -> bool:
    return not (item.listed if isinstance(item, Author) else item.counted)


@pytest.fixture(params=[FaultPlan(), FaultPlan(seed=3, throttle=0.1, conflict=0.2)], ids=["fine", "bad weather"])
def store(request: pytest.FixtureRequest) -> Iterator[AsyncStore]:
    with Engine.temporary(faults=request.param) as engine:
        blocking = EmbeddedStore(engine)
        blocking.create(LIBRARY)
        yield blocking.asynchronous


def _adoptions(store: AsyncStore, order: list[str]) -> tuple[Adoption[Author], Adoption[Book]]:
    async def adopt_author(author: Author, _before: Author | None) -> bool:
        if author.listed:
            return False
        order.append(author.name)
        await store.write(Update(author.own_key, Author.listed.set(True)))
        return True

    async def adopt_book(seen: Book, _before: Book | None) -> bool:
        if seen.author == "anonymous":
            raise AdoptionRefused("nobody wrote it")

        async def attempt() -> bool:
            book = await store.get(Book.get(Book.title(seen.title)).consistently())
            if book is None or book.counted:
                return False
            own = Update(book.own_key, Book.counted.set(True)).unless_changed(book, Book.counted)
            more = Update(Author.key(Author.name(book.author)), Author.books.add(1)).or_new()
            await store.transact(Transaction(own, more))
            order.append(seen.title)
            return True

        return await store.attempt(attempt)

    return (
        Adoption(Author, "author", adopt_author, after_others=True, is_due=plainly(_is_due)),
        Adoption(Book, "book", adopt_book, is_due=plainly(_is_due)),
    )


async def test_a_table_is_adopted_once_however_often_it_is_tried(store: AsyncStore) -> None:
    books = [Book(title=f"Volume {number}", author="ada") for number in range(20)]
    await store.batch_write([Put(Author(name="ada")), *map(Put, books), Put(Book(title="Ballads", author="anonymous"))])
    order: list[str] = []
    reports = await asyncio.gather(*(adopt_all(store, _adoptions(store, order)) for _ in range(3)))
    assert sum(report.adopted["book"] for report in reports) == 20
    ada = await store.get(Author.get(Author.name("ada")).consistently())
    assert ada is not None
    assert (ada.books, ada.listed) == (20, True)
    assert all(len(report.refused) == 1 and report.refused[0].endswith("nobody wrote it") for report in reports)
    again = await adopt_all(store, _adoptions(store, order))
    assert again.adopted == {"author": 0, "book": 0}


async def test_a_dry_run_counts_and_writes_nothing(store: AsyncStore) -> None:
    await store.batch_write([Put(Author(name="ada")), *(Put(Book(title=str(n), author="ada")) for n in range(5))])
    order: list[str] = []
    report = await adopt_all(store, _adoptions(store, order), dry_run=True)
    assert report.adopted == {"author": 1, "book": 5}
    assert order == []
    assert (await adopt_all(store, _adoptions(store, order))).adopted == {"author": 1, "book": 5}
    assert (await adopt_all(store, _adoptions(store, order), dry_run=True)).adopted == {"author": 0, "book": 0}


async def test_what_others_count_is_adopted_after_them(store: AsyncStore) -> None:
    await store.batch_write([Put(Author(name="ada")), *(Put(Book(title=str(n), author="ada")) for n in range(5))])
    order: list[str] = []
    await adopt_all(store, _adoptions(store, order))
    assert order[-1] == "ada"


async def test_a_row_that_cannot_be_read_is_reported_and_the_others_adopted(store: AsyncStore) -> None:
    await store.batch_write([Put(Book(title="One", author="ada"))])
    await store.transport.call_async(
        "PutItem",
        {"TableName": "library", "Item": {"PK": {"S": "BOOK#Two"}, "SK": {"S": "ABOUT"}, "author": {"N": "2"}}},
    )
    report = await adopt_all(store, _adoptions(store, []))
    assert report.adopted["book"] == 1
    assert len(report.unreadable) == 1
    assert "BOOK#Two" in report.unreadable[0]


async def test_a_change_adopts_what_came_and_forgets_what_went(store: AsyncStore) -> None:
    gone: list[str] = []

    async def adopt(_seen: Book, _before: Book | None) -> bool:
        raise AdoptionRefused("not now")

    async def forget(book: Book) -> None:
        gone.append(book.title)

    books = Adoption(Book, "book", adopt, forget, is_due=plainly(_is_due))
    handler = adoption_handler("library.adoption", LIBRARY, [books])
    book = Book(title="One", author="ada")
    now, row = datetime.now(UTC), book.to_row()
    await handler.run(Change(LIBRARY, "1", now, book.own_key.wire, None, row))
    await handler.run(Change(LIBRARY, "2", now, book.own_key.wire, row, None))
    assert gone == ["One"]
