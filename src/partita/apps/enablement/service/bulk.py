"""The same step for several items, as a job with a report: what is refused does not stop the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from partita.apps.enablement import schema
from partita.apps.enablement.formats import major_of
from partita.apps.enablement.inputs import Approval, BulkAction, BulkItem, BulkStep, Retirement, Transfer
from partita.apps.enablement.permissions import Enablement
from partita.apps.enablement.service.audience import JOB_DONE, job_done
from partita.apps.enablement.service.fanouts import Fanouts
from partita.apps.enablement.service.lifecycle import Lifecycle
from partita.kit.jobs import Arguments, Job, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import FieldError, Invalid, NotFound, Problem
from partita.table import Put

KIND = "enablement.bulk"
WORDS: dict[BulkAction, tuple[str, str]] = {
    "approve": ("Approve", "approved"),
    "retire": ("Retire", "retired"),
    "hand_over": ("Hand over", "handed over"),
}
"""What is done → as a title, and when it was done."""
_LONGEST_TITLE, _LONGEST_REFUSAL = 120, 300


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item."""

    content_id: str
    title: str
    refused: str = ""
    """Why it was refused; empty if it was done."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a job did."""

    job: Job
    action: BulkAction
    outcomes: tuple[Outcome, ...]

    @property
    def done(self) -> tuple[Outcome, ...]:
        return tuple(each for each in self.outcomes if not each.refused)

    @property
    def refused(self) -> tuple[Outcome, ...]:
        return tuple(each for each in self.outcomes if each.refused)


class Bulk:
    """Changes many items at once, each by the rules of one."""

    def __init__(self, kit: Kit, lifecycle: Lifecycle, fanouts: Fanouts) -> None:
        self._kit = kit
        self._store = kit.store
        self._lifecycle = lifecycle
        self._fanouts = fanouts

    async def start(self, viewer: Viewer, step: BulkStep) -> Job:
        """Begin. Whether somebody may do it with an item, the step itself says; the report names what was refused."""
        authorize(viewer, _needed(step.action))
        errors = []
        if step.action == "retire" and step.reason is None:
            errors.append(FieldError("reason", "Say why: readers see it."))
        if step.action == "hand_over":
            if step.to is None:
                errors.append(FieldError("to", "Say who gets them."))
            else:
                await self._lifecycle.heir(Transfer(to=step.to))
        if step.action == "approve":
            errors += [
                FieldError(f"items.{number}.version", "Say which version you saw.")
                for number, each in enumerate(step.items)
                if each.version is None
            ]
        if errors:
            raise Invalid(*errors)
        return await self._kit.jobs.start(KIND, step.model_dump(mode="json"), viewer, title=_title(step))

    async def report(self, viewer: Viewer, job_id: str) -> Report:
        """What became of every item so far; for whoever started it."""
        job = await self._kit.jobs.find(viewer, job_id)
        if job.kind != KIND:
            raise NotFound("There is no such report.")
        kept = job.result if job.state == "done" else job.checkpoint
        found: Any = orjson.loads(kept) if kept else []
        rows = found.get("outcomes", []) if isinstance(found, dict) else found
        return Report(job, orjson.loads(job.arguments)["action"], tuple(Outcome(*each) for each in rows))

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Change several items", self._run, needs=lambda given: _needed(given["action"]))

    async def _run(self, running: Running, arguments: Arguments) -> Result:
        viewer = await self._kit.starters.viewer(running.user_id)
        step = BulkStep.model_validate(arguments)
        outcomes: list[list[str]] = running.saved or []
        for item in step.items[len(outcomes) :]:
            await running.progress(WORDS[step.action][0], done=len(outcomes), total=len(step.items))
            outcomes.append(await self._one(viewer, step, item, running.job_id))
            await running.checkpoint(outcomes)
        refused = sum(bool(each[2]) for each in outcomes)
        words = f"{len(outcomes) - refused:,} {WORDS[step.action][1]}" + (f", {refused:,} refused." if refused else ".")
        path = f"/enablement/bulk/{running.job_id}"
        told = job_done(viewer.id, f"{_title(step)}: done", path, words)
        await self._store.write(
            Put(self._fanouts.due(f"bulk.{running.job_id}", JOB_DONE, running.job_id, running.created_at, details=told))
        )
        return Result(words, path, {"outcomes": outcomes})

    async def _one(self, viewer: Viewer, step: BulkStep, item: BulkItem, batch: str) -> list[str]:
        """What became of one item. After a kill it may have been done before: then it is in the wanted state."""
        title = item.content_id
        try:
            content = await self._act(viewer, step, item, batch)
            title = content.title
        except Problem as problem:
            found = await find(self._store, schema.content, item.content_id)
            if found is not None and problem.status != 404:  # what somebody may not know of has no title
                title = found.title
            if found is None or not await self._is_done(viewer, step, item, found):
                return [item.content_id, title[:_LONGEST_TITLE], problem.detail[:_LONGEST_REFUSAL]]
        return [item.content_id, title[:_LONGEST_TITLE], ""]

    async def _act(self, viewer: Viewer, step: BulkStep, item: BulkItem, batch: str) -> schema.Content:
        if step.action == "approve":
            approval = Approval(version=item.version or "", comment=step.comment)
            return await self._lifecycle.approve(viewer, item.content_id, approval, batch=batch)
        if step.action == "retire":
            return await self._lifecycle.retire(viewer, item.content_id, Retirement(reason=step.reason or ""))
        return await self._lifecycle.hand_over(
            viewer, item.content_id, Transfer(to=step.to or "", comment=step.comment)
        )

    async def _is_done(self, viewer: Viewer, step: BulkStep, item: BulkItem, content: schema.Content) -> bool:
        """Whether an item is as the step leaves it, by the same person."""
        if step.action == "approve":
            major = major_of(item.version or "0.0") + 1
            version = await find(self._store, schema.version_of, item.content_id, major)
            return version is not None and version.approved_by == viewer.id and content.major == major
        if step.action == "retire":
            return content.status == "Deprecated" and content.retired_because == step.reason
        heir = await self._kit.accounts.people.by_username(step.to or "")
        return heir is not None and content.owner_user_id == heir.user_id


def _title(step: BulkStep) -> str:
    number = len(step.items)
    return f"{WORDS[step.action][0]} {'1 item' if number == 1 else f'{number:,} items'}"


def _needed(action: str) -> Enablement:
    return Enablement.WRITE if action == "hand_over" else Enablement.APPROVE
