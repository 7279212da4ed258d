"""Counted by sets or by the index itself, found first or asked one by one: the answer is the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.search import Catalog, Document, Search, SearchPage, reads
from partita.kit.search.sets import bits, documents
from partita.table import CursorKeys
from tests.kit.search.books import BOOKS, Book
from tests.kit.search.test_laws import EXAMPLES, SHELVES, TAGS, books, filled, filters, queries, sorts

_WORDS_OF_SQL = ("cast", "order", "select", "group", "index", "values", "match", "table", "from")


@contextmanager
def limits(most_values: int, few: int) -> Iterator[None]:
    """Other limits: with none, the index counts by itself, or looks at each document in its order."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reads, "MOST_VALUES", most_values)
        patch.setattr(reads, "FEW", few)
        yield


@EXAMPLES
@given(books, queries, filters, st.none() | sorts)
def test_every_way_gives_the_same_page(
    all_books: list[Book], query: list[str], filters: dict[str, Any], sort: str | None
) -> None:
    async def page(search: Search) -> SearchPage:
        facets = ("shelf", "tag")
        return await search.find(BOOKS, " ".join(query), filters=filters, sort=sort, facets=facets, most_values=2)

    found = []
    for most_values, few in ((200, 2_000), (200, 0), (0, 0)):
        with filled(all_books) as search, limits(most_values, few):
            found.append(asyncio.run(page(search)))
    by_sets, by_asking, by_index = ((each.hits, each.total, each.facets, each.next_cursor is None) for each in found)
    assert by_sets == by_asking == by_index


@EXAMPLES
@given(books, st.lists(st.tuples(st.integers(0, 11), st.sampled_from(TAGS), st.booleans()), max_size=5))
def test_counts_follow_every_change(all_books: list[Book], changes: list[tuple[int, str, bool]]) -> None:
    async def counted(search: Search) -> dict[str, int]:
        page = await search.find(BOOKS, "", filters={"shelf": frozenset(SHELVES)}, facets=("tag",), most_values=50)
        return {each.value: each.count for each in page.facets["tag"]}

    now = {book.id: book for book in all_books}
    with filled(all_books) as search:
        for number, (place, tag, hidden) in enumerate(changes):
            expected = {each: sum(each in book.tags and not book.hidden for book in now.values()) for each in TAGS}
            assert asyncio.run(counted(search)) == {each: count for each, count in expected.items() if count}
            if place < len(all_books):
                before = now[all_books[place].id]
                after = before.model_copy(update={"tags": (tag,), "hidden": hidden})
                asyncio.run(search.apply(BOOKS, before, after, sequence=str(1000 + number)))
                now[before.id] = after


@given(st.sets(st.integers(1, 5_000)))
def test_a_set_has_the_documents_that_it_was_made_of(numbers: set[int]) -> None:
    members = bits((number,) for number in numbers)
    assert documents(members) == sorted(numbers)
    assert members.bit_count() == len(numbers)


def test_a_word_of_sql_may_be_the_name_of_a_field(tmp_path: Path) -> None:
    def document(book: Book) -> Document:
        return Document(book.id, dict.fromkeys(_WORDS_OF_SQL, book.title), {"order": book.shelf}, {"group": book.year})

    catalog = Catalog(
        name="search.words_of_sql",
        item_type=Book,
        document=document,
        weights=dict.fromkeys(_WORDS_OF_SQL, 1.0),
        sources=(),
        filters=("order",),
        sorts=("group",),
    )
    search = Search(tmp_path / "search.db", CursorKeys(b"s" * 32), threads=1)
    try:
        asyncio.run(search.apply(catalog, None, Book(id="1", title="Night train", shelf="a", year=1950), sequence="1"))
        page = asyncio.run(search.find(catalog, "train", filters={"order": "a"}, sort="group", facets=("order",)))
        assert [hit.highlights["cast"] for hit in page.hits] == ["Night <mark>train</mark>"]
        assert [(each.value, each.count) for each in page.facets["order"]] == [("a", 1)]
        (completed,) = asyncio.run(search.complete(catalog, "tra", field="cast"))
        assert completed.value == "train"
    finally:
        search.close()


@pytest.mark.parametrize("name", ["doc", "rank", "rowid"])
def test_a_name_that_the_index_has_itself_is_refused_when_it_is_declared(name: str) -> None:
    with pytest.raises(ValueError, match=f"column '{name}' of its own; give the field another name"):
        Catalog("search.taken", Book, lambda book: Document(book.id, {}), {name: 1.0}, ())
