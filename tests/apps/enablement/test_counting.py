"""The numbers equal a recount of all events: after replays, crashes, many writers at once, and bad weather."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import EventBatch, EventInput, Retirement
from partita.apps.enablement.schema import ActiveUser, Event, Reader, Rollup, Series, Stats
from partita.apps.enablement.service.counting import NOTHING_KNOWN, additions, groups
from partita.apps.enablement.system import build
from tests.apps.enablement.conftest import ANNA, Portal, portal_in
from tests.apps.house import BAD_WEATHER, person, replay, worker_of

pytestmark = pytest.mark.anyio

READERS = [person(f"reader-{number}", "enablement:content:read") for number in range(16)]
Numbers = dict[tuple[Any, ...], Any]


async def stored_numbers(portal: Portal) -> Numbers:
    """Everything that was counted, as it is stored."""
    found: Numbers = {}
    rows = portal.kit.store.scan_whole_table(Rollup, Series, Reader, ActiveUser, Stats)
    async for row in rows:
        if isinstance(row, Rollup):
            found["rollup", row.what, row.day, row.subject] = row.count
        elif isinstance(row, Series):
            found["series", row.of_content, row.day] = (row.views, row.downloads)
        elif isinstance(row, ActiveUser):
            found["active", row.day, row.person] = row.event_count
        elif isinstance(row, Stats):
            found["stats", row.of_content] = (row.views, row.downloads, row.people, row.last_viewed_day)
        elif isinstance(row, Reader):
            found["reader", row.of_content, row.person] = (
                *(row.first_viewed, row.last_viewed, row.last_downloaded),
                *(row.major_seen, row.major_downloaded, row.first_major_downloaded),
            )
    return found


async def recount(portal: Portal) -> Numbers:
    """The same from the events alone."""
    events = [each async for each in portal.kit.store.scan_whole_table(Event)]
    rollups: Counter[tuple[str, ...]] = Counter()
    active: Counter[tuple[str, str, str]] = Counter()
    uses: dict[tuple[str, str], dict[str, list[Event]]] = defaultdict(lambda: {"views": [], "downloads": []})
    for event in events:
        day, name = event.date_bucket, event.event_name
        if event.user_id:
            active["active", day, event.user_id] += 1
            rollups["rollup", "user_events", day, event.user_id] += 1
        if name in ("content_viewed", "content_downloaded"):
            what = "views" if name == "content_viewed" else "downloads"
            rollups["rollup", what, day, "all"] += 1
            uses[event.content_id or "", event.user_id or ""][what].append(event)
        if name == "search_done":
            rollups["rollup", "searches", day, "all"] += 1
            if (event.metadata or {})["results"] == 0:
                rollups["rollup", "searches", day, "in_vain"] += 1
                rollups["rollup", "no_result", day, (event.metadata or {})["words"].casefold()] += 1
    for _, day, _person in active:
        rollups["rollup", "active_users", day, "all"] += 1
    found: Numbers = {**rollups, **active}
    series: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for (content_id, who), use in uses.items():
        for number, what in enumerate(("views", "downloads")):
            for event in use[what]:
                series["series", content_id, event.date_bucket][number] += 1
        views, downloads = use["views"], use["downloads"]
        times = [event.timestamp for event in views]
        majors = [(event.metadata or {})["major"] for event in downloads]
        found["reader", content_id, who] = (
            *(min(times, default=None), max(times, default=None)),
            max((event.timestamp for event in downloads), default=None),
            max(((event.metadata or {})["major"] for event in views), default=None),
            *(max(majors, default=None), min(majors, default=None)),
        )
    found |= {key: tuple(numbers) for key, numbers in series.items()}
    for content_id in {key[0] for key in uses}:
        mine = [use for (of, _), use in uses.items() if of == content_id]
        days = [event.date_bucket for use in mine for event in use["views"]]
        found["stats", content_id] = (
            *(sum(len(use[what]) for use in mine) for what in ("views", "downloads")),
            *(len(mine), max(days, default=schema.NEVER)),
        )
    return found


async def use_for_days(portal: Portal, contents: list[Any], *, rounds: int, seed: int = 11) -> None:
    """Sixteen people at once, for several days, in an order nobody chose."""
    dice = random.Random(seed)

    async def act(who: Any, number: int) -> None:
        content = contents[number % len(contents)]
        if number % 5 == 0:
            await portal.service.events.searched(who, f"Words {number % 3}", number % 2)
        elif number % 5 == 1:
            await portal.service.events.downloaded(who, content)
        elif number % 5 == 2:
            sent = EventInput(event_name="content_previewed", content_id=content.content_id)
            await portal.service.events.record(who, EventBatch(events=(sent,)))
        else:
            await portal.service.events.viewed(who, content)

    for _ in range(rounds):
        await asyncio.gather(*(act(who, dice.randrange(60)) for who in READERS for _ in range(3)))
        portal.clock.on(hours=dice.choice((0.1, 0.4, 9, 26)))


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_numbers_equal_a_recount_after_crashes_and_replays_of_16_writers(tmp_path: Path, weather: Any) -> None:
    with portal_in(tmp_path, faults=weather) as portal:
        contents = [await portal.released(f"Guide {number}") for number in range(3)]
        system = build(portal.kit)
        dice = random.Random(5)
        for seed in range(4):
            await use_for_days(portal, contents, rounds=2, seed=seed)
            for _ in range(3):  # a worker that is killed at any moment, and the next that goes on
                worker = worker_of(portal.kit, system)
                task = asyncio.create_task(worker.drain())
                for _ in range(dice.randrange(5, 200)):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                portal.clock.on(minutes=1)
        await worker_of(portal.kit, system).drain()
        await replay(portal.kit, system, "enablement.counting", times=3)
        expected = await recount(portal)
        assert len(expected) > 100
        assert await stored_numbers(portal) == expected


async def test_an_event_that_is_counted_at_the_same_time_by_many_counts_once(portal: Portal) -> None:
    content = await portal.released()
    await portal.service.events.viewed(READERS[0], content)
    (event,) = [each async for each in portal.kit.store.scan_whole_table(Event)]
    counted = await asyncio.gather(*(portal.service.counting.count(event) for _ in range(16)))
    assert sum(counted) == 1
    assert await stored_numbers(portal) == await recount(portal)


async def test_an_event_that_comes_again_costs_one_read_and_no_transaction(portal: Portal) -> None:
    content = await portal.released()
    await portal.service.events.viewed(READERS[0], content)
    (event,) = [each async for each in portal.kit.store.scan_whole_table(Event)]
    assert await portal.service.counting.count(event)
    operations: list[str] = []
    portal.kit.store.observe(lambda seen: operations.append(seen.operation))
    assert not await portal.service.counting.count(event)
    assert operations == ["BatchGetItem"]


async def test_totals_are_in_the_list_of_released_content_only_while_it_is_released(portal: Portal) -> None:
    content = await portal.released()
    await portal.draft("Not yet")
    system = build(portal.kit)
    worker = worker_of(portal.kit, system)
    await worker.drain()

    async def listed() -> list[str]:
        query = schema.unopened_since("9999-01-01")
        return [each.of_content async for each in portal.kit.store.stream(query)]

    assert await listed() == [content.content_id]
    await portal.service.lifecycle.retire(ANNA, content.content_id, Retirement(reason="Old."))
    await worker.drain()
    assert await listed() == []
    await portal.service.lifecycle.reinstate(ANNA, content.content_id)
    await worker.drain()
    await replay(portal.kit, system, "enablement.released", times=3)
    assert await listed() == [content.content_id]


async def test_the_list_of_what_nobody_opened_follows_views(portal: Portal) -> None:
    one, two = await portal.released("One"), await portal.released("Two")
    worker = worker_of(portal.kit, build(portal.kit))
    await portal.service.events.viewed(READERS[0], two)
    await worker.drain()
    today = portal.clock.at.date().isoformat()
    unopened = [each.of_content async for each in portal.kit.store.stream(schema.unopened_since(today))]
    assert unopened == [one.content_id]


async def test_events_of_another_program_are_counted_as_far_as_they_say_something(portal: Portal) -> None:
    stamp = "2026-03-02T09:30:00.000000Z"
    foreign: list[dict[str, Any]] = [
        {"event_name": "content_viewed"},
        {"event_name": "content_viewed", "content_id": "a#b", "user_id": "u1", "metadata": {"major": "3"}},
        {"event_name": "something_else", "user_id": "u1"},
        {"event_name": "search_done", "metadata": {"words": 7, "results": False}},
    ]
    for number, fields in enumerate(foreign):
        event = Event(date_bucket="2026-03-02", event_id=f"e{number}", timestamp=stamp, **fields)
        await portal.kit.store.write(schema.store_event(event))
    await worker_of(portal.kit, build(portal.kit)).drain()
    numbers = await stored_numbers(portal)
    assert numbers["rollup", "views", "2026-03-02", "all"] == 2
    assert numbers["rollup", "searches", "2026-03-02", "all"] == 1
    assert numbers["active", "2026-03-02", "u1"] == 2
    assert ("rollup", "searches", "2026-03-02", "in_vain") not in numbers


_DAYS, _PEOPLE, _ITEMS = ("2026-03-01", "2026-03-02"), ("ada", "ben", None), ("c1", "c2", None)
_EVENTS = st.builds(
    Event,
    date_bucket=st.sampled_from(_DAYS),
    event_id=st.uuids().map(str),
    event_name=st.sampled_from(("content_viewed", "content_downloaded", "content_previewed", "search_done")),
    user_id=st.sampled_from(_PEOPLE),
    content_id=st.sampled_from(_ITEMS),
    metadata=st.one_of(
        st.builds(dict, major=st.integers(1, 3)),
        st.builds(dict, words=st.sampled_from(("prices", " ", "Atlas")), results=st.integers(0, 1)),
    ),
    timestamp=st.datetimes(datetime(2000, 1, 1)).map(lambda at: f"{at:%Y-%m-%dT%H:%M:%S}.000000Z"),
)


@settings(max_examples=15, deadline=None)
@given(st.lists(_EVENTS, max_size=60))
def test_a_transaction_counts_as_many_events_as_it_can_hold(events: list[Event]) -> None:
    made = list(groups(events))
    assert [event for group in made for event in group] == events
    for group in made:
        assert group
        assert len(group) + len(additions(group, NOTHING_KNOWN)) <= 100


@settings(max_examples=5, deadline=None)
@given(st.lists(_EVENTS, max_size=25, unique_by=lambda each: each.event_id), st.data())
def test_events_that_are_counted_together_in_any_parts_make_the_same_numbers_as_one_by_one(
    events: list[Event], data: st.DataObject
) -> None:
    async def one_by_one(portal: Portal) -> Numbers:
        for event in events:
            assert await portal.service.counting.count(event)
        return await stored_numbers(portal)

    async def together(portal: Portal) -> Numbers:
        rest, number = data.draw(st.permutations(events)), 0
        while rest:
            size = data.draw(st.integers(1, len(rest)))
            number += await portal.service.counting.count_all([*rest[:size], rest[0]])
            rest = rest[size:]
        assert number == len(events)
        assert await portal.service.counting.count_all(events) == 0
        return await stored_numbers(portal)

    with (
        tempfile.TemporaryDirectory() as folder,
        portal_in(Path(folder, "one")) as first,
        portal_in(Path(folder, "other")) as second,
    ):
        assert asyncio.run(together(first)) == asyncio.run(one_by_one(second))
