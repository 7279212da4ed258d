"""Decisions and edits, their log and the totals, on a real engine."""

from __future__ import annotations

import random

import pytest

from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.moderation import MOST_FEATURED
from partita.kit.problems import BadRequest, Conflict
from tests.apps.kelifax.conftest import MOD, approved, submission

pytestmark = pytest.mark.anyio


async def test_decisions_follow_the_states_and_are_logged(service: KelifaxService) -> None:
    await service.submissions.submit(submission(), "x")
    approved = await service.moderation.approve(MOD, "amazing-dev-tool")
    assert approved.approved_at
    with pytest.raises(Conflict, match="already"):
        await service.moderation.approve(MOD, "amazing-dev-tool")
    rejected = await service.moderation.reject(MOD, "amazing-dev-tool", "link is dead")
    assert (rejected.approved_at, rejected.rejection_reason) == ("", "link is dead")
    with pytest.raises(Conflict, match="Only an approved"):
        await service.moderation.feature(MOD, "amazing-dev-tool", featured=True)
    again = await service.moderation.approve(MOD, "amazing-dev-tool")
    assert (again.rejected_at, again.rejection_reason) == ("", "")
    log = (await service.moderation.log()).items
    assert [(entry.action, entry.by, entry.reason) for entry in log] == [
        ("approve", "mod", ""),
        ("reject", "mod", "link is dead"),
        ("approve", "mod", ""),
    ]


async def test_a_decision_is_on_what_its_moderator_saw(service: KelifaxService) -> None:
    seen = (await service.submissions.submit(submission(), "x")).revision
    approved = await service.moderation.approve(MOD, "amazing-dev-tool", seen)
    with pytest.raises(Conflict, match="since you opened it") as refused:
        await service.moderation.reject(MOD, "amazing-dev-tool", "spam", seen)
    assert refused.value.code == "changed_meanwhile"
    assert (await service.resources.detail("amazing-dev-tool")).revision == approved.revision
    await service.moderation.edit(MOD, "amazing-dev-tool", ResourceEdit(tags=["new"]))
    with pytest.raises(Conflict, match="since you opened it"):
        await service.moderation.reject(MOD, "amazing-dev-tool", "spam", approved.revision)
    assert len((await service.moderation.log()).items) == 2, "the approval and the edit alone"


async def test_totals_equal_what_they_count_after_any_decisions(service: KelifaxService) -> None:
    await approved(service, "One")
    await approved(service, "Two", resource__category="design")
    await service.submissions.submit(submission("Three"), "x")
    await service.moderation.reject(MOD, "one", "no")
    await service.moderation.edit(MOD, "two", ResourceEdit(category="ai"))
    overview = await service.analytics.overview()
    assert overview.by_status == {"pending": 1, "approved": 1, "rejected": 1}
    assert {category: count for category, count in overview.by_category.items() if count} == {"ai": 1}
    assert overview.by_submitter_domain == {"engine.example": 3}
    assert list(overview.submissions_per_day.values()) == [*[0] * 29, 3], "every day, also those without any"
    for slug in ("one", "two", "three"):
        await service.moderation.delete(MOD, slug)
    overview = await service.analytics.overview()
    assert sum(overview.by_status.values()) == sum(overview.by_category.values()) == 0
    assert len(overview.by_submitter_domain) == sum(overview.submissions_per_day.values()) == 0


async def test_editing_moves_tags_category_and_address_together(service: KelifaxService) -> None:
    await approved(service)
    edit = ResourceEdit(
        tags=["new"], category="ai", resource_url="https://elsewhere.example.org", resource_name="Renamed"
    )
    await service.moderation.edit(MOD, "amazing-dev-tool", edit)
    assert (await service.resources.browse(tags=["compilers"])).items == ()
    assert len((await service.resources.browse(tags=["new"], category="ai")).items) == 1
    assert (await service.moderation.inspect("amazing-dev-tool")).search_text.startswith("renamed ai new")
    await service.submissions.submit(submission("Taker", "https://AmazingDevTool.example.org"), "x")
    with pytest.raises(Conflict):
        await service.moderation.edit(
            MOD, "amazing-dev-tool", ResourceEdit(resource_url="https://amazingdevtool.example.org")
        )
    assert (await service.moderation.inspect("amazing-dev-tool")).resource_url == "https://elsewhere.example.org"


