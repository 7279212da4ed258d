"""What groups grant, read with every request of somebody who is signed in."""

from __future__ import annotations

from datetime import UTC, datetime

from partita.apps.fus import schema
from partita.apps.fus.schema import Group, Membership
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Reason

_MOST_GROUPS = 300


class GroupGrants:
    """The permissions of all groups that somebody is in."""

    def __init__(self, kit: Kit) -> None:
        self._store = kit.store

    async def permissions_of(self, user_id: str) -> frozenset[str]:
        """One query of the memberships and one batch of groups; only the query for somebody who is in no group."""
        return frozenset(permission for group in await self._groups_of(user_id) for permission in group.permissions)

    async def reasons_for(self, user_id: str) -> list[Reason]:
        """What each group grants."""
        groups = await self._groups_of(user_id)
        return [Reason(f"The fus group {group.name}", frozenset(group.permissions)) for group in groups]

    async def holders(self, permission: str) -> list[str]:
        """Every member of a group that grants a permission."""
        found: set[str] = set()
        async for group in self._store.stream(schema.all_groups()):
            if permission in group.permissions:
                members = self._store.stream(schema.members_of(group.name))
                found |= {membership.user_id async for membership in members if counts(membership, group)}
        return sorted(found)

    async def members_of(self, group: str) -> list[str] | None:
        """Every member of a group."""
        found = await find(self._store, schema.group, group)
        if found is None:
            return None
        members = self._store.stream(schema.members_of(found.name))
        return sorted({membership.user_id async for membership in members if counts(membership, found)})

    async def groups_named(self, start: str, limit: int) -> list[str]:
        """The names of groups that begin so, in any case; of the first few hundred."""
        groups = await self._store.page(schema.all_groups(), limit=_MOST_GROUPS)
        return [each.name for each in groups if each.name.casefold().startswith(start.casefold())][:limit]

    async def _groups_of(self, user_id: str) -> list[Group]:
        query = schema.groups_of(user_id).consistently()
        memberships = [membership async for membership in self._store.stream(query)]
        keys = [Group.key(Group.name(membership.group_name)) for membership in memberships]
        groups = await self._store.batch_get(keys, consistent=True) if keys else []
        return [
            group
            for membership, group in zip(memberships, groups, strict=True)
            if group is not None and counts(membership, group)
        ]


def counts(membership: Membership, group: Group) -> bool:
    """Whether a membership belongs to this group, not to a deleted one of the same name."""
    return began_in(membership.added_at, group)


def began_in(moment: str, group: Group) -> bool:
    """Whether this group was there at a moment."""
    return _moment(moment) >= _moment(group.created_at)


def not_before(moment: str, group: Group) -> str:
    """The moment, or that of the group's creation if it is later: clocks differ, and no membership may look older than
    its group."""
    return moment if began_in(moment, group) else group.created_at


def _moment(text: str) -> datetime:
    """A moment in any spelling that another program may use."""
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
