from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import orjson
import pytest

from partita.kit.clock import RandomIds
from partita.kit.jobs import Arguments, JobCancelled, JobFailed, JobLost, Jobs, JobWorker, Result, Running, child_kind
from partita.kit.jobs.holds import Hold
from partita.kit.jobs.schema import Job, JobKey, job_key
from partita.kit.jobs.worker import Pace
from partita.kit.problems import Conflict, Forbidden, NotFound
from partita.table import Delete, ItemTooLargeError, Put, Update
from partita.table.types import timestamp
from tests.kit.conftest import HandClock
from tests.kit.jobs import functions
from tests.kit.jobs.conftest import ADA, ADMIN, BEN, QUICK, Effect, Office, at_work

pytestmark = pytest.mark.anyio


def _once_more(name: str) -> Update[Effect]:
    return Update(Effect.key(Effect.id(name)), Effect.count.add(1)).or_new()


async def _until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)


async def _until_state(office: Office, job_id: str, *states: str, seconds: float = 10.0) -> Job:
    deadline = time.monotonic() + seconds
    while (now := await office.now(job_id)).state not in states:
        assert time.monotonic() < deadline, now
        await asyncio.sleep(0.005)
    return now


# -- from start to end


async def test_a_job_runs_with_its_arguments_and_says_what_came_out(office: Office) -> None:
    async def greet(running: Running, arguments: Arguments) -> Result:
        await running.progress("Greeting", done=1, total=2, message="Hello")
        assert (running.user_id, running.attempt, running.saved) == ("ada", 1, None)
        return Result(f"Hello {arguments['name']}.", "/there", {"length": 5})

    started = await office.jobs.start(office.kind(greet), {"name": "Ben"}, ADA, title="Greet Ben")
    assert (started.state, started.title, started.user_id) == ("waiting", "Greet Ben", "ada")
    assert await office.worker().drain() == 1
    now = await office.now(started.job_id)
    assert (now.state, now.result_message, now.result_path) == ("done", "Hello Ben.", "/there")
    assert now.result is not None
    assert orjson.loads(now.result) == {"length": 5}
    assert (now.step, now.done, now.total, now.message) == ("Greeting", 1, 2, "Hello")
    assert now.started_at is not None
    assert now.finished_at is not None
    assert now.created_at <= now.started_at <= now.finished_at
    assert now.expires_at == pytest.approx(time.time() + 14 * 86400, abs=60)
    assert (now.due_at, now.token) == (None, None)
    assert await office.worker().drain() == 0


async def test_a_job_that_is_to_begin_later_waits_until_then_and_holds_its_key(office: Office) -> None:
    async def run(running: Running, _arguments: Arguments) -> None:
        await running.checkpoint(1, _once_more("later"))

    kind, clock = office.kind(run), HandClock()
    jobs = Jobs(office.jobs.store, clock, RandomIds())
    jobs.use([kind])
    first = await jobs.start(kind, {}, ADA, key="nightly", after=timedelta(hours=3))
    clock.forward(hours=2.9)
    assert await JobWorker(jobs).drain() == 0
    assert (await jobs.start(kind, {}, ADA, key="nightly", after=timedelta(hours=3))).job_id == first.job_id
    assert (await office.now(first.job_id)).state == "waiting"
    clock.forward(hours=0.2)
    assert await JobWorker(jobs).drain() == 1
    assert await JobWorker(jobs).drain() == 0
    assert (await office.now(first.job_id)).state == "done"
    assert await office.count("later") == 1


async def test_a_started_job_is_taken_at_once_by_the_worker_of_the_same_process(office: Office) -> None:
    done = asyncio.Event()

    async def run(_running: Running, _arguments: Arguments) -> None:
        done.set()

    kind = office.kind(run)
    worker = office.worker(pace=Pace(poll=60))
    worker._jobs = office.jobs
    async with at_work(worker):
        await asyncio.sleep(0.05)
        await office.jobs.start(kind, {}, ADA)
        await asyncio.wait_for(done.wait(), 2)


