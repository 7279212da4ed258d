"""Kelifax's rules, on a real engine."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from partita.apps.kelifax import schema, system
from partita.apps.kelifax.bookkeeping import completed
from partita.apps.kelifax.permissions import MODERATOR
from partita.apps.kelifax.schema import RESOURCES, Report, Resource
from partita.apps.kelifax.service import KelifaxService, creation, logo_file, resource_of
from partita.apps.kelifax.submission import Edit
from partita.apps.kelifax.visits import Visits
from partita.kit.kit import Kit
from partita.kit.problems import BadRequest, Conflict, Invalid, NotFound, Problem, TooLarge
from partita.store.observe import Observation
from partita.table import Put, Transaction
from tests.apps.house import BAD_WEATHER, kit_on, person, worker_of
from tests.apps.kelifax.conftest import submission

pytestmark = pytest.mark.anyio
MOD = person("mod", *MODERATOR)


async def _approved(service: KelifaxService, name: str = "Amazing Dev Tool", **changes: Any) -> Resource:
    resource = await service.submit(submission(name, f"https://{name.replace(' ', '')}.example.org", **changes), name)
    return await service.approve(MOD, resource.resource_slug)


async def test_a_submission_is_stored_in_the_documents_formats(service: KelifaxService) -> None:
    resource = await service.submit(submission(), "somebody")
    row = (await service.inspect(resource.resource_slug)).to_row()
    assert row["resourceSlug"] == {"S": "amazing-dev-tool"}
    assert row["resourceStatus"] == {"S": "pending"}
    assert row["tags"] == {"S": "compilers,analysis"}
    assert row["keyFeatures"] == {"S": "Writes programs for you|Finds the bugs as well|Keeps you company"}
    assert row["learningResources"] == {"S": '{"title":"a\\u007cb","url":"https://learn.example.org","type":"video"}'}
    assert row["submitterEmail"] == {"S": "ada@engine.example"}
    assert row["submitterDomain"] == {"S": "engine.example"}
    assert row["approvedAt"] == row["submitterPhone"] == row["logoImage"] == {"S": ""}
    assert "approvedCategory" not in row


async def test_a_taken_slug_is_followed_by_the_next_number(service: KelifaxService) -> None:
    slugs = [
        (await service.submit(submission(url=f"https://{number}.example.org"), "x")).resource_slug
        for number in range(3)
    ]
    assert slugs == ["amazing-dev-tool", "amazing-dev-tool-2", "amazing-dev-tool-3"]


@pytest.mark.parametrize("name", ["Log", "Reports"])
async def test_a_resource_does_not_hide_behind_a_page_of_the_moderation(service: KelifaxService, name: str) -> None:
    slugs = [(await service.submit(submission(name, f"https://{n}.example.org"), "x")).resource_slug for n in range(2)]
    assert slugs == [f"{name.lower()}-2", f"{name.lower()}-3"]


async def test_a_name_that_leaves_no_slug_is_refused(service: KelifaxService) -> None:
    with pytest.raises(Invalid, match=r"resource\.resourceName.*A to Z"):
        await service.submit(submission("工具箱"), "x")
    assert (await service.queue("pending")).items == ()


async def test_the_same_address_again_names_what_is_there_only_when_it_is_public(service: KelifaxService) -> None:
    await service.submit(submission(), "x")
    again = submission("Another name", "HTTP://AMAZING.example.org:80/?utm_source=x")
    with pytest.raises(Conflict, match="waiting for review") as refused:
        await service.submit(again, "x")
    assert refused.value.code == "url_taken"
    await service.approve(MOD, "amazing-dev-tool")
    with pytest.raises(Conflict, match="amazing-dev-tool"):
        await service.submit(again, "x")


async def test_a_rejected_or_deleted_resource_frees_its_address(service: KelifaxService) -> None:
    await service.submit(submission(), "x")
    await service.reject(MOD, "amazing-dev-tool", "spam")
    second = await service.submit(submission("Second"), "x")
    with pytest.raises(Conflict, match="waiting for review"):
        await service.approve(MOD, "amazing-dev-tool")
    await service.delete(MOD, second.resource_slug)
    await service.approve(MOD, "amazing-dev-tool")


async def test_decisions_follow_the_states_and_are_logged(service: KelifaxService) -> None:
    await service.submit(submission(), "x")
    approved = await service.approve(MOD, "amazing-dev-tool")
    assert approved.approved_at
    with pytest.raises(Conflict, match="already"):
        await service.approve(MOD, "amazing-dev-tool")
    with pytest.raises(Invalid, match="reason"):
        await service.reject(MOD, "amazing-dev-tool", "  ")
    rejected = await service.reject(MOD, "amazing-dev-tool", "link is dead")
    assert (rejected.approved_at, rejected.rejection_reason) == ("", "link is dead")
    with pytest.raises(Conflict, match="Only an approved"):
        await service.feature(MOD, "amazing-dev-tool", featured=True)
    again = await service.approve(MOD, "amazing-dev-tool")
    assert (again.rejected_at, again.rejection_reason) == ("", "")
    log = (await service.log()).items
    assert [(entry.action, entry.by, entry.reason) for entry in log] == [
        ("approve", "mod", ""),
        ("reject", "mod", "link is dead"),
        ("approve", "mod", ""),
    ]


async def test_totals_equal_what_they_count_after_any_decisions(service: KelifaxService) -> None:
    await _approved(service, "One")
    await _approved(service, "Two", resource__category="design")
    await service.submit(submission("Three"), "x")
    await service.reject(MOD, "one", "no")
    await service.edit(MOD, "two", Edit(category="ai"))
    told = await service.analytics()
    assert told.statuses == {"pending": 1, "approved": 1, "rejected": 1}
    assert {category: count for category, count in told.categories.items() if count} == {"ai": 1}
    assert dict(told.domains) == {"engine.example": 3}
    assert [count for _, count in told.days] == [3]
    for slug in ("one", "two", "three"):
        await service.delete(MOD, slug)
    told = await service.analytics()
    assert sum(told.statuses.values()) == sum(told.categories.values()) == len(told.domains) == len(told.days) == 0


async def test_only_approved_resources_are_public_and_nothing_private_is_listed(service: KelifaxService) -> None:
    await service.submit(submission(), "x")
    with pytest.raises(NotFound):
        await service.detail("amazing-dev-tool")
    assert (await service.browse()).found == ()
    await service.approve(MOD, "amazing-dev-tool")
    assert (await service.detail("amazing-dev-tool")).resource_name == "Amazing Dev Tool"
    for asked in ({}, {"category": "development"}, {"tag": "Analysis"}, {"tag": "analysis", "category": "development"}):
        found = (await service.browse(**asked)).found  # type: ignore[arg-type]
        assert [each.resource.resource_slug for each in found] == ["amazing-dev-tool"]
    assert (await service.browse(category="design")).found == ()


@pytest.mark.parametrize(
    ("tag", "found"),
    [("", 1), (" ", 1), ("COMPILERS ", 1), ("cooking", 0), ("caf\u00e9", 1), ("CAFE\u0301", 1), ("\u0130", 1)],
    ids=ascii,
)
async def test_a_tag_is_found_however_it_is_typed_and_an_empty_one_is_none(
    service: KelifaxService, tag: str, found: int
) -> None:
    await _approved(service, resource__tags=["compilers", "Cafe\u0301", "\u0130"])
    assert len((await service.browse(tag=tag)).found) == found


@pytest.mark.parametrize("slug", ["", "no such", "URL#https://x.example", "LOG#a#b#c", "../etc", "é"])
async def test_an_unknown_slug_is_not_found(service: KelifaxService, slug: str) -> None:
    with pytest.raises(NotFound):
        await service.detail(slug or " ")


async def test_views_are_counted_for_approved_resources_only(service: KelifaxService) -> None:
    await service.submit(submission(), "x")
    await service.count_views("amazing-dev-tool")
    await service.approve(MOD, "amazing-dev-tool")
    await asyncio.gather(*(service.count_views("amazing-dev-tool", 2) for _ in range(10)))
    await service.edit(MOD, "amazing-dev-tool", Edit(usage_purpose="Helps people even more than before."))
    seen = await service.detail("amazing-dev-tool")
    assert seen.view_count == 20
    assert seen.last_viewed


async def test_views_of_one_moment_are_one_write_and_none_is_forgotten_at_the_end(service: KelifaxService) -> None:
    await _approved(service)
    counted: list[tuple[str, int]] = []

    async def count(slug: str, views: int) -> None:
        counted.append((slug, views))
        await service.count_views(slug, views)

    visits = Visits(count, seconds=0.01)
    for _ in range(30):
        visits.seen("amazing-dev-tool")
    while not counted:
        await asyncio.sleep(0)
    visits.seen("amazing-dev-tool")
    await visits.finish()
    assert counted == [("amazing-dev-tool", 30), ("amazing-dev-tool", 1)]
    assert (await service.detail("amazing-dev-tool")).view_count == 31


async def test_most_viewed_come_first_everywhere_and_in_a_category(service: KelifaxService) -> None:
    for name, category, views in (("One", "design", 2), ("Two", "ai", 5), ("Three", "design", 4)):
        resource = await _approved(service, name, resource__category=category)
        await service.count_views(resource.resource_slug, views)
    popular = (await service.browse(sort="popular")).found
    assert [each.resource.resource_slug for each in popular] == ["two", "three", "one"]
    popular = (await service.browse(sort="popular", category="design")).found
    assert [each.resource.resource_slug for each in popular] == ["three", "one"]


async def test_featured_resources_leave_the_front_when_they_are_rejected(service: KelifaxService) -> None:
    await _approved(service)
    await service.feature(MOD, "amazing-dev-tool", featured=True)
    assert len(await service.featured()) == 1
    await service.reject(MOD, "amazing-dev-tool", "no")
    assert await service.featured() == ()


async def test_editing_moves_tags_category_and_address_together(service: KelifaxService) -> None:
    await _approved(service)
    edit = Edit(tags=["new"], category="ai", resource_url="https://elsewhere.example.org", resource_name="Renamed")
    await service.edit(MOD, "amazing-dev-tool", edit)
    assert (await service.browse(tag="compilers")).found == ()
    assert len((await service.browse(tag="new", category="ai")).found) == 1
    assert (await service.inspect("amazing-dev-tool")).search_text.startswith("renamed ai new")
    await service.submit(submission("Taker", "https://AmazingDevTool.example.org"), "x")
    with pytest.raises(Conflict):
        await service.edit(MOD, "amazing-dev-tool", Edit(resource_url="https://amazingdevtool.example.org"))
    assert (await service.inspect("amazing-dev-tool")).resource_url == "https://elsewhere.example.org"


async def test_an_edit_of_what_somebody_changed_meanwhile_is_refused(service: KelifaxService) -> None:
    seen = (await _approved(service)).revision
    await service.count_views("amazing-dev-tool", 3)
    first = await service.edit(MOD, "amazing-dev-tool", Edit(tags=["first"], revision=seen))
    with pytest.raises(Conflict, match="Look at it as it is now") as refused:
        await service.edit(MOD, "amazing-dev-tool", Edit(resource_name="Second", revision=seen))
    assert (refused.value.code, refused.value.errors[0].field) == ("changed_meanwhile", "revision")
    assert (await service.inspect("amazing-dev-tool")).resource_name == "Amazing Dev Tool"
    await service.edit(MOD, "amazing-dev-tool", Edit(resource_name="Second", revision=first.revision))
    await service.edit(MOD, "amazing-dev-tool", Edit(resource_name="Third"))
    with pytest.raises(BadRequest, match="Nothing to change"):
        await service.edit(MOD, "amazing-dev-tool", Edit(revision=seen))


async def test_every_decision_makes_another_version(service: KelifaxService) -> None:
    versions = [(await service.submit(submission(), "x")).revision]
    versions.append((await service.approve(MOD, "amazing-dev-tool")).revision)
    versions.append((await service.feature(MOD, "amazing-dev-tool", featured=True)).revision)
    versions.append((await service.feature(MOD, "amazing-dev-tool", featured=False)).revision)
    versions.append((await service.reject(MOD, "amazing-dev-tool", "no")).revision)
    versions.append((await service.approve(MOD, "amazing-dev-tool")).revision)
    assert versions == [1, 2, 3, 4, 5, 6]


async def test_reports_wait_until_somebody_closes_them(service: KelifaxService) -> None:
    await _approved(service)
    await service.report("amazing-dev-tool", "dead link", "somebody")
    (report,) = (await service.open_reports()).items
    await service.close_report(MOD, report.slug, report.entry_id)
    assert (await service.open_reports()).items == ()
    with pytest.raises(NotFound):
        await service.close_report(MOD, report.slug, report.entry_id)
    with pytest.raises(NotFound):
        await service.report("nothing", "x", "somebody")


async def test_the_log_says_which_fields_an_edit_changed(service: KelifaxService) -> None:
    await _approved(service)
    await service.edit(MOD, "amazing-dev-tool", Edit(tags=["new"], category="ai", resource_name="Amazing Dev Tool"))
    await service.edit(MOD, "amazing-dev-tool", Edit(category="ai"))
    edited, approved = (await service.log()).items
    assert (edited.action, edited.changed) == ("edit", ("category", "tags"))
    assert edited.to_row()["changed"] == {"L": [{"S": "category"}, {"S": "tags"}]}
    assert (approved.action, approved.changed) == ("approve", ())


async def test_a_resource_has_its_own_history_and_reports(service: KelifaxService) -> None:
    await _approved(service)
    await _approved(service, "Other")
    await service.edit(MOD, "other", Edit(tags=["new"]))
    await service.report("other", "dead link", "somebody")
    await service.report("other", "spam", "somebody")
    assert [entry.action for entry in await service.history_of("other")] == ["edit", "approve"]
    assert [entry.action for entry in await service.history_of("other", 1)] == ["edit"]
    assert [entry.action for entry in await service.history_of("amazing-dev-tool")] == ["approve"]
    assert [report.reason for report in await service.open_reports_of("other")] == ["spam", "dead link"]
    await service.close_report(MOD, "other", (await service.open_reports_of("other"))[0].entry_id)
    assert [report.reason for report in await service.open_reports_of("other")] == ["dead link"]
    assert await service.open_reports_of("amazing-dev-tool") == ()


async def test_deleting_a_resource_closes_its_reports_at_once(service: KelifaxService) -> None:
    await _approved(service)
    await _approved(service, "Other")
    for slug in ("amazing-dev-tool", "other"):
        await service.report(slug, "dead link", "somebody")
    await service.delete(MOD, "amazing-dev-tool")
    assert [report.slug for report in (await service.open_reports()).items] == ["other"]
    with pytest.raises(NotFound):
        await service.report("amazing-dev-tool", "dead link", "somebody")


async def test_very_many_reports_are_closed_by_the_change_and_those_of_a_successor_stay(
    kit: Kit, service: KelifaxService
) -> None:
    built = system.build(kit)
    worker = worker_of(kit, built)
    await _approved(service)
    old = "2026-01-01T00:00:00.000000Z"
    await kit.store.batch_write(
        Put(Report(slug="amazing-dev-tool", entry_id=str(number), logged_at=old, reason="spam"))
        for number in range(120)
    )
    await service.delete(MOD, "amazing-dev-tool")
    assert len(await service.open_reports_of("amazing-dev-tool", 200)) == 80
    await _approved(service)
    await service.report("amazing-dev-tool", "of the new one", "somebody")
    await worker.drain()
    assert [report.reason for report in (await service.open_reports()).items] == ["of the new one"]


def _picture(kind: str = "PNG", size: int = 64) -> bytes:
    data = BytesIO()
    Image.new("RGB", (size, size), "red").save(data, kind)
    return data.getvalue()


async def test_a_logo_is_taken_once_and_goes_with_its_resource(kit: Kit, service: KelifaxService) -> None:
    name = await service.upload_logo(_picture(), "x")
    await service.submit(submission(resource__logoImage=name), "x")
    with pytest.raises(Invalid, match="Upload it again"):
        await service.submit(submission("Other", "https://other.example.org", resource__logoImage=name), "x")
    assert await kit.files.exists(logo_file(name))
    worker = worker_of(kit, system.build(kit))
    await service.delete(MOD, "amazing-dev-tool")
    await worker.drain()
    assert not await kit.files.exists(logo_file(name))
    assert await worker.drain() == 0


@pytest.mark.parametrize("data", [b"", b"not a picture", _picture("GIF"), _picture(size=63), _picture()[:-30]])
async def test_what_is_no_good_logo_is_refused(service: KelifaxService, data: bytes) -> None:
    with pytest.raises(Problem) as refused:
        await service.upload_logo(data, "x")
    assert refused.value.status == 422


async def test_a_logo_that_is_too_large_is_refused(service: KelifaxService) -> None:
    with pytest.raises(TooLarge):
        await service.upload_logo(b"x" * 600_001, "x")


async def test_search_follows_what_is_approved(kit: Kit, service: KelifaxService) -> None:
    worker = worker_of(kit, system.build(kit))
    await _approved(service, "Automation Tool")
    await _approved(service, "Other", resource__usagePurpose="A tool for automation of all kinds.")
    await service.submit(submission("Tool for automation, waiting"), "x")
    await worker.drain()
    found = await service.browse(text="tool automat")
    assert [each.resource.resource_slug for each in found.found] == ["automation-tool", "other"]
    assert "<mark>Automation</mark>" in str(found.found[0].marks["name"])
    await service.reject(MOD, "other", "no")
    assert len((await service.browse(text="tool automat")).found) == 1, "not shown before the index has followed"
    await worker.drain()
    assert (await service.browse(text="tool automat")).total == 1


async def test_a_category_is_a_word_to_search_for_and_counts_less_than_a_name(
    kit: Kit, service: KelifaxService
) -> None:
    worker = worker_of(kit, system.build(kit))
    await _approved(service, "Typeface", resource__category="design", resource__usagePurpose="Letters for all people.")
    await _approved(service, "Design patterns", resource__category="learning")
    await _approved(service, "Compiler", resource__category="development")
    await worker.drain()
    found = (await service.browse(text="design")).found
    assert [each.resource.resource_slug for each in found] == ["design-patterns", "typeface"]
    assert len((await service.browse(text="typeface design")).found) == 1
    await service.edit(MOD, "typeface", Edit(category="other"))
    await worker.drain()
    assert len((await service.browse(text="design")).found) == 1


# -- traps


def _resources(count: int, status: str) -> Iterator[Resource]:
    good = submission()
    for number in range(count):
        name = f"{status}-{number}"
        resource = resource_of(good, name, name, f"2026-01-{number % 28 + 1:02}T00:00:00.{number:06}Z")
        yield completed(
            resource.model_copy(update={"resource_status": status, "resource_url": f"https://{name}.example.org"})
        )


async def test_rejected_resources_of_a_category_cost_nothing_and_pages_are_full(
    kit: Kit, service: KelifaxService
) -> None:
    seen: list[Observation] = []
    for resource in _resources(30, "approved"):
        await kit.store.transact(Transaction(*creation(resource)))
    kit.tables.observe(seen.append)
    before = await service.browse(category="development")
    cost_before = sum(call.units for call in seen)
    await kit.store.batch_write(Put(resource) for resource in _resources(10_000, "rejected"))
    seen.clear()
    after = await service.browse(category="development")
    assert sum(call.units for call in seen) == cost_before
    assert [each.resource.resource_slug for each in after.found] == [
        each.resource.resource_slug for each in before.found
    ]
    assert len(after.found) == 20


# -- many at once


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
class TestManyAtOnce:
    async def test_fifty_submissions_of_one_name_get_fifty_slugs(self, tmp_path: Path, weather: Any) -> None:
        with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
            service = KelifaxService(kit)
            made = await asyncio.gather(
                *(service.submit(submission(url=f"https://{n}.example.org"), str(n)) for n in range(50))
            )
            slugs = {resource.resource_slug for resource in made}
            assert slugs == {"amazing-dev-tool", *(f"amazing-dev-tool-{n}" for n in range(2, 51))}
            assert (await service.analytics()).statuses["pending"] == 50

    async def test_of_fifty_submissions_of_one_address_one_wins(self, tmp_path: Path, weather: Any) -> None:
        with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
            service = KelifaxService(kit)
            results = await asyncio.gather(
                *(service.submit(submission(f"Name {n}"), str(n)) for n in range(50)), return_exceptions=True
            )
            kinds = Counter(type(result).__name__ for result in results)
            assert kinds == {"Resource": 1, "Conflict": 49}
            assert (await service.analytics()).statuses["pending"] == 1

    async def test_approving_and_rejecting_at_once_leaves_a_state_that_all_counts_agree_with(
        self, tmp_path: Path, weather: Any
    ) -> None:
        with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
            service = KelifaxService(kit)
            await service.submit(submission(), "x")
            decisions = (
                service.approve(MOD, "amazing-dev-tool") if n % 2 else service.reject(MOD, "amazing-dev-tool", "no")
                for n in range(50)
            )
            results = await asyncio.gather(*decisions, return_exceptions=True)
            assert {type(result).__name__ for result in results} <= {"Resource", "Conflict"}
            log = [entry async for entry in kit.store.stream(schema.decisions())]
            assert len(log) == sum(isinstance(result, Resource) for result in results)
            resource = await service.inspect("amazing-dev-tool")
            told = await service.analytics()
            expected = {"pending": 0, "approved": 0, "rejected": 0, resource.resource_status: 1}
            assert told.statuses == expected
            approved = resource.resource_status == "approved"
            assert sum(told.categories.values()) == int(approved)
            assert len((await service.browse(tag="compilers")).found) == int(approved)
            guard = await kit.store.get(schema.resource_with_url("https://amazing.example.org"))
            assert (guard is not None) == approved

    async def test_of_many_who_edit_what_they_saw_one_wins(self, tmp_path: Path, weather: Any) -> None:
        with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
            service = KelifaxService(kit)
            seen = (await service.submit(submission(), "x")).revision
            edits = [
                Edit(tags=[f"t{n}"], revision=seen) if n % 2 else Edit(resource_name=f"Name {n}", revision=seen)
                for n in range(20)
            ]
            results = await asyncio.gather(
                *(service.edit(MOD, "amazing-dev-tool", edit) for edit in edits), return_exceptions=True
            )
            kinds = Counter(type(result).__name__ for result in results)
            assert kinds == {"Resource": 1, "Conflict": 19}
            assert len((await service.log()).items) == 1

    async def test_deciding_and_editing_at_once_leaves_lists_that_agree_with_the_resource(
        self, tmp_path: Path, weather: Any
    ) -> None:
        with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
            service = KelifaxService(kit)
            for number in range(12):
                slug = (await service.submit(submission(url=f"https://{number}.example.org"), "x")).resource_slug
                await asyncio.gather(
                    service.approve(MOD, slug),
                    service.edit(MOD, slug, Edit(tags=[f"after-{number}"])),
                    service.edit(MOD, slug, Edit(category="design")),
                )
                resource = await service.inspect(slug)
                assert resource == completed(resource)
                assert (resource.tags, resource.approved_category) == (f"after-{number}", "design")
                found = (await service.browse(tag=f"after-{number}", category="design")).found
                assert [each.resource.resource_slug for each in found] == [slug]
            assert (await service.browse(tag="compilers")).found == ()
            assert (await service.categories())["design"] == 12
            assert sum((await service.categories()).values()) == 12
