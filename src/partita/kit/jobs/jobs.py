"""Starting jobs, and looking after them: cancel, retry, lists."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from partita.kit.clock import Clock, Ids, stamp
from partita.kit.jobs.holds import key_released
from partita.kit.jobs.kinds import Arguments, JobKind
from partita.kit.jobs.running import as_json
from partita.kit.jobs.schema import Job, JobKey, State, all_jobs, job, job_key, jobs_of
from partita.kit.lists import find_or
from partita.kit.permissions import House, authorize, require_write
from partita.kit.problems import Conflict, NotFound
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Delete, Page, Put, Transaction, Update, Write, any_of
from partita.table.types import timestamp

if TYPE_CHECKING:
    from partita.kit.jobs.starters import Starters
    from partita.kit.permissions import Viewer


_LOOK_SECONDS = 0.05


class KeyTaken(Exception):
    """The key belongs to an open job."""


class Jobs:
    """Every job there is."""

    def __init__(self, store: AsyncStore, clock: Clock, ids: Ids) -> None:
        self.store = store
        self.clock = clock
        self._ids = ids
        self._kinds: dict[str, JobKind] = {}
        self.starters: Starters | None = None
        """Knows what people may do; the kit sets it."""
        self.on_started: Callable[[], None] = lambda: None
        """Called when a job is waiting to be taken: the worker of this process need not wait for its next look."""

    def use(self, kinds: Iterable[JobKind]) -> None:
        """Make kinds known; each name once."""
        for kind in kinds:
            if kind.name in self._kinds:
                raise ValueError(f"Two kinds of jobs have the name {kind.name}; jobs are stored under it.")
            self._kinds[kind.name] = kind

    def kind(self, name: str) -> JobKind | None:
        """The kind of this name, if a system of this process has it."""
        return self._kinds.get(name)

    # -- starting

    async def start(
        self,
        kind: JobKind | str,
        arguments: Arguments,
        viewer: Viewer | None,
        *,
        key: str | None = None,
        title: str = "",
        beside: Callable[[Job], Iterable[Write]] = lambda _job: (),
        after: timedelta | None = None,
    ) -> Job:
        """Start a job; a worker takes it within a second, or when this time is over.

        While a job of this kind with the same `key` waits or runs, that one is returned: two presses, one run. Put the
        person into the key if everybody may have one. The writes that `beside` makes of a new job are part of the
        transaction that opens it; for one that is open already they are left out.
        """
        user_id, by_claim = (None, False) if viewer is None else (viewer.user_id, viewer.via == "oidc")
        new = self.new(kind, arguments, user_id, key=key, title=title, by_claim=by_claim, after=after)
        made = await self.store.attempt(lambda: self._open(new, tuple(beside(new))))
        self.on_started()
        return made

    def new(
        self,
        kind: JobKind | str,
        arguments: Arguments,
        user_id: str | None,
        *,
        key: str | None = None,
        title: str = "",
        by_claim: bool = False,
        after: timedelta | None = None,
    ) -> Job:
        """A job that waits, not yet stored."""
        known = self._kinds.get(kind if isinstance(kind, str) else kind.name)
        if known is None:
            raise LookupError(f"There is no kind of job {kind!r}. Systems bring theirs in System(jobs=…).")
        now = self.clock.now()
        return Job(
            job_id=self._ids.new(),
            kind=known.name,
            title=(title or known.title)[:200],
            arguments=as_json(dict(arguments), "The arguments of a job"),
            user_id=user_id,
            by_claim=by_claim,
            once_key=key,
            due_at=timestamp(now + (after or timedelta())),
            created_at=timestamp(now),
        )

    async def _open(self, new: Job, beside: tuple[Write, ...]) -> Job:
        try:
            await self.store.transact(Transaction(Put(new).if_new(), *claim_key(new), *beside))
        except KeyTaken:
            pass
        else:
            return new
        there = await self.holder(new)
        if there is None:
            raise ChangedMeanwhileError("The key of a job")  # it is free now: once more
        return there

    async def holder(self, wanting: Job) -> Job | None:
        """The open job that has the key which this one wants. None if the key is free, also one that nobody would let
        go of any more: an operator has deleted its job, or an import brought half of it."""
        assert wanting.once_key is not None
        guard = await self.store.get(job_key(wanting.kind, wanting.once_key))
        if guard is None:
            return None
        there = await self.store.get(job(guard.of_job).consistently())
        if there is not None and there.is_open:
            return there
        stale = guard.own_key.unchanged_since(guard, JobKey.of_job)
        with suppress(ChangedMeanwhileError):  # it has just been let go of
            await self.store.write(Delete(guard.own_key).when(stale).otherwise(ChangedMeanwhileError("The key")))
        return None

    # -- looking

    async def find(self, viewer: Viewer, job_id: str) -> Job:
        """A job of the viewer's own, or any for those who manage jobs; to everybody else it is not there."""
        missing = NotFound("There is no such job; jobs can be looked at for some days after they ended.")
        found = await find_or(missing, self.store, job, job_id)
        if not viewer.may(House.MANAGE_JOBS) and (found.user_id is None or found.user_id != viewer.user_id):
            raise missing
        return found

    async def look(self, job_id: str) -> Job | None:
        """A job, whoever asks: for what follows from it. None if it is gone."""
        return await self.store.get(job(job_id).consistently())

    async def ended_within(self, started: Job, seconds: float) -> Job:
        """The job once it has ended, or as it is after so many seconds: whoever starts something short need not look at
        its progress first."""
        deadline = time.monotonic() + seconds
        while started.is_open and time.monotonic() < deadline:
            await asyncio.sleep(_LOOK_SECONDS)
            started = await self.store.get(job(started.job_id).consistently()) or started
        return started

    async def mine(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Job]:
        """The viewer's jobs, newest first."""
        return await self.store.page(jobs_of(viewer.id), limit=limit, after=cursor)

    async def all(self, *, limit: int = 20, cursor: str | None = None, state: State | None = None) -> Page[Job]:
        """Everybody's jobs, newest first; only for those who manage jobs."""
        query = all_jobs() if state is None else all_jobs().where(Job.state.equals(state))
        return await self.store.page(query, limit=limit, after=cursor)

    # -- looking after

    async def cancel(self, viewer: Viewer, job_id: str) -> Job:
        """Cancel a job: at once if it waits, at its next checkpoint if it runs. One that has ended is refused."""
        found = await self.find(viewer, job_id)
        _require_write(viewer, found)
        return await self.store.attempt(lambda: self._cancel(found.job_id))

    async def _cancel(self, job_id: str) -> Job:
        found = await self.store.get(job(job_id).consistently())
        if found is None or not found.is_open:
            raise Conflict("This job has ended already.", code="job_ended")
        meanwhile = ChangedMeanwhileError("The job")
        if found.state == "waiting":
            kind, now = self._kinds.get(found.kind), stamp(self.clock)
            cancelled = Update(
                found.own_key,
                Job.state.set("cancelled"),
                Job.finished_at.set(now),
                Job.expires_at.set(self._expiry(found)),
                Job.due_at.set(now) if kind is not None and kind.on_end is not None else Job.due_at.remove(),
            ).when(Job.state.equals("waiting"))
            await self.store.transact(Transaction(cancelled.otherwise(meanwhile), *key_released(found)))
            self.on_started()
        else:
            asked = Update(found.own_key, Job.cancelling.set(True)).when(Job.state.equals("running"))
            await self.store.write(asked.otherwise(meanwhile))
        return await self.store.get(job(job_id).consistently()) or found

    async def retry(self, viewer: Viewer, job_id: str) -> Job:
        """Try a job again that failed or was cancelled; it goes on from its last checkpoint.

        One's own needs the permission that starting it needs; others' begin only if their starters still have it.
        """
        found = await self.find(viewer, job_id)
        _require_write(viewer, found)
        kind, own = self._kinds.get(found.kind), found.user_id == viewer.user_id
        if own and kind is not None and (needed := kind.needed(found)) is not None:
            authorize(viewer, needed)
        if found.state not in ("failed", "cancelled"):
            raise Conflict("Only a job that failed or was cancelled can be tried again.", code="job_not_failed")
        again = Update(
            found.own_key,
            Job.state.set("waiting"),
            Job.by_claim.set(viewer.via == "oidc" if own else found.by_claim),
            Job.due_at.set(stamp(self.clock)),
            Job.cancelling.set(False),
            Job.failures.set(0),
            Job.stalls.set(0),
            Job.error.set(""),
            Job.detail.set(""),
            Job.finished_at.remove(),
            Job.expires_at.remove(),
        ).when(Job.state.equals(found.state))
        meanwhile = Conflict("Somebody has just tried this job again.", code="job_not_failed")

        async def attempt() -> None:
            try:
                await self.store.transact(Transaction(again.otherwise(meanwhile), *claim_key(found)))
            except KeyTaken:
                if await self.holder(found) is None:
                    raise ChangedMeanwhileError("The key of a job") from None  # it is free now: once more
                raise Conflict("The same work has been started anew meanwhile.", code="job_taken") from None

        await self.store.attempt(attempt)
        self.on_started()
        return await self.find(viewer, job_id)

    def _expiry(self, ended: Job) -> int:
        kind = self._kinds.get(ended.kind)
        return int(self.clock.now().timestamp()) + 86_400 * (kind.kept_days if kind else 14)


def _require_write(viewer: Viewer, found: Job) -> None:
    """A token changes jobs only with a permission of their system, or one to manage everybody's."""
    if not viewer.may(House.MANAGE_JOBS):
        require_write(viewer, found.kind.partition(".")[0])


def claim_key(new: Job) -> tuple[Put[JobKey], ...]:
    """What keeps other jobs from having the key of this one."""
    if new.once_key is None:
        return ()
    guard = JobKey(kind=new.kind, once_key=new.once_key, of_job=new.job_id)
    free = any_of(guard.own_key.absent(), JobKey.of_job.equals(new.job_id))
    return (Put(guard).when(free).otherwise(KeyTaken()),)
