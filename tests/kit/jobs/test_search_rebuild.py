from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from partita.kit.jobs import Arguments, Running
from partita.kit.search import Catalog, Document, Search
from partita.kit.search.rebuilding import REBUILD, rebuild_kind
from partita.table import Attribute, CursorKeys, Item, Put, Query, Table
from tests.kit.jobs.conftest import ADA, Office, at_work

pytestmark = pytest.mark.anyio

SHELF = Table("rebuilt-shelf", pk="shelf", sk="id")


class Book(Item, table=SHELF):
    shelf: Attribute[str]
    id: Attribute[str]
    title: Attribute[str]


def _catalog(name: str, title: str) -> Catalog[Book]:
    def document(book: Book) -> Document:
        return Document(book.id, {"title": book.title})

    source: Query[Book] = Book.query(Book.shelf(name))
    return Catalog(f"test.{name}", Book, document, {"title": 1.0}, (source,), title=title)


POETRY, PROSE = _catalog("poetry", "books of poetry"), _catalog("prose", "books of prose")


@pytest.fixture
def search(tmp_path: Path, office: Office) -> Iterator[Search]:
    office.store.create(SHELF)
    for shelf in ("poetry", "prose"):
        office.store.batch_write(Put(Book(shelf=shelf, id=str(n), title=f"Volume {n}")) for n in range(600))
    search = Search(tmp_path / "search.db", CursorKeys(b"s" * 32))
    yield search
    search.close()


async def test_all_catalogs_are_built_and_the_page_says_how_much_can_be_found(office: Office, search: Search) -> None:
    office.jobs.use([rebuild_kind(search, office.jobs.store, (POETRY, PROSE))])
    started = await office.jobs.start(REBUILD, {}, ADA)
    await office.worker().drain()
    now = await office.now(started.job_id)
    assert (now.state, now.result_message) == (
        "done",
        "Search is built anew from 1,200 entries: books of poetry, books of prose.",
    )
    assert (now.step, now.done, now.total) == ("books of prose", 600, 600)
    for catalog in (POETRY, PROSE):
        assert (await search.find(catalog, "volume")).total == 600


async def test_one_catalog_can_be_named(office: Office, search: Search) -> None:
    office.jobs.use([rebuild_kind(search, office.jobs.store, (POETRY, PROSE))])
    started = await office.jobs.start(REBUILD, {"catalog": "test.prose"}, ADA)
    await office.worker().drain()
    now = await office.now(started.job_id)
    assert now.result_values == {"test.prose": 600}
    assert now.result_message == "Search is built anew from 600 entries: books of prose."
    assert not await search.built(POETRY)


async def test_interrupted_it_goes_on_with_the_catalog_that_it_was_at(office: Office, search: Search) -> None:
    kind = rebuild_kind(search, office.jobs.store, (POETRY, PROSE))
    half = asyncio.Event()

    async def run(running: Running, arguments: Arguments) -> None:
        if running.attempt == 1:
            await running.checkpoint({"test.poetry": 600})
            half.set()
            await asyncio.sleep(60)
        assert await kind.run(running, arguments) is not None

    office.kind(run, REBUILD)
    started = await office.jobs.start(REBUILD, {}, ADA)
    async with at_work(office.worker()):
        await half.wait()
    await office.worker().drain()
    assert (await office.now(started.job_id)).state == "done"
    assert (await search.built(PROSE), await search.built(POETRY)) == (True, False)


async def test_while_it_is_rebuilt_search_answers_and_what_changes_meanwhile_is_found(
    office: Office, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.jobs.use([rebuild_kind(search, office.jobs.store, (POETRY,))])
    await office.jobs.start(REBUILD, {}, ADA)
    await office.worker().drain()
    seen: list[int] = []
    rebuild_from = search.rebuild_from

    async def looked_at(catalog: Catalog[Book], sources: Any, progress: Callable[[int], None]) -> int:
        async def read() -> AsyncIterator[Any]:
            (source,) = sources.values()
            async for number, document in _numbered(source()):
                if number == 300:
                    seen.append((await search.find(POETRY, "volume")).total)
                    await search.apply(
                        POETRY, None, Book(shelf="poetry", id="new", title="Volume new"), sequence="9" * 30
                    )
                yield document

        return await rebuild_from(catalog, dict.fromkeys(sources, read), progress)

    monkeypatch.setattr(search, "rebuild_from", looked_at)
    again = await office.jobs.start(REBUILD, {}, ADA)
    await office.worker().drain()
    assert (await office.now(again.job_id)).state == "done"
    assert seen == [600], "all of it is found all the time"
    assert (await search.find(POETRY, "volume")).total == 601
    assert (await search.find(POETRY, "new")).total == 1


async def _numbered(documents: AsyncIterator[Any]) -> AsyncIterator[tuple[int, Any]]:
    number = 0
    async for document in documents:
        yield number, document
        number += 1
