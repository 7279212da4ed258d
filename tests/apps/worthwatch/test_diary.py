"""The diary: entries with days, rewatches and private notes; `times` is exact."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from partita.apps.worthwatch.inputs import NewViewing
from partita.apps.worthwatch.schema import WORTHWATCH, Movie, Viewing
from partita.apps.worthwatch.service import WorthWatchService
from partita.engine import FaultPlan
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Invalid, NotFound
from tests.apps.house import BAD_WEATHER, kit_on
from tests.apps.worthwatch.conftest import POLICY, film, member

pytestmark = pytest.mark.anyio


async def log(service: WorthWatchService, viewer: Viewer, title: Movie, day: str, **more: Any) -> Viewing:
    known = {"contentType": "MOVIE", "contentId": title.movie_id, "day": day}
    entry, _ = await service.diary.log(viewer, NewViewing.model_validate({**known, **more}))
    return entry


async def test_an_entry_marks_seen_counts_and_rates_in_one(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    await service.marks.want(who, "MOVIE", title.movie_id)
    await log(service, who, title, "2026-05-02", rewatch=True, note="With Ben", rating=9)
    mine = await service.shelves.mine(who, "MOVIE", title.movie_id)
    assert mine is not None
    assert (mine.seen, mine.times, mine.last_seen_on, mine.rating, mine.queued) == (True, 1, "2026-05-02", 9, None)
    assert (await service.titles.title("MOVIE", title.movie_id)).rating_count == 1
    (entry,) = (await service.diary.entries(who)).items
    assert (entry.day, entry.rewatch, entry.note) == ("2026-05-02", True, "With Ben")


async def test_the_diary_is_newest_first_and_nobody_elses(service: WorthWatchService, kit: Kit) -> None:
    who, other, title = await member(kit), await member(kit), await film(service)
    for day in ("2026-05-01", "2026-03-01", "2026-04-01"):
        await log(service, who, title, day)
    await log(service, other, title, "2026-05-03")
    assert [each.day for each in (await service.diary.entries(who)).items] == ["2026-05-01", "2026-04-01", "2026-03-01"]
    assert len(await service.diary.viewings(who, ("MOVIE", title.movie_id))) == 3
    (entry,) = (await service.diary.entries(other)).items
    with pytest.raises(NotFound):
        await service.diary.delete(who, entry.day, entry.viewing_id)


async def test_deleting_entries_counts_down_and_the_last_day_follows(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    first = await log(service, who, title, "2026-03-01")
    second = await log(service, who, title, "2026-04-01")
    await service.diary.delete(who, second.day, second.viewing_id)
    mine = await service.shelves.mine(who, "MOVIE", title.movie_id)
    assert mine is not None
    assert (mine.times, mine.last_seen_on) == (1, "2026-03-01")
    await service.diary.delete(who, first.day, first.viewing_id)
    mine = await service.shelves.mine(who, "MOVIE", title.movie_id)
    assert mine is not None
    assert (mine.times, mine.last_seen_on, mine.seen) == (None, None, True)
    with pytest.raises(NotFound, match="diary"):
        await service.diary.delete(who, first.day, first.viewing_id)


async def test_a_day_to_come_is_refused_and_writes_nothing(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    with pytest.raises(Invalid):
        await log(service, who, title, "2999-01-01", rating=4)
    assert await service.shelves.mine(who, "MOVIE", title.movie_id) is None
    assert (await service.titles.title("MOVIE", title.movie_id)).rating_count is None


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_times_is_the_number_of_entries_after_64_writers(tmp_path: Path, weather: FaultPlan | None) -> None:
    """Eight people log and delete at once, each in several windows."""
    with kit_on(tmp_path, WORTHWATCH, faults=weather) as kit:
        kit.accounts.use(POLICY, ())
        service = WorthWatchService(kit)
        title = await film(service)
        people = [await member(kit) for _ in range(8)]

        async def write(number: int) -> None:
            who = people[number % 8]
            entry = await log(service, who, title, f"2026-05-{number // 8 + 1:02}", rating=number % 10 + 1)
            if number % 3 == 0:
                await service.diary.delete(who, entry.day, entry.viewing_id)

        await asyncio.gather(*map(write, range(64)))
        ratings = []
        for who in people:
            entries = (await service.diary.entries(who, limit=50)).items
            mine = await service.shelves.mine(who, "MOVIE", title.movie_id)
            assert mine is not None
            assert (mine.times, mine.last_seen_on) == (len(entries), max(each.day for each in entries))
            ratings.append(mine.rating or 0)
        found = await service.titles.title("MOVIE", title.movie_id)
        assert (found.rating_count, found.rating_sum) == (8, sum(ratings))


async def test_twelve_months_are_counted_and_older_ones_left_out(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    today = kit.clock.now().date()
    for day in (today, today, today.replace(day=1), date(today.year - 2, 1, 1)):
        await log(service, who, title, day.isoformat())
    months = await service.diary.months(who)
    assert (len(months), months[-1]) == (12, (f"{today:%Y-%m}", 3))
    assert sum(count for _, count in months) == 3
    assert [name for name, _ in months] == sorted(name for name, _ in months)
