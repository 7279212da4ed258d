"""SQLite's log: how it grows, and how it is written into the data file."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.engine import Engine, write_ahead_log
from partita.engine.database import FILE_NAME, Durability
from tests.engine.tables import create, put, whole

PAGES = 40


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_ahead_log, "PAGES", PAGES)
    monkeypatch.setattr(write_ahead_log, "MOST_PAGES", 2 * PAGES)
    monkeypatch.setattr(write_ahead_log, "_MORE_PAGES", PAGES // 4)


def fill(engine: Engine, count: int, sizes: Sequence[int] = (), start: int = 0) -> Iterator[None]:
    """Put items one after the other."""
    for number in range(count):
        size = sizes[number % len(sizes)] if sizes else 900
        put(engine, pk=f"item {start + number}", text="x" * size)
        yield


def items_in(engine: Engine) -> dict[str, str]:
    return {item["pk"]: item["text"] for item in whole(engine, "Scan", {"TableName": "music"})}


def log_of(folder: Path) -> Path:
    return folder / f"{FILE_NAME}-wal"


def test_with_full_durability_it_grows_in_steps_and_not_with_each_write(tmp_path: Path) -> None:
    with Engine(tmp_path) as engine:
        create(engine)
        sizes = [log_of(tmp_path).stat().st_size for _ in fill(engine, 60)]
    assert len(set(sizes)) <= 3
    assert min(sizes) >= 512 * 1024


@pytest.mark.parametrize("durability", ["normal", "off"])
def test_without_it_grows_with_what_is_written(tmp_path: Path, durability: Durability) -> None:
    with Engine(tmp_path, durability=durability) as engine:
        create(engine)
        assert log_of(tmp_path).stat().st_size < 512 * 1024


@given(st.integers(0, 30), st.lists(st.integers(0, 40_000), max_size=6))
def test_zeros_in_it_are_nothing_that_was_written(
    tmp_path_factory: pytest.TempPathFactory, count: int, sizes: list[int]
) -> None:
    """What is in the files at any moment is what another process finds after a crash."""
    folder = tmp_path_factory.mktemp("log")
    with Engine(folder / "data") as engine:
        create(engine)
        for _ in fill(engine, count, sizes):
            pass
        there = items_in(engine)
        shutil.copytree(folder / "data", folder / "copy")
    with Engine(folder / "copy") as left:
        assert items_in(left) == there
    assert len(there) == count


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("background", [True, False])
def test_it_begins_anew_however_much_is_written(tmp_path: Path, background: bool) -> None:
    with Engine(tmp_path, background=background) as engine:
        create(engine)
        pages = list[int]()
        for _ in fill(engine, 20_000):
            pages.append(engine.database.log.pages)
            if len(pages) >= 400 and _begun_anew(pages) > 3:  # the thread may have to wait for the processor
                break
        assert _begun_anew(pages) > 3
        assert background or max(pages) < 8 * PAGES
        assert len(items_in(engine)) == len(pages)


def _begun_anew(pages: list[int]) -> int:
    return sum(later < earlier for earlier, later in pairwise(pages))


@pytest.mark.usefixtures("short")
def test_it_begins_anew_when_nobody_reads_what_was_there_before(tmp_path: Path) -> None:
    with Engine(tmp_path) as engine:
        create(engine)
        with engine.database.reader() as connection:
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM tables").fetchall()
            for _ in fill(engine, 150):
                pass
            assert engine.database.log.pages > 3 * PAGES
            connection.execute("COMMIT")
        pages = [engine.database.log.pages for _ in fill(engine, 400, start=150)]
        assert min(pages) < PAGES
        assert len(items_in(engine)) == 550


def test_a_full_disk_keeps_its_size_and_the_write_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = write_ahead_log.write_zeros

    def full(descriptor: int, offset: int, length: int) -> None:
        real(descriptor, offset, length // 2)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(write_ahead_log, "write_zeros", full)
    with Engine(tmp_path) as engine:
        create(engine)
        sizes = [log_of(tmp_path).stat().st_size for _ in fill(engine, 10)]
        assert sizes[-1] < 512 * 1024
        assert len(items_in(engine)) == 10


@pytest.mark.usefixtures("short")
def test_writers_and_readers_of_two_engines_lose_nothing_meanwhile(tmp_path: Path) -> None:
    with Engine(tmp_path) as one, Engine(tmp_path) as other:
        create(one)
        other.refresh()

        def work(engine: Engine, start: int) -> None:
            for _ in fill(engine, 60, start=start):
                items_in(engine)

        threads = [
            threading.Thread(target=work, args=(engine, 1000 * number))
            for number, engine in enumerate((one, other) * 2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(items_in(one)) == len(items_in(other)) == 240
