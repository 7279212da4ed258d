"""Groups: named sets of permissions, and who is in them. Nobody gives or takes what they do not hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.filling import Filled, filled
from partita.apps.fus.grants import counts, not_before
from partita.apps.fus.inputs import GroupEdit, NewGroup
from partita.apps.fus.people import People, Person
from partita.apps.fus.schema import Group, GroupLog, GroupRemoval, Membership
from partita.kit.accounts import Account
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import BadRequest, Conflict, FieldError, Forbidden, Invalid, NotFound
from partita.table import ChangedMeanwhileError, Check, Delete, KeyPartError, Page, Put, Transaction, Update


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody in a group."""

    membership: Membership
    person: Person


@dataclass(frozen=True, slots=True)
class Logged:
    """Something that was done to a group, and to whom where it was somebody's membership."""

    entry: GroupLog
    person: Person | None


class AlreadyMember(Exception):
    """Somebody is in the group."""


class Groups:
    """For those who may manage groups. Every change stands in the group's log, in the transaction of the change."""

    def __init__(self, kit: Kit, people: People) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people

    @property
    def permissions(self) -> frozenset[str]:
        """Every permission of the suite that a group could grant."""
        return self._kit.accounts.policy.known

    async def groups(self, *, limit: int = 20, cursor: str | None = None) -> Page[Group]:
        """All groups, by name."""
        return await self._store.page(schema.all_groups(), limit=limit, after=cursor)

    async def group(self, name: str) -> Group:
        """One group."""
        try:
            found = await self._store.get(schema.group(name).consistently())
        except KeyPartError:  # no name is written like this
            found = None
        if found is None:
            raise _unknown(name)
        return found

    async def create(self, viewer: Viewer, new: NewGroup) -> Group:
        """Make a group that grants some of what the viewer holds."""
        self._check_known(new.permissions)
        _check_held(viewer, new.permissions, field="permissions")
        now = stamp(self._kit.clock)
        group = Group(
            name=new.name,
            description=new.description,
            permissions=new.permissions,
            created_at=now,
            updated_at=now,
            member_count=0,
        )
        removal = GroupRemoval.key(GroupRemoval.name(new.name))
        await self._store.transact(
            Transaction(
                Put(group).if_new().otherwise(_taken("There is a group of this name.")),
                Check(removal, removal.absent()).otherwise(
                    _taken("A group of this name is being deleted. Try again in a moment.")
                ),
                Put(self._entry(viewer, new.name, "create", permissions=list(new.permissions))),
            )
        )
        return group

    async def edit(self, viewer: Viewer, name: str, edit: GroupEdit) -> Group:
        """Describe a group anew, or let it grant something else; not over what somebody else changed meanwhile."""
        if not edit.model_fields_set - {"revision"}:
            raise BadRequest("Nothing to change was sent.", code="nothing_to_change")

        async def attempt() -> Group:
            before = await self.group(name)
            if edit.revision is not None and edit.revision != before.revision:
                raise Conflict(
                    "Somebody changed this group meanwhile. Load it again, and change what is still to be changed.",
                    code="changed_meanwhile",
                )
            after = before.model_copy(
                update={
                    field: value
                    for field in ("description", "permissions")
                    if (value := getattr(edit, field)) is not None
                }
            )
            given = [each for each in after.permissions if each not in before.permissions]
            taken = [each for each in before.permissions if each not in after.permissions]
            self._check_known(given)
            _check_held(viewer, (*given, *self._granting(taken)), field="permissions")
            if after == before:
                return before
            after = after.with_(Group.updated_at(stamp(self._kit.clock)), Group.revision(before.revision + 1))
            change = Update.between(before, after).next_version(before)
            told: dict[str, Any] = {"given": given, "taken": taken}
            if after.description != before.description:
                told["description"] = after.description
            log = self._entry(viewer, name, "edit", **{key: value for key, value in told.items() if value != []})
            await self._store.transact(Transaction(change, Put(log)))
            return after

        return await self._store.attempt(attempt)

    async def delete(self, viewer: Viewer, name: str) -> None:
        """Delete a group: it grants nothing from this moment on; its memberships follow by the change stream."""

        async def attempt() -> None:
            before = await self.group(name)
            _check_held(viewer, self._granting(before.permissions))
            removal = GroupRemoval(
                name=name, removed_by=viewer.username or viewer.id, removed_at=stamp(self._kit.clock)
            )
            await self._store.transact(
                Transaction(
                    Delete(before.own_key).unless_changed(before, Group.permissions),
                    Put(removal),
                    Put(self._entry(viewer, name, "delete", permissions=list(before.permissions))),
                )
            )

        await self._store.attempt(attempt)

    # -- members

    async def members(self, name: str, *, limit: int = 20, cursor: str | None = None) -> Filled[Member]:
        """Who is in a group."""
        group = await self.group(name)

        async def follow(memberships: Sequence[Membership]) -> list[Member]:
            people = await self._people.named(each.user_id for each in memberships)
            return [Member(each, people[each.user_id]) for each in memberships if counts(each, group)]

        return await filled(self._store, schema.members_of(name), follow, limit=limit, after=cursor)

    async def member(self, name: str, user_id: str) -> Member:
        """One member."""
        group = await self.group(name)
        found = await self._membership(name, user_id)
        if found is None or not counts(found, group):
            raise NotFound(f"{user_id[:80]} is not in the group {name}.")
        people = await self._people.named([user_id])
        return Member(found, people[user_id])

    async def somebody(self, identity: str) -> Account:
        """Whoever has this username, email address or id."""
        wanted = identity.strip()
        if not wanted:
            raise Invalid(FieldError("person", "Say who: a username or an email address."))
        by_email = "@" in wanted
        accounts = self._kit.accounts
        found = await (accounts.account_by_email(wanted) if by_email else accounts.account_by_username(wanted))
        if found is None and not by_email:
            found = (await accounts.accounts([wanted[:64]])).get(wanted[:64])
        if found is None:
            raise Invalid(FieldError("person", "Nobody has this username or email address."))
        return found

    async def add_member(self, viewer: Viewer, name: str, user_id: str) -> Member:
        """Put somebody into a group, which gives them all it grants; who is in it already stays."""
        await self._kit.accounts.account(user_id)

        async def attempt() -> Membership:
            group = await self.group(name)
            _check_held(viewer, self._granting(group.permissions))
            known = await self._membership(name, user_id)
            if known is not None and counts(known, group):
                return known
            membership = Membership(
                group_name=name,
                user_id=user_id,
                added_at=not_before(stamp(self._kit.clock), group),
                added_by=viewer.username or viewer.id,
            )
            own = (
                Put(membership).if_new()
                if known is None
                else Put(membership).unless_changed(known, Membership.added_at)
            )
            more = Update(group.own_key, Group.member_count.add(1)).unless_changed(group, Group.permissions)
            log = self._entry(viewer, name, "add member", userId=user_id)
            try:
                await self._store.transact(Transaction(more, own.otherwise(AlreadyMember()), Put(log)))
            except AlreadyMember:
                return (await self.member(name, user_id)).membership
            return membership

        await self._store.attempt(attempt)
        return await self.member(name, user_id)

    async def remove_member(self, viewer: Viewer, name: str, user_id: str) -> None:
        """Take somebody out of a group."""

        async def attempt() -> None:
            group = await self.group(name)
            _check_held(viewer, self._granting(group.permissions))
            known = (await self.member(name, user_id)).membership
            gone = Delete(known.own_key).unless_changed(known, Membership.added_at, Membership.counted)
            # What the group never counted up, because another program wrote it, is not counted down.
            held = known.as_stored(Membership.counted) and (group.member_count or 0) > 0
            fewer = (
                Update(group.own_key, Group.member_count.add(-1))
                .when(Group.member_count >= 1)
                .unless_changed(group, Group.permissions)
                if held
                else Check(group.own_key, group.own_key.unchanged_since(group, Group.permissions)).otherwise(
                    lambda there: ChangedMeanwhileError(f"The group {name}", there)
                )
            )
            log = self._entry(viewer, name, "remove member", userId=user_id)
            await self._store.transact(Transaction(fewer, gone, Put(log)))

        await self._store.attempt(attempt)

    async def mine(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Filled[Group]:
        """The groups the viewer is in, by name."""
        return await self.of_user(viewer.id, limit=limit, cursor=cursor)

    async def of_user(self, user_id: str, *, limit: int = 20, cursor: str | None = None) -> Filled[Group]:
        """The groups somebody is in, by name."""

        async def follow(memberships: Sequence[Membership]) -> list[Group]:
            found = await self._store.batch_get([Group.key(Group.name(each.group_name)) for each in memberships])
            known = zip(memberships, found, strict=True)
            return [group for each, group in known if group is not None and counts(each, group)]

        return await filled(self._store, schema.groups_of(user_id), follow, limit=limit, after=cursor)

    async def log(self, name: str, *, limit: int = 20, cursor: str | None = None) -> Filled[Logged]:
        """What was done to a group and its members, newest first; also of one that is gone."""

        async def follow(entries: Sequence[GroupLog]) -> list[Logged]:
            people = await self._people.named(entry.details["userId"] for entry in entries if "userId" in entry.details)
            return [Logged(entry, people.get(entry.details.get("userId", ""))) for entry in entries]

        return await filled(self._store, schema.log_of(name), follow, limit=limit, after=cursor)

    # -- rules

    def _check_known(self, permissions: Iterable[str]) -> None:
        unknown = sorted(set(permissions) - self.permissions)
        if unknown:
            raise Invalid(
                *(FieldError("permissions", f"There is no permission {each[:80]}.") for each in unknown),
                code="unknown_permission",
            )

    def _granting(self, permissions: Iterable[str]) -> list[str]:
        """Words that no system knows any more grant nothing, so anybody may take them away."""
        return [each for each in permissions if each in self.permissions]

    async def _membership(self, name: str, user_id: str) -> Membership | None:
        try:
            return await self._store.get(schema.membership(user_id, name).consistently())
        except KeyPartError:  # no id is written like this
            return None

    def _entry(self, viewer: Viewer, name: str, action: str, **details: Any) -> GroupLog:
        return GroupLog(
            group_name=name,
            at=stamp(self._kit.clock),
            entry_id=self._kit.ids.new(),
            by=viewer.username or viewer.id,
            action=action,
            details=details,
        )


def _check_held(viewer: Viewer, permissions: Iterable[str], *, field: str = "") -> None:
    """Refuse what the viewer does not hold; where it was said in a field, the field is named."""
    lacking = sorted(set(permissions) - viewer.permissions)
    if lacking:
        told = f"You cannot give or take {', '.join(lacking)}, because you do not hold it yourself."
        raise Forbidden(told, code="not_held", errors=[FieldError(field, told)] if field else ())


def _taken(told: str) -> Conflict:
    return Conflict(told, code="name_taken", errors=[FieldError("name", told)])


def _unknown(name: str) -> NotFound:
    return NotFound(f"There is no group {name[:80]!r}.")
