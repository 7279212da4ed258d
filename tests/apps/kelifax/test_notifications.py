"""Submitters hear of their submissions by mail, moderators of what waits; each thing once, and nobody too much."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.kelifax import system
from partita.apps.kelifax.schema import RESOURCES, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.kit.accounts import Account
from partita.kit.kit import Kit
from partita.kit.notifications import Told
from partita.kit.permissions import Viewer
from partita.kit.schema import KeptMail, newest_mail
from partita.kit.suite import policy_of
from partita.kit.system import System
from partita.table import Put
from tests.apps.house import BAD_WEATHER, kit_on, replay, worker_of
from tests.apps.kelifax.conftest import MOD, submission

pytestmark = pytest.mark.anyio
ADA = "ada@engine.example"
HANDLER = "kelifax.notifications"


@pytest.fixture(params=[None, BAD_WEATHER], ids=["fine", "stormy"])
def kit(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Kit]:
    with kit_on(tmp_path, RESOURCES, faults=request.param) as kit:
        yield kit


@pytest.fixture
def built(kit: Kit) -> System:
    made = system.build(kit)
    kit.accounts.use(policy_of((made,)), ())
    kit.notifications.use(made.notifications)
    return made


async def _settle(kit: Kit, built: System) -> None:
    """Everything that follows, and all of it again three times at once."""
    await worker_of(kit, built).drain()
    await replay(kit, built, HANDLER)


async def _mails(kit: Kit) -> list[KeptMail]:
    return [mail async for mail in kit.store.stream(newest_mail())]


async def _account(kit: Kit, name: str, email: str, *roles: str) -> Account:
    return await kit.accounts.registration.create(name, email, name.title(), "correct horse battery", roles=roles)


async def _inbox(kit: Kit, account: Account) -> list[Told]:
    viewer = Viewer(user_id=account.user_id, permissions=await kit.accounts.permissions.of(account))
    return list(await kit.notifications.page(viewer))


async def test_a_submitter_without_an_account_gets_a_mail_when_submitted_and_when_decided(
    kit: Kit, built: System, service: KelifaxService
) -> None:
    resource = await service.submissions.submit(submission(), "here")
    await _settle(kit, built)
    status = f"{kit.settings.base_url}/kelifax/submissions/{resource.submission_id}"
    (received,) = await _mails(kit)
    assert (received.to, received.subject) == (ADA, "We have received “Amazing Dev Tool”")
    assert received.text.startswith("Hello Ada,")
    assert status in received.text
    await service.moderation.reject(MOD, resource.resource_slug, "It costs <too> much.")
    await _settle(kit, built)
    rejected, _ = await _mails(kit)
    assert rejected.subject == "“Amazing Dev Tool” was not accepted"
    assert "It costs <too> much." in rejected.text
    assert "It costs &lt;too&gt; much." in rejected.html
    assert status in rejected.text
    await service.moderation.approve(MOD, resource.resource_slug)
    await _settle(kit, built)
    approved, *others = await _mails(kit)
    assert (approved.subject, len(others)) == ("“Amazing Dev Tool” is approved", 2)


async def test_an_account_with_the_address_hears_in_the_suite_only_what_everybody_may_know(
    kit: Kit, built: System, service: KelifaxService
) -> None:
    ada = await _account(kit, "ada", ADA)
    resource = await service.submissions.submit(submission(), "here")
    await service.moderation.reject(MOD, resource.resource_slug, "Secret reason.")
    await _settle(kit, built)
    inbox = await _inbox(kit, ada)
    told = " ".join(f"{each.words.title} {each.words.text} {each.link} {each.entry.data}" for each in inbox)
    assert len(inbox) == 2
    for private in (resource.resource_name, resource.submission_id, resource.resource_slug, "Secret reason"):
        assert private not in told
    mails = await _mails(kit)
    assert {mail.to for mail in mails} == {ADA}
    assert len(mails) == 2
    assert all(resource.submission_id in mail.text for mail in mails)
    await service.moderation.approve(MOD, resource.resource_slug)
    await _settle(kit, built)
    newest = (await _inbox(kit, ada))[0]
    assert (newest.words.title, newest.link) == (
        "“Amazing Dev Tool” is approved",
        f"/kelifax/resources/{resource.resource_slug}",
    )


async def test_moderators_hear_of_what_waits_in_one_notification(
    kit: Kit, built: System, service: KelifaxService
) -> None:
    mod = await _account(kit, "mod", "mod@example.org", "kelifax:moderator")
    chief = await _account(kit, "chief", "chief@example.org", "admin")
    nobody = await _account(kit, "nobody", "nobody@example.org")
    for number in range(4):
        await service.submissions.submit(submission(f"Tool {number}", f"https://tool-{number}.example"), "here")
    await _settle(kit, built)
    for each in (mod, chief):
        (told,) = await _inbox(kit, each)
        assert (told.words.title, told.link) == ("4 new submissions wait for review", "/kelifax/moderation")
    assert await _inbox(kit, nobody) == []
    assert await kit.notifications.unread_count(mod.user_id) == 1


async def test_moderators_hear_of_reports_by_resource(kit: Kit, built: System, service: KelifaxService) -> None:
    mod = await _account(kit, "mod", "mod@example.org", "kelifax:moderator")
    for name in ("One", "Two"):
        made = await service.submissions.submit(submission(name, f"https://{name}.example"), "here")
        await service.moderation.approve(MOD, made.resource_slug)
    for slug, times in (("one", 3), ("two", 1)):
        for number in range(times):
            await service.reports.add(slug, "The link is dead.", f"192.0.2.{number}")
    await _settle(kit, built)
    titles = {told.words.title: told.link for told in await _inbox(kit, mod)}
    assert titles == {
        "3 problems were reported with “One”": "/kelifax/moderation/one",
        "A problem was reported with “Two”": "/kelifax/moderation/two",
    }


async def test_nobody_hears_of_what_is_gone_when_they_would(kit: Kit, built: System, service: KelifaxService) -> None:
    mod = await _account(kit, "mod", "mod@example.org", "kelifax:moderator")
    resource = await service.submissions.submit(submission(), "here")
    await service.submissions.withdraw(resource.submission_id)
    await _settle(kit, built)
    assert await _inbox(kit, mod) == []
    assert await _mails(kit) == []


async def test_a_submitter_hears_once_that_moderators_deleted_a_submission(
    kit: Kit, built: System, service: KelifaxService
) -> None:
    resource = await service.submissions.submit(submission(), "here")
    await service.moderation.delete(MOD, resource.resource_slug)
    await _settle(kit, built)
    (mail,) = await _mails(kit)
    assert (mail.to, mail.subject) == (ADA, "Moderators have deleted “Amazing Dev Tool”")
    assert "You can submit it again at any time." in mail.text
    assert f"{kit.settings.base_url}/kelifax/submissions/{resource.submission_id}" in mail.text
    again = await service.submissions.submit(submission(), "here")
    await service.moderation.approve(MOD, again.resource_slug)
    await service.moderation.delete(MOD, again.resource_slug)
    await _settle(kit, built)
    assert [each.subject for each in await _mails(kit)] == [mail.subject] * 2, "of each submission by itself"


async def test_an_account_with_the_address_reads_the_name_of_what_was_deleted_if_everybody_could(
    kit: Kit, built: System, service: KelifaxService
) -> None:
    ada = await _account(kit, "ada", ADA)
    for name, public in (("Secret Tool", False), ("Public Tool", True)):
        url = f"https://{name.split()[0]}.example.org"
        slug = (await service.submissions.submit(submission(name, url), "here")).resource_slug
        if public:
            await service.moderation.approve(MOD, slug)
        await service.moderation.delete(MOD, slug)
    await _settle(kit, built)
    titles = {told.words.title for told in await _inbox(kit, ada)}
    assert titles == {"Moderators have deleted a submission of yours", "Moderators have deleted “Public Tool”"}
    assert {mail.subject for mail in await _mails(kit)} == {
        "Moderators have deleted “Secret Tool”",
        "Moderators have deleted “Public Tool”",
    }


async def test_imported_resources_send_no_mail_about_what_is_long_ago(
    kit: Kit, built: System, service: KelifaxService
) -> None:
    resource = await service.submissions.submit(submission(), "here")
    old = {"resource_slug": "imported", "submission_id": "old", "submitted_at": "2020-01-01T00:00:00Z"}
    await kit.store.write(Put(Resource.model_validate({**_fields(resource), **old})))
    await _settle(kit, built)
    assert len(await _mails(kit)) == 1


def _fields(resource: Resource) -> dict[str, object]:
    derived = {"approved_category", "popular_in", "featured_as", "booked_as", "claimed_url"}
    return resource.model_dump(exclude=derived)
