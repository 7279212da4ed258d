"""What an owner writes about its job. Everything is conditional on the token that it got with the lease."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from partita.kit.clock import Clock, stamp
from partita.kit.jobs.schema import OPEN, Job, JobKey, State
from partita.store.store import AsyncStore
from partita.table import Action, Condition, Delete, Transaction, Update, Write, any_of
from partita.table.types import expires_in, timestamp


class Refused(Exception):
    """A write found the job in other hands, or cancelled; `there` is the job as it is."""

    def __init__(self, there: Job | None) -> None:
        super().__init__("the job is in other hands, or cancelled")
        self.there = there


@dataclass(frozen=True, slots=True)
class Hold:
    """A lease on a job."""

    store: AsyncStore
    clock: Clock
    job: Job
    """As it was when it was taken."""
    token: str
    seconds: float

    @staticmethod
    async def take(store: AsyncStore, clock: Clock, job: Job, *, owner: str, seconds: float) -> Hold | None:
        """The lease on a job that waits, or whose owner was not heard of for too long; None if another was faster."""
        now = clock.now()
        if job.due_at is None:
            return None  # the index that named it was behind
        token = secrets.token_hex(8)
        taking = Update(
            job.own_key,
            Job.state.set("running"),
            Job.token.set(token),
            Job.owner.set(owner),
            Job.due_at.set(timestamp(now + timedelta(seconds=seconds))),
            Job.heartbeat_at.set(timestamp(now)),
            Job.started_at.set_if_missing(timestamp(now)),
            Job.attempts.add(1),
            Job.stalls.add(1),
        )
        unchanged = Job.state.one_of(*OPEN) & Job.due_at.equals(job.due_at)
        try:
            taken = await store.write(taking.when(unchanged).otherwise(Refused), returning="new")
        except Refused:
            return None
        return Hold(store, clock, taken, token, seconds)

    async def renew(self, *actions: Action[Job]) -> Job:
        """Show that the owner lives, with what else there is to say; the job as it is now."""
        renewed = self._update(*self._beat(), *actions).when(self._mine())
        return await self.store.write(renewed.otherwise(Refused), returning="new")

    async def save(self, checkpoint: str, *actions: Action[Job], writes: tuple[Write, ...] = ()) -> None:
        """Where to go on, together with writes of the job's own: all of it or nothing. Nothing if it was cancelled."""
        saved = self._update(Job.checkpoint.set(checkpoint), Job.stalls.set(0), *self._beat(), *actions)
        saved = saved.when(self._mine() & Job.cancelling.equals(False)).otherwise(Refused)
        if writes:
            await self.store.transact(Transaction(saved, *writes))
        else:
            await self.store.write(saved)

    async def finish(self, state: State, kept_days: int, *actions: Action[Job], followed: bool = False) -> None:
        """End the job, and let go of its key. If something follows, it stays in the queue until that is done."""
        now = self.clock.now()
        ended = self._update(
            Job.state.set(state),
            Job.finished_at.set(timestamp(now)),
            Job.expires_at.set(expires_in(timedelta(days=kept_days), now)),
            Job.due_at.set(timestamp(now)) if followed else Job.due_at.remove(),
            Job.token.remove(),
            *actions,
        )
        await self.store.transact(Transaction(ended.when(self._mine()).otherwise(Refused), *key_released(self.job)))

    async def forget(self) -> None:
        """End the job without a trace, and let go of its key."""
        gone = Delete(self.job.own_key).when(self._mine()).otherwise(Refused)
        await self.store.transact(Transaction(gone, *key_released(self.job)))

    async def put_back(self, due: str, *actions: Action[Job]) -> None:
        """Let another attempt begin at a time."""
        back = self._update(Job.state.set("waiting"), Job.due_at.set(due), Job.token.remove(), *actions)
        await self.store.write(back.when(self._mine()).otherwise(Refused))

    def _update(self, *actions: Action[Job]) -> Update[Job]:
        return Update(self.job.own_key, *actions)

    def _beat(self) -> tuple[Action[Job], ...]:
        until = timestamp(self.clock.now() + timedelta(seconds=self.seconds))
        return Job.due_at.set(until), Job.heartbeat_at.set(stamp(self.clock))

    def _mine(self) -> Condition[Job]:
        return Job.token.equals(self.token)


def key_released(job: Job) -> tuple[Delete[Any], ...]:
    """What lets another job have the key."""
    if job.once_key is None:
        return ()
    key = JobKey.key(JobKey.kind(job.kind), JobKey.once_key(job.once_key))
    return (Delete(key).when(any_of(key.absent(), JobKey.of_job.equals(job.job_id))),)
