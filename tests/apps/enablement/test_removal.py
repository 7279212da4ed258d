"""Deleting for good: nobody finds it at once, everything goes however often the work is killed, one entry stays."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import Approval, MustReadRequest, NewComment, NewReport, ReportAnswer, VoteInput
from partita.apps.enablement.schema import CONTENT, EVENTS, SUBSCRIPTIONS, Content, Removal
from partita.apps.enablement.service.files import ATTACHMENTS, preview_name
from partita.apps.enablement.service.removal import DELETED
from partita.apps.enablement.service.reports import public_id
from partita.apps.enablement.system import build
from partita.dynamo.python_values import item_to_python
from partita.kit.files.content import PDF, TEXT
from partita.kit.jobs import JobLost
from partita.kit.problems import Conflict, Forbidden, NotFound
from partita.store import EmbeddedStore
from tests.apps.enablement.conftest import ADMIN, ANNA, CARL, CARLA, VERA, Portal
from tests.apps.enablement.telling import Telling, telling_in
from tests.apps.house import jobs_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def telling(tmp_path: Path) -> Iterator[Telling]:
    with telling_in(tmp_path) as portal:
        yield portal


def rows_about(portal: Portal, content_id: str) -> list[dict[str, Any]]:
    """Every row of all tables that has the id in its key."""
    assert isinstance(portal.kit.tables, EmbeddedStore)
    found = []
    for table in (CONTENT, SUBSCRIPTIONS, EVENTS):
        for row in portal.kit.tables.engine.call("Scan", {"TableName": table.name})["Items"]:
            plain = item_to_python(row)
            if content_id in str(plain.get(table.pk.name)):
                found.append(plain)
    return found


async def in_use(portal: Telling) -> tuple[str, list[str]]:
    """An item with everything that can belong to one, and its files."""
    service = portal.service
    first = await portal.kit.uploads.keep(ATTACHMENTS, b"%PDF-1.4 first", PDF)
    draft = await portal.draft()
    file = {"s3_bucket": "local", "s3_key": first, "file_name": "a.pdf", "content_type": PDF, "size_bytes": 14}
    claim = portal.kit.uploads.claim(first)
    await service.content.change_fields(CARLA, draft.content_id, file, writes=(claim,))
    await portal.kit.files.save(preview_name(first, "cover.webp"), b"x", "image/webp")
    content_id = draft.content_id
    changed = await service.changing.content(content_id)
    await service.lifecycle.approve(ANNA, content_id, Approval(version=changed.version))
    proposal = await portal.proposed(content_id, text="# Second\n")
    await service.lifecycle.approve(ANNA, content_id, Approval(version=proposal.version))
    second = await portal.kit.uploads.keep(ATTACHMENTS, b"other", TEXT)
    claim = portal.kit.uploads.claim(second)
    await service.content.change_fields(CARLA, content_id, {**file, "s3_key": second}, writes=(claim,))
    released = await service.changing.content(content_id)
    for viewer in (VERA, CARL):
        await service.events.viewed(viewer, released)
        await service.votes.vote(viewer, content_id, VoteInput(helped=True))
        await service.follows.follow(viewer, "content", content_id)
    closed = await service.reports.add(VERA, content_id, NewReport(text="This price is wrong."))
    await service.reports.close(ANNA, public_id(closed), ReportAnswer(answer="It was."))
    await service.reports.add(VERA, content_id, NewReport(text="This one is wrong too."))
    await service.history.comment(ANNA, content_id, NewComment(comment="Is this right?"))
    await service.reading.ask(ANNA, content_id, MustReadRequest(read_by="2026-04-01", usernames=("vera",)))
    await portal.catch_up()
    return content_id, [first, preview_name(first, "cover.webp"), second]


async def test_everything_goes_and_one_entry_of_the_history_stays(telling: Telling) -> None:
    content_id, files = await in_use(telling)
    texts = [name for row in await versions(telling, content_id) if (name := row)]
    content, losses = await telling.service.removals.losses(ADMIN, content_id)
    assert (losses.versions, losses.votes, losses.open_reports, losses.comments) == (2, 2, 1, 1)
    assert (losses.people, losses.proposal, losses.must_read, losses.file_name) == (2, True, True, "a.pdf")
    worker = jobs_of(telling.kit, build(telling.kit))
    await telling.service.removals.delete(ADMIN, content_id, version=content.version)
    with pytest.raises(NotFound):
        await telling.service.content.look(ADMIN, content_id)
    await telling.catch_up()
    await worker.drain()
    await telling.catch_up()
    left = [row for row in rows_about(telling, content_id) if not row.get("content_id", "").startswith("FANOUT#")]
    kept = [row for row in left if row.get("action") == DELETED]
    assert [row["comment"] for row in kept] == [content.title]
    others = [row for row in left if row not in kept and not str(row.get("date_bucket", "")).startswith("RECENT#")]
    assert others == []
    for name in (*files, *texts):
        assert not await telling.kit.files.exists(name), name
    told = [each.title for each in await telling.told(ADMIN)]
    assert told == [f"“{content.title}” was deleted"]


async def versions(portal: Telling, content_id: str) -> list[str]:
    found = await portal.kit.store.batch_get(schema.versions_of(content_id, (1, 2)).keys)
    return [(each.fields.s3_uri or "").removeprefix("s3://local/") for each in found if each is not None]


async def test_killed_at_every_step_it_is_finished_in_the_end(telling: Telling) -> None:
    content_id, files = await in_use(telling)
    removal = await telling.service.removals.delete(ADMIN, content_id)
    for die_at in range(7):
        steps = iter(range(100))

        async def progress(step: str, die_at: int = die_at, steps: Iterator[int] = steps) -> None:
            if next(steps) == die_at:
                raise JobLost(step)

        with pytest.raises(JobLost):
            await telling.service.removals.finish(removal, progress)
        assert await telling.kit.store.get(schema.removal(content_id)) is not None
    await asyncio.gather(*(telling.service.removals.finish(removal) for _ in range(3)))
    assert [each async for each in telling.kit.store.scan_whole_table(Removal)] == []
    assert not any([await telling.kit.files.exists(name) for name in files])
    await telling.catch_up()
    assert len(await telling.told(ADMIN)) == 1


async def test_an_owner_deletes_a_draft_that_was_never_approved_and_nothing_else(portal: Portal) -> None:
    removals = portal.service.removals
    draft, released = await portal.draft(), await portal.released("Released")
    with pytest.raises(NotFound):
        await removals.delete(CARL, draft.content_id)
    with pytest.raises(Forbidden):
        await removals.delete(ANNA, draft.content_id)
    with pytest.raises(Forbidden):
        await removals.losses(CARLA, released.content_id)
    with pytest.raises(Forbidden):
        await removals.delete(CARLA, released.content_id)
    await removals.delete(CARLA, draft.content_id)
    await removals.delete(ADMIN, released.content_id)
    assert [each async for each in portal.kit.store.scan_whole_table(Content)] == []


async def test_what_changed_since_somebody_was_asked_is_not_deleted(portal: Portal) -> None:
    draft = await portal.draft()
    seen = draft.version
    await portal.service.content.change_fields(CARLA, draft.content_id, {"summary": "Another."})
    with pytest.raises(Conflict):
        await portal.service.removals.delete(CARLA, draft.content_id, version=seen)
    assert (await portal.service.changing.content(draft.content_id)).summary == "Another."
