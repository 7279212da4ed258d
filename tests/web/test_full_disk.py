"""A full disk: pages are read as before, writes are refused in words, the log says why, and then everything goes on."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from partita.store.embedded import EmbeddedStore
from partita.web import logs
from tests.web.conftest import Person, Served, make
from tests.web.visitor import Answer

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def full_disk(served: Served) -> AsyncIterator[None]:
    """No page more for the tables: SQLite says what it says on a full disk."""
    store = served.suite.kit.tables
    assert isinstance(store, EmbeddedStore)
    writer = store.engine.database.writer
    pages = int(next(writer.execute("PRAGMA page_count"))[0])
    before = int(next(writer.execute("PRAGMA max_page_count"))[0])
    writer.execute(f"PRAGMA max_page_count={pages}")
    try:
        yield
    finally:
        writer.execute(f"PRAGMA max_page_count={before}")


async def test_a_full_disk_refuses_writes_in_words_and_serves_what_is_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = make(tmp_path)
    async with found.app.router.lifespan_context(found.app):
        person = await found.person("Ada", "press:editor")
        async with full_disk(found):
            answers = [await publish(person, number) for number in range(60)]
            refused = [answer for answer in answers if answer.status == 503]
            assert len(refused) > 20, [answer.status for answer in answers]
            assert {answer.status for answer in answers} <= {201, 503}
            assert refused[-1].json["code"] == "storage_full"
            assert "There is no space left on the disk, so nothing was saved." in refused[-1].json["detail"]
            assert refused[-1].headers["retry-after"] == "60"
            for path in ("/account", "/press/list", "/healthz"):
                assert (await person.get(path)).status == 200
        told = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
        assert [line for line in told if "is full; nothing was written" in line]
        assert len(told) < 10, "not a line for every request"
        assert (await publish(person, 99)).status == 201


async def publish(person: Person, number: int) -> Answer:
    article = {"title": f"{number:03} " + "x" * 56, "pages": 1}
    return await person.call("POST", "/api/press/articles", article, sec_fetch_site="same-origin")


async def test_a_log_that_cannot_be_written_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    with suppress(OSError), open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stderr", full)
        try:
            logs.configure("info")
            found = make(tmp_path)
            async with found.app.router.lifespan_context(found.app):
                answer = await found.visitor().get("/healthz")
        finally:
            root.handlers[:] = handlers
            root.setLevel(level)
    assert answer.status == 200
