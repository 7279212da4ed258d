"""Jobs that have ended and stay in the queue until what follows is done: who does it, and that it is done."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from partita.kit.clock import Clock
from partita.kit.jobs.schema import Job
from partita.store.store import AsyncStore
from partita.table import Condition, Update
from partita.table.types import timestamp


class _Elsewhere(Exception):
    """Another process does it, or somebody has tried the job again."""


async def claim_end(store: AsyncStore, clock: Clock, ended: Job, *, seconds: float) -> Job | None:
    """The job, if what follows its end is to be done here; another process may do it after so many seconds."""
    now = clock.now()
    if ended.due_at is None or (ended.due_at > timestamp(now) and ended.due_at != ended.finished_at):
        return None
    claim = Update(ended.own_key, Job.due_at.set(timestamp(now + timedelta(seconds=seconds))))
    try:
        return await store.write(claim.when(_unchanged(ended)).otherwise(_Elsewhere), returning="new")
    except _Elsewhere:
        return None


async def let_go_of_end(store: AsyncStore, claimed: Job) -> None:
    """What follows is done: the job leaves the queue, unless somebody has tried it again."""
    with suppress(_Elsewhere):
        leave = Update(claimed.own_key, Job.due_at.remove())
        await store.write(leave.when(_unchanged(claimed)).otherwise(_Elsewhere))


def _unchanged(seen: Job) -> Condition[Job]:
    assert seen.due_at is not None
    return Job.state.equals(seen.state) & Job.due_at.equals(seen.due_at)
