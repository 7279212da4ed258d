"""Several machines, each with an index of its own: a list goes on at whichever answers next."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.kit.search import Search, best_first, common_words
from partita.kit.search.index import document_change
from partita.table import CursorKeys, InvalidCursorError
from tests.kit.search.books import BOOKS, Book

_SEQUENCE = count(1000)
_KEYS = CursorKeys(b"s" * 32)


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Search, ...]]:
    """Three with the same 81 books, which came in different orders, and with others that nobody looks for."""
    folder: Path = tmp_path_factory.mktemp("machines")
    chance = random.Random(7)
    books = [
        Book(
            id=f"{number:03}",
            title=" ".join(chance.choices(("map", "tool", "sea"), k=chance.randint(0, 3))),
            body="map " + " ".join(chance.choices(("map", "night", "river", "of", "cloth"), k=chance.randint(1, 30))),
            year=chance.choice((None, 1990, 1991)),
        )
        for number in range(81)
    ]
    made: list[Search] = []
    for which in range(3):
        search = Search(folder / f"{which}.db", _KEYS, threads=1)
        made.append(search)
        # Others that one machine has heard of and the next one not yet weigh in the scores of all.
        others = [Book(id=f"other-{number}", body="cellar " * 40 * number) for number in range(which * 20)]
        changes = [
            document_change(BOOKS, None, book, str(number))
            for number, book in enumerate((*chance.sample(books, len(books)), *others))
        ]
        asyncio.run(search.apply_all(BOOKS, [each for each in changes if each is not None]))
    yield tuple(made)
    for search in made:
        search.close()


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=9),
    st.integers(5, 30),
    st.sampled_from(("map", "map night", "river sea map")),
    st.sampled_from(("all", "any")),
    st.sampled_from((7, 40, 240)),
    st.sampled_from((3, 30, 10_000)),
)
def test_pages_from_alternating_machines_have_everything_once(
    machines: tuple[Search, ...], order: list[int], limit: int, text: str, match: str, ranked: int, scored: int
) -> None:
    async def story() -> tuple[list[str], int]:
        found: list[str] = []
        cursor: str | None = None
        for turn in range(40):
            machine = machines[order[turn % len(order)]]
            page = await machine.find(BOOKS, text, match=match, limit=limit, cursor=cursor)  # type: ignore[arg-type]
            found += [hit.id for hit in page.hits]
            cursor = page.next_cursor
            if cursor is None:
                return found, page.total
        raise AssertionError("the list does not end")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_first, "MOST_RANKED", ranked)
        patch.setattr(common_words, "MOST_SCORED", scored)
        for machine in machines:
            machine._answers.clear()  # what was found with other numbers
        found, total = asyncio.run(story())
    assert len(found) == len(set(found)) == total


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.integers(0, 2), min_size=2, max_size=9),
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from(("map", "map map map", "map night sea"))), max_size=8),
    st.integers(5, 20),
    st.sampled_from(("map", "map night")),
    st.sampled_from((7, 40, 240)),
)
def test_what_was_there_comes_once_though_machines_hear_of_others_at_different_times(
    machines: tuple[Search, ...], order: list[int], news: list[tuple[int, str]], limit: int, text: str, ranked: int
) -> None:
    """Between two pages one machine hears of a document, and the others not yet."""
    heard = [(machines[which], Book(id=f"new-{number}", body=body)) for number, (which, body) in enumerate(news)]

    async def walk() -> list[str]:
        found: list[str] = []
        cursor: str | None = None
        for turn in range(60):
            page = await machines[order[turn % len(order)]].find(BOOKS, text, match="any", limit=limit, cursor=cursor)
            found += [hit.id for hit in page.hits]
            cursor = page.next_cursor
            if cursor is None:
                return found
            if turn < len(heard):
                machine, book = heard[turn]
                await machine.apply(BOOKS, None, book, sequence=str(next(_SEQUENCE)))
        raise AssertionError("the list does not end")

    async def forget() -> None:
        for machine, book in heard:
            await machine.apply(BOOKS, book, None, sequence=str(next(_SEQUENCE)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_first, "MOST_RANKED", ranked)
        for machine in machines:
            machine._answers.clear()
        try:
            found = asyncio.run(walk())
        finally:
            asyncio.run(forget())
    assert len(found) == len(set(found))
    assert {each for each in found if not each.startswith("new-")} == {f"{number:03}" for number in range(81)}


def test_the_machines_score_the_same_documents_differently(machines: tuple[Search, ...]) -> None:
    """Otherwise the law above would show nothing."""
    scores = {tuple(hit.score for hit in asyncio.run(each.find(BOOKS, "map night")).hits) for each in machines}
    assert len(scores) == 3


def test_a_cursor_outlives_a_rotated_key_and_is_refused_in_words_without_it(tmp_path: Path) -> None:
    old, new = b"o" * 32, b"n" * 32

    def searched(*keys: bytes, cursor: str | None = None) -> tuple[list[str], str | None]:
        search = Search(tmp_path / "search.db", CursorKeys(*keys), threads=1)
        try:
            for number in range(3):
                book = Book(id=str(number), title="map")
                asyncio.run(search.apply(BOOKS, None, book, sequence=str(number)))
            page = asyncio.run(search.find(BOOKS, "map", limit=2, cursor=cursor))
            return [hit.id for hit in page.hits], page.next_cursor
        finally:
            search.close()

    shown, cursor = searched(old)
    assert (*shown, *searched(new, old, cursor=cursor)[0]) == ("0", "1", "2")
    with pytest.raises(InvalidCursorError, match="Start again without a cursor"):
        searched(new, cursor=cursor)
