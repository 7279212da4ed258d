"""A job while it runs, as its function sees it: what was saved, saving more, and how far it is."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import orjson

from partita.dynamo.errors import DynamoError
from partita.kit.jobs.holds import Hold, Refused
from partita.kit.jobs.schema import Job
from partita.table import Action, ItemTooLargeError, Write

_log = logging.getLogger(__name__)
MOST_BYTES = 100_000
"""The largest arguments, checkpoint and result; what is larger belongs in a file or in items of its own."""
_EVERY = 0.5
"""Seconds between two writes of progress."""
_NEWS, _BEAT = 1.0, 2.0
"""Seconds between two heartbeats, with and without progress to tell; each also learns whether the job was cancelled."""


class JobStopped(BaseException):
    """The job must stop now. Not an `Exception`: code that handles the errors of a row must not handle this."""


class JobCancelled(JobStopped):
    """Somebody has cancelled it."""


class JobLost(JobStopped):
    """Another process has taken it over, since this one was not heard of in time."""


class Running:
    """One attempt at a job."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._stop: JobStopped | None = None
        self.stopping = asyncio.Event()
        """Set as soon as it is known that the job must stop."""
        self._writing = asyncio.Lock()
        self._progress: dict[str, Any] = {}
        self._changed = False
        self._written_at = 0.0
        stored = hold.job.checkpoint
        self.saved: Any = None if stored is None else orjson.loads(stored)
        """What the last checkpoint saved; None at the beginning."""

    @property
    def job_id(self) -> str:
        return self._hold.job.job_id

    @property
    def user_id(self) -> str | None:
        """Who started it."""
        return self._hold.job.user_id

    @property
    def created_at(self) -> str:
        """When it was started."""
        return self._hold.job.created_at

    @property
    def attempt(self) -> int:
        """1 for the first."""
        return self._hold.job.attempts

    @property
    def failures(self) -> int:
        """How often it failed before this attempt."""
        return self._hold.job.failures

    def check(self) -> None:
        """Raise if the job must stop; for long stretches without a checkpoint."""
        if self._stop is not None:
            raise self._stop

    def note(
        self, step: str | None = None, *, done: int | None = None, total: int | None = None, message: str | None = None
    ) -> None:
        """How far it is. It is written within a second or so, however often this is called."""
        self.check()
        if step is not None and step != self._progress.get("step"):
            self._progress = {"step": step[:200], "done": 0, "total": None, "message": ""}
        given = {"done": done, "total": total, "message": None if message is None else message[:1000]}
        self._progress |= {name: value for name, value in given.items() if value is not None}
        self._changed = True

    async def progress(
        self, step: str | None = None, *, done: int | None = None, total: int | None = None, message: str | None = None
    ) -> None:
        """The same as `note`, and a good moment to stop if somebody has cancelled the job."""
        self.note(step, done=done, total=total, message=message)
        if time.monotonic() - self._written_at > _EVERY:
            await self._renew()
        self.check()

    async def checkpoint(self, saved: Any, *writes: Write) -> None:
        """Save where to go on after a kill. The writes are part of it: they happen with the checkpoint or not at all.

        Raises `JobCancelled` or `JobLost` if the job must stop; then nothing was written.
        """
        self.check()
        text = as_json(saved, "A checkpoint")
        async with self._writing:
            try:
                await self._hold.save(text, *self.progress_actions(), writes=writes)
            except Refused as refused:
                self._refused(refused.there)
        self.saved = saved
        self._written_at = time.monotonic()

    async def beat(self) -> None:
        """Renew the lease until the job must stop."""
        held = time.monotonic()
        while self._stop is None:
            await asyncio.sleep(min(self._hold.seconds / 4, _NEWS if self._changed else _BEAT))
            begun = time.monotonic()
            try:
                await self._renew()
                held = begun
            except JobStopped:
                return
            except (DynamoError, OSError) as error:
                _log.warning("jobs: %s: the lease could not be renewed: %s", self.job_id, error)
                if time.monotonic() - held > self._hold.seconds:
                    self._must_stop(JobLost("The lease ran out while the tables could not be reached"))

    def progress_actions(self) -> tuple[Action[Job], ...]:
        """What writes the progress as it is."""
        if not self._progress:
            return ()
        total = self._progress.get("total", self._hold.job.total)
        return (
            Job.step.set(self._progress.get("step", self._hold.job.step)),
            Job.done.set(self._progress.get("done", self._hold.job.done)),
            Job.total.set(total) if total is not None else Job.total.remove(),
            Job.message.set(self._progress.get("message", self._hold.job.message)),
        )

    async def _renew(self) -> None:
        async with self._writing:
            self._changed = False
            try:
                now = await self._hold.renew(*self.progress_actions())
            except Refused as refused:
                self._refused(refused.there)
            else:
                self._written_at = time.monotonic()
                if now.cancelling:
                    self._must_stop(JobCancelled("It was cancelled"))

    def _refused(self, there: Job | None) -> None:
        if there is not None and there.token == self._hold.token and there.cancelling:
            self._must_stop(JobCancelled("It was cancelled"))
        else:
            self._must_stop(JobLost("Another process has taken it over"))
        self.check()

    def _must_stop(self, why: JobStopped) -> None:
        self._stop = why
        self.stopping.set()


def as_json(value: Any, what: str) -> str:
    """A value as it is stored; refused if it is too large, or nothing that JSON can hold."""
    try:
        text = orjson.dumps(value)
    except TypeError as error:
        raise TypeError(f"{what} holds only what JSON can hold: {error}") from None
    if len(text) > MOST_BYTES:
        raise ItemTooLargeError(
            f"{what} has {len(text):,} bytes, and {MOST_BYTES:,} are the most. Keep it in a file or in items of its"
            " own, and give their names."
        )
    return text.decode()