async def test_the_end_of_short_work_is_waited_for_and_that_of_longer_work_is_not(office: Office) -> None:
    go_on = asyncio.Event()

    async def wait(_running: Running, arguments: Arguments) -> None:
        if arguments["long"]:
            await go_on.wait()

    kind = office.kind(wait)
    async with at_work(office.worker()):
        short, longer = [await office.jobs.start(kind, {"long": each}, ADA) for each in (False, True)]
        assert (await office.jobs.ended_within(short, 30)).state == "done"
        assert (await office.jobs.ended_within(longer, 0.1)).is_open
        go_on.set()
        assert (await office.jobs.ended_within(longer, 30)).state == "done"


async def test_a_worker_ends_when_it_is_told_to_though_a_job_is_started_in_the_same_moment(office: Office) -> None:
    for _ in range(20):
        worker = office.worker(pace=Pace(poll=60))
        task = asyncio.create_task(worker.run())
        await asyncio.sleep(0.005)
        worker._jobs.on_started()
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=2)
        assert done


async def test_kinds_have_names_of_their_own_and_only_known_ones_are_started(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None: ...

    office.kind(run)
    with pytest.raises(ValueError, match=r"test\.work"):
        office.kind(run)
    with pytest.raises(LookupError, match="no kind of job"):
        await office.jobs.start("test.other", {}, ADA)


async def test_what_is_too_large_for_an_item_is_refused_with_the_next_step(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None: ...

    kind = office.kind(run)
    with pytest.raises(ItemTooLargeError, match="Keep it in a file"):
        await office.jobs.start(kind, {"text": "x" * 200_000}, ADA)
    with pytest.raises(TypeError, match="JSON"):
        await office.jobs.start(kind, {"text": object()}, ADA)


async def test_a_kind_that_a_process_does_not_have_is_left_to_others(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None: ...

    kind = office.kind(run)
    others = office.worker()
    others._jobs._kinds.clear()
    started = await office.jobs.start(kind, {}, ADA)
    assert await others.drain() == 0
    assert (await office.now(started.job_id)).state == "waiting"


# -- two presses, one run


async def test_fifty_presses_at_once_are_one_run(office: Office) -> None:
    runs = 0

    async def run(running: Running, _arguments: Arguments) -> None:
        nonlocal runs
        runs += 1
        await asyncio.sleep(0.05)
        await running.checkpoint(1, _once_more("pressed"))

    kind = office.kind(run)
    async with at_work(office.worker(), office.worker()):
        started = await asyncio.gather(*(office.jobs.start(kind, {}, ADA, key="ada") for _ in range(50)))
        (job_id,) = {each.job_id for each in started}
        await _until_state(office, job_id, "done")
    assert runs == 1
    assert await office.count("pressed") == 1


async def test_a_key_is_free_again_when_its_job_has_ended(office: Office) -> None:
    async def run(_running: Running, arguments: Arguments) -> None:
        if arguments.get("fails"):
            raise JobFailed("no")

    kind = office.kind(run)
    for arguments in ({}, {"fails": True}, {}):
        first = await office.jobs.start(kind, arguments, ADA, key="k")
        assert (await office.jobs.start(kind, {}, ADA, key="k")).job_id == first.job_id
        await office.worker().drain()
        assert await office.jobs.store.get(job_key(kind.name, "k")) is None
    other = await office.jobs.start(kind, {}, ADA, key="k")
    await office.jobs.cancel(ADA, other.job_id)
    assert (await office.jobs.start(kind, {}, ADA, key="k")).job_id != other.job_id


async def test_keys_of_different_kinds_and_no_keys_do_not_meet(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None: ...

    one, two = office.kind(run), office.kind(run, "test.other")
    jobs = [await office.jobs.start(kind, {}, ADA, key="k") for kind in (one, two)]
    jobs += [await office.jobs.start(one, {}, ADA) for _ in range(2)]
    assert len({each.job_id for each in jobs}) == 4


async def test_a_key_whose_job_is_gone_does_not_block_for_ever(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None: ...

    kind = office.kind(run)
    lost = await office.jobs.start(kind, {}, ADA, key="k")
    await office.jobs.store.write(Delete(lost.own_key))
    new = await office.jobs.start(kind, {}, ADA, key="k")
    assert new.job_id != lost.job_id
    guard = await office.jobs.store.get(job_key(kind.name, "k"))
    assert guard == JobKey(kind=kind.name, once_key="k", of_job=new.job_id)
    await office.jobs.cancel(ADA, new.job_id)
    await office.jobs.store.write(Put(JobKey(kind=kind.name, once_key="k", of_job=lost.job_id)))
    assert (await office.jobs.retry(ADA, new.job_id)).state == "waiting"


# -- failing


async def test_what_fails_is_tried_again_and_goes_on_from_its_checkpoint(office: Office) -> None:
    seen: list[object] = []

    async def moody(running: Running, _arguments: Arguments) -> None:
        seen.append(running.saved)
        await running.checkpoint({"at": len(seen)})
        if len(seen) < 3:
            raise OSError("not now")

    started = await office.jobs.start(office.kind(moody, retries=2), {}, ADA)
    worker = office.worker()
    for failures in (1, 2):
        await worker.drain()
        now = await office.now(started.job_id)
        assert (now.state, now.failures) == ("waiting", failures)
        assert now.due_at is not None
        wait = datetime.fromisoformat(now.due_at) - datetime.now(UTC)
        assert timedelta(seconds=2**failures - 1) < wait <= timedelta(seconds=2**failures)
        await office.jobs.store.write(Update(now.own_key, Job.due_at.set(timestamp(datetime.now(UTC)))))
    await worker.drain()
    assert (await office.now(started.job_id)).state == "done"
    assert seen == [None, {"at": 1}, {"at": 2}]


@pytest.mark.parametrize(
    ("error", "words", "attempts"),
    [
        (JobFailed("The file is no bookmarks file."), "The file is no bookmarks file.", 1),
        (Forbidden("You may not."), "You may not.", 1),
        (ValueError("secret"), "Something went wrong that was not expected (ValueError).", 2),
    ],
    ids=["final", "problem", "unexpected"],
)
async def test_what_keeps_failing_ends_with_the_reason_in_plain_words(
    office: Office, error: Exception, words: str, attempts: int
) -> None:
    async def fail(_running: Running, _arguments: Arguments) -> None:
        raise error

    started = await office.jobs.start(office.kind(fail, retries=1), {}, ADA)
    worker = office.worker()
    await worker.drain()
    now = await office.now(started.job_id)
    if now.state == "waiting":
        await office.jobs.store.write(Update(now.own_key, Job.due_at.set(timestamp(datetime.now(UTC)))))
        await worker.drain()
    now = await office.now(started.job_id)
    assert (now.state, now.attempts) == ("failed", attempts)
    assert now.error.startswith(words)
    assert "secret" not in now.error
    assert type(error).__name__ in now.detail


async def test_too_long_is_a_failure(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None:
        await asyncio.sleep(60)

    started = await office.jobs.start(office.kind(run, seconds=0.05, retries=0), {}, ADA)
    await office.worker().drain()
    now = await office.now(started.job_id)
    assert (now.state, now.error) == ("failed", "It took longer than 0.05 seconds.")


async def test_a_failed_job_can_be_tried_again_by_hand(office: Office) -> None:
    fails = True

    async def run(running: Running, _arguments: Arguments) -> Result:
        if running.saved is None:
            await running.checkpoint("half")
        if fails:
            raise JobFailed("no")
        return Result(f"From {running.saved}.")

    started = await office.jobs.start(office.kind(run), {}, ADA, key="k")
    await office.worker().drain()
    fails = False
    with pytest.raises(NotFound):
        await office.jobs.retry(BEN, started.job_id)
    again = await office.jobs.retry(ADA, started.job_id)
    assert (again.state, again.error, again.expires_at) == ("waiting", "", None)
    assert (await office.jobs.start("test.work", {}, ADA, key="k")).job_id == started.job_id
    await office.worker().drain()
    now = await office.now(started.job_id)
    assert (now.state, now.result_message) == ("done", "From half.")
    with pytest.raises(Conflict, match="failed or was cancelled"):
        await office.jobs.retry(ADA, started.job_id)


async def test_a_job_is_not_tried_again_beside_another_with_its_key(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None:
        raise JobFailed("no")

    first = await office.jobs.start(office.kind(run), {}, ADA, key="k")
    await office.worker().drain()
    await office.jobs.start("test.work", {}, ADA, key="k")
    with pytest.raises(Conflict, match="started anew"):
        await office.jobs.retry(ADA, first.job_id)


# -- leases


async def test_long_work_keeps_its_lease_and_is_run_once(office: Office) -> None:
    runs = 0

    async def run(running: Running, _arguments: Arguments) -> None:
        nonlocal runs
        runs += 1
        await asyncio.sleep(QUICK.lease * 3)
        await running.checkpoint(1, _once_more("long"))

    started = await office.jobs.start(office.kind(run), {}, ADA)
    async with at_work(*(office.worker() for _ in range(3))):
        await _until_state(office, started.job_id, "done")
    assert (runs, await office.count("long")) == (1, 1)


async def test_a_running_job_is_not_taken_though_an_index_that_is_behind_names_it(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None: ...

    waiting = await office.jobs.start(office.kind(run), {}, ADA)

    async def take(seen: Job) -> Hold | None:
        return await Hold.take(office.jobs.store, office.jobs.clock, seen, owner="here", seconds=30)

    assert await take(waiting) is not None
    assert await take(waiting) is None
    assert await office.worker().drain() == 0


async def test_who_has_lost_the_lease_writes_nothing_any_more(office: Office) -> None:
    """The owner sleeps, as a stopped machine does; another takes over; then the first wakes up."""
    begun, wake = asyncio.Event(), asyncio.Event()
    ended: list[str] = []

    async def run(running: Running, arguments: Arguments) -> Result:
        if running.attempt == 1:
            begun.set()
            await wake.wait()
            for writes in ((_once_more("stale"),), ()):
                try:
                    await running.checkpoint("stale", *writes)
                except JobLost:
                    ended.append("lost")
            try:
                await running.progress("stale")
            except JobLost:
                ended.append("lost")
            return Result("stale")
        await running.checkpoint("fresh", _once_more("fresh"))
        return Result("fresh")

    started = await office.jobs.start(office.kind(run), {}, ADA)
    asleep = office.worker()
    task = asyncio.create_task(asleep.drain())
    await begun.wait()
    # Its heart stops, and the lease runs out.
    beat = next(each for each in asyncio.all_tasks() if each.get_name().startswith("heartbeat"))
    beat.cancel()
    async with at_work(office.worker()):
        await _until_state(office, started.job_id, "done")
    after = await office.now(started.job_id)
    assert (after.state, after.result_message, after.attempts) == ("done", "fresh", 2)
    wake.set()
    await task
    assert ended == ["lost", "lost", "lost"]
    assert await office.now(started.job_id) == after
    assert (await office.count("stale"), await office.count("fresh")) == (0, 1)


@pytest.mark.parametrize("minutes", [-1, 1, 60])
async def test_a_wrong_clock_neither_loses_a_job_nor_keeps_it_from_others(office: Office, minutes: int) -> None:
    class Wrong:
        def now(self) -> datetime:
            return datetime.now(UTC) + timedelta(minutes=minutes)

    begun = asyncio.Event()

    async def run(running: Running, _arguments: Arguments) -> None:
        if running.attempt == 1:
            begun.set()
            await asyncio.Event().wait()

    started = await office.jobs.start(office.kind(run), {}, ADA)
    if minutes < 0:
        await office.jobs.store.write(Update(started.own_key, Job.due_at.set("2020-01-01T00:00:00Z")))
    pace = Pace(poll=0.01, lease=1.5)
    working = asyncio.create_task(office.worker(clock=Wrong(), pace=pace, at_once=1).run())
    await begun.wait()
    async with at_work(office.worker(pace=pace)):
        await asyncio.sleep(0.3)  # by the clocks, one that is behind would have lost it at once
        assert (await office.now(started.job_id)).attempts == 1, "its owner lives"
        # Its heart stops.
        next(each for each in asyncio.all_tasks() if each.get_name().startswith("heartbeat")).cancel()
        await _until_state(office, started.job_id, "done")
    assert (await office.now(started.job_id)).attempts == 2
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


async def test_an_owner_that_is_overtaken_stops_at_its_next_heartbeat(office: Office) -> None:
    stopped = asyncio.Event()

    async def run(running: Running, _arguments: Arguments) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            stopped.set()

    started = await office.jobs.start(office.kind(run), {}, ADA)
    async with at_work(office.worker()):
        now = await _until_state(office, started.job_id, "running")
        await office.jobs.store.write(Update(now.own_key, Job.token.set("somebody else's")))
        await asyncio.wait_for(stopped.wait(), 5)
        assert (await office.now(started.job_id)).token == "somebody else's"


async def test_a_worker_that_ends_puts_its_jobs_back_and_another_goes_on_at_once(office: Office) -> None:
    async def run(running: Running, _arguments: Arguments) -> Result:
        if running.saved is None:
            await running.checkpoint("half")
            await asyncio.sleep(60)
        return Result(f"From {running.saved}.")

    started = await office.jobs.start(office.kind(run), {}, ADA)
    async with at_work(office.worker(pace=Pace(poll=0.01, lease=600))):
        while (await office.now(started.job_id)).checkpoint is None:
            await asyncio.sleep(0.005)
    assert (await office.now(started.job_id)).state == "waiting"
    await office.worker().drain()
    now = await office.now(started.job_id)
    assert (now.state, now.result_message, now.failures) == ("done", "From half.", 0)


async def test_work_that_always_kills_its_process_is_given_up(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None:
        raise AssertionError("it is not even begun")

    started = await office.jobs.start(office.kind(run), {}, ADA)
    await office.jobs.store.write(Update(started.own_key, Job.stalls.set(QUICK.stalls)))
    await office.worker().drain()
    now = await office.now(started.job_id)
    assert (now.state, now.error) == ("failed", "The work was interrupted again and again without getting ahead.")


# -- cancelling


async def test_a_waiting_job_is_cancelled_at_once(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None: ...

    started = await office.jobs.start(office.kind(run), {}, ADA)
    with pytest.raises(NotFound):
        await office.jobs.cancel(BEN, started.job_id)
    assert (await office.jobs.cancel(ADA, started.job_id)).state == "cancelled"
    assert await office.worker().drain() == 0
    with pytest.raises(Conflict, match="ended already"):
        await office.jobs.cancel(ADA, started.job_id)


async def test_a_running_job_is_cancelled_at_its_next_checkpoint_which_writes_nothing(office: Office) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def run(running: Running, _arguments: Arguments) -> None:
        await running.checkpoint(1, _once_more("before"))
        begun.set()
        await go_on.wait()
        with pytest.raises(JobCancelled):
            await running.checkpoint(2, _once_more("after"))
        running.check()

    started = await office.jobs.start(office.kind(run), {}, ADA, key="k")
    async with at_work(office.worker(pace=Pace(poll=0.01, lease=600))):
        await begun.wait()
        asked = await office.jobs.cancel(ADA, started.job_id)
        assert (asked.state, asked.cancelling) == ("running", True)
        go_on.set()
        now = await _until_state(office, started.job_id, "cancelled")
    assert now.checkpoint == "1"
    assert (await office.count("before"), await office.count("after")) == (1, 0)
    assert await office.jobs.store.get(job_key("test.work", "k")) is None


async def test_a_job_cancelled_while_its_owner_is_dead_ends_with_the_next_owner(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None:
        raise AssertionError("it is not begun again")

    started = await office.jobs.start(office.kind(run), {}, ADA)
    dead = Update(
        started.own_key, Job.state.set("running"), Job.token.set("x"), Job.due_at.set("2026-01-01T00:00:00.000000Z")
    )
    await office.jobs.store.write(dead)
    await office.jobs.cancel(ADA, started.job_id)
    await office.worker().drain()
    assert (await office.now(started.job_id)).state == "cancelled"


# -- in a child process


async def test_a_child_process_counts_saves_and_says_how_far_it_is(office: Office) -> None:
    kind = child_kind("test.count", "Count", functions.count)
    office.jobs.use([kind])
    started = await office.jobs.start(kind, {"to": 5}, ADA)
    await office.worker().drain()
    now = await office.now(started.job_id)
    assert (now.state, now.result_message, now.checkpoint) == ("done", "Counted to 5.", "5")
    assert (now.step, now.done, now.total) == ("Counting", 5, 5)


async def test_a_child_process_goes_on_from_its_checkpoint_and_is_killed_when_cancelled(office: Office) -> None:
    kind = child_kind("test.count", "Count", functions.count)
    office.jobs.use([kind])
    started = await office.jobs.start(kind, {"to": 1000, "pause": 0.05}, ADA)
    async with at_work(office.worker()):
        while (await office.now(started.job_id)).checkpoint is None:
            await asyncio.sleep(0.01)
    assert (await office.now(started.job_id)).state == "waiting"
    saved = orjson.loads((await office.now(started.job_id)).checkpoint or "0")
    async with at_work(office.worker()):
        while orjson.loads((await office.now(started.job_id)).checkpoint or "0") <= saved:
            await asyncio.sleep(0.01)
        await office.jobs.cancel(ADA, started.job_id)
        await _until_state(office, started.job_id, "cancelled", seconds=3)


# -- who sees what


async def test_jobs_are_seen_by_who_started_them_and_by_those_who_manage_them(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None: ...

    kind = office.kind(run)
    mine = [await office.jobs.start(kind, {}, ADA) for _ in range(3)]
    theirs = await office.jobs.start(kind, {}, None)
    assert await office.jobs.find(ADA, mine[0].job_id) == mine[0]
    for job_id in (mine[0].job_id, theirs.job_id, "no such job", "x" * 3000):
        with pytest.raises(NotFound):
            await office.jobs.find(BEN, job_id)
    with pytest.raises(NotFound):
        await office.jobs.find(ADA, theirs.job_id)
    assert await office.jobs.find(ADMIN, theirs.job_id) == theirs
    page = await office.jobs.mine(ADA, limit=2)
    assert [each.job_id for each in page] == sorted((each.job_id for each in mine), reverse=True)[:2]
    assert len((await office.jobs.all()).items) == 4
    await office.worker().drain()
    assert len((await office.jobs.all(state="done")).items) == 4


async def test_a_row_that_cannot_be_read_does_not_stop_the_others(office: Office) -> None:
    async def run(_running: Running, _arguments: Arguments) -> None: ...

    bad = await office.jobs.start(office.kind(run), {}, ADA)
    row = bad.to_row() | {"attempts": {"S": "many"}}
    office.engine.call("PutItem", {"TableName": "partita-house", "Item": row})
    good = await office.jobs.start("test.work", {}, ADA)
    await office.worker().drain()
    assert (await office.now(good.job_id)).state == "done"


async def test_an_effect_is_stored_with_its_checkpoint_or_not_at_all(office: Office) -> None:
    async def run(running: Running, _arguments: Arguments) -> None:
        await running.checkpoint(1, Put(Effect(id="one")).if_new().otherwise(JobFailed("It is there already.")))

    await office.jobs.store.write(Put(Effect(id="one")))
    started = await office.jobs.start(office.kind(run), {}, ADA)
    await office.worker().drain()
    now = await office.now(started.job_id)
    assert (now.state, now.error, now.checkpoint) == ("failed", "It is there already.", None)
