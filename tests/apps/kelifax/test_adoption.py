"""A table that the original program wrote: read, moderated, taken in once, counted exactly, and never below zero."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from partita.apps.kelifax import system
from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.schema import RESOURCES, Resource, ResourceTag, ResourceUrl, Total
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.bookkeeping import booked, in_order
from partita.dynamo.python_values import item_from_python
from partita.kit.kit import Kit
from partita.kit.problems import Conflict
from partita.store import EmbeddedStore
from partita.store.streams import records, shards
from partita.table.changes import change_of
from partita.table.migrations import Row
from partita.table.scans import segment_page
from tests.apps.house import BAD_WEATHER, kit_on, worker_of
from tests.apps.kelifax import original
from tests.apps.kelifax.conftest import MOD, slugs_of, submission
from tests.apps.kelifax.original import adopt_all

pytestmark = pytest.mark.anyio
STATUSES = ("pending", "approved", "rejected")


def _rows(kit: Kit) -> Sequence[Row]:
    """All that is in the table, in any weather."""
    return kit.tables.run(segment_page(RESOURCES.name, segment=0, segments=1, after=None, limit=1000)).rows


async def _change(kit: Kit, service: KelifaxService, slug: str, changed: dict[str, Any]) -> None:
    """What the original does to a resource: it reads it, and puts it back with something changed."""
    assert isinstance(kit.tables, EmbeddedStore)
    row = (await service.moderation.inspect(slug)).to_row()
    kit.tables.engine.call("PutItem", {"TableName": RESOURCES.name, "Item": {**row, **changed}})


def _check_exact(kit: Kit) -> None:
    """Guards, tags and totals are what the resources in the table make of them, and nothing is left over."""
    rows = _rows(kit)
    resources = [
        counted for row in rows if Resource.owns(row) if (counted := booked(Resource.from_row(row))) is not None
    ]
    claims = {each.claimed_url: each.resource_slug for each in resources if each.claimed_url is not None}
    guards = [ResourceUrl.from_row(row) for row in rows if ResourceUrl.owns(row)]
    assert {guard.url: guard.claimed_by for guard in guards} == claims
    approved = [each for each in resources if each.resource_status == "approved"]
    tags = [ResourceTag.from_row(row) for row in rows if ResourceTag.owns(row)]
    assert sorted((tag.slug, tag.resource_tag, tag.tag_category) for tag in tags) == sorted(
        (each.resource_slug, tag, each.category) for each in approved for tag in each.tags.split(",") if tag
    )
    expected: Counter[tuple[str, str]] = Counter()
    for each in resources:
        expected["status", each.resource_status] += 1
        expected["domain", each.submitter_domain or ""] += 1
        expected["day", each.created_at[:10]] += 1
    expected.update(("category", each.category) for each in approved)
    totals = [Total.from_row(row) for row in rows if Total.owns(row)]
    assert {(total.count_of, total.counted_as): total.count for total in totals if total.count} == expected


async def test_what_the_original_wrote_is_taken_in_whole_and_once(kit: Kit, service: KelifaxService) -> None:
    await original.write(kit, *(original.resource(f"its-{status}", status) for status in STATUSES))
    await original.write(kit, original.resource("its-best", "approved", featured=True, category="design", viewCount=7))
    done = await adopt_all(kit)
    assert (done.adopted, done.refused, done.unreadable) == ({"resource": 4}, [], [])
    _check_exact(kit)
    overview = await service.analytics.overview()
    assert overview.by_status == {"pending": 1, "approved": 2, "rejected": 1}
    assert overview.by_submitter_domain == {"techcorp.com": 4}
    assert [each.resource_slug for each in overview.most_viewed] == ["its-best", "its-approved"]
    assert [each.resource_slug for each in await service.resources.featured()] == ["its-best"]
    assert slugs_of(await service.resources.browse(tags=["automation"], category="development")) == ["its-approved"]
    assert len((await service.resources.browse(category="design")).items) == 1
    with pytest.raises(Conflict, match="its-approved"):
        await service.submissions.submit(submission("Again", "https://its-approved.example.org"), "x")
    assert (await adopt_all(kit)).adopted["resource"] == 0
    _check_exact(kit)


async def test_what_is_taken_in_keeps_every_documented_attribute(kit: Kit, service: KelifaxService) -> None:
    row = original.resource("kept", "approved", colour="blue")
    await original.write(kit, row)
    await adopt_all(kit)
    after = (await service.moderation.inspect("kept")).to_row()
    assert after.keys() - row.keys() == {"approvedCategory", "popularIn", "bookedAs", "claimedUrl", "upvotes"}
    assert {name: after[name] for name in row} == item_from_python(row)


@pytest.mark.parametrize("status", STATUSES)
async def test_what_the_document_calls_optional_may_be_missing(kit: Kit, service: KelifaxService, status: str) -> None:
    await original.write(kit, original.least(original.resource("bare", status)))
    assert (await adopt_all(kit)).adopted["resource"] == 1
    bare = await service.moderation.inspect("bare")
    assert bare.submitter_domain == "techcorp.com"
    assert bare.search_text.startswith("amazing dev tool development productivity")
    assert len((await service.resources.browse(sort="popular")).items) == (status == "approved")
    _check_exact(kit)


@pytest.mark.parametrize("written", [original.resource, lambda *given: original.least(original.resource(*given))])
@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("action", ["approve", "reject", "edit", "move", "feature", "delete"])
async def test_what_nobody_has_taken_in_yet_can_be_moderated(
    kit: Kit, service: KelifaxService, action: str, status: str, written: Any
) -> None:
    await original.write(kit, written("theirs", status), original.resource("other", "approved"))
    await service.submissions.submit(submission(), "x")
    decisions: dict[str, Any] = {
        "approve": lambda: service.moderation.approve(MOD, "theirs"),
        "reject": lambda: service.moderation.reject(MOD, "theirs", "no"),
        "edit": lambda: service.moderation.edit(MOD, "theirs", ResourceEdit(tags=["new"], category="ai")),
        "move": lambda: service.moderation.edit(
            MOD, "theirs", ResourceEdit(resource_url="https://elsewhere.example.org")
        ),
        "feature": lambda: service.moderation.feature(MOD, "theirs", featured=True),
        "delete": lambda: service.moderation.delete(MOD, "theirs"),
    }
    refused = {("approve", "approved"), ("reject", "rejected"), ("feature", "pending"), ("feature", "rejected")}
    if (action, status) in refused:
        with pytest.raises(Conflict):
            await decisions[action]()
    else:
        await decisions[action]()
        if action != "delete":
            assert in_order(await service.moderation.inspect("theirs")), "whoever moderates it takes it in"
    _check_exact(kit)
    await adopt_all(kit)
    _check_exact(kit)
    for slug in {"theirs", "other"} - ({"theirs"} if action == "delete" else set()):
        await service.moderation.delete(MOD, slug)
    _check_exact(kit)
    assert (await service.analytics.overview()).by_status == {"pending": 1, "approved": 0, "rejected": 0}


async def test_of_two_with_one_address_the_second_is_told_and_waits_for_a_decision(
    kit: Kit, service: KelifaxService
) -> None:
    ours = await service.submissions.submit(submission("Ours", "https://same.example.org/"), "x")
    await original.write(kit, original.resource("theirs", "approved", resourceUrl="http://SAME.example.org"))
    for _ in range(2):
        done = await adopt_all(kit)
        (refused,) = done.refused
        assert refused == "resourceSlug=theirs: ours has its address http://SAME.example.org"
        assert done.adopted["resource"] == 0
    with pytest.raises(Conflict, match="waiting for review"):
        await service.moderation.feature(MOD, "theirs", featured=True)
    _check_exact(kit)
    await service.moderation.reject(MOD, ours.resource_slug, "The other was first.")
    assert (await adopt_all(kit)).adopted["resource"] == 1
    with pytest.raises(Conflict, match="theirs"):
        await service.moderation.approve(MOD, ours.resource_slug)
    _check_exact(kit)


async def test_a_change_of_the_original_is_followed(kit: Kit, service: KelifaxService) -> None:
    worker = worker_of(kit, system.build(kit))
    await original.write(kit, original.resource("theirs"))
    await worker.drain()
    assert (await service.analytics.overview()).by_status["pending"] == 1
    # It knows nothing of what follows from a status, a category or an address.
    changes: list[dict[str, Any]] = [
        {"resourceStatus": {"S": "approved"}},
        {"category": {"S": "ai"}, "featured": {"BOOL": True}},
        {"resourceStatus": {"S": "pending"}, "resourceUrl": {"S": "https://moved.example.org"}},
        {"resourceStatus": {"S": "rejected"}},
    ]
    for changed in changes:
        await _change(kit, service, "theirs", changed)
        await worker.drain()
        resource = await service.moderation.inspect("theirs")
        assert in_order(resource)
        assert resource.to_row().items() >= changed.items()
        _check_exact(kit)
    assert (await service.analytics.overview()).by_status == {"pending": 0, "approved": 0, "rejected": 1}


async def test_what_the_original_writes_over_is_counted_once(kit: Kit, service: KelifaxService) -> None:
    worker = worker_of(kit, system.build(kit))
    await service.submissions.submit(submission(), "x")
    await service.moderation.approve(MOD, "amazing-dev-tool")
    await original.write(kit, original.resource("amazing-dev-tool"))
    await worker.drain()
    _check_exact(kit)
    assert (await service.analytics.overview()).by_status == {"pending": 1, "approved": 0, "rejected": 0}
    await service.moderation.delete(MOD, "amazing-dev-tool")
    _check_exact(kit)


async def test_a_decision_on_what_the_original_changed_takes_it_out_as_it_was_counted(
    kit: Kit, service: KelifaxService
) -> None:
    await service.submissions.submit(submission(), "x")
    changed = {"resourceStatus": {"S": "approved"}, "resourceUrl": {"S": "https://moved.example.org"}}
    await _change(kit, service, "amazing-dev-tool", changed)
    await service.moderation.reject(MOD, "amazing-dev-tool", "no")
    _check_exact(kit)
    assert (await service.analytics.overview()).by_status == {"pending": 0, "approved": 0, "rejected": 1}
    await service.submissions.submit(submission(), "x")


async def test_tags_that_the_original_changes_are_listed_by_their_change(kit: Kit, service: KelifaxService) -> None:
    worker = worker_of(kit, system.build(kit))
    await service.submissions.submit(submission(), "x")
    await service.moderation.approve(MOD, "amazing-dev-tool")
    await _change(kit, service, "amazing-dev-tool", {"tags": {"S": "analysis,looms"}})
    await worker.drain()
    _check_exact(kit)
    await service.moderation.edit(MOD, "amazing-dev-tool", ResourceEdit(tags=["looms", "cards"]))
    await service.moderation.edit(MOD, "amazing-dev-tool", ResourceEdit(tags=["analysis"]))
    await worker.drain()
    _check_exact(kit)
    assert len((await service.resources.browse(tags=["analysis"])).items) == 1


@pytest.mark.parametrize("status", ["pending", "approved"])
async def test_what_the_original_deletes_is_forgotten_once(kit: Kit, service: KelifaxService, status: str) -> None:
    built = system.build(kit)
    (adoption,) = built.adoptions
    await service.submissions.submit(submission(), "x")
    await service.submissions.submit(submission("Other", "https://other.example.org"), "x")
    if status == "approved":
        await service.moderation.approve(MOD, "amazing-dev-tool")
    gone = await service.moderation.inspect("amazing-dev-tool")
    assert isinstance(kit.tables, EmbeddedStore)
    kit.tables.engine.call("DeleteItem", {"TableName": RESOURCES.name, "Key": gone.own_key.wire})
    await worker_of(kit, built).drain()
    await asyncio.gather(*(adoption.forget(gone) for _ in range(3)))
    _check_exact(kit)
    assert sum((await service.analytics.overview()).by_status.values()) == 1
    await service.submissions.submit(submission(), "x")
    await adoption.forget(gone)
    _check_exact(kit)


async def test_every_change_told_again_changes_nothing(kit: Kit, service: KelifaxService) -> None:
    built = system.build(kit)
    await original.write(kit, *(original.resource(f"its-{status}", status) for status in STATUSES))
    for number in range(3):
        await service.submissions.submit(submission(url=f"https://{number}.example.org"), "x")
    await service.moderation.approve(MOD, "amazing-dev-tool-2")
    await service.moderation.edit(MOD, "amazing-dev-tool-2", ResourceEdit(tags=["other"], category="ai"))
    await service.moderation.delete(MOD, "amazing-dev-tool-3")
    await _change(kit, service, "amazing-dev-tool", {"resourceStatus": {"S": "approved"}})
    await worker_of(kit, built).drain()
    before = sorted(map(str, _rows(kit)))
    assert isinstance(kit.tables, EmbeddedStore)
    call = kit.tables.engine.call_async
    changes = [
        change_of(RESOURCES, record)
        for shard in await shards(call, RESOURCES)
        for record in (await records(call, shard, "", None, limit=1000)).records
    ]
    assert len(changes) > 30
    for change in changes:
        for handler in built.changes:
            await handler.run(change)
    assert sorted(map(str, _rows(kit))) == before
    _check_exact(kit)


async def test_a_claim_that_is_gone_or_made_already_keeps_nobody_from_deciding(
    kit: Kit, service: KelifaxService
) -> None:
    await service.submissions.submit(submission(), "x")
    assert isinstance(kit.tables, EmbeddedStore)
    key = ResourceUrl.key(ResourceUrl.url("https://amazing.example.org")).wire
    kit.tables.engine.call("DeleteItem", {"TableName": RESOURCES.name, "Key": key})
    await service.moderation.reject(MOD, "amazing-dev-tool", "no")
    guard = ResourceUrl(url="https://amazing.example.org", claimed_by="amazing-dev-tool")
    kit.tables.engine.call("PutItem", {"TableName": RESOURCES.name, "Item": guard.to_row()})
    await service.moderation.approve(MOD, "amazing-dev-tool")
    _check_exact(kit)


async def test_what_is_no_address_or_no_logo_of_ours_is_shown_all_the_same(kit: Kit, service: KelifaxService) -> None:
    worker = worker_of(kit, system.build(kit))
    odd = {"resourceUrl": "amazing tool dot com", "tags": "Automation, automation,,CI", "learningResources": "soon|{}"}
    await original.write(kit, original.resource("odd", "approved", **odd))
    await adopt_all(kit)
    assert slugs_of(await service.resources.browse(tags=["automation"])) == ["odd"]
    assert service.resources.logo_url(await service.moderation.inspect("odd")) is None
    await worker.drain()
    assert len((await service.resources.browse(text="amazing", tags=["ci"])).items) == 1
    await service.moderation.delete(MOD, "odd")
    await worker.drain()
    assert (await service.resources.browse(tags=["automation"])).items == ()
    assert (await service.analytics.overview()).by_status["approved"] == 0


async def test_what_cannot_be_read_is_named_and_the_others_are_taken_in(kit: Kit, service: KelifaxService) -> None:
    await original.write(kit, original.resource("odd", category="cooking"), original.resource("good"))
    done = await adopt_all(kit)
    assert done.adopted["resource"] == 1
    assert len(done.unreadable) == 1
    assert "odd" in done.unreadable[0]
    assert in_order(await service.moderation.inspect("good"))


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_many_who_take_in_and_decide_at_once_count_each_resource_once(tmp_path: Path, weather: Any) -> None:
    with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
        service, worker = KelifaxService(kit), worker_of(kit, system.build(kit))
        rows = [original.resource(f"its-{number}", STATUSES[number % 3]) for number in range(15)]
        await original.write(kit, *rows)
        decisions = [
            service.moderation.delete(MOD, slug)
            if number % 5 == 0
            else service.moderation.edit(MOD, slug, ResourceEdit(category="ai", tags=["a"]))
            for number, slug in enumerate(row["resourceSlug"] for row in rows)
        ]
        await asyncio.gather(adopt_all(kit), adopt_all(kit), worker.drain(), *decisions)
        await adopt_all(kit)
        _check_exact(kit)
        left = [Resource.from_row(row) for row in _rows(kit) if Resource.owns(row)]
        assert len(left) == 12
        assert all(in_order(resource) and resource.category == "ai" for resource in left)
