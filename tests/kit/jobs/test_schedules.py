from __future__ import annotations

import asyncio
import time as clocks
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.engine import Engine
from partita.kit.clock import RandomIds
from partita.kit.jobs import Arguments, Job, Jobs, Result, Running, Schedule
from partita.kit.jobs.schedules import Clockwork
from partita.kit.jobs.schema import job_key, schedule_mark
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore
from partita.table import Delete
from tests.kit.conftest import HandClock
from tests.kit.jobs.conftest import ADA, EFFECTS, Office, at_work

pytestmark = pytest.mark.anyio

MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
EVERY = st.timedeltas(timedelta(seconds=1), timedelta(days=40))
TIMES = st.times()


async def nothing(_running: Running, _arguments: Arguments) -> None: ...


@pytest.fixture
def office(clock: HandClock) -> Iterator[Office]:
    """With a clock that the test moves."""
    with Engine.temporary(clock=lambda: clock.now().timestamp()) as engine:
        store = EmbeddedStore(engine)
        store.create(HOUSE, EFFECTS)
        yield Office(engine, store, Jobs(store.asynchronous, clock, RandomIds()))


async def _all(office: Office) -> list[Job]:
    return list((await office.jobs.all(limit=100)).items)


async def test_a_job_that_is_started_by_hand_with_the_key_of_a_schedule_is_the_only_one(office: Office) -> None:
    async def work(_running: Running, _arguments: Arguments) -> None:
        return None

    office.kind(work)
    clock = HandClock()
    hourly = Schedule("test.hourly", "test.work", every=timedelta(hours=1))
    jobs = Jobs(office.jobs.store, clock, RandomIds())
    jobs.use(office.jobs._kinds.values())
    clockwork = Clockwork(jobs, [hourly])
    await clockwork.start_due()
    by_hand = await jobs.start("test.work", {}, None, key=hourly.key)
    clock.forward(hours=1)
    assert await clockwork.start_due() == 0
    assert [each.job_id for each in (await jobs.all()).items] == [by_hand.job_id]


async def test_a_due_time_starts_one_job_with_any_number_of_processes(office: Office, clock: HandClock) -> None:
    office.kind(nothing)
    hourly = Schedule("test.hourly", "test.work", every=timedelta(hours=1), arguments={"why": "time"})
    processes = [Clockwork(office.jobs, [hourly]) for _ in range(4)]
    await asyncio.gather(*(each.start_due() for each in processes))
    assert await _all(office) == []  # a schedule that was never seen begins with its next due time
    for hour in range(1, 4):
        clock.forward(hours=1)
        started = await asyncio.gather(*(each.start_due() for each in processes * 5))
        assert sum(started) == 1
        await office.worker(clock=clock).drain()
        assert [each.state for each in await _all(office)] == ["done"] * hour
    (last, *_) = await _all(office)
    assert (last.arguments, last.user_id) == ('{"why":"time"}', None)


@pytest.mark.parametrize("by_hand", [False, True], ids=["by the clock", "by hand"])
async def test_a_job_of_the_clock_that_found_nothing_to_do_leaves_no_entry(
    office: Office, clock: HandClock, by_hand: bool
) -> None:
    """One that did something does, and so does one that somebody has started; the key is free again."""
    found = iter([0, 0, 3, 0])

    async def look(_running: Running, _arguments: Arguments) -> Result:
        number = next(found)
        return Result(f"{number} found.", idle=not number)

    office.kind(look)
    hourly = Schedule("test.hourly", "test.work", every=timedelta(hours=1))
    clockwork = Clockwork(office.jobs, [hourly])
    await clockwork.start_due()
    worker = office.worker(hourly, clock=clock)
    for _ in range(4):
        clock.forward(hours=1)
        if by_hand:
            await office.jobs.start("test.work", {}, ADA, key=hourly.key)
        else:
            assert await clockwork.start_due() == 1
        assert await worker.drain() == 1
        assert await office.jobs.store.get(job_key("test.work", hourly.key)) is None
    told = [each.result_message for each in await _all(office)]
    assert told == (["0 found.", "3 found.", "0 found.", "0 found."] if by_hand else ["3 found."])


async def test_a_job_of_the_clock_that_failed_at_first_keeps_its_entry(office: Office, clock: HandClock) -> None:
    tries = 0

    async def look(_running: Running, _arguments: Arguments) -> Result:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise OSError("no answer")
        return Result("0 found.", idle=True)

    office.kind(look)
    hourly = Schedule("test.hourly", "test.work", every=timedelta(hours=1))
    clockwork = Clockwork(office.jobs, [hourly])
    await clockwork.start_due()
    clock.forward(hours=1)
    await clockwork.start_due()
    worker = office.worker(hourly, clock=clock)
    await worker.drain()
    clock.forward(minutes=1)
    await worker.drain()
    assert [(each.state, each.failures) for each in await _all(office)] == [("done", 1)]


