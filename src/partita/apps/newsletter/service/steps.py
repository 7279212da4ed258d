"""Steps that generate something: each is a job of the house, one at a time for each subject and step.

The job has the lease, the heartbeat, the progress and the cancel; `StepRun` says which job it is, what it was asked
for, and how it ended. The result is one transaction that depends on both, so that a run which was replaced writes
nothing.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, ParamSpec, TypeVar, get_args

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain, as_stored
from partita.apps.newsletter.permissions import Letters
from partita.apps.newsletter.schema import Newsletter, StepName, StepRun, StepState
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.bookkeeping import reached, touch
from partita.apps.newsletter.service.step_status import begun, cancelled, failed, pending
from partita.kit.jobs import Arguments, Job, JobCancelled, JobFailed, JobKind, Result, Running
from partita.kit.jobs.schema import job as job_with_id
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound, Problem
from partita.table import Action, ChangedMeanwhileError, Check, Put, Transaction, Update, Write
from partita.table.types import timestamp

STARTS = Rule("newsletter-steps", most=30, seconds=3600)
RETRIES = 2
"""Three attempts in all."""
STEPS: tuple[StepName, ...] = get_args(StepName)
REACHED = {"retrieval": 2, "outline": 3, "draft": 4}
PHASES: dict[str, str] = {
    "retrieval": "Find content",
    "outline": "Create the outline",
    "draft": "Write the draft",
    "section": "Write a section",
    "intake": "Read a source",
    "requirements": "Read the call",
    "proposal": "Draft from sources",
    "export": "Export",
}
_BETWEEN = timedelta(seconds=5)
_ENDING_SECONDS = 3.0
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """How a step is done."""

    name: str
    """`draft`; `export` for all formats."""
    run: Callable[[Work], Awaitable[None]]
    """Does it, and calls `finish` once at the end."""
    ready: Callable[[str, Mapping[str, Any]], Awaitable[None]] | None = None
    """Raises `step_not_ready` with what is missing for a subject and inputs."""
    seconds: float = 900.0
    limited: bool = True
    """Whether it counts among the thirty that somebody may start in an hour."""

    @property
    def kind(self) -> str:
        return f"newsletter.{self.name}"


@dataclass(frozen=True, slots=True)
class Look:
    """A step as it is now."""

    step: StepName
    run: StepRun | None = None
    job: Job | None = None

    @property
    def state(self) -> Literal["none", "waiting", "running", "done", "failed", "cancelled"]:
        if self.run is None:
            return "none"
        if self.run.state == "running":
            return "running" if self.job is not None and self.job.state == "running" else "waiting"
        return self.run.state

    @property
    def is_open(self) -> bool:
        return self.state in ("waiting", "running")

    @property
    def title(self) -> str:
        return PHASES[_kind_of(self.step)]

    @property
    def phase(self) -> str:
        return "" if self.job is None else self.job.step

    @property
    def done(self) -> int:
        return 0 if self.job is None else self.job.done

    @property
    def total(self) -> int | None:
        return None if self.job is None else self.job.total

    @property
    def cancelling(self) -> bool:
        return self.job is not None and self.job.cancelling

    @property
    def message(self) -> str:
        return "" if self.job is None else self.job.message

    @property
    def error(self) -> str | None:
        return None if self.run is None else self.run.error

    @property
    def since(self) -> str | None:
        return None if self.run is None else self.run.requested_at

    @property
    def following(self) -> tuple[str, ...]:
        """The steps that start by themselves after this one."""
        return () if self.run is None else tuple(self.run.inputs.get("then") or ())


def going_on(looks: Sequence[Look], now: str) -> bool:
    """Whether one of these steps runs, or follows in a moment: between two that follow each other nothing runs."""
    if any(look.is_open for look in looks):
        return True
    for look, following in itertools.pairwise(looks):
        if look.state == "done" and look.following and look.run is not None and look.run.finished_at is not None:
            started = following.since is not None and following.since >= (look.since or "")
            recently = datetime.fromisoformat(now) - datetime.fromisoformat(look.run.finished_at) < _BETWEEN
            if not started and recently:
                return True
    return False


class Work:
    """A step while it runs, as its function sees it."""

    def __init__(self, kit: Kit, running: Running, run: StepRun) -> None:
        self._kit = kit
        self._running = running
        self._run = run
        self.subject = run.subject
        self.step: StepName = run.step
        self.inputs: dict[str, Any] = as_plain(run.inputs)
        self.run_id = run.run_id
        self.requested_by = run.requested_by
        self.partial: dict[str, Any] = as_plain(run.partial)
        """What an earlier attempt, or an earlier run that did not end well, has finished."""
        self.finished: Result | None = None

    async def progress(self, phase: str, *, done: int = 0, total: int | None = None, message: str = "") -> None:
        """How far it is; raises if it was cancelled."""
        await self._running.progress(phase, done=done, total=total, message=message)

    def check(self) -> None:
        """Raise if it was cancelled."""
        self._running.check()

    async def keep(self, partial: Mapping[str, Any], *writes: Write) -> None:
        """Keep what is finished, of any size; the next attempt has it. The writes are part of it."""
        kept = Update(self._run.own_key, StepRun.partial.set(as_stored(dict(partial)))).when(self._mine())
        await self._running.checkpoint({"kept": True}, kept.otherwise(_replaced()), *writes)
        self.partial = dict(partial)

    async def in_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Let something run that takes the processor; the heartbeat goes on, and a cancel ends the wait."""
        working = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
        stopping = asyncio.ensure_future(self._running.stopping.wait())
        try:
            await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
            self._running.check()
            return await working
        finally:
            stopping.cancel()

    async def finish(
        self,
        *writes: Write,
        message: str = "",
        path: str | None = None,
        metadata: Iterable[Action[Newsletter]] = (),
    ) -> None:
        """The result: one transaction, on the condition that this run still holds. The newsletter's own item is part of
        it (`current_step`, `status`, and the actions in `metadata`), so no other write may change that one."""
        now = self._kit.clock.now()
        ended = Update(
            self._run.own_key,
            StepRun.state.set("done"),
            StepRun.finished_at.set(timestamp(now)),
            StepRun.partial.set({}),
            StepRun.error.remove(),
        ).when(self._mine())
        own: tuple[Write, ...] = ()
        if self.subject.startswith("NL-"):
            newsletter = await find(self._kit.store, schema.newsletter, self.subject)
            if newsletter is None:
                raise JobFailed("The newsletter was deleted meanwhile.")
            actions = [*reached(newsletter, REACHED.get(self.step, 1)), *metadata]
            if self.step == "draft":
                actions.append(Newsletter.status.set("completed"))
            own = (touch(newsletter, now, *actions).otherwise(JobFailed("The newsletter was deleted meanwhile.")),)
        saved = {"done": True, "message": message, "path": path}
        self._running.note(message=message)  # written with the checkpoint, for whoever looks at the step
        await self._running.checkpoint(saved, *writes, *own, ended.otherwise(_replaced()))
        self.finished = Result(message, path)

    def _mine(self) -> Any:
        return StepRun.run_id.equals(self.run_id) & StepRun.state.equals("running")


