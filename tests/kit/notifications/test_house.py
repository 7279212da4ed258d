"""Each thing is told once, bursts are counted exactly, and the number of unread ones is what a recount finds."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.engine import FaultPlan
from partita.kit.notifications import Notification, Position
from partita.kit.notifications.house import HouseStore
from partita.kit.notifications.schema import inbox, notes_of
from partita.kit.notifications.stores import KEPT_DAYS, Entry
from tests.kit.between import late_store
from tests.kit.notifications.conftest import World, world_in

pytestmark = pytest.mark.anyio


def _told(world: World, cause: str, *, user: str = "ada", group: str = "", **ago: float) -> Notification:
    data = {"title": cause}
    return Notification(user, "press.commented", cause, world.at(**ago or {"hours": 1}), data, f"/press/{cause}", group)


async def everything(house: HouseStore, user: str = "ada", size: int = 7) -> list[Entry]:
    """All pages."""
    found: list[Entry] = []
    before: Position | None = None
    while page := await house.page(user, limit=size, before=before):
        found += page
        before = page[-1].position
    return found


async def recount(house: HouseStore, user: str = "ada") -> int:
    return sum(entry.unread for entry in await everything(house, user))


async def test_a_cause_that_is_told_many_times_at_once_is_one_notification(stormy: World) -> None:
    house, told = stormy.house(), _told(stormy, "c1")
    assert await asyncio.gather(*(house.add(told) for _ in range(12))) == [True] * 12
    (entry,) = await everything(house)
    assert (entry.id, entry.at, entry.link, entry.count, entry.unread) == (told.id, told.at, "/press/c1", 1, True)
    assert await house.unread_count("ada") == 1


async def test_told_again_after_it_was_read_it_stays_read(world: World) -> None:
    house, told = world.house(), _told(world, "c1")
    await house.add(told)
    await house.mark_read("ada", told.id)
    await house.add(told)
    assert [entry.unread for entry in await everything(house)] == [False]
    assert await house.unread_count("ada") == 0


async def test_a_burst_is_one_notification_that_counts_each_cause_once(stormy: World) -> None:
    house = stormy.house()
    causes = [_told(stormy, f"c{number}", group="article", minutes=number) for number in range(9)] * 3
    random.Random(4).shuffle(causes)
    answers = await asyncio.gather(*map(house.add, causes))
    (entry,) = await everything(house)
    assert (entry.count, entry.unread, entry.data["title"]) == (9, True, "c0")  # the newest one speaks
    assert entry.at == stormy.at(minutes=0)
    assert await house.unread_count("ada") == 1
    opened = {told.cause for told, alone in zip(causes, answers, strict=True) if alone}
    assert len(opened) == 1  # and says so each time it is asked
    assert [alone for told, alone in zip(causes, answers, strict=True) if told.cause in opened] == [True] * 3


async def test_after_a_burst_was_read_the_next_cause_begins_anew(world: World) -> None:
    house = world.house()
    for number in range(3):
        await house.add(_told(world, f"old{number}", group="article", hours=2))
    assert (await everything(house))[0].count == 3
    await house.mark_read("ada", _told(world, "x", group="article").id)
    assert await house.add(_told(world, "new", group="article"))
    assert not await house.add(_told(world, "newer", group="article"))
    (entry,) = await everything(house)
    assert (entry.count, entry.unread) == (2, True)
    await house.add(_told(world, "old1", group="article", hours=2))  # a late retry counts for nothing
    assert (await everything(house))[0].count == 2
    assert await house.unread_count("ada") == 1


async def test_other_groups_people_and_kinds_are_not_merged(world: World) -> None:
    house = world.house()
    await house.add(_told(world, "c", group="one"))
    await house.add(_told(world, "c", group="two"))  # the same cause concerns one group only: it is known
    await house.add(_told(world, "d", group="two"))
    await house.add(_told(world, "c", group="one", user="ben"))
    assert sorted(entry.count for entry in await everything(house)) == [1, 1]
    assert await house.unread_count("ben") == 1


@pytest.mark.parametrize("group", ["", "g"])
async def test_what_comes_while_all_is_read_is_unread_or_was_read_with_the_rest(world: World, group: str) -> None:
    house = world.house()
    await house.add(_told(world, "c1", group=group))
    store = late_store(world.tables.engine, _seconds(world), lambda: house.mark_all_read("ada"))
    assert await HouseStore(store, world.clock).add(_told(world, "c2", group=group))  # it opens anew: it needs a mail
    assert await house.unread_count("ada") == await recount(house) == 1
    assert (await everything(house))[0].count == 1


async def test_a_cause_that_another_process_counts_meanwhile_counts_once(world: World) -> None:
    house, told = world.house(), _told(world, "c2", group="g")
    await house.add(_told(world, "c1", group="g"))
    store = late_store(world.tables.engine, _seconds(world), lambda: house.add(told))
    assert not await HouseStore(store, world.clock).add(told)
    assert (await everything(house))[0].count == 2


async def test_a_burst_that_is_read_while_it_grows_is_unread_again(world: World) -> None:
    house = world.house()
    await house.add(_told(world, "c1", group="g"))
    note = _told(world, "c1", group="g").id
    store = late_store(world.tables.engine, _seconds(world), lambda: house.mark_read("ada", note))
    assert await HouseStore(store, world.clock).add(_told(world, "c2", group="g"))
    assert await house.unread_count("ada") == await recount(house) == 1


def _seconds(world: World) -> Callable[[], float]:
    return lambda: world.clock.now().timestamp()


async def test_to_read_all_is_one_write_however_many_there_are(world: World) -> None:
    house = world.house()
    for number in range(30):
        await house.add(_told(world, f"c{number}", hours=number * 20))
    calls: list[str] = []
    world.tables.observe(lambda call: calls.append(call.operation))
    await house.mark_all_read("ada")
    assert calls == ["GetItem", "UpdateItem"]
    assert await house.unread_count("ada") == await recount(house) == 0
    await house.add(_told(world, "next"))
    assert await house.unread_count("ada") == await recount(house) == 1


async def test_what_expires_is_not_counted_any_more(world: World) -> None:
    house = world.house()
    for days in (0, 1, 40, 88, 89, 90):
        await house.add(_told(world, f"c{days}", days=days))
    await house.add(_told(world, "burst", group="g", days=80))
    counts = []
    for _ in range(100):
        count = await house.unread_count("ada")
        assert count == await recount(house)
        counts.append(count)
        world.clock.forward(days=1)
    assert counts == [7, 6, 5] + [4] * 8 + [3] * 40 + [2] * 39 + [1] + [0] * 9
    await house.add(_told(world, "fresh"))
    box = await world.store.get(inbox("ada"))
    assert box is not None
    assert len(box.unread) == 1  # the days that are over went on the way


async def test_a_group_that_expired_begins_anew_though_its_row_is_still_there(world: World) -> None:
    house = world.house()
    await house.add(_told(world, "old", group="g", days=KEPT_DAYS))
    world.clock.forward(days=3)
    assert await house.add(_told(world, "new", group="g"))
    (entry,) = await everything(house)
    assert (entry.count, await house.unread_count("ada")) == (1, 1)


async def test_pages_have_each_notification_once_newest_first(world: World) -> None:
    house = world.house()
    for number in range(25):
        await house.add(_told(world, f"c{number}", hours=number // 3))  # three share a moment
    entries = await everything(house, size=4)
    assert [entry.position for entry in entries] == sorted((entry.position for entry in entries), reverse=True)
    assert len({entry.id for entry in entries}) == 25


async def test_nobody_reads_what_is_somebody_elses(world: World) -> None:
    house, told = world.house(), _told(world, "c1")
    await house.add(told)
    assert await house.mark_read("ben", told.id) is None
    assert await house.mark_read("ada", "no#such\0id") is None
    assert await house.unread_count("ada") == 1
    assert await house.unread_among("ben", {told.cause_id: told.id}) == frozenset()
    assert await house.unread_among("ada", {told.cause_id: told.id, "other": "other"}) == {told.cause_id}


async def test_counts_equal_a_recount_after_sixteen_writers_and_readers(tmp_path: Path) -> None:
    await _storm_of_writers(tmp_path, seed=1, writers=16, steps=12)


async def _storm_of_writers(folder: Path, *, seed: int, writers: int, steps: int) -> None:
    plan = FaultPlan(seed=seed, throttle=0.03, conflict=0.15, latency=0.001)
    with world_in(folder, faults=plan) as world:
        houses = [world.house() for _ in range(writers)]
        causes: list[Notification] = [
            _told(world, f"c{number}", group=f"g{number % 3}" if number % 2 else "", days=number % 4)
            for number in range(writers * 4)
        ]

        async def work(number: int) -> None:
            dice = random.Random(seed * 1000 + number)
            for _ in range(steps):
                chance = dice.random()
                if chance < 0.6:
                    await houses[number].add(dice.choice(causes))
                elif chance < 0.95:
                    await houses[number].mark_read("ada", dice.choice(causes).id)
                else:
                    await houses[number].mark_all_read("ada")

        await asyncio.gather(*(work(number) for number in range(writers)))
        house = houses[0]
        assert await house.unread_count("ada") == await recount(house)
        stored = [note async for note in world.store.stream(notes_of("ada"))]
        assert len(stored) == len({note.note_id for note in stored})


_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 9)),
        st.tuples(st.just("read"), st.integers(0, 9)),
        st.tuples(st.just("all"), st.just(0)),
        st.tuples(st.just("days"), st.sampled_from([1, 30, 89])),
    ),
    max_size=25,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
def test_the_inbox_is_what_a_plain_list_would_be(tmp_path: Path, steps: list[tuple[str, int]]) -> None:
    """A law: whatever is added, read and left to expire, the inbox says what a list of causes says."""

    async def story() -> None:
        with world_in(tmp_path) as world:
            house = world.house()
            known: dict[str, tuple[Notification, int]] = {}  # cause → what it tells, and the day it happened
            unread: dict[str, set[str]] = {}  # note → unread causes
            days = 0
            for step, number in steps:
                if step == "add":
                    group = f"g{number % 2}" if number >= 4 else ""
                    told = _told(world, f"c{number}", group=group, hours=1)
                    if told.cause not in known:
                        known[told.cause] = (told, days)
                        unread.setdefault(told.id, set()).add(told.cause)
                    told, day = known[told.cause]
                    if days - day < KEPT_DAYS:  # nobody tells what is older
                        await house.add(told)
                elif step == "read":
                    note = _told(world, f"c{number}", group=f"g{number % 2}" if number >= 4 else "").id
                    await house.mark_read("ada", note)
                    unread.pop(note, None)
                elif step == "all":
                    await house.mark_all_read("ada")
                    unread.clear()
                else:
                    world.clock.forward(days=number)
                    days += number
                    newest = {note: max(known[cause][1] for cause in causes) for note, causes in unread.items()}
                    for note, day in newest.items():
                        if days - day > KEPT_DAYS:
                            unread.pop(note)
                counted = {entry.id: entry.count for entry in await everything(house) if entry.unread}
                assert counted == {note: len(causes) for note, causes in unread.items()}
                assert await house.unread_count("ada") == len(unread)

    asyncio.run(story())
