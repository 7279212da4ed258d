"""Words that very many documents have: what is found stays the same, and only such a list is in another order."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.kit.search import common_words
from tests.kit.search.books import BOOKS, Book
from tests.kit.search.test_laws import books, filled, filters, finds, ids, in_order, matching, pages, queries

EXAMPLES = settings(max_examples=int(25 * float(os.environ.get("PARTITA_EXAMPLES", "1"))), deadline=None)


@EXAMPLES
@given(books, queries, filters, st.integers(0, 3), st.integers(1, 4))
def test_a_long_list_has_names_with_the_words_first_and_then_the_order_of_lists_without_words(
    all_books: list[Book], query: list[str], filters: dict[str, Any], most: int, limit: int
) -> None:
    text = " ".join(query)
    found = matching(all_books, query, filters, "all")
    with filled(all_books) as search:
        usual = ids(pages(search, text, filters=filters, limit=limit))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(common_words, "MOST_SCORED", most)
            in_pages = ids(pages(search, text, filters=filters, limit=limit, facets=("shelf",)))
            at_once = ids(pages(search, text, filters=filters, limit=100))
    assert in_pages == at_once
    assert sorted(in_pages) == sorted(book.id for book in found)
    words = [part for part in query if ":" not in part]
    if all(part.startswith("-") for part in words) or len(matching(all_books, words, {}, "all")) <= most:
        assert in_pages == usual
        return
    named = [book for book in found if finds(book.model_copy(update={"body": ""}), query, "all")]
    others = [book for book in found if book not in named]
    assert set(in_pages[: len(named)]) == {book.id for book in named}
    assert in_pages[len(named) :] == in_order(others, BOOKS.order)
    if len(named) > most:
        assert in_pages[: len(named)] == in_order(named, BOOKS.order)


def test_a_list_that_was_begun_in_an_order_goes_on_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = [Book(id=f"{number}", title="the map", year=1990 + number) for number in range(6)]
    with filled(shelf) as search:
        monkeypatch.setattr(common_words, "MOST_SCORED", 2)
        first = asyncio.run(search.find(BOOKS, "map", limit=2))
        monkeypatch.setattr(common_words, "MOST_SCORED", 100)
        rest = asyncio.run(search.find(BOOKS, "map", limit=10, cursor=first.next_cursor))
    assert [hit.id for hit in (*first.hits, *rest.hits)] == ["5", "4", "3", "2", "1", "0"]


def test_if_some_words_are_enough_the_common_ones_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common_words, "MOST_SCORED", 3)
    shelf = [Book(id=f"{number}", body="the sea") for number in range(5)]
    with filled([*shelf, Book(id="night", body="night")]) as search:
        both = asyncio.run(search.find(BOOKS, "the night nobody knows", match="relaxed"))
        alone = asyncio.run(search.find(BOOKS, "the sunrise", match="relaxed"))
    assert [hit.id for hit in both.hits] == ["night"]
    assert both.relaxed
    assert alone.total == 5, "nothing has the other word, so the common one has to do"
