"""Groups: named sets of permissions, and their members. Nobody grants or revokes a permission they do not hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.inputs import GroupEdit, NewGroup
from partita.apps.fus.schema import Group, GroupLog, GroupRemoval, GroupSpelling, Membership
from partita.apps.fus.service.grants import counts, not_before
from partita.apps.fus.service.history import group_fields
from partita.apps.fus.service.people import People, Person
from partita.kit.accounts import Account
from partita.kit.clock import stamp
from partita.kit.history import Fields
from partita.kit.kit import Kit
from partita.kit.lists import find, find_or, follow_page
from partita.kit.permissions import Viewer, require_confirmation, token_lacks
from partita.kit.problems import Conflict, FieldError, Forbidden, Invalid, NotFound
from partita.table import ChangedMeanwhileError, Check, Delete, Page, Put, Transaction, Update


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody in a group."""

    membership: Membership
    person: Person


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A log entry of a group, and the person whose membership it is about, if it is about one."""

    entry: GroupLog
    person: Person | None


class AlreadyMember(Exception):
    """Somebody is in the group already."""


class Groups:
    """For people who manage groups. Every change is logged in its own transaction."""

    def __init__(self, kit: Kit, people: People) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people

    @property
    def permissions(self) -> frozenset[str]:
        """Every permission of the suite that a group could grant."""
        return self._kit.accounts.policy.known

    def choices(self, viewer: Viewer) -> dict[str, list[tuple[str, str]]]:
        """Those that somebody may grant, with their labels, by the title of their system."""
        return self._kit.accounts.policy.choices(viewer.permissions)

    @property
    def fields(self) -> Fields:
        """What people edit of a group."""
        return group_fields(self._kit.accounts.policy.label, self.permissions)

    def lacking(self, viewer: Viewer, group: Group) -> list[str]:
        """What the group grants and the viewer does not hold: with any of that, only its description can be changed."""
        return [each for each in self._granting(group.permissions) if not viewer.may(each)]

    async def groups(self, *, limit: int = 20, cursor: str | None = None) -> Page[Group]:
        """All groups, by name."""
        return await self._store.page(schema.all_groups(), limit=limit, after=cursor)

    async def group(self, name: str) -> Group:
        """One group."""
        return await find_or(NotFound(f"There is no group {name[:80]!r}."), self._store, schema.group, name)

    async def create(self, viewer: Viewer, new: NewGroup) -> Group:
        """Create a group that grants permissions which the viewer holds."""
        self._check_known(new.permissions)
        self._check_held(viewer, new.permissions, field="permissions")
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
        await self._check_spelling(new.name)
        spelling = GroupSpelling(folded=new.name.lower(), of_group=new.name)
        await self._store.transact(
            Transaction(
                Put(group).if_new().otherwise(_taken("There is a group with this name already.")),
                Put(spelling).if_new().otherwise(lambda there: _spelled(there.of_group if there else new.name)),
                Check(removal, removal.absent()).otherwise(
                    _taken("A group with this name is being deleted. Try again in a moment.")
                ),
                Put(self._entry(viewer, new.name, "create", permissions=list(new.permissions))),
            )
        )
        return group

    async def edit(self, viewer: Viewer, name: str, edit: GroupEdit) -> Group:
        """Change the description or the permissions of a group."""
        wanted = edit.changes

        async def attempt() -> Group:
            before = await self.group(name)
            edit.check_revision(before.revision)
            after = before.model_copy(update=wanted)
            given = [each for each in after.permissions if each not in before.permissions]
            taken = [each for each in before.permissions if each not in after.permissions]
            self._check_known(given)
            self._check_held(viewer, (*given, *self._granting(taken)), field="permissions")
            if after == before:
                return before
            after = after.with_(Group.updated_at(stamp(self._kit.clock)), Group.revision(before.revision + 1))
            details: dict[str, Any] = {"given": given, "taken": taken}
            if after.description != before.description:
                details["description"] = after.description
            log = self._entry(viewer, name, "edit", **{key: value for key, value in details.items() if value != []})
            await self._store.transact(Transaction(Update.between(before, after).next_version(before), Put(log)))
            return after

        return await self._store.attempt(attempt)

    async def delete(self, viewer: Viewer, name: str) -> None:
        """Delete a group. It grants nothing from now on; its memberships are removed by the change stream."""

        async def attempt() -> None:
            before = await self.group(name)
            self._check_held(viewer, self._granting(before.permissions))
            removal = GroupRemoval(
                name=name, removed_by=viewer.username or viewer.id, removed_at=stamp(self._kit.clock)
            )
            await self._store.transact(
                Transaction(
                    Delete(before.own_key).unless_changed(before, Group.permissions),
                    *await self._free_spelling(name),
                    Put(removal),
                    Put(self._entry(viewer, name, "delete", permissions=list(before.permissions))),
                )
            )

        await self._store.attempt(attempt)

    # -- members

    async def members(self, name: str, *, limit: int = 20, cursor: str | None = None) -> Page[Member]:
        """The members of a group."""
        group = await self.group(name)

        async def follow(memberships: Sequence[Membership]) -> list[Member]:
            people = await self._people.named(each.user_id for each in memberships)
            return [Member(each, people[each.user_id]) for each in memberships if counts(each, group)]

        return await follow_page(self._store, schema.members_of(name), follow, limit=limit, after=cursor)

    async def member(self, name: str, user_id: str) -> Member:
        """One member."""
        group = await self.group(name)
        membership = await find(self._store, schema.membership, user_id, name)
        if membership is None or not counts(membership, group):
            raise NotFound(f"{user_id[:80]} is not in the group {name}.")
        people = await self._people.named([user_id])
        return Member(membership, people[user_id])

    async def person(self, identity: str) -> Account:
        """The account with this username, email address or id."""
        accounts = self._kit.accounts
        account = await (accounts.people.by_email if "@" in identity else accounts.people.by_username)(identity)
        if account is None and "@" not in identity:
            account = (await accounts.people.get_many([identity])).get(identity)
        if account is None:
            raise Invalid(FieldError("person", "Nobody has this username or email address."))
        return account

    async def suggest(self, viewer: Viewer, name: str, text: str) -> list[Account]:
        """People who are not in a group and whose username begins with a text, for whoever may add them."""
        group = await self.group(name)
        if self.lacking(viewer, group):
            raise Forbidden("You cannot add members to this group.", code="not_held")
        found = await self._kit.accounts.people.suggest(text)
        keys = [schema.membership(person.user_id, name).key for person in found]
        memberships = await self._store.batch_get(keys) if keys else []
        there = {each.user_id for each in memberships if each is not None and counts(each, group)}
        return [person for person in found if person.user_id not in there]

    async def add_member(self, viewer: Viewer, name: str, user_id: str) -> Member:
        """Add somebody to a group; nothing happens if they are in it already."""
        await self._kit.accounts.people.get(user_id)

        async def attempt() -> None:
            group = await self.group(name)
            self._check_held(viewer, self._granting(group.permissions))
            before = await find(self._store, schema.membership, user_id, name)
            if before is not None and counts(before, group):
                return
            membership = Membership(
                group_name=name,
                user_id=user_id,
                added_at=not_before(stamp(self._kit.clock), group),
                added_by=viewer.username or viewer.id,
            )
            put = Put(membership)
            own = put.if_new() if before is None else put.unless_changed(before, Membership.added_at)
            more = Update(group.own_key, Group.member_count.add(1)).unless_changed(group, Group.permissions)
            log = self._entry(viewer, name, "add member", userId=user_id)
            with suppress(AlreadyMember):
                await self._store.transact(Transaction(more, own.otherwise(AlreadyMember()), Put(log)))

        await self._store.attempt(attempt)
        return await self.member(name, user_id)

    async def remove_member(self, viewer: Viewer, name: str, user_id: str) -> None:
        """Remove somebody from a group."""

        async def attempt() -> None:
            group = await self.group(name)
            self._check_held(viewer, self._granting(group.permissions))
            before = (await self.member(name, user_id)).membership
            gone = Delete(before.own_key).unless_changed(before, Membership.added_at, Membership.counted)
            # A membership that was never counted, because another program wrote it, is not counted down.
            counted = before.as_stored(Membership.counted) and group.number_of_members > 0
            fewer = (
                Update(group.own_key, Group.member_count.add(-1))
                .when(Group.member_count >= 1)
                .unless_changed(group, Group.permissions)
                if counted
                else Check(group.own_key, group.own_key.unchanged_since(group, Group.permissions)).otherwise(
                    lambda there: ChangedMeanwhileError(f"The group {name}", there)
                )
            )
            log = self._entry(viewer, name, "remove member", userId=user_id)
            await self._store.transact(Transaction(fewer, gone, Put(log)))

        await self._store.attempt(attempt)

    async def mine(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[Group]:
        """The groups the viewer is in, by name."""
        return await self.of_user(viewer.id, limit=limit, cursor=cursor)

    async def of_user(self, user_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[Group]:
        """The groups somebody is in, by name."""

        async def follow(memberships: Sequence[Membership]) -> list[Group]:
            groups = await self._store.batch_get([Group.key(Group.name(each.group_name)) for each in memberships])
            pairs = zip(memberships, groups, strict=True)
            return [group for each, group in pairs if group is not None and counts(each, group)]

        return await follow_page(self._store, schema.groups_of(user_id), follow, limit=limit, after=cursor)

    async def log(self, name: str, *, limit: int = 20, cursor: str | None = None) -> Page[LogEntry]:
        """The log of a group, newest first; also of a deleted one."""

        async def follow(entries: Sequence[GroupLog]) -> list[LogEntry]:
            people = await self._people.named(entry.details["userId"] for entry in entries if "userId" in entry.details)
            return [LogEntry(entry, people.get(entry.details.get("userId", ""))) for entry in entries]

        return await follow_page(self._store, schema.log_of(name), follow, limit=limit, after=cursor)

    # -- rules

    async def _check_spelling(self, name: str) -> None:
        """Refuse the name of another group in another case; groups of earlier times have no guard, so all are read."""
        async for group in self._store.stream(schema.all_groups()):
            if group.name != name and group.name.lower() == name.lower():
                raise _spelled(group.name)

    async def _free_spelling(self, name: str) -> tuple[Delete[GroupSpelling], ...]:
        """What frees the name in any case; nothing for a group of earlier times."""
        guard = await find(self._store, schema.group_spelling, name.lower())
        if guard is None or guard.of_group != name:
            return ()
        return (Delete(guard.own_key).unless_changed(guard, GroupSpelling.of_group),)

    def _check_known(self, permissions: Iterable[str]) -> None:
        unknown = sorted(set(permissions) - self.permissions)
        if unknown:
            raise Invalid(
                *(FieldError("permissions", f"There is no permission {each[:80]}.") for each in unknown),
                code="unknown_permission",
            )

    def _granting(self, permissions: Iterable[str]) -> list[str]:
        """Permissions that some system has; others grant nothing, so anybody may revoke them."""
        return [each for each in permissions if each in self.permissions]

    def _check_held(self, viewer: Viewer, permissions: Iterable[str], *, field: str = "") -> None:
        """Refuse permissions that the viewer does not hold; the error is about a field if one is named. Whoever grants
        or revokes any shows that they are who they are."""
        concerned = set(permissions)
        lacking = sorted(concerned - viewer.permissions)
        if lacking:
            if viewer.withheld.issuperset(lacking):
                raise token_lacks(viewer, *lacking)
            labels = ", ".join(f"“{self._kit.accounts.policy.label(each)}”" for each in lacking)
            detail = f"You cannot grant or revoke {labels}, because you do not hold it yourself."
            raise Forbidden(detail, code="not_held", errors=[FieldError(field, detail)] if field else ())
        if concerned:
            require_confirmation(viewer)

    def _entry(self, viewer: Viewer, name: str, action: str, **details: Any) -> GroupLog:
        return GroupLog(
            group_name=name,
            at=stamp(self._kit.clock),
            entry_id=self._kit.ids.new(),
            by=viewer.username or viewer.id,
            action=action,
            details=details,
        )


def _spelled(name: str) -> Conflict:
    return _taken(f"There is a group {name} already. Two names must differ by more than their case.")


def _taken(detail: str) -> Conflict:
    return Conflict(detail, code="name_taken", errors=[FieldError("name", detail)])
