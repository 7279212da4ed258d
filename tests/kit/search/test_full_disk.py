"""The index on a disk that is full: what is known goes on, what has to be written waits, and nobody takes it for a
fault of the question."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.dynamo.errors import StorageFullError
from partita.kit.search import Search
from partita.table import CursorKeys
from tests.kit.search.books import BOOKS, Book
from tests.small_disks import fill_up, mounted_disk


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mounted_disk(tmp_path / "disk", 8) as disk:
        yield disk


def _opened(disk: Path) -> Search:
    return Search(disk / "search.db", CursorKeys(b"s" * 32))


async def _titles(search: Search) -> list[str]:
    return [hit.id for hit in (await search.find(BOOKS, "maps")).hits]


async def _write(search: Search, number: int) -> None:
    for each in range(2, number):
        await search.apply(BOOKS, None, Book(id=f"{each}", title="Atlas " * 200), sequence=f"{each}")


def test_an_index_that_cannot_be_opened_for_want_of_space_says_so_and_is_opened_later(disk: Path) -> None:
    async def story() -> None:
        filler = fill_up(disk, 0)
        search = _opened(disk)
        try:
            assert await search.state() is None, "pages that need no search come all the same"
            for work in (_titles(search), search.built(BOOKS), search.apply(BOOKS, None, book, sequence="1")):
                with pytest.raises(StorageFullError):
                    await work
            filler.unlink()
            await search.apply(BOOKS, None, book, sequence="1")
            assert await _titles(search) == ["1"]
            assert await search.state() is not None
        finally:
            search.close()

    book = Book(id="1", title="Maps")
    asyncio.run(story())


def test_an_open_index_goes_on_finding_while_the_disk_is_full(disk: Path) -> None:
    async def story() -> None:
        search = _opened(disk)
        try:
            await search.apply(BOOKS, None, Book(id="1", title="Maps"), sequence="1")
            assert await _titles(search) == ["1"]
            fill_up(disk, 0)
            with pytest.raises(StorageFullError):
                await _write(search, 200)
            assert await _titles(search) == ["1"]
        finally:
            search.close()

    asyncio.run(story())