@dataclass(slots=True)
class Steps:
    """Starting steps, looking at them, cancelling them."""

    kit: Kit
    access: Access
    known: dict[str, Step] = field(default_factory=dict)

    def use(self, *steps: Step) -> None:
        """Make steps known; each name once."""
        for step in steps:
            if step.name in self.known:
                raise ValueError(f"There are two steps {step.name}")
            self.known[step.name] = step

    @property
    def kinds(self) -> tuple[JobKind, ...]:
        """The kinds of jobs."""
        return tuple(
            JobKind(
                step.kind,
                PHASES[step.name],
                self._runner(step),
                retries=RETRIES,
                seconds=step.seconds,
                needs=Letters.WRITE,
            )
            for step in self.known.values()
        )

    # -- starting

    async def start(
        self,
        viewer: Viewer,
        subject: str,
        step: StepName,
        *,
        inputs: Mapping[str, Any] | None = None,
        then: Sequence[StepName] = (),
    ) -> Look:
        """Start a step; while one runs for this subject, that one is returned. `then` are the steps that follow by
        themselves. Sources are read by `begin`; who may ask for that is the caller's to check."""
        await self.access.subject(viewer, subject, write=True)
        return await self.begin(viewer, subject, step, inputs=inputs, then=then)

    async def begin(
        self,
        viewer: Viewer,
        subject: str,
        step: StepName,
        *,
        inputs: Mapping[str, Any] | None = None,
        then: Sequence[StepName] = (),
        limited: bool = True,
    ) -> Look:
        """The same, for whoever has checked who asks."""
        how = self._how(step)
        wanted = {**(inputs or {}), **({"then": list(then)} if then else {})}
        there = await self.look(subject, step)
        if there.is_open and there.run is not None:
            if as_plain(there.run.inputs).get("key") != wanted.get("key"):
                raise Conflict(f"{there.title} is under way. Wait until it is done, or cancel it.", code="step_running")
            return there
        if there.run is not None:
            await self._put_away(there.run)
        if how.ready is not None:
            await how.ready(subject, wanted)
        if how.limited and limited:
            await self.kit.limits.check(STARTS, viewer.id)
        now = timestamp(self.kit.clock.now())
        status = await pending(self.kit.store, subject, step, now)

        def beside(job: Job) -> Iterable[Write]:
            run = StepRun(
                subject=subject,
                step=step,
                run_id=job.job_id,
                requested_by=viewer.id,
                requested_at=now,
                inputs=as_stored(wanted),
                partial={} if there.run is None else there.run.partial,
            )
            return (Put(run), *status)

        arguments = {"subject": subject, "step": step}
        await self.kit.jobs.start(
            how.kind, arguments, viewer, key=f"{subject}#{step}", title=PHASES[how.name], beside=beside
        )
        return await self.look(subject, step)

    async def _put_away(self, run: StepRun) -> None:
        """Wait until the job of a run that has ended has ended too, a moment later: until then it has the key, and a
        new run would be taken for it. After a kill in that moment it ends when somebody takes the job over."""
        job = await self.kit.jobs.look(run.run_id)
        if job is not None and (await self.kit.jobs.ended_within(job, _ENDING_SECONDS)).is_open:
            raise Conflict(
                "The run before this one was interrupted at its very end. Try again in a minute.", code="step_ending"
            )

    # -- looking

    async def look(self, subject: str, step: StepName) -> Look:
        """A step as it is, with what came out of it.

        A run whose job has ended without it (given up, or deleted) is ended here."""
        run = await find(self.kit.store, schema.step_run, subject, step)
        return Look(step) if run is None else (await self._looks([run], with_job=("running", "done")))[0]

    async def looks(self, subject: str) -> dict[StepName, Look]:
        """All steps of something, by name; those that never ran are there as well."""
        runs = [run async for run in self.kit.store.stream(schema.step_runs(subject))]
        found = {look.step: look for look in await self._looks(runs)}
        return {step: found.get(step) or Look(step) for step in STEPS}

    async def _looks(self, runs: Sequence[StepRun], *, with_job: Sequence[StepState] = ("running",)) -> list[Look]:
        keys = [job_with_id(run.run_id).key for run in runs if run.state in with_job]
        jobs = await self.kit.store.batch_get(keys, consistent=True) if keys else []
        by_id = {job.job_id: job for job in jobs if job is not None}
        return [await self._look(run, by_id.get(run.run_id)) for run in runs]

    async def _look(self, run: StepRun, job: Job | None) -> Look:
        if run.state == "running" and (job is None or not job.is_open):
            run = await self._settled(run, job)
        return Look(run.step, run, job)

    async def _settled(self, run: StepRun, job: Job | None) -> StepRun:
        """A run whose job has ended: done if it says so, else failed or cancelled."""
        if job is not None and job.state == "done":
            return await find(self.kit.store, schema.step_run, run.subject, run.step) or run
        if job is not None and job.state == "cancelled":
            await self._end(run, "cancelled")
        else:
            await self._end(run, "failed", (job.error if job else "") or "The work was interrupted. Try again.")
        return await find(self.kit.store, schema.step_run, run.subject, run.step) or run

    def going_on(self, looks: Sequence[Look]) -> bool:
        """Whether one of these steps runs, or follows in a moment."""
        return going_on(looks, timestamp(self.kit.clock.now()))

    # -- cancelling

    async def cancel(self, viewer: Viewer, subject: str, step: StepName) -> Look:
        """Cancel a step: what was there before stays."""
        await self.access.subject(viewer, subject, write=True)
        return await self.stop(subject, step)

    async def stop(self, subject: str, step: StepName) -> Look:
        """The same, for whoever has checked who asks."""
        there = await self.look(subject, step)
        if there.run is None:
            raise NotFound("This step was never started.")
        if not there.is_open:
            raise Conflict("This step has ended already.", code="step_ended")
        # The job may be somebody else's who shares the newsletter.
        await self.kit.jobs.cancel(Viewer(there.run.requested_by), there.run.run_id)
        return await self.look(subject, step)

    async def stop_all(self, subject: str) -> None:
        """Cancel whatever runs for something that is being deleted."""
        for look in (await self.looks(subject)).values():
            if look.is_open and look.run is not None:
                try:
                    await self.kit.jobs.cancel(Viewer(look.run.requested_by), look.run.run_id)
                except Problem:  # it has ended meanwhile
                    continue

    # -- running

    def _runner(self, step: Step) -> Callable[[Running, Arguments], Awaitable[Result]]:
        async def run(running: Running, arguments: Arguments) -> Result:
            subject, name = arguments["subject"], arguments["step"]
            found = await find(self.kit.store, schema.step_run, subject, name)
            if found is None or found.run_id != running.job_id:
                return Result("It was replaced by another run.")
            if isinstance(running.saved, dict) and running.saved.get("done"):  # killed after the result was written
                await self._follow(found)
                return Result(running.saved["message"], running.saved["path"])
            if found.state != "running":
                return Result("It has ended already.")
            work = Work(self.kit, running, found)
            try:
                if subject.startswith(("NL-", "PROP-")) and running.user_id is not None:
                    # What was shared may be shared no longer, or only for reading.
                    await self.access.subject(await self.kit.starters.viewer(running.user_id), subject, write=True)
                await self._begin(running, found)
                await step.run(work)
            except JobCancelled:
                await self._end(found, "cancelled")
                raise
            except Exception as error:
                if running.failures >= RETRIES or _is_final(error):
                    await self._end(found, "failed", _in_words(error))
                raise
            if work.finished is None:
                raise RuntimeError(f"The step {name} returned without a result")
            await self._follow(found)
            return work.finished

        return run

    async def _begin(self, running: Running, run: StepRun) -> None:
        now = timestamp(self.kit.clock.now())
        status = await begun(self.kit.store, run.subject, run.step, now)
        mine = StepRun.run_id.equals(run.run_id) & StepRun.state.equals("running")
        await running.checkpoint(running.saved or {}, Check(run.own_key, mine).otherwise(_replaced()), *status)

    async def _end(self, run: StepRun, state: Literal["failed", "cancelled"], error: str | None = None) -> None:
        """End a run without a result: what was there before stays, and the next run goes on from what is finished."""
        now = timestamp(self.kit.clock.now())
        words = None if error is None else error[:1000]
        ended = Update(
            run.own_key,
            StepRun.state.set(state),
            StepRun.finished_at.set(now),
            StepRun.error.remove() if words is None else StepRun.error.set(words),
        ).when(StepRun.run_id.equals(run.run_id) & StepRun.state.equals("running"))
        make = cancelled if state == "cancelled" else failed
        status = await make(self.kit.store, run.subject, run.step, now, words or "")
        try:
            await self.kit.store.transact(Transaction(ended.otherwise(_Ended()), *status))
        except _Ended:
            return

    async def _refused(self, run: StepRun, step: StepName, why: str) -> None:
        now = timestamp(self.kit.clock.now())
        told = StepRun(
            subject=run.subject,
            step=step,
            run_id=run.run_id,
            state="failed",
            requested_by=run.requested_by,
            requested_at=now,
            finished_at=now,
            error=why[:1000],
        )
        there = await find(self.kit.store, schema.newsletter, run.subject)
        if there is not None:
            status = await failed(self.kit.store, run.subject, step, now, told.error or "")
            await self.kit.store.transact(Transaction(Put(told), *status))

    async def _follow(self, run: StepRun) -> None:
        """Start the step that follows, unless an earlier attempt has done so."""
        then: list[StepName] = list(as_plain(run.inputs).get("then") or ())
        if not then:
            return
        there = await find(self.kit.store, schema.step_run, run.subject, then[0])
        if there is not None and there.requested_at >= run.requested_at:
            return
        by = Viewer(run.requested_by)
        try:
            await self.begin(by, run.subject, then[0], then=then[1:], limited=False)
        except Problem as refused:  # it is not ready: that step has failed, and says why
            await self._refused(run, then[0], refused.detail)

    def _how(self, step: StepName) -> Step:
        try:
            return self.known[_kind_of(step)]
        except KeyError:
            raise NotFound("There is no such step.") from None


class _Ended(Exception):
    """The run has ended otherwise, or was replaced."""


def _kind_of(step: str) -> str:
    return "export" if step.startswith("export-") else step


def _replaced() -> JobFailed:
    return JobFailed("It was replaced by another run, or what it was for was deleted.")


def _is_final(error: Exception) -> bool:
    return isinstance(error, JobFailed) or (isinstance(error, Problem) and error.status < 500)


def _in_words(error: Exception) -> str:
    if isinstance(error, Problem):
        return error.detail
    if isinstance(error, JobFailed | TimeoutError) and str(error):
        return str(error)
    if isinstance(error, ChangedMeanwhileError):
        return "It was edited again and again while this was made. Try again when nobody edits it."
    return "Something went wrong that was not expected. Try again; if it fails again, tell an administrator."


def not_ready(missing: str, step: int) -> Conflict:
    """A step whose prerequisite is missing; the page of that step is the next thing to open."""
    refusal = Conflict(missing, code="step_not_ready")
    refusal.step = step  # type: ignore[attr-defined]
    return refusal
