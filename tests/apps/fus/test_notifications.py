"""People hear of comments on sites they care about, and of groups they are added to; each thing once."""

from __future__ import annotations

import pytest

from partita.apps.fus import system
from partita.apps.fus.inputs import CommentInput, NewComment, NewGroup
from partita.apps.fus.permissions import MEMBERS, Fus
from partita.apps.fus.schema import Comment
from partita.apps.fus.service import FusService
from partita.kit.accounts import Account
from partita.kit.kit import Kit
from partita.kit.notifications import Told
from partita.kit.permissions import Viewer
from partita.kit.system import System
from partita.table import Update
from tests.apps.fus.conftest import put
from tests.apps.house import replay, worker_of

pytestmark = pytest.mark.anyio
HANDLER = "fus.notifications"


@pytest.fixture
def built(kit: Kit) -> System:
    made = system.build(kit)
    kit.notifications.use(made.notifications)
    return made


async def _settle(kit: Kit, built: System) -> None:
    await worker_of(kit, built).drain()
    await replay(kit, built, HANDLER)


async def _person(kit: Kit, name: str) -> Account:
    return await kit.accounts.registration.create(name, f"{name}@example.org", name.title(), "correct horse battery")


def _as(account: Account, *permissions: str) -> Viewer:
    granted = frozenset(map(str, (*MEMBERS, *permissions)))
    who, name = account.user_id, account.username
    return Viewer(user_id=who, username=name, permissions=granted, via="session", confirmed=True)


async def _inbox(kit: Kit, account: Account) -> list[Told]:
    return list(await kit.notifications.page(_as(account)))


async def _comment(service: FusService, who: Account, site_id: str, text: str = "Nice.") -> Comment:
    return (await service.comments.write(_as(who), site_id, CommentInput(body=text))).comment


async def test_whoever_added_a_site_or_commented_on_it_hears_of_comments_by_others(
    kit: Kit, built: System, service: FusService
) -> None:
    adder, ada, ben, eve = [await _person(kit, name) for name in ("adder", "ada", "ben", "eve")]
    site, other = await put(service, "Maps"), await put(service, "Charts")
    await kit.store.write(Update(site.own_key, type(site).added_by.set(adder.user_id)))
    await _comment(service, ada, site.site_id)
    await _settle(kit, built)
    for _ in range(3):
        await _comment(service, ben, site.site_id)
    await _comment(service, eve, other.site_id)
    await _settle(kit, built)
    link = f"/fus/sites/{site.site_id}"
    expected = {adder.user_id: "4 new comments on “Maps”", ada.user_id: "3 new comments on “Maps”"}
    for each in (adder, ada):
        (told,) = await _inbox(kit, each)
        assert (told.words.title, told.link) == (expected[each.user_id], link)
        assert await kit.notifications.unread_count(each.user_id) == 1
    for each in (ben, eve):  # nobody hears of their own, of earlier ones, nor of other sites
        assert await _inbox(kit, each) == []


async def test_a_reply_tells_the_one_that_somebody_replied_and_the_others_of_a_comment(
    kit: Kit, built: System, service: FusService
) -> None:
    ada, ben, eve = [await _person(kit, name) for name in ("ada", "ben", "eve")]
    site = await put(service, "Maps")
    question = await _comment(service, ada, site.site_id)
    await _comment(service, eve, site.site_id)
    await _settle(kit, built)
    await kit.notifications.read_all(_as(ada))
    for expected in ("Somebody replied to your comment on “Maps”", "2 replies to your comment on “Maps”"):
        reply = NewComment(body="On Mondays.", reply_to=question.name)
        await service.comments.write(_as(ben), site.site_id, reply)
        await _settle(kit, built)
        (told, *earlier) = await _inbox(kit, ada)
        assert told.words.title == expected
        assert [each.words.title for each in earlier] == ["A new comment on “Maps”"]
    (told,) = await _inbox(kit, eve)
    assert told.words.title == "2 new comments on “Maps”"


async def test_after_reading_only_new_comments_count(kit: Kit, built: System, service: FusService) -> None:
    ada, ben = await _person(kit, "ada"), await _person(kit, "ben")
    site = await put(service, "Maps")
    await _comment(service, ada, site.site_id)
    await _settle(kit, built)
    await _comment(service, ben, site.site_id)
    await _settle(kit, built)
    await kit.notifications.read_all(_as(ada))
    await _settle(kit, built)  # retries do not bring it back
    assert await kit.notifications.unread_count(ada.user_id) == 0
    await _comment(service, ben, site.site_id)
    await _settle(kit, built)
    (told,) = await _inbox(kit, ada)
    assert (told.words.title, told.entry.unread) == ("A new comment on “Maps”", True)


async def test_nobody_hears_of_a_comment_that_was_deleted_before(kit: Kit, built: System, service: FusService) -> None:
    ada, ben = await _person(kit, "ada"), await _person(kit, "ben")
    site = await put(service, "Maps")
    await _comment(service, ada, site.site_id)
    spam = await _comment(service, ben, site.site_id, "Buy this")
    await service.comments.delete(_as(ben), site.site_id, spam.name)
    await _settle(kit, built)
    assert await _inbox(kit, ada) == []


async def test_members_hear_that_they_were_added_unless_they_did_it_or_are_out_again(
    kit: Kit, built: System, service: FusService
) -> None:
    chief, ada, ben = [await _person(kit, name) for name in ("chief", "ada", "ben")]
    viewer = _as(chief, *Fus)
    await service.groups.create(viewer, NewGroup(name="editors", permissions=(Fus.EDIT,)))
    for each in (chief, ada, ben):
        await service.groups.add_member(viewer, "editors", each.user_id)
    await service.groups.remove_member(viewer, "editors", ben.user_id)
    await _settle(kit, built)
    (told,) = await _inbox(kit, ada)
    assert (told.words.title, told.link) == ("You were added to the group “editors”", "/fus/me/groups")
    assert await _inbox(kit, chief) == await _inbox(kit, ben) == []
    await service.groups.add_member(viewer, "editors", ben.user_id)
    await _settle(kit, built)
    assert len(await _inbox(kit, ben)) == 1


async def test_groups_say_who_holds_a_permission(kit: Kit, service: FusService) -> None:
    chief, ada, ben = [await _person(kit, name) for name in ("chief", "ada", "ben")]
    viewer = _as(chief, *Fus, "kelifax:resource:approve")
    await kit.accounts.administration.set_roles(kit.accounts.operator(), chief.user_id, ["admin"])
    await service.groups.create(viewer, NewGroup(name="reviewers", permissions=("kelifax:resource:approve",)))
    await service.groups.create(viewer, NewGroup(name="others", permissions=(Fus.EDIT,)))
    await service.groups.add_member(viewer, "reviewers", ada.user_id)
    await service.groups.add_member(viewer, "others", ben.user_id)
    holders = kit.accounts.permissions.holders
    assert set(await holders("kelifax:resource:approve")) == {ada.user_id, chief.user_id}
    await kit.accounts.administration.suspend(kit.accounts.operator(), ada.user_id)
    assert await holders("kelifax:resource:approve") == [chief.user_id]
    with pytest.raises(ValueError, match="Every account"):
        await holders(Fus.COMMENT)
