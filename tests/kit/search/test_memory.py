"""Answers that are remembered are those that would be found now."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.kit.search import Search, SearchPage, finding, memory
from partita.table import CursorKeys
from tests.kit.search.books import BOOKS, Book
from tests.kit.search.test_laws import EXAMPLES, books, filters, queries

KEYS = CursorKeys(b"s" * 32)

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def _list(search: Search, text: str = "", **options: Any) -> SearchPage:
    return await search.find(BOOKS, text, facets=BOOKS.filters, limit=3, **options)


async def test_an_answer_is_found_once_until_the_index_changes(search: Search) -> None:
    await search.apply(BOOKS, None, Book(id="1", title="Maps"), sequence="1")
    first = await _list(search)
    assert await _list(search) is first
    assert await _list(search, "maps") is not first
    await search.apply(BOOKS, None, Book(id="2", title="Tools"), sequence="2")
    assert {hit.id for hit in (await _list(search)).hits} == {"1", "2"}


async def test_what_another_process_writes_is_found_at_once(search: Search, tmp_path: Path) -> None:
    other = Search(tmp_path / "search.db", KEYS)
    try:
        for number in range(1, 6):
            await other.apply(BOOKS, None, Book(id=str(number)), sequence=str(number))
            assert (await _list(search)).total == number
    finally:
        other.close()


@settings(max_examples=15, deadline=None)
@given(years=st.lists(st.none() | st.integers(1900, 2100), max_size=8), now=st.integers(1890, 2110))
def test_what_has_ended_is_neither_found_nor_counted_in_any_list(years: list[int | None], now: int) -> None:
    async def look() -> None:
        with TemporaryDirectory() as folder:
            search = Search(Path(folder) / "search.db", KEYS)
            for number, year in enumerate(years):
                book = Book(id=str(number), title="Maps", year=year, tags=(str(number),))
                await search.apply(BOOKS, None, book, sequence=str(number))
            left = {str(number) for number, year in enumerate(years) if year is None or year > now}
            for text in ("", "maps", "-tools", "tag:1"):
                page = await search.find(BOOKS, text, facets=("tag",), limit=20, ended=("year", now))
                expected = left & {"1"} if text == "tag:1" else left
                assert ({hit.id for hit in page.hits}, page.total) == (expected, len(expected))
                assert {value.value for value in page.facets["tag"]} == expected
            search.close()

    asyncio.run(look())


async def test_an_answer_is_remembered_until_something_ends(search: Search) -> None:
    for number in (1, 2):
        await search.apply(BOOKS, None, Book(id=str(number), year=number * 10), sequence=str(number))
    first = await _list(search, ended=("year", 1))
    assert await _list(search, ended=("year", 9)) is first
    second = await _list(search, ended=("year", 10))
    assert [hit.id for hit in second.hits] == ["2"]
    assert await _list(search, ended=("year", 19.5)) is second
    assert (await _list(search, ended=("year", 20))).total == 0
    with pytest.raises(ValueError, match="no sort"):
        await _list(search, ended=("price", 1))


async def test_before_there_is_an_index_nothing_has_ended(search: Search) -> None:
    assert (await _list(search, ended=("year", 1))).total == 0


steps = st.lists(
    st.tuples(st.just("put"), books.filter(bool).map(lambda some: some[0]))
    | st.tuples(st.just("delete"), st.integers(0, 20))
    | st.tuples(st.just("look"), st.tuples(queries.map(" ".join), filters)),
    min_size=4,
    max_size=14,
)


@EXAMPLES
@given(steps, st.integers(0, 1))
def test_after_any_writes_a_remembered_answer_is_the_one_that_is_found_anew(
    steps: list[tuple[str, Any]], writer: int
) -> None:
    async def run(folder: Path) -> None:
        search, other = Search(folder / "search.db", KEYS), Search(folder / "search.db", KEYS)
        writing = (search, other)[writer]
        there: list[Book] = []
        try:
            for number, (kind, what) in enumerate(steps, 1):
                if kind == "put":
                    there.append(what)
                    await writing.apply(BOOKS, None, what, sequence=str(number))
                elif kind == "delete" and there:
                    gone = there.pop(what % len(there))
                    await writing.apply(BOOKS, gone, None, sequence=str(number))
                asked = [("", {}), *([what] if kind == "look" else [])]
                for text, narrowed in asked:
                    for _ in range(2):  # found in a thread, then remembered or found on the loop
                        assert await _list(search, text, filters=narrowed) == await _anew(folder, text, narrowed)
        finally:
            search.close()
            other.close()

    with TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


async def _anew(folder: Path, text: str, narrowed: Any) -> SearchPage:
    fresh = Search(folder / "search.db", KEYS)
    try:
        return await _list(fresh, text, filters=narrowed)
    finally:
        fresh.close()


async def test_those_who_ask_the_same_at_the_same_time_get_one_answer(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    await search.apply(BOOKS, None, Book(id="1", title="Maps"), sequence="1")
    asked, may_go_on = [], threading.Event()
    find = finding.find

    def slow(*arguments: Any) -> SearchPage:
        asked.append(arguments)
        may_go_on.wait(20)
        return find(*arguments)

    monkeypatch.setattr(finding, "find", slow)
    waiting = [asyncio.ensure_future(_list(search, "maps")) for _ in range(8)]
    while not asked:
        await asyncio.sleep(0)
    waiting[0].cancel()  # whoever goes away takes nothing from the others
    may_go_on.set()
    answers = await asyncio.gather(*waiting[1:])
    assert len(asked) == 1
    assert all(answer is answers[0] for answer in answers)
    assert waiting[0].cancelled()


async def test_an_error_reaches_all_who_wait_and_is_not_remembered(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    await search.apply(BOOKS, None, Book(id="1", title="Maps"), sequence="1")

    def broken(*_: Any) -> SearchPage:
        raise OSError("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(finding, "find", broken)
        answers = await asyncio.gather(*(_list(search, "maps") for _ in range(3)), return_exceptions=True)
    assert [str(answer) for answer in answers] == ["the disk is gone"] * 3
    assert (await _list(search, "maps")).total == 1


@pytest.mark.parametrize(("seconds", "threads"), [(10.0, {"loop"}), (-1.0, {"search"})], ids=["quick", "slow"])
async def test_a_question_is_asked_on_the_loop_only_if_it_was_quick(
    search: Search, monkeypatch: pytest.MonkeyPatch, seconds: float, threads: set[str]
) -> None:
    monkeypatch.setattr(memory, "QUICK_SECONDS", seconds)
    await search.apply(BOOKS, None, Book(id="1", title="Maps"), sequence="1")
    find, used = finding.find, set[str]()

    def noting(*arguments: Any) -> SearchPage:
        name = threading.current_thread().name
        used.add("search" if name.startswith("search") else "loop")
        return find(*arguments)

    await _list(search), await _list(search, "maps")
    monkeypatch.setattr(finding, "find", noting)
    for number in range(2, 5):
        await search.apply(BOOKS, None, Book(id=str(number)), sequence=str(number))
        assert (await _list(search)).total == number
    assert used == threads
    await _list(search, "maps")
    assert used == threads | {"search"}, "words are never looked for on the loop"