async def test_four_workers_run_what_the_clock_starts_exactly_once() -> None:
    """Real time, real workers: a second is the shortest interval."""
    runs: list[str] = []

    async def run(running: Running, _arguments: Arguments) -> None:
        runs.append(running.job_id)

    from partita.kit.clock import SystemClock

    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(HOUSE, EFFECTS)
        office = Office(engine, store, Jobs(store.asynchronous, SystemClock(), RandomIds()))
        office.kind(run)
        every_second = Schedule("test.second", "test.work", every=timedelta(seconds=1))
        begun = clocks.time()
        async with at_work(*(office.worker(every_second) for _ in range(4))):
            await asyncio.sleep(3.2)
        due = int(clocks.time()) - int(begun)
        assert len(runs) == len(set(runs))
        assert due - 1 <= len(runs) <= due
        assert len(await _all(office)) == len(runs)


async def test_what_was_missed_is_started_once_after_a_restart(office: Office, clock: HandClock) -> None:
    office.kind(nothing)
    daily = Schedule("test.daily", "test.work", at=time(3, 30))
    await Clockwork(office.jobs, [daily]).start_due()
    clock.forward(days=9)
    assert await Clockwork(office.jobs, [daily]).start_due() == 1
    assert await Clockwork(office.jobs, [daily]).start_due() == 0
    assert len(await _all(office)) == 1


async def test_what_is_due_while_its_last_job_has_not_ended_is_left_out(office: Office, clock: HandClock) -> None:
    office.kind(nothing)
    hourly = Schedule("test.hourly", "test.work", every=timedelta(hours=1))
    clockwork = Clockwork(office.jobs, [hourly])
    await clockwork.start_due()
    clock.forward(hours=1)
    assert await clockwork.start_due() == 1
    clock.forward(hours=1)
    assert await clockwork.start_due() == 0
    mark = await office.jobs.store.get(schedule_mark("test.hourly"))
    assert mark is not None
    assert mark.last_due == hourly.last_due(clock.now()).isoformat(timespec="microseconds").replace("+00:00", "Z")
    assert len(await _all(office)) == 1
    await office.worker(clock=clock).drain()
    assert await clockwork.start_due() == 0


@pytest.mark.parametrize("begun", [True, False])
async def test_a_schedule_goes_on_after_its_job_was_deleted(office: Office, clock: HandClock, begun: bool) -> None:
    """An operator deletes a job that hangs, and the key that it had stays behind."""
    office.kind(nothing)
    hourly = Schedule("test.hourly", "test.work", every=timedelta(hours=1))
    clockwork = Clockwork(office.jobs, [hourly])
    await clockwork.start_due()
    if begun:
        clock.forward(hours=1)
        assert await clockwork.start_due() == 1
    else:
        await office.jobs.start("test.work", {}, None, key=hourly.key)
    (lost,) = await _all(office)
    await office.jobs.store.write(Delete(lost.own_key))
    for _ in range(3):
        clock.forward(hours=1)
        assert await clockwork.start_due() == 1
        await office.worker(clock=clock).drain()
    assert [each.state for each in await _all(office)] == ["done"] * 3


async def test_a_schedule_for_a_kind_that_is_not_there_is_refused_at_the_start(office: Office) -> None:
    with pytest.raises(ValueError, match=r"test\.lost starts test\.gone"):
        office.worker(Schedule("test.lost", "test.gone", every=timedelta(hours=1)))


@given(MOMENTS, EVERY)
def test_an_interval_is_due_at_most_an_interval_ago_and_never_in_the_future(now: datetime, every: timedelta) -> None:
    schedule = Schedule("s", "k", every=every)
    due = schedule.last_due(now)
    assert due <= now < due + every
    assert schedule.last_due(due) == due
    assert schedule.last_due(due - timedelta(microseconds=1)) == due - every


@given(MOMENTS, TIMES)
def test_a_time_of_day_is_due_at_most_a_day_ago_and_never_in_the_future(now: datetime, at: time) -> None:
    schedule = Schedule("s", "k", at=at)
    due = schedule.last_due(now)
    assert due <= now < due + timedelta(days=1)
    assert due.timetz() == at.replace(tzinfo=UTC)
    assert schedule.last_due(due) == due


def test_a_schedule_that_makes_no_sense_is_refused() -> None:
    for wrong in ({}, {"every": timedelta(hours=1), "at": time(1)}, {"every": timedelta(0)}):
        with pytest.raises(ValueError, match="The schedule s"):
            Schedule("s", "k", **wrong)
    with pytest.raises(ValueError, match="in UTC"):
        Schedule("s", "k", at=time(3, tzinfo=timezone(timedelta(hours=2))))
