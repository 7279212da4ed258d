"""The content of the demo, in every state, each item with the history that leads there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from partita.apps.enablement.demo.documents import file_of
from partita.apps.enablement.demo.stage import Entry, PastClock, Stage, each, entries
from partita.apps.enablement.inputs import Approval, ChangesRequest, ContentEdit, NewContent, Retirement, Submission
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.attachments import type_of
from partita.apps.enablement.service.files import ATTACHMENTS
from partita.kit.files.names import download_name
from partita.kit.permissions import Viewer
from partita.table.types import timestamp

_WRITING_DAYS = 4
"""How long before its release or submission something was begun."""


async def fill(stage: Stage) -> str:
    """All items; those that are retired last, since they name what replaces them."""
    wanted = entries("content")
    for retired in (False, True):
        await each([entry for entry in wanted if (entry["state"] == "retired") == retired], lambda e: _item(stage, e))
    return f"{len(wanted)} items"


async def _item(stage: Stage, entry: Entry) -> None:
    key, ago = entry["key"], entry["daysAgo"]
    service, clock = stage.past(ago + _WRITING_DAYS, key)
    owner, approver = stage.viewers[entry["owner"]], _approver(stage, entry)
    draft = await _draft(stage, service, clock, owner, entry)
    stage.content[key] = draft.content_id
    clock.to(stage.moment(ago + 1, f"{key} submitted"))
    waiting = await service.lifecycle.submit(owner, draft.content_id, Submission())
    state = entry["state"]
    if state == "waiting":
        return
    clock.to(stage.moment(ago, f"{key} decided"))
    if state == "changes":
        request = ChangesRequest(comment=entry["asked"])
        await service.lifecycle.request_changes(approver, draft.content_id, request)
        return
    day = stage.day(entry["releasedIn"]) if state == "scheduled" else None
    approval = Approval(version=waiting.version, release_on=day)
    content = await service.lifecycle.approve(approver, draft.content_id, approval)
    if "secondAgo" in entry:
        content = await _second_version(stage, service, clock, content, entry)
    if "proposed" in entry:
        clock.to(stage.moment(2, f"{key} proposed"))
        await service.content.edit(owner, content.content_id, ContentEdit(summary=entry["proposed"]))
        await service.lifecycle.submit(owner, content.content_id, Submission(note=entry["proposedNote"]))
    await _end(stage, service, clock, content, entry)


async def _draft(stage: Stage, service: EnablementService, clock: PastClock, owner: Viewer, entry: Entry) -> Content:
    with_text = entry["kind"] == "text"
    new = NewContent(
        title=entry["title"],
        summary=entry["earlierSummary"] if "earlierSummary" in entry else entry["summary"],
        product_suite=entry["suite"],
        product_concept=entry["concept"],
        audience_role=entry["audience"],
        lifecycle_stage=entry["stage"],
        tags=tuple(entry["tags"]),
        review_due_date=stage.day(entry["reviewIn"]) if "reviewIn" in entry else None,
        expiry_date=_last_day(stage, entry),
        expiry_policy="hard_expire" if entry["state"] == "hard" else None,
        text=entry["body"] if with_text else None,
    )
    if with_text:
        return await service.content.create(owner, new)
    file, claim = await _file(stage, clock, entry)
    return await service.content.create(owner, new, file=file, writes=(claim,))


async def _file(stage: Stage, clock: PastClock, entry: Entry) -> tuple[dict[str, Any], Any]:
    """The attributes of the file of an entry, and the write that claims it."""
    data, content_type = file_of(entry["kind"], entry["title"], entry["body"])
    uploads = stage.kit.uploads
    name = await uploads.keep(ATTACHMENTS, data, content_type)
    described = {
        "file_name": download_name(entry["fileName"]),
        "content_type": type_of(content_type, entry["fileName"]),
        "size_bytes": len(data),
        "s3_bucket": stage.service.texts.bucket,
        "s3_key": name,
        "uploaded_at": timestamp(clock.now()),
    }
    return described, uploads.claim(name)


async def _second_version(
    stage: Stage, service: EnablementService, clock: PastClock, content: Content, entry: Entry
) -> Content:
    key, ago, owner = entry["key"], entry["secondAgo"], stage.viewers[entry["owner"]]
    clock.to(stage.moment(ago + 2, f"{key} changed"))
    await service.content.edit(owner, content.content_id, ContentEdit(summary=entry["summary"]))
    proposal = await service.lifecycle.submit(owner, content.content_id, Submission(note=entry["note"]))
    clock.to(stage.moment(ago, f"{key} approved again"))
    approval = Approval(version=proposal.version)
    return await service.lifecycle.approve(_approver(stage, entry), content.content_id, approval)


async def _end(stage: Stage, service: EnablementService, clock: PastClock, content: Content, entry: Entry) -> None:
    """What is over: expired on its day by the clock, or retired by an approver."""
    if entry["state"] in ("soft", "hard"):
        ends = datetime.fromisoformat(content.expires_at or "").astimezone(UTC)
        clock.to(ends + timedelta(minutes=1))
        await service.changing.expire(content, clock.now())
    elif entry["state"] == "retired":
        clock.to(stage.moment(entry["retiredAgo"], f"{entry['key']} retired"))
        reason = Retirement(reason=entry["reason"], superseded_by=stage.content[entry["replacement"]])
        await service.lifecycle.retire(_approver(stage, entry), content.content_id, reason)


def _last_day(stage: Stage, entry: Entry) -> str | None:
    if "endedAgo" in entry:
        return stage.day(-entry["endedAgo"])
    return stage.day(entry["validFor"]) if "validFor" in entry else None


def _approver(stage: Stage, entry: Entry) -> Viewer:
    """One of the two, by turns."""
    return stage.viewers[("marit", "tomas")[sum(entry["key"].encode()) % 2]]
