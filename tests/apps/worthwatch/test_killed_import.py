"""An import whose process is killed in the middle, several times: it goes on, and every row counts once."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ImportChoices
from partita.apps.worthwatch.schema import Movie
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.jobs import Job
from partita.kit.jobs.schema import job
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.suite import Suite
from tests.apps.worthwatch.conftest import film, member
from tests.apps.worthwatch.killed import suite_in, work
from tests.forked import victim

KILLS = int(os.environ.get("PARTITA_KILLS", "2"))
FILMS = 20 * (KILLS + 1)
_SECONDS = 90
HEAD = {"history": "Date,Name,Year,Letterboxd URI,Rating", "new": "Position,Name,Year,URL,Description"}


async def _begin(service: WorthWatchService, kit: Kit, target: str) -> tuple[Viewer, list[Movie], str, Job]:
    viewer = await member(kit)
    films = [await film(service, f"Number {number}", release_year=1990) for number in range(FILMS)]
    rows = [
        f"2024-01-{1 + number % 28:02},{each.title},1990,u,4"
        if target == "history"
        else f"{number + 1},{each.title},1990,u,"
        for number, each in enumerate(films)
    ]
    review = await service.imports.begin(viewer, "\n".join([HEAD[target], *rows]).encode(), "brought.csv")
    assert review.counts["found"] == FILMS
    await service.imports.choose(viewer, review.item.import_id, ImportChoices(target=target))
    return viewer, films, review.item.import_id, await service.imports.apply(viewer, review.item.import_id)


def _await(kit: Kit, started: Job, rows: int) -> Job:
    """The job as it is when it has done so many rows, or has ended."""
    until = time.monotonic() + _SECONDS
    while True:
        now = kit.tables.get(job(started.job_id).consistently())
        assert now is not None
        if now.state in ("done", "failed") or len((now.checkpoint or '""').strip('"')) >= rows:
            return now
        assert time.monotonic() < until, (now.state, now.checkpoint)
        time.sleep(0.002)


@pytest.mark.timeout(120 + 20 * KILLS)
@pytest.mark.parametrize("target", ["history", "new"])
def test_an_import_that_is_killed_in_the_middle_goes_on_and_counts_every_row_once(tmp_path: Path, target: str) -> None:
    suite = suite_in(tmp_path)
    kit = suite.kit
    service = WorthWatchService(kit)
    viewer, films, import_id, started = asyncio.run(_begin(service, kit, target))
    running = victim(work, tmp_path)
    try:
        for number in range(KILLS):
            running.await_ready()
            _await(kit, started, 1 + number * 20)
            running.kill()
            running = victim(work, tmp_path)
        ended = _await(kit, started, FILMS + 1)
    finally:
        running.kill()
    assert ended.state == "done", (ended.error, ended.detail)
    assert ended.attempts > 1, "nobody was killed at work"
    asyncio.run(_check(service, kit, viewer, films, import_id, target))
    print(f"{target}: {FILMS} rows, {KILLS} kills, {ended.attempts} attempts", flush=True)
    asyncio.run(_close(suite))


async def _close(suite: Suite) -> None:
    await suite.close()


async def _check(
    service: WorthWatchService, kit: Kit, viewer: Viewer, films: list[Movie], import_id: str, target: str
) -> None:
    done = await service.imports.review(viewer, import_id)
    assert done.outcomes == {"Added": FILMS}
    now = [await service.titles.title("MOVIE", each.movie_id) for each in films]
    if target == "history":
        assert {(each.rating_count, each.rating_sum) for each in now} == {(1, 8)}
        seen = [each async for each in kit.store.stream(schema.seen_shelf(viewer.id))]
        assert {each.content_id for each in seen} == {each.movie_id for each in films}
        assert len(seen) == FILMS
    else:
        (watchlist,) = (await service.lists.mine(viewer)).items
        items = await service.items.all_in_order(watchlist.watchlist_id)
        assert [item.content_id for item in items] == [each.movie_id for each in films]
        assert watchlist.item_count == FILMS
        assert {each.listed_in for each in now} == {1}
