"""Groups: what they grant is held everywhere at once, nobody gives what they do not hold, and everything is logged."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from partita.apps.fus import schema, system
from partita.apps.fus.inputs import GroupEdit, NewGroup
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import FUS, Group, Membership
from partita.apps.fus.service import FusService
from partita.apps.fus.service.grants import GroupGrants
from partita.engine import FaultPlan
from partita.kit.kit import Kit
from partita.kit.permissions import ConfirmationRequired, House, Reason
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound
from partita.table import Put
from tests.apps.fus.conftest import POLICY, account, as_viewer
from tests.apps.house import BAD_WEATHER, kit_on, person, worker_of

pytestmark = pytest.mark.anyio
APPROVE = "kelifax:resource:approve"
ADMIN = person("admin", *POLICY.known)
STEWARD = person("steward", Fus.MANAGE_GROUPS, Fus.EDIT)


async def _log(service: FusService, name: str) -> list[tuple[str, str]]:
    page = await service.groups.log(name)
    return [(each.entry.by, each.entry.action) for each in reversed(page.items)]


async def test_a_group_is_stored_as_the_document_says(service: FusService, kit: Kit) -> None:
    ada = await account(kit, "Ada")
    group = await service.groups.create(ADMIN, NewGroup(name="Editors_1", permissions=(Fus.EDIT,)))
    await service.groups.add_member(ADMIN, "Editors_1", ada.user_id)
    row = group.to_row()
    assert row["PK"] == row["entitySk"] == {"S": "GROUP#Editors_1"}
    assert (row["SK"], row["entityType"], row["name"]) == ({"S": "METADATA"}, {"S": "GROUP"}, {"S": "Editors_1"})
    assert row["permissions"] == {"L": [{"S": "fus:site:edit"}]}
    membership = await kit.store.get(schema.membership(ada.user_id, "Editors_1"))
    assert membership is not None
    stored = membership.to_row()
    assert (stored["PK"], stored["SK"]) == ({"S": f"USER#{ada.user_id}"}, {"S": "MEMBERSHIP#Editors_1"})
    assert (stored["groupName"], stored["userId"]) == ({"S": "Editors_1"}, {"S": ada.user_id})


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "ä", "a/b", "a\nb", "a#b"])
def test_a_name_has_letters_digits_hyphens_and_underscores(name: str) -> None:
    with pytest.raises(ValidationError):
        NewGroup(name=name)


async def test_a_permission_nobody_knows_is_refused_by_name(service: FusService) -> None:
    new = NewGroup(name="editors", permissions=(Fus.EDIT, "fus:site:burn", "x"))
    with pytest.raises(Invalid, match="no permission fus:site:burn") as refused:
        await service.groups.create(ADMIN, new)
    assert refused.value.code == "unknown_permission"
    await service.groups.create(ADMIN, NewGroup(name="editors"))
    with pytest.raises(Invalid, match="fus:site:burn"):
        await service.groups.edit(ADMIN, "editors", GroupEdit(permissions=("fus:site:burn",)))


async def test_a_group_grants_permissions_of_any_system_from_the_next_request_on(service: FusService, kit: Kit) -> None:
    ada = await account(kit, "Ada")
    await service.groups.create(ADMIN, NewGroup(name="reviewers", permissions=(APPROVE, Fus.EDIT)))
    assert not (await as_viewer(kit, ada)).may(APPROVE)
    await service.groups.add_member(ADMIN, "reviewers", ada.user_id)
    viewer = await as_viewer(kit, ada)
    assert viewer.may(APPROVE)
    assert viewer.may(Fus.EDIT)
    assert not viewer.may(Fus.DELETE)
    assert Reason(
        "The fus group reviewers", frozenset({APPROVE, Fus.EDIT})
    ) in await kit.accounts.permissions.reasons_for(ada)
    await service.groups.edit(ADMIN, "reviewers", GroupEdit(permissions=(Fus.DELETE,)))
    viewer = await as_viewer(kit, ada)
    assert viewer.may(Fus.DELETE)
    assert not viewer.may(APPROVE)
    await service.groups.remove_member(ADMIN, "reviewers", ada.user_id)
    assert not (await as_viewer(kit, ada)).may(Fus.DELETE)


async def test_a_deleted_group_grants_nothing_from_this_moment_on(service: FusService, kit: Kit) -> None:
    ada = await account(kit, "Ada")
    await service.groups.create(ADMIN, NewGroup(name="reviewers", permissions=(APPROVE,)))
    await service.groups.add_member(ADMIN, "reviewers", ada.user_id)
    await service.groups.delete(ADMIN, "reviewers")
    assert not (await as_viewer(kit, ada)).may(APPROVE), "before anything followed by the change stream"
    with pytest.raises(NotFound):
        await service.groups.group("reviewers")


async def test_a_group_made_anew_does_not_find_the_members_of_the_old_one(service: FusService, kit: Kit) -> None:
    worker = worker_of(kit, system.build(kit))
    ada = await account(kit, "Ada")
    await service.groups.create(ADMIN, NewGroup(name="reviewers", permissions=(APPROVE,)))
    await service.groups.add_member(ADMIN, "reviewers", ada.user_id)
    old = await kit.store.get(schema.membership(ada.user_id, "reviewers"))
    assert old is not None
    await service.groups.delete(ADMIN, "reviewers")
    with pytest.raises(Conflict, match="being deleted"):
        await service.groups.create(ADMIN, NewGroup(name="reviewers"))
    await worker.drain()
    assert await kit.store.get(schema.membership(ada.user_id, "reviewers")) is None
    await service.groups.create(ADMIN, NewGroup(name="reviewers", permissions=(APPROVE,)))
    await kit.store.write(Put(old))  # as if the index had not shown it to whoever removed the others
    assert not (await as_viewer(kit, ada)).may(APPROVE)
    assert (await service.groups.members("reviewers")).items == ()
    assert (await service.groups.of_user(ada.user_id)).items == ()
    await service.groups.add_member(ADMIN, "reviewers", ada.user_id)
    assert (await as_viewer(kit, ada)).may(APPROVE)


async def test_nobody_gives_or_takes_what_they_do_not_hold(service: FusService, kit: Kit) -> None:
    ada = await account(kit, "Ada")
    await service.groups.create(ADMIN, NewGroup(name="strong", permissions=(Fus.EDIT, House.MANAGE_USERS)))
    await service.groups.create(STEWARD, NewGroup(name="weak", permissions=(Fus.EDIT,)))
    await service.groups.add_member(ADMIN, "strong", ada.user_id)
    refused = [
        service.groups.create(STEWARD, NewGroup(name="new", permissions=(APPROVE,))),
        service.groups.edit(STEWARD, "weak", GroupEdit(permissions=(Fus.EDIT, APPROVE))),
        service.groups.edit(STEWARD, "strong", GroupEdit(permissions=(Fus.EDIT,))),
        service.groups.add_member(STEWARD, "strong", ada.user_id),
        service.groups.remove_member(STEWARD, "strong", ada.user_id),
        service.groups.delete(STEWARD, "strong"),
    ]
    for attempt in refused:
        with pytest.raises(Forbidden, match="do not hold"):
            await attempt
    await service.groups.edit(STEWARD, "strong", GroupEdit(description="Only the words"))
    assert (await service.groups.group("strong")).permissions == (Fus.EDIT, House.MANAGE_USERS)
    assert await _log(service, "weak") == [("steward", "create")]


async def test_a_token_is_told_at_once_of_all_that_it_lacks_to_grant(service: FusService) -> None:
    needed = frozenset({str(Fus.EDIT), str(House.MANAGE_USERS)})
    token = replace(ADMIN, via="token", permissions=ADMIN.permissions - needed, withheld=needed)
    group = NewGroup(name="strong", permissions=(Fus.EDIT, House.MANAGE_USERS))
    with pytest.raises(
        Forbidden, match=r"lacks the permissions .*, which you have.* create another token with them"
    ) as refused:
        await service.groups.create(token, group)
    assert all(each in refused.value.detail for each in needed)
    await service.groups.create(replace(token, permissions=ADMIN.permissions, withheld=frozenset()), group)


async def test_a_word_that_no_system_knows_any_more_grants_nothing_and_may_go(service: FusService, kit: Kit) -> None:
    now = "2026-01-01T00:00:00Z"
    old = Group(name="old", permissions=("gone:thing:do", Fus.EDIT), created_at=now, updated_at=now)
    await kit.store.write(Put(old))
    ada = await account(kit, "Ada")
    await service.groups.add_member(STEWARD, "old", ada.user_id)
    viewer = await as_viewer(kit, ada)
    assert viewer.may(Fus.EDIT)
    assert not viewer.may("gone:thing:do")
    after = await service.groups.edit(STEWARD, "old", GroupEdit(permissions=(Fus.EDIT,)))
    assert after.permissions == (Fus.EDIT,)


async def test_nobody_writes_over_what_somebody_else_changed_unseen(service: FusService) -> None:
    seen = await service.groups.create(ADMIN, NewGroup(name="editors", permissions=(Fus.EDIT,)))
    first = await service.groups.edit(ADMIN, "editors", GroupEdit(permissions=(Fus.DELETE,), revision=seen.revision))
    with pytest.raises(Conflict, match="Somebody else has changed this") as late:
        await service.groups.edit(ADMIN, "editors", GroupEdit(description="Late", revision=seen.revision))
    assert late.value.code == "changed_meanwhile"
    assert await service.groups.group("editors") == first
    await service.groups.edit(ADMIN, "editors", GroupEdit(description="In time", revision=first.revision))
    assert (await service.groups.group("editors")).permissions == (Fus.DELETE,)


async def test_of_many_who_saw_the_same_one_changes_it(service: FusService) -> None:
    seen = await service.groups.create(ADMIN, NewGroup(name="editors"))
    edits = [GroupEdit(description=f"Words {number}", revision=seen.revision) for number in range(8)]
    done = await asyncio.gather(
        *(service.groups.edit(ADMIN, "editors", edit) for edit in edits), return_exceptions=True
    )
    assert sum(isinstance(each, Group) for each in done) == 1
    assert {each.code for each in done if isinstance(each, Conflict)} == {"changed_meanwhile"}
    assert await _log(service, "editors") == [("admin", "create"), ("admin", "edit")]


async def test_every_change_is_logged_with_who_and_what(service: FusService, kit: Kit) -> None:
    ada = await account(kit, "Ada")
    await service.groups.create(ADMIN, NewGroup(name="editors", permissions=(Fus.EDIT,)))
    await service.groups.edit(ADMIN, "editors", GroupEdit(permissions=(Fus.DELETE,), description="New"))
    await service.groups.edit(ADMIN, "editors", GroupEdit(description="New"))
    await service.groups.add_member(ADMIN, "editors", ada.user_id)
    await service.groups.add_member(ADMIN, "editors", ada.user_id)
    await service.groups.remove_member(ADMIN, "editors", ada.user_id)
    await service.groups.delete(ADMIN, "editors")
    actions = ["create", "edit", "add member", "remove member", "delete"]
    assert await _log(service, "editors") == [("admin", action) for action in actions]
    entries = {each.entry.action: each for each in (await service.groups.log("editors")).items}
    assert entries["edit"].entry.details == {
        "given": ["fus:site:delete"],
        "taken": ["fus:site:edit"],
        "description": "New",
    }
    added = entries["add member"]
    assert added.person is not None
    assert (added.person.name, added.entry.details) == ("Ada", {"userId": ada.user_id})


async def test_a_name_is_taken_once(service: FusService) -> None:
    made = await asyncio.gather(
        *(service.groups.create(ADMIN, NewGroup(name="one")) for _ in range(8)), return_exceptions=True
    )
    assert sum(isinstance(each, Group) for each in made) == 1
    assert {each.code for each in made if isinstance(each, Conflict)} == {"name_taken"}


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_members_are_counted_exactly_whatever_happens_at_once(tmp_path: Path, weather: FaultPlan | None) -> None:
    with kit_on(tmp_path, FUS, faults=weather) as kit:
        kit.accounts.use(POLICY, (GroupGrants(kit),))
        service = FusService(kit)
        await service.groups.create(ADMIN, NewGroup(name="crowd", permissions=(Fus.EDIT,)))
        people = [await account(kit, f"Person{number}") for number in range(8)]
        await asyncio.gather(
            *(service.groups.add_member(ADMIN, "crowd", who.user_id) for who in people for _ in range(3))
        )
        assert (await service.groups.group("crowd")).member_count == 8
        await asyncio.gather(*(service.groups.remove_member(ADMIN, "crowd", who.user_id) for who in people[:3]))
        assert (await service.groups.group("crowd")).member_count == 5
        assert len((await service.groups.members("crowd")).items) == 5


async def test_members_and_groups_page(service: FusService, kit: Kit) -> None:
    for number in range(5):
        await service.groups.create(ADMIN, NewGroup(name=f"group-{number}"))
        await service.groups.add_member(ADMIN, "group-0", (await account(kit, f"Person{number}")).user_id)
    found, cursor = [], None
    while True:
        page = await service.groups.groups(limit=2, cursor=cursor)
        found += [group.name for group in page]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == [f"group-{number}" for number in range(5)]
    first = await service.groups.members("group-0", limit=3)
    rest = await service.groups.members("group-0", limit=3, cursor=first.next_cursor)
    assert len({each.membership.user_id for each in (*first.items, *rest.items)}) == 5
    assert rest.next_cursor is None


async def test_my_groups_are_by_name_in_full_pages_without_those_that_are_gone(service: FusService, kit: Kit) -> None:
    ada = await account(kit, "Ada")
    for number in range(6):
        await service.groups.create(ADMIN, NewGroup(name=f"group-{number}", permissions=(Fus.EDIT,)))
        await service.groups.add_member(ADMIN, f"group-{number}", ada.user_id)
    await service.groups.delete(ADMIN, "group-1")
    viewer = await as_viewer(kit, ada)
    found, cursor, sizes = [], None, []
    while True:
        page = await service.groups.mine(viewer, limit=2, cursor=cursor)
        found += [group.name for group in page.items]
        sizes.append(len(page.items))
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == ["group-0", "group-2", "group-3", "group-4", "group-5"]
    assert sizes[:2] == [2, 2]


async def test_only_somebody_with_an_account_joins_a_group(service: FusService) -> None:
    await service.groups.create(ADMIN, NewGroup(name="editors"))
    for user_id in ("nobody", "a#b", "x" * 3000):
        with pytest.raises(NotFound):
            await service.groups.add_member(ADMIN, "editors", user_id)
    with pytest.raises(NotFound):
        await service.groups.remove_member(ADMIN, "editors", "nobody")


async def test_somebody_is_found_by_username_address_or_id(service: FusService, kit: Kit) -> None:
    ada = await account(kit, "Ada")
    assert ada.email is not None
    for identity in (ada.username, f" {ada.username.upper()} ", ada.email, ada.user_id):
        assert (await service.groups.person(identity)).user_id == ada.user_id
    for identity in ("", "nobody-at-all", "nobody@example.org"):
        with pytest.raises(Invalid) as refused:
            await service.groups.person(identity)
        assert [error.field for error in refused.value.errors] == ["person"]


async def test_who_is_in_no_group_costs_one_read(kit: Kit) -> None:
    seen: list[str] = []
    kit.tables.observe(lambda call: seen.append(call.operation))
    assert await GroupGrants(kit).permissions_of("nobody") == frozenset()
    assert seen == ["Query"]


async def test_memberships_of_the_original_program_count(kit: Kit) -> None:
    group = Group(
        name="old", permissions=(Fus.EDIT,), created_at="2026-01-01T00:00:00Z", updated_at="2026-01-01T00:00:00Z"
    )
    same = Membership(group_name="old", user_id="u", added_at="2026-01-01T00:00:00.000Z", added_by="x")
    await kit.store.batch_write([Put(group), Put(same)])
    assert await GroupGrants(kit).permissions_of("u") == {Fus.EDIT}


async def test_the_members_of_a_group_are_named_and_those_of_none_are_not(service: FusService, kit: Kit) -> None:
    ada = await account(kit, "Ada")
    await service.groups.create(ADMIN, NewGroup(name="Editors_1", permissions=(Fus.EDIT,)))
    await service.groups.add_member(ADMIN, "Editors_1", ada.user_id)
    assert await service.grants.members_of("Editors_1") == [ada.user_id]
    assert await service.grants.members_of("Editors_2") is None
    assert await service.grants.members_of("#" * 3000) is None


async def test_groups_are_found_by_the_beginning_of_their_name_in_any_case(service: FusService) -> None:
    for name in ("Editors_1", "editors_2", "writers"):
        await service.groups.create(ADMIN, NewGroup(name=name, permissions=(Fus.EDIT,)))
    assert await service.grants.groups_named("EDIT", 8) == ["Editors_1", "editors_2"]
    assert await service.grants.groups_named("", 2) == ["Editors_1", "editors_2"]
    assert await service.grants.groups_named("#", 8) == []


async def test_a_session_that_was_left_open_grants_nobody_anything(service: FusService, kit: Kit) -> None:
    """Whoever finds an administrator's browser cannot make themselves one through a group."""
    eve = await account(kit, "Eve")
    found = replace(ADMIN, via="session", confirmed=False)
    group = NewGroup(name="editors-by-surprise", permissions=(Fus.EDIT,))
    with pytest.raises(ConfirmationRequired):
        await service.groups.create(found, group)
    confirmed = replace(found, confirmed=True)
    await service.groups.create(confirmed, group)
    for act in (
        service.groups.add_member(found, group.name, eve.user_id),
        service.groups.edit(found, group.name, GroupEdit(permissions=())),
        service.groups.delete(found, group.name),
    ):
        with pytest.raises(ConfirmationRequired):
            await act
    await service.groups.add_member(confirmed, group.name, eve.user_id)
    with pytest.raises(ConfirmationRequired):
        await service.groups.remove_member(found, group.name, eve.user_id)
    await service.groups.edit(found, group.name, GroupEdit(description="A text grants nothing."))


async def test_two_groups_differ_by_more_than_their_case(service: FusService, kit: Kit) -> None:
    operator = kit.accounts.operator()
    await service.groups.create(operator, NewGroup(name="Editors"))
    with pytest.raises(Conflict, match="There is a group Editors already") as refused:
        await service.groups.create(operator, NewGroup(name="editors"))
    assert [error.field for error in refused.value.errors] == ["name"]
    await service.groups.delete(operator, "Editors")
    await service.groups.create(operator, NewGroup(name="EDITORS"))


async def test_two_groups_of_earlier_times_stay_and_free_their_name(service: FusService, kit: Kit) -> None:
    operator, now = kit.accounts.operator(), "2026-01-01T00:00:00.000000Z"
    for name in ("maps", "Maps"):
        await kit.store.write(Put(Group(name=name, created_at=now, updated_at=now)))
    with pytest.raises(Conflict, match="by more than their case"):
        await service.groups.create(operator, NewGroup(name="MAPS"))
    for name in ("maps", "Maps"):
        await service.groups.delete(operator, name)
    await service.groups.create(operator, NewGroup(name="MAPS"))
