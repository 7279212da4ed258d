"""An import whose process is killed in the middle, several times: it goes on, and every row counts once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ImportChoices
from partita.apps.worthwatch.schema import Movie
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.jobs import Job
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.suite import Suite
from tests.apps.killed_jobs import ROWS, TIMEOUT, killed_at_work, suite_in
from tests.apps.worthwatch.conftest import film, member

HEAD = {"history": "Date,Name,Year,Letterboxd URI,Rating", "new": "Position,Name,Year,URL,Description"}


async def _begin(service: WorthWatchService, kit: Kit, target: str) -> tuple[Viewer, list[Movie], str, Job]:
    viewer = await member(kit)
    films = [await film(service, f"Number {number}", release_year=1990) for number in range(ROWS)]
    rows = [
        f"2024-01-{1 + number % 28:02},{each.title},1990,u,4"
        if target == "history"
        else f"{number + 1},{each.title},1990,u,"
        for number, each in enumerate(films)
    ]
    review = await service.imports.begin(viewer, "\n".join([HEAD[target], *rows]).encode(), "brought.csv")
    assert review.counts["found"] == ROWS
    await service.imports.choose(viewer, review.item.import_id, ImportChoices(target=target))
    return viewer, films, review.item.import_id, await service.imports.apply(viewer, review.item.import_id)


def _rows_done(job: Job) -> int:
    """Its checkpoint has a letter for each row."""
    return len((job.checkpoint or '""').strip('"'))


@pytest.mark.timeout(TIMEOUT)
@pytest.mark.parametrize("target", ["history", "new"])
def test_an_import_that_is_killed_in_the_middle_goes_on_and_counts_every_row_once(tmp_path: Path, target: str) -> None:
    suite = suite_in(tmp_path, "worthwatch")
    kit = suite.kit
    service = WorthWatchService(kit)
    viewer, films, import_id, started = asyncio.run(_begin(service, kit, target))
    killed_at_work(tmp_path, "worthwatch", kit, started, _rows_done)
    asyncio.run(_check(service, kit, viewer, films, import_id, target))
    asyncio.run(_close(suite))


async def _close(suite: Suite) -> None:
    await suite.close()


async def _check(
    service: WorthWatchService, kit: Kit, viewer: Viewer, films: list[Movie], import_id: str, target: str
) -> None:
    done = await service.imports.review(viewer, import_id)
    assert done.outcomes == {"Added": ROWS}
    now = [await service.titles.title("MOVIE", each.movie_id) for each in films]
    if target == "history":
        assert {(each.rating_count, each.rating_sum) for each in now} == {(1, 8)}
        seen = [each async for each in kit.store.stream(schema.seen_shelf(viewer.id))]
        assert {each.content_id for each in seen} == {each.movie_id for each in films}
        assert len(seen) == ROWS
    else:
        (watchlist,) = (await service.lists.mine(viewer)).items
        items = await service.items.all_in_order(watchlist.watchlist_id)
        assert [item.content_id for item in items] == [each.movie_id for each in films]
        assert watchlist.item_count == ROWS
        assert {each.listed_in for each in now} == {1}
