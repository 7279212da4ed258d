"""What follows the end of a job: once for each end, whatever the end was and whoever is killed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from partita.kit.jobs import Arguments, Job, JobFailed, JobKind, JobWorker, Result, Running
from partita.kit.jobs.kinds import Run
from partita.kit.jobs.worker import Pace
from tests.kit.jobs.conftest import ADA, QUICK, Office, at_work

pytestmark = pytest.mark.anyio


@dataclass(slots=True)
class Followed:
    """A kind of job that writes down its ends."""

    office: Office
    run: Run
    ends: list[tuple[str, str | None]] = field(default_factory=list)

    async def start(self, **settings: float) -> Job:
        kind = JobKind("test.work", "Work", self.run, on_end=self.note, **settings)  # type: ignore[arg-type]
        self.office.jobs.use([kind])
        return await self.office.jobs.start(kind, {}, ADA)

    async def note(self, ended: Job) -> None:
        self.ends.append((ended.state, ended.finished_at))

    @property
    def states(self) -> list[str]:
        return [state for state, _ in self.ends]


async def _works(_running: Running, _arguments: Arguments) -> Result:
    return Result("Done.")


async def _breaks(_running: Running, _arguments: Arguments) -> None:
    raise JobFailed("It cannot be done.")


async def _stumbles(_running: Running, _arguments: Arguments) -> None:
    raise ValueError("Nobody foresaw this.")


async def _sleeps(_running: Running, _arguments: Arguments) -> None:
    await asyncio.sleep(60)


async def _waits(running: Running, _arguments: Arguments) -> None:
    await running.stopping.wait()
    running.check()


async def test_a_job_that_is_done_is_followed_once(office: Office) -> None:
    followed = Followed(office, _works)
    job = await followed.start()
    assert await office.worker().drain() == 1
    await asyncio.gather(*(office.worker().drain() for _ in range(3)))
    now = await office.now(job.job_id)
    assert followed.ends == [("done", now.finished_at)]
    assert now.due_at is None


@pytest.mark.parametrize(
    ("run", "settings", "stalls"),
    [
        (_breaks, {}, 10),
        (_stumbles, {"retries": 0}, 10),
        (_sleeps, {"retries": 0, "seconds": 0.05}, 10),
        (_works, {}, 0),
    ],
    ids=["refused", "after all tries", "too long", "interrupted again and again"],
)
async def test_a_job_that_failed_is_followed_once(
    office: Office, run: Run, settings: dict[str, float], stalls: int
) -> None:
    followed = Followed(office, run)
    await followed.start(**settings)
    worker = office.worker(pace=replace(QUICK, stalls=stalls))
    await worker.drain()
    await worker.drain()
    assert followed.states == ["failed"]


async def test_a_failure_that_is_not_the_last_is_not_followed(office: Office) -> None:
    followed = Followed(office, _stumbles)
    job = await followed.start(retries=3)
    await office.worker().drain()
    assert ((await office.now(job.job_id)).state, followed.ends) == ("waiting", [])


async def test_a_cancelled_job_is_followed_whether_it_waited_or_ran(office: Office) -> None:
    followed = Followed(office, _waits)
    waiting = await followed.start()
    await office.jobs.cancel(ADA, waiting.job_id)
    running = await office.jobs.start("test.work", {}, ADA)
    async with at_work(office.worker()):
        while (await office.now(running.job_id)).state != "running":
            await asyncio.sleep(0.01)
        await office.jobs.cancel(ADA, running.job_id)
        while len(followed.ends) < 2:
            await asyncio.sleep(0.01)
    assert followed.states == ["cancelled", "cancelled"]


async def test_a_job_that_is_tried_again_ends_again(office: Office) -> None:
    followed = Followed(office, _breaks)
    job = await followed.start()
    await office.worker().drain()
    await office.jobs.retry(ADA, job.job_id)
    await office.worker().drain()
    assert followed.states == ["failed", "failed"]
    assert len(set(followed.ends)) == 2, "each end has a time of its own"


async def test_what_follows_is_done_by_another_process_if_one_is_killed_or_fails(office: Office) -> None:
    followed = Followed(office, _works)
    job = await followed.start()
    failures: list[BaseException] = [asyncio.CancelledError(), ValueError("The mail server is away.")]

    async def note(ended: Job) -> None:
        if failures:
            raise failures.pop(0)
        await followed.note(ended)

    office.jobs._kinds["test.work"] = replace(office.jobs._kinds["test.work"], on_end=note)
    for _ in range(3):
        await asyncio.gather(asyncio.create_task(office.worker().drain()), return_exceptions=True)
        assert (await office.now(job.job_id)).state == "done"
        await asyncio.sleep(QUICK.lease)
    assert followed.states == ["done"]
    assert (await office.now(job.job_id)).due_at is None
    assert await JobWorker(office.jobs, pace=Pace(poll=0.01)).drain() == 0
