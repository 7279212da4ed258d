"""A table that the original program wrote: read, moderated, taken in once, counted exactly, and never below zero."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from partita.apps.kelifax import system
from partita.apps.kelifax.adoption import adopt_all, follow
from partita.apps.kelifax.bookkeeping import booked, in_order
from partita.apps.kelifax.permissions import MODERATOR
from partita.apps.kelifax.schema import RESOURCES, Resource, ResourceTag, ResourceUrl, Total
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.submission import Edit
from partita.dynamo.python_values import item_from_python
from partita.kit.kit import Kit
from partita.kit.problems import Conflict
from partita.store import EmbeddedStore
from partita.store.streams import records, shards
from partita.table.changes import change_of
from partita.table.migrations import Row
from partita.table.scans import stretch_of_segment
from tests.apps.house import BAD_WEATHER, kit_on, person, worker_of
from tests.apps.kelifax import original
from tests.apps.kelifax.conftest import submission

pytestmark = pytest.mark.anyio
MOD = person("mod", *MODERATOR)
STATUSES = ("pending", "approved", "rejected")


def _rows(kit: Kit) -> Sequence[Row]:
    """All that is in the table, in any weather."""
    return kit.tables.run(stretch_of_segment(RESOURCES.name, segment=0, segments=1, after=None, limit=1000)).rows


async def _change(kit: Kit, service: KelifaxService, slug: str, changed: dict[str, Any]) -> None:
    """What the original does to a resource: it reads it, and puts it back with something changed."""
    assert isinstance(kit.tables, EmbeddedStore)
    row = (await service.inspect(slug)).to_row()
    kit.tables.engine.call("PutItem", {"TableName": RESOURCES.name, "Item": {**row, **changed}})


def _check_exact(kit: Kit) -> None:
    """Guards, tags and totals are what the resources in the table make of them, and nothing is left over."""
    rows = _rows(kit)
    resources = [known for row in rows if Resource.owns(row) if (known := booked(Resource.from_row(row))) is not None]
    claims = {found.claimed_url: found.resource_slug for found in resources if found.claimed_url is not None}
    guards = [ResourceUrl.from_row(row) for row in rows if ResourceUrl.owns(row)]
    assert {guard.url: guard.claimed_by for guard in guards} == claims
    approved = [found for found in resources if found.resource_status == "approved"]
    tags = [ResourceTag.from_row(row) for row in rows if ResourceTag.owns(row)]
    assert sorted((tag.slug, tag.resource_tag, tag.tag_category) for tag in tags) == sorted(
        (found.resource_slug, tag, found.category) for found in approved for tag in found.tags.split(",") if tag
    )
    expected: Counter[tuple[str, str]] = Counter()
    for found in resources:
        expected["status", found.resource_status] += 1
        expected["domain", found.submitter_domain or ""] += 1
        expected["day", found.created_at[:10]] += 1
    expected.update(("category", found.category) for found in approved)
    totals = [Total.from_row(row) for row in rows if Total.owns(row)]
    assert {(total.count_of, total.counted_as): total.count for total in totals if total.count} == expected


async def test_what_the_original_wrote_is_taken_in_whole_and_once(kit: Kit, service: KelifaxService) -> None:
    await original.write(kit, *(original.resource(f"its-{status}", status) for status in STATUSES))
    await original.write(kit, original.resource("its-best", "approved", featured=True, category="design", viewCount=7))
    done = await adopt_all(kit.store)
    assert (done.adopted, done.refused, done.unreadable) == (4, [], [])
    _check_exact(kit)
    told = await service.analytics()
    assert told.statuses == {"pending": 1, "approved": 2, "rejected": 1}
    assert dict(told.domains) == {"techcorp.com": 4}
    assert [found.resource_slug for found in told.popular] == ["its-best", "its-approved"]
    assert [found.resource_slug for found in await service.featured()] == ["its-best"]
    found = (await service.browse(tag="automation", category="development")).found
    assert [each.resource.resource_slug for each in found] == ["its-approved"]
    assert len((await service.browse(category="design")).found) == 1
    with pytest.raises(Conflict, match="its-approved"):
        await service.submit(submission("Again", "https://its-approved.example.org"), "x")
    assert (await adopt_all(kit.store)).adopted == 0
    _check_exact(kit)


async def test_what_is_taken_in_keeps_every_documented_attribute(kit: Kit, service: KelifaxService) -> None:
    row = original.resource("kept", "approved", colour="blue")
    await original.write(kit, row)
    await adopt_all(kit.store)
    after = (await service.inspect("kept")).to_row()
    assert after.keys() - row.keys() == {"approvedCategory", "popularIn", "bookedAs", "claimedUrl"}
    assert {name: after[name] for name in row} == item_from_python(row)


@pytest.mark.parametrize("status", STATUSES)
async def test_what_the_document_calls_optional_may_be_missing(kit: Kit, service: KelifaxService, status: str) -> None:
    await original.write(kit, original.least(original.resource("bare", status)))
    assert (await adopt_all(kit.store)).adopted == 1
    bare = await service.inspect("bare")
    assert bare.submitter_domain == "techcorp.com"
    assert bare.search_text.startswith("amazing dev tool development productivity")
    assert len((await service.browse(sort="popular")).found) == (status == "approved")
    _check_exact(kit)


@pytest.mark.parametrize("made", [original.resource, lambda *given: original.least(original.resource(*given))])
@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("action", ["approve", "reject", "edit", "move", "feature", "delete"])
async def test_what_nobody_has_taken_in_yet_can_be_moderated(
    kit: Kit, service: KelifaxService, action: str, status: str, made: Any
) -> None:
    await original.write(kit, made("theirs", status), original.resource("other", "approved"))
    await service.submit(submission(), "x")
    decisions: dict[str, Any] = {
        "approve": lambda: service.approve(MOD, "theirs"),
        "reject": lambda: service.reject(MOD, "theirs", "no"),
        "edit": lambda: service.edit(MOD, "theirs", Edit(tags=["new"], category="ai")),
        "move": lambda: service.edit(MOD, "theirs", Edit(resource_url="https://elsewhere.example.org")),
        "feature": lambda: service.feature(MOD, "theirs", featured=True),
        "delete": lambda: service.delete(MOD, "theirs"),
    }
    refused = {("approve", "approved"), ("reject", "rejected"), ("feature", "pending"), ("feature", "rejected")}
    if (action, status) in refused:
        with pytest.raises(Conflict):
            await decisions[action]()
    else:
        await decisions[action]()
        if action != "delete":
            assert in_order(await service.inspect("theirs")), "whoever moderates it takes it in"
    _check_exact(kit)
    await adopt_all(kit.store)
    _check_exact(kit)
    for slug in {"theirs", "other"} - ({"theirs"} if action == "delete" else set()):
        await service.delete(MOD, slug)
    _check_exact(kit)
    assert (await service.analytics()).statuses == {"pending": 1, "approved": 0, "rejected": 0}


async def test_of_two_with_one_address_the_second_is_told_and_waits_for_a_decision(
    kit: Kit, service: KelifaxService
) -> None:
    ours = await service.submit(submission("Ours", "https://same.example.org/"), "x")
    await original.write(kit, original.resource("theirs", "approved", resourceUrl="http://SAME.example.org"))
    for _ in range(2):
        done = await adopt_all(kit.store)
        assert [(resource.resource_slug, other) for resource, other in done.refused] == [("theirs", "ours")]
        assert done.adopted == 0
    with pytest.raises(Conflict, match="waiting for review"):
        await service.feature(MOD, "theirs", featured=True)
    _check_exact(kit)
    await service.reject(MOD, ours.resource_slug, "The other was first.")
    assert (await adopt_all(kit.store)).adopted == 1
    with pytest.raises(Conflict, match="theirs"):
        await service.approve(MOD, ours.resource_slug)
    _check_exact(kit)


async def test_a_change_of_the_original_is_followed(kit: Kit, service: KelifaxService) -> None:
    worker = worker_of(kit, system.build(kit))
    await original.write(kit, original.resource("theirs"))
    await worker.drain()
    assert (await service.analytics()).statuses["pending"] == 1
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
        resource = await service.inspect("theirs")
        assert in_order(resource)
        assert resource.to_row().items() >= changed.items()
        _check_exact(kit)
    assert (await service.analytics()).statuses == {"pending": 0, "approved": 0, "rejected": 1}


async def test_what_the_original_writes_over_is_counted_once(kit: Kit, service: KelifaxService) -> None:
    worker = worker_of(kit, system.build(kit))
    await service.submit(submission(), "x")
    await service.approve(MOD, "amazing-dev-tool")
    await original.write(kit, original.resource("amazing-dev-tool"))
    await worker.drain()
    _check_exact(kit)
    assert (await service.analytics()).statuses == {"pending": 1, "approved": 0, "rejected": 0}
    await service.delete(MOD, "amazing-dev-tool")
    _check_exact(kit)


async def test_a_decision_on_what_the_original_changed_takes_it_out_as_it_was_counted(
    kit: Kit, service: KelifaxService
) -> None:
    await service.submit(submission(), "x")
    changed = {"resourceStatus": {"S": "approved"}, "resourceUrl": {"S": "https://moved.example.org"}}
    await _change(kit, service, "amazing-dev-tool", changed)
    await service.reject(MOD, "amazing-dev-tool", "no")
    _check_exact(kit)
    assert (await service.analytics()).statuses == {"pending": 0, "approved": 0, "rejected": 1}
    await service.submit(submission(), "x")


async def test_tags_that_the_original_changes_are_listed_by_their_change(kit: Kit, service: KelifaxService) -> None:
    worker = worker_of(kit, system.build(kit))
    await service.submit(submission(), "x")
    await service.approve(MOD, "amazing-dev-tool")
    await _change(kit, service, "amazing-dev-tool", {"tags": {"S": "analysis,looms"}})
    await worker.drain()
    _check_exact(kit)
    await service.edit(MOD, "amazing-dev-tool", Edit(tags=["looms", "cards"]))
    await service.edit(MOD, "amazing-dev-tool", Edit(tags=["analysis"]))
    await worker.drain()
    _check_exact(kit)
    assert len((await service.browse(tag="analysis")).found) == 1


@pytest.mark.parametrize("status", ["pending", "approved"])
async def test_what_the_original_deletes_is_forgotten_once(kit: Kit, service: KelifaxService, status: str) -> None:
    built = system.build(kit)
    await service.submit(submission(), "x")
    await service.submit(submission("Other", "https://other.example.org"), "x")
    if status == "approved":
        await service.approve(MOD, "amazing-dev-tool")
    gone = await service.inspect("amazing-dev-tool")
    assert isinstance(kit.tables, EmbeddedStore)
    kit.tables.engine.call("DeleteItem", {"TableName": RESOURCES.name, "Key": gone.own_key.wire})
    await worker_of(kit, built).drain()
    await asyncio.gather(*(follow(kit.store, gone, None) for _ in range(3)))
    _check_exact(kit)
    assert sum((await service.analytics()).statuses.values()) == 1
    await service.submit(submission(), "x")
    await follow(kit.store, gone, None)
    _check_exact(kit)


async def test_every_change_told_again_changes_nothing(kit: Kit, service: KelifaxService) -> None:
    built = system.build(kit)
    await original.write(kit, *(original.resource(f"its-{status}", status) for status in STATUSES))
    for number in range(3):
        await service.submit(submission(url=f"https://{number}.example.org"), "x")
    await service.approve(MOD, "amazing-dev-tool-2")
    await service.edit(MOD, "amazing-dev-tool-2", Edit(tags=["other"], category="ai"))
    await service.delete(MOD, "amazing-dev-tool-3")
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
    await service.submit(submission(), "x")
    assert isinstance(kit.tables, EmbeddedStore)
    key = ResourceUrl.key(ResourceUrl.url("https://amazing.example.org")).wire
    kit.tables.engine.call("DeleteItem", {"TableName": RESOURCES.name, "Key": key})
    await service.reject(MOD, "amazing-dev-tool", "no")
    guard = ResourceUrl(url="https://amazing.example.org", claimed_by="amazing-dev-tool")
    kit.tables.engine.call("PutItem", {"TableName": RESOURCES.name, "Item": guard.to_row()})
    await service.approve(MOD, "amazing-dev-tool")
    _check_exact(kit)


async def test_what_is_no_address_or_no_logo_of_ours_is_shown_all_the_same(kit: Kit, service: KelifaxService) -> None:
    worker = worker_of(kit, system.build(kit))
    odd = {"resourceUrl": "amazing tool dot com", "tags": "Automation, automation,,CI", "learningResources": "soon|{}"}
    await original.write(kit, original.resource("odd", "approved", **odd))
    await adopt_all(kit.store)
    found = (await service.browse(tag="automation")).found
    assert [each.resource.resource_slug for each in found] == ["odd"]
    assert service.logo_url(found[0].resource) is None
    await worker.drain()
    assert len((await service.browse(text="amazing", tag="ci")).found) == 1
    await service.delete(MOD, "odd")
    await worker.drain()
    assert (await service.browse(tag="automation")).found == ()
    assert (await service.analytics()).statuses["approved"] == 0


async def test_what_cannot_be_read_is_named_and_the_others_are_taken_in(kit: Kit, service: KelifaxService) -> None:
    await original.write(kit, original.resource("odd", category="cooking"), original.resource("good"))
    done = await adopt_all(kit.store)
    assert done.adopted == 1
    assert len(done.unreadable) == 1
    assert "odd" in done.unreadable[0]
    assert in_order(await service.inspect("good"))


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_many_who_take_in_and_decide_at_once_count_each_resource_once(tmp_path: Path, weather: Any) -> None:
    with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
        service, worker = KelifaxService(kit), worker_of(kit, system.build(kit))
        rows = [original.resource(f"its-{number}", STATUSES[number % 3]) for number in range(15)]
        await original.write(kit, *rows)
        decisions = [
            service.delete(MOD, slug) if number % 5 == 0 else service.edit(MOD, slug, Edit(category="ai", tags=["a"]))
            for number, slug in enumerate(row["resourceSlug"] for row in rows)
        ]
        await asyncio.gather(adopt_all(kit.store), adopt_all(kit.store), worker.drain(), *decisions)
        await adopt_all(kit.store)
        _check_exact(kit)
        left = [Resource.from_row(row) for row in _rows(kit) if Resource.owns(row)]
        assert len(left) == 12
        assert all(in_order(resource) and resource.category == "ai" for resource in left)
