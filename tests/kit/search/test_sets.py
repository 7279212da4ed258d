"""Counted by sets or by the index itself, found first or asked one by one: the answer is the same."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.search import Catalog, Document, Search, common_words, facets, reads, sets
from partita.kit.search.sets import bits, documents
from partita.table import CursorKeys
from tests.kit.search.books import BOOKS, Book
from tests.kit.search.test_laws import (
    EXAMPLES,
    SHELVES,
    TAGS,
    WORDS,
    books,
    filled,
    filters,
    finds,
    in_order,
    matching,
    opened,
    put,
    queries,
    sorts,
    texts,
)

_WORDS_OF_SQL = ("cast", "order", "select", "group", "index", "values", "match", "table", "from")


@contextmanager
def limits(most_chosen: int, most_values: int, most_tried: int, few: int) -> Iterator[None]:
    """Other limits: with none, the index counts by itself, or looks at each document in its order."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(facets, "MOST_CHOSEN", most_chosen)
        patch.setattr(facets, "MOST_VALUES", most_values)
        patch.setattr(facets, "MOST_TRIED", most_tried)
        patch.setattr(reads, "FEW", few)
        yield


WAYS = {
    "sets of all values": (200, 200, 500, 2_000),
    "sets, the first of the order": (200, 200, 500, 0),
    "many values of few documents": (200, 0, 500, 2_000),
    "many values of many documents": (200, 0, 500, 0),
    "too many values": (200, 0, 0, 0),
    "the index": (-1, 0, 0, 0),
}


@EXAMPLES
@given(books, queries, filters, st.none() | sorts, st.integers(1, 3))
def test_every_way_gives_the_same_page(
    all_books: list[Book], query: list[str], filters: dict[str, Any], sort: str | None, most: int
) -> None:
    wanted: dict[str, Any] = {"filters": filters, "sort": sort, "facets": ("shelf", "tag"), "most_values": most}
    found = {}
    with TemporaryDirectory() as folder:
        with opened(Path(folder)) as search:
            asyncio.run(put(search, all_books))
        for way, these in WAYS.items():
            with opened(Path(folder)) as search, limits(*these):  # one that remembers nothing
                each = asyncio.run(search.find(BOOKS, " ".join(query), **wanted))
            found[way] = (each.hits, each.total, each.facets, each.next_cursor is None)
    assert all(each == found["the index"] for each in found.values()), found


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


@EXAMPLES
@given(books, st.sampled_from(WORDS), st.lists(st.tuples(st.integers(0, 11), texts, st.booleans()), max_size=4))
def test_documents_with_words_are_found_and_counted_after_every_change_of_them(
    all_books: list[Book], word: str, changes: list[tuple[int, str, bool]]
) -> None:
    now = {book.id: book for book in all_books}
    with filled(all_books) as search, pytest.MonkeyPatch.context() as patch:
        patch.setattr(common_words, "MOST_SCORED", 0)  # names are a set of their own
        for number, (place, text, hidden) in enumerate([*changes, (99, "", False)]):
            page = asyncio.run(search.find(BOOKS, f"{word} ", facets=("shelf",), most_values=50, limit=50))
            expected = matching(list(now.values()), [word], {}, "all")
            named = [book for book in expected if finds(book.model_copy(update={"body": ""}), [word], "all")]
            others = [book for book in expected if book not in named]
            order = [*in_order(named, BOOKS.order), *in_order(others, BOOKS.order)]
            assert [hit.id for hit in page.hits] == order
            assert {each.value: each.count for each in page.facets["shelf"]} == Counter(b.shelf for b in expected)
            if place < len(all_books):
                before = now[all_books[place].id]
                after = before.model_copy(update={"title": text, "hidden": hidden})
                asyncio.run(search.apply(BOOKS, before, after, sequence=str(1000 + number)))
                now[before.id] = after


def test_a_set_of_documents_with_words_is_kept_until_words_change() -> None:
    async def sets_made(search: Search) -> int:
        asked.clear()
        await search.find(BOOKS, "maps", facets=("shelf",), most_values=len(seen) + 1)
        seen.append(None)
        return len(asked)

    asked: list[str] = []
    seen: list[None] = []  # no two questions are alike, or the answer itself would be remembered

    def counted(connection: Any, select: str, parameters: tuple[Any, ...] = ()) -> int:
        if "MATCH" in select:
            asked.append(select)
        return select_all(connection, select, parameters)

    select_all = sets.selected
    book = Book(id="1", title="Maps", year=1990)
    with filled([book]) as search, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sets, "selected", counted)
        assert asyncio.run(sets_made(search)) == 1
        later = book.model_copy(update={"year": 1991})
        asyncio.run(search.apply(BOOKS, book, later, sequence="2"))
        assert asyncio.run(sets_made(search)) == 0, "another year leaves the words as they were"
        asyncio.run(search.apply(BOOKS, later, later.model_copy(update={"title": "Map"}), sequence="3"))
        assert asyncio.run(sets_made(search)) == 1


@given(st.sets(st.integers(1, 5_000)))
def test_a_set_has_the_documents_that_it_was_made_of(numbers: set[int]) -> None:
    members = bits(sorted(numbers))
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
