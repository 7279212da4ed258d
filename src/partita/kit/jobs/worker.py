"""The worker inside `serve`: takes jobs that are due, runs some at once, and writes how they ended."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
import traceback
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson

from partita.dynamo.errors import DynamoError
from partita.kit.jobs.ends import claim_end, let_go_of_end
from partita.kit.jobs.holds import Hold, Refused
from partita.kit.jobs.jobs import Jobs
from partita.kit.jobs.kinds import JobFailed, JobKind, Result
from partita.kit.jobs.running import JobCancelled, JobLost, Running, as_json
from partita.kit.jobs.schedules import Clockwork, Schedule
from partita.kit.jobs.schema import Job, State, due_jobs
from partita.kit.leases import Watch
from partita.kit.problems import Problem
from partita.table import Action
from partita.table.types import timestamp

_log = logging.getLogger(__name__)
CLOCKS_DIFFER = timedelta(minutes=5)
"""Hardly more: AWS refuses requests of a machine whose clock is further off."""
_FAR = timedelta(hours=2)
"""How far ahead to look now and then, for owners whose clock is that wrong; others than AWS do not refuse them."""


@dataclass(frozen=True, slots=True)
class Pace:
    """All times in seconds."""

    poll: float = 1.0
    """Between two looks for jobs that are due."""
    lease: float = 30.0
    """How long others wait before they take over from a process that was killed."""
    stalls: int = 10
    """How often a job is begun without getting ahead before it is given up: it may be what kills its process."""


class JobWorker:
    """Runs jobs. Any number of processes may: leases see to it that one at a time has a job."""

    def __init__(
        self,
        jobs: Jobs,
        schedules: Iterable[Schedule] = (),
        *,
        at_once: int = 2,
        pace: Pace | None = None,
        place: str = "",
    ) -> None:
        """With a `place`, the name of the machine, people can see where a job runs."""
        self._jobs = jobs
        schedules = tuple(schedules)
        self._clockwork = Clockwork(jobs, schedules)
        self._keys_of_clock = frozenset(schedule.key for schedule in schedules)
        self._at_once = at_once
        self._pace = pace or Pace()
        self._watch = Watch(self._pace.lease, jobs.clock)
        self._owner = f"{place or 'here'}/{os.getpid()}"
        self._tasks: set[asyncio.Task[None]] = set()
        self._looked_far = float("-inf")

    async def run(self) -> None:
        """Take and run jobs until cancelled; what runs then is put back for others, who go on from its checkpoint."""
        if not self._at_once:
            return
        woken = asyncio.Event()
        self._jobs.on_started = woken.set
        try:
            while True:
                woken.clear()
                for look in (self._clockwork.start_due, self._take_due):
                    try:
                        await look()
                    except (DynamoError, OSError) as error:
                        _log.warning("jobs: %s; trying again", error)
                    except Exception:  # one bad row must not stop the others for ever
                        _log.exception("jobs: looking for work failed")
                # Not wait_for: before Python 3.12 it forgets a cancel that comes together with the event.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._pace.poll):
                        await woken.wait()
        finally:
            self._jobs.on_started = lambda: None
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def drain(self) -> int:
        """Run everything that is due until nothing is; how many attempts were made. For tests and commands."""
        total = 0
        while True:
            taken = await self._take_due()
            if not taken and not self._tasks:
                return total
            total += taken
            if self._tasks:
                await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)

    async def _take_due(self) -> int:
        """Take as many jobs as there is room for, oldest first; kinds that this process does not have are others'."""
        taken = 0
        if len(self._tasks) >= self._at_once:
            return taken
        now = self._jobs.clock.now()
        running: list[str] = []
        # A lease ends by the clock of its owner, which may be ahead of this one.
        far = time.monotonic() - self._looked_far >= self._pace.lease / 4
        until = timestamp(now + (_FAR if far else CLOCKS_DIFFER))
        async for job in self._jobs.store.stream(due_jobs(until), chunk=20):
            kind = self._jobs.kind(job.kind)
            if kind is None or job.due_at is None:
                continue
            if not job.is_open:
                await self._follow(kind, job)
                continue
            if job.state == "running":
                running.append(job.job_id)
                if not self._watch.is_over(job.job_id, (job.token, job.due_at, job.heartbeat_at), job.due_at):
                    continue
            elif job.due_at > timestamp(now) and job.due_at != job.created_at:
                continue  # what was due at once is due now, whatever the clock of its starter said
            hold = await Hold.take(self._jobs.store, self._jobs.clock, job, owner=self._owner, seconds=self._pace.lease)
            if hold is None:
                continue
            task = asyncio.create_task(self._attempt(kind, hold), name=f"job {job.kind} {job.job_id}")
            self._tasks.add(task)
            task.add_done_callback(self._ended)
            taken += 1
            if len(self._tasks) >= self._at_once:
                return taken
        if far:
            self._looked_far = time.monotonic()
            self._watch.forget_all_but(running)
        return taken

    async def _follow(self, kind: JobKind, ended: Job) -> None:
        """Do what follows the end of a job. Whoever moves the moment at which it is due does it; it stays in the queue
        until that is done, so that another process does it if this one is killed."""
        claimed = await claim_end(self._jobs.store, self._jobs.clock, ended, seconds=self._pace.lease)
        if claimed is None:
            return
        try:
            async with asyncio.timeout(self._pace.lease):
                if kind.on_end is not None:
                    await kind.on_end(claimed)
        except Exception:
            _log.exception("jobs: what follows the end of %s %s failed; trying again", kind.name, ended.job_id)
        else:
            await let_go_of_end(self._jobs.store, claimed)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("jobs: %s could not be ended", task.get_name(), exc_info=task.exception())
        self._jobs.on_started()  # there is room for another

    async def _attempt(self, kind: JobKind, hold: Hold) -> None:
        """One attempt from lease to end. What refuses a write is told by nobody else: the job is in other hands."""
        running = Running(hold)
        try:
            if hold.job.cancelling:
                raise JobCancelled("It was cancelled")
            if hold.job.stalls > self._pace.stalls:
                raise JobFailed("The work was interrupted again and again without getting ahead.")
            if self._jobs.starters is not None:
                await self._jobs.starters.check(kind, hold.job)
            result = await self._work(kind, hold, running)
            done = as_json(dict(result.values), "The result of a job") if result else "{}"
        except JobLost as lost:
            _log.warning("jobs: %s %s: %s", kind.name, running.job_id, lost)
        except JobCancelled:
            await self._write(_finish(kind, hold, "cancelled", *running.progress_actions()))
        except asyncio.CancelledError:
            # The process ends, which is no fault of the job's.
            at_once = hold.job.created_at
            await self._write(hold.put_back(at_once, Job.stalls.set(0), *running.progress_actions()))
            raise
        except Exception as error:
            await self._write(self._failed(kind, hold, running, error))
        else:
            if result is not None and result.idle and self._of_clock(kind, hold.job):
                await self._write(hold.forget())
            else:
                await self._write(_finish(kind, hold, "done", *_outcome(result, done), *running.progress_actions()))

    def _of_clock(self, kind: JobKind, job: Job) -> bool:
        """Whether a job was started by a schedule, and nothing that somebody may look for hangs on it."""
        return job.once_key in self._keys_of_clock and job.user_id is None and not job.failures and kind.on_end is None

    async def _work(self, kind: JobKind, hold: Hold, running: Running) -> Result | None:
        """Call the function while the lease is renewed beside it."""
        beating = asyncio.create_task(running.beat(), name=f"heartbeat {running.job_id}")
        working = asyncio.ensure_future(kind.run(running, orjson.loads(hold.job.arguments)))
        lost = asyncio.create_task(running.stopping.wait())
        try:
            async with asyncio.timeout(kind.seconds):
                await asyncio.wait((working, lost), return_when=asyncio.FIRST_COMPLETED)
                if not working.done():
                    # Cancelled: it stops where it checks. Lost: at once, somebody else does it now.
                    with contextlib.suppress(JobCancelled):
                        running.check()
                return await working
        except TimeoutError:
            if working.done() and not working.cancelled():
                raise  # its own
            raise TimeoutError(f"It took longer than {kind.seconds:g} seconds.") from None
        finally:
            for task in (beating, lost, working):
                task.cancel()
            await asyncio.gather(beating, lost, working, return_exceptions=True)

    async def _failed(self, kind: JobKind, hold: Hold, running: Running, error: Exception) -> None:
        """Try again later, or end it with the reason."""
        failures = hold.job.failures + 1
        final = isinstance(error, JobFailed) or (isinstance(error, Problem) and error.status < 500)
        words = _in_plain_words(error)
        detail = "".join(traceback.format_exception(error))[-4000:]
        level = logging.INFO if final else logging.WARNING  # what was foreseen is told to whoever asked for it
        _log.log(level, "jobs: %s %s failed (%d): %r", kind.name, running.job_id, failures, error)
        told: tuple[Action[Job], ...] = (Job.failures.set(failures), Job.error.set(words), Job.detail.set(detail))
        if final or failures > kind.retries:
            await _finish(kind, hold, "failed", *told, *running.progress_actions())
            return
        due = self._jobs.clock.now() + timedelta(seconds=kind.pause(failures))
        await hold.put_back(timestamp(due), *told, *running.progress_actions())

    async def _write(self, writing: Coroutine[Any, Any, None]) -> None:
        """The last write of an attempt, which is not to be interrupted; refused if the job is in other hands."""
        task = asyncio.create_task(writing)
        with contextlib.suppress(Refused):
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError:
                await task  # the tables are closed next
                raise


async def _finish(kind: JobKind, hold: Hold, state: State, *actions: Action[Job]) -> None:
    await hold.finish(state, kind.kept_days, *actions, followed=kind.on_end is not None)


def _outcome(result: Result | None, values: str) -> tuple[Action[Job], ...]:
    clear: tuple[Action[Job], ...] = (Job.error.set(""), Job.detail.set(""))
    if result is None:
        return clear
    path = () if result.path is None else (Job.result_path.set(result.path[:2000]),)
    return (*clear, Job.result.set(values), Job.result_message.set(result.message[:1000]), *path)


def _in_plain_words(error: Exception) -> str:
    """What whoever started it reads. What nobody foresaw is named, and its details are for operators."""
    if isinstance(error, Problem):
        return error.detail[:1000]
    if isinstance(error, JobFailed | TimeoutError) and str(error):
        return str(error)[:1000]
    return f"Something went wrong that was not expected ({type(error).__name__}). An administrator can see the details."