async def test_an_edit_of_what_somebody_changed_meanwhile_is_refused(service: KelifaxService) -> None:
    seen = (await approved(service)).revision
    await service.views.count("amazing-dev-tool", 3)
    first = await service.moderation.edit(MOD, "amazing-dev-tool", ResourceEdit(tags=["first"], revision=seen))
    with pytest.raises(Conflict, match="Reload it") as refused:
        await service.moderation.edit(MOD, "amazing-dev-tool", ResourceEdit(resource_name="Second", revision=seen))
    assert (refused.value.code, refused.value.errors[0].field) == ("changed_meanwhile", "revision")
    assert (await service.moderation.inspect("amazing-dev-tool")).resource_name == "Amazing Dev Tool"
    await service.moderation.edit(
        MOD, "amazing-dev-tool", ResourceEdit(resource_name="Second", revision=first.revision)
    )
    await service.moderation.edit(MOD, "amazing-dev-tool", ResourceEdit(resource_name="Third"))
    with pytest.raises(BadRequest, match="Send at least one field"):
        await service.moderation.edit(MOD, "amazing-dev-tool", ResourceEdit(revision=seen))


async def test_every_decision_makes_another_version(service: KelifaxService) -> None:
    versions = [(await service.submissions.submit(submission(), "x")).revision]
    versions.append((await service.moderation.approve(MOD, "amazing-dev-tool")).revision)
    versions.append((await service.moderation.feature(MOD, "amazing-dev-tool", featured=True)).revision)
    versions.append((await service.moderation.feature(MOD, "amazing-dev-tool", featured=False)).revision)
    versions.append((await service.moderation.reject(MOD, "amazing-dev-tool", "no")).revision)
    versions.append((await service.moderation.approve(MOD, "amazing-dev-tool")).revision)
    assert versions == [1, 2, 3, 4, 5, 6]


async def test_the_log_says_which_fields_an_edit_changed(service: KelifaxService) -> None:
    await approved(service)
    await service.moderation.edit(
        MOD, "amazing-dev-tool", ResourceEdit(tags=["new"], category="ai", resource_name="Amazing Dev Tool")
    )
    await service.moderation.edit(MOD, "amazing-dev-tool", ResourceEdit(category="ai"))
    edited, approval = (await service.moderation.log()).items
    assert (edited.action, edited.changed) == ("edit", ("category", "tags"))
    assert edited.to_row()["changed"] == {"L": [{"S": "category"}, {"S": "tags"}]}
    assert (approval.action, approval.changed) == ("approve", ())


async def test_featured_resources_are_shown_in_the_order_that_moderators_choose(service: KelifaxService) -> None:
    names = ["one", "two", "three", "four", "five"]
    for name in names:
        await approved(service, name)
        await service.moderation.feature(MOD, name, featured=True)
    expected = names[::-1]
    assert [each.resource_slug for each in await service.resources.featured()] == expected, "a new one comes first"
    chance = random.Random(16)
    for number in range(80):
        # Half of the moves go between the first two, where room gets scarce.
        moved = chance.choice(expected[2:] if number % 2 else expected)
        others = [name for name in expected if name != moved]
        at = 1 if number % 2 else chance.randrange(len(names))
        await service.moderation.move_featured(MOD, moved, others[at] if at < len(others) else "")
        expected = [*others[:at], moved, *others[at:]]
        assert [each.resource_slug for each in await service.resources.featured()] == expected, number
    with pytest.raises(Conflict, match="is not featured any more"):
        await service.moderation.move_featured(MOD, "one", "six")
    await service.moderation.feature(MOD, "one", featured=False)
    with pytest.raises(Conflict, match="is not featured any more"):
        await service.moderation.move_featured(MOD, "one", "two")


async def test_no_more_are_featured_than_are_shown(service: KelifaxService) -> None:
    for number in range(MOST_FEATURED + 1):
        await approved(service, f"Tool {number}")
        if number < MOST_FEATURED:
            await service.moderation.feature(MOD, f"tool-{number}", featured=True)
    with pytest.raises(Conflict, match="Stop featuring one"):
        await service.moderation.feature(MOD, f"tool-{MOST_FEATURED}", featured=True)
    assert len(await service.resources.featured()) == MOST_FEATURED
