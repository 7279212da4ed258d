"""The same step for several items: as a job, with a report of what was refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.enablement.inputs import (
    Approval,
    BulkItem,
    BulkStep,
    ContentEdit,
    NewContent,
    NewSubscription,
    Retirement,
    Submission,
)
from partita.apps.enablement.schema import Content, Proposal
from partita.apps.enablement.service.imports import Checks
from partita.apps.enablement.system import build
from partita.kit.jobs import Job
from partita.kit.permissions import Viewer
from partita.kit.problems import Forbidden, Invalid, NotFound
from tests.apps.enablement.conftest import ANNA, CARL, CARLA, VERA
from tests.apps.enablement.served import ServedPortal
from tests.apps.enablement.telling import Telling, telling_in
from tests.apps.house import jobs_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def telling(tmp_path: Path) -> Iterator[Telling]:
    with telling_in(tmp_path) as portal:
        jobs_of(portal.kit, build(portal.kit))
        yield portal


def items(*contents: Content | Proposal) -> tuple[BulkItem, ...]:
    return tuple(
        BulkItem(content_id=each.of_content if isinstance(each, Proposal) else each.content_id, version=each.version)
        for each in contents
    )


async def done(portal: Telling, viewer: Viewer, **step: object) -> tuple[Job, dict[str, str]]:
    """The job when it has ended, and title → why it was refused."""
    job = await portal.service.bulk.start(viewer, BulkStep.model_validate(step))
    await jobs_of(portal.kit, build(portal.kit)).drain()
    report = await portal.service.bulk.report(viewer, job.job_id)
    return report.job, {each.title: each.refused for each in report.outcomes}


async def test_what_waits_is_approved_and_what_is_refused_is_named(telling: Telling) -> None:
    one, two = await telling.waiting("One"), await telling.waiting("Two")
    changed = await telling.waiting("Changed")
    await telling.service.content.edit(CARLA, changed.content_id, telling_edit("Another summary."))
    own = await telling.service.content.create(ANNA, telling_new("Own"))
    released = await telling.released("Released")
    await telling.proposed(released.content_id)
    proposal = await telling.service.changing.proposal(released.content_id)
    assert proposal is not None
    chosen = (
        *items(one, two, changed, own),
        BulkItem(content_id=released.content_id, version=proposal.version),
        BulkItem(content_id="nothing", version="0.1"),
    )
    job, refused = await done(telling, ANNA, action="approve", items=chosen)
    assert job.result_message == "3 approved, 3 refused."
    assert {title for title, why in refused.items() if why} == {"Changed", "Own", "nothing"}
    assert "own work" in refused["Own"]
    for each in (one, two):
        assert (await telling.service.changing.content(each.content_id)).status == "Approved"
    assert (await telling.service.changing.content(released.content_id)).major == 2
    await telling.catch_up()
    assert "Approve 6 items: done" in [each.title for each in await telling.told(ANNA)]


async def test_authors_hear_of_a_batch_as_one_and_readers_of_each(telling: Telling) -> None:
    subscribed = NewSubscription(product_suite="Atlas")
    await telling.service.subscriptions.create(VERA, subscribed)
    carlas = [await telling.waiting(f"Guide {number}", product_suite="Atlas") for number in range(7)]
    made = await telling.service.content.create(CARL, telling_new("Carl’s"))
    carls = await telling.service.lifecycle.submit(CARL, made.content_id, Submission())
    await telling.catch_up()
    step = BulkStep(action="approve", items=(*items(*carlas), *items(carls)))
    job = await telling.service.bulk.start(ANNA, step)
    await telling.service.lifecycle.approve(
        ANNA, carlas[0].content_id, Approval(version=carlas[0].version), batch=job.job_id
    )
    await telling.catch_up()
    assert await telling.told(CARLA) == [], "it goes on"
    await jobs_of(telling.kit, build(telling.kit)).drain()
    await telling.catch_up()
    await telling.replay()
    (told,) = await telling.told(CARLA)
    assert (told.title, told.type, told.link) == ("7 of yours were approved", "success", "/enablement/mine")
    assert told.message.endswith("“Guide 4” and 2 more")
    assert [each.title for each in await telling.told(CARL)] == ["“Carl’s” was approved"]
    assert sorted(each.title for each in await telling.told(VERA)) == [f"New: “Guide {each}”" for each in range(7)]


async def test_approvers_hear_of_an_import_as_one(telling: Telling) -> None:
    imports = telling.service.imports
    await telling.service.follows.visit_queue(ANNA)
    telling.clock.on(seconds=1)
    rows = b"title,summary,suite\n" + b"".join(b"Item %d,Short.,Atlas\n" % number for number in range(17))
    checks = await imports.begin(CARLA, rows, "rows.csv")
    await imports.make_drafts(CARLA, checks.work.import_id)
    for number in range(17):
        edit = ContentEdit(text="What it says.")
        await telling.service.content.edit(CARLA, imports_id(checks, number), edit)
    await imports.start(CARLA, checks.work.import_id, submit=True)
    await telling.catch_up()
    assert await telling.told(ANNA) == []
    await jobs_of(telling.kit, build(telling.kit)).drain()
    await telling.catch_up()
    await telling.replay()
    (told,) = await telling.told(ANNA)
    assert (told.title, told.link) == ("17 items wait for approval", "/enablement/queue")
    assert told.reason == "because you follow the approval queue"


def imports_id(checks: Checks, number: int) -> str:
    return checks.content_id(checks.rows[number])


async def test_several_are_retired_or_handed_over_each_by_the_rules_of_one(telling: Telling) -> None:
    released = [await telling.released(f"Guide {number}") for number in range(3)]
    draft = await telling.draft("Draft")
    job, refused = await done(
        telling, ANNA, action="retire", items=items(*released[:2], draft), reason="It is no longer sold."
    )
    assert job.result_message == "2 retired, 1 refused."
    assert [title for title, why in refused.items() if why] == ["Draft"]
    after = await telling.service.changing.content(released[0].content_id)
    assert (after.status, after.retired_because) == ("Deprecated", "It is no longer sold.")
    job, refused = await done(telling, CARLA, action="hand_over", items=items(*released, draft), to="carl")
    assert job.result_message == "4 handed over."
    job, refused = await done(telling, CARLA, action="hand_over", items=items(released[2], draft), to="carla")
    assert all(refused.values()), "they are hers no more"
    assert "Draft" not in refused, "what she may not know of any more has no title"


async def test_a_killed_job_goes_on_and_calls_done_what_it_did_before(telling: Telling) -> None:
    waiting = [await telling.waiting(f"Guide {number}") for number in range(3)]
    job = await telling.service.bulk.start(ANNA, BulkStep(action="approve", items=items(*waiting)))
    # The process was killed after the first approval and before its checkpoint.

    await telling.service.lifecycle.approve(ANNA, waiting[0].content_id, Approval(version=waiting[0].version))
    await jobs_of(telling.kit, build(telling.kit)).drain()
    report = await telling.service.bulk.report(ANNA, job.job_id)
    assert (len(report.done), report.refused) == (3, ())
    for each in waiting:
        assert (await telling.service.changing.content(each.content_id)).version == "1.0"
    retired = await telling.service.lifecycle.retire(ANNA, waiting[0].content_id, Retirement(reason="Old."))
    _, refused = await done(telling, ANNA, action="retire", items=items(retired), reason="Old.")
    assert not any(refused.values())
    _, refused = await done(telling, ANNA, action="retire", items=items(retired), reason="Another reason.")
    assert all(refused.values())


async def test_a_step_says_what_it_lacks_before_it_begins(telling: Telling) -> None:
    waiting = await telling.waiting()
    chosen = items(waiting)
    for step, field in (
        (BulkStep(action="retire", items=chosen), "reason"),
        (BulkStep(action="hand_over", items=chosen), "to"),
        (BulkStep(action="hand_over", items=chosen, to="vera"), "to"),
        (BulkStep(action="approve", items=(BulkItem(content_id=waiting.content_id),)), "items.0.version"),
    ):
        with pytest.raises(Invalid) as refused:
            await telling.service.bulk.start(ANNA, step)
        assert [each.field for each in refused.value.errors] == [field]
    for viewer, step in (
        (VERA, BulkStep(action="hand_over", items=chosen, to="carl")),
        (CARL, BulkStep(action="approve", items=chosen)),
        (CARL, BulkStep(action="retire", items=chosen, reason="Old.")),
    ):
        with pytest.raises(Forbidden):
            await telling.service.bulk.start(viewer, step)
    job = await telling.service.bulk.start(ANNA, BulkStep(action="approve", items=chosen))
    with pytest.raises(NotFound):
        await telling.service.bulk.report(CARLA, job.job_id)
    with pytest.raises(ValueError, match="at most 100"):
        BulkStep(action="approve", items=chosen * 101)


def telling_edit(summary: str) -> ContentEdit:
    return ContentEdit(summary=summary)


def telling_new(title: str) -> NewContent:
    return NewContent(title=title, summary="List prices.", text="Prices.")


async def test_several_are_managed_without_script(served: ServedPortal) -> None:
    carla, anna = await served.person("contributor", "Carla"), await served.person("approver", "Anna")
    carl = await served.person("contributor", "Carl")
    guides = [await served.released(carla, anna, f"Guide {number}", product_suite="Atlas") for number in range(2)]
    waiting = await served.draft(carla, "Waits")

    submitted = await served.service.lifecycle.submit(carla.viewer, waiting.content_id, Submission())
    await served.catch_up()
    page = await anna.get("/enablement/manage")
    tick = f"{waiting.content_id}@{submitted.version}"
    assert f'value="{tick}"' in page.text
    begun = await anna.post("/enablement/manage", {"ids": tick, "action": "approve", "show": "waiting"})
    assert begun.location.startswith("/jobs/")
    await served.catch_up()
    report = await anna.get(f"/enablement/bulk/{begun.location.rpartition('/')[2]}")
    assert "1 approved" in report.text
    assert "Look at the result" in (await anna.get(begun.location)).text
    ticks = [("ids", f"{each.content_id}@{each.version}") for each in guides]
    again = await anna.post("/enablement/manage", [*ticks, ("action", "retire"), ("show", "released")])
    assert again.status == 422
    assert "Say why" in again.text
    assert again.text.count(" checked") == 2
    assert "Guide 1" in (await anna.get("/enablement/manage?show=released&suite=Atlas")).text
    assert "Guide 1" not in (await anna.get("/enablement/manage?show=released&suite=Boreas")).text
    nothing = await anna.post("/enablement/manage", {"action": "retire", "reason": "Old."})
    assert nothing.location == "/enablement/manage"
    own = await carla.get("/enablement/manage?show=released")
    assert "Guide 1" in own.text
    assert "Retire all ticked" not in own.text
    assert "Guide 1" not in (await carl.get("/enablement/manage?show=retired")).text
    assert (await carl.post("/enablement/manage", {"ids": tick, "action": "approve"})).status == 403
    answer = await anna.api("POST", "/bulk", {"action": "hand_over", "to": "carl", "items": [{"content_id": "x"}]})
    assert answer.status == 202
    await served.catch_up()
    seen = (await anna.api("GET", f"/bulk/{answer.location.rpartition('/')[2]}")).json
    assert [each["content_id"] for each in seen["outcomes"]] == ["x"]
    assert seen["outcomes"][0]["refused"]
