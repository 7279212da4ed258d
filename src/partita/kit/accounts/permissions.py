"""What each account may do: the policy of all systems, and what their groups grant."""

from __future__ import annotations

from partita.kit.accounts.schema import Account, account, staff_accounts
from partita.kit.permissions import ADMIN, Grants, Policy, Reason
from partita.store.store import AsyncStore

_NOTHING_ALLOWED = Policy(labels={}, roles={}, members=frozenset())


class Permissions:
    """Permissions by account. Until `use` is called, nobody has any."""

    def __init__(self, store: AsyncStore) -> None:
        self._store = store
        self.policy = _NOTHING_ALLOWED
        self._grants: tuple[Grants, ...] = ()

    def use(self, policy: Policy, grants: tuple[Grants, ...] = ()) -> None:
        """Apply this policy and these groups."""
        self.policy = policy
        self._grants = grants

    async def of(self, person: Account, *more_roles: str) -> frozenset[str]:
        """All that roles and groups grant to somebody; roles from an OpenID token are given as `more_roles`."""
        extra: set[str] = set()
        for each in self._grants:
            extra |= await each.permissions_of(person.user_id)
        return self.policy.granted((*person.roles, *more_roles), extra)

    async def reasons_for(self, person: Account) -> tuple[Reason, ...]:
        """The same permissions, listed by the role or group that grants them."""
        groups = [reason for each in self._grants for reason in await each.reasons_for(person.user_id)]
        return self.policy.reasons(person.roles, groups)

    async def members_of(self, group: str) -> list[str] | None:
        """The ids of everybody in a group, whichever system has it; None if none has."""
        found = [members for each in self._grants if (members := await each.members_of(group)) is not None]
        return sorted({user_id for members in found for user_id in members}) if found else None

    async def suggest_groups(self, text: str, *, limit: int = 8) -> list[str]:
        """Groups of any system whose names begin with the text, for a field that names groups. Whoever calls this has
        checked that the viewer may know which groups there are."""
        found = [name for each in self._grants for name in await each.groups_named(text.strip()[:64], limit)]
        return sorted(set(found), key=str.casefold)[:limit]

    async def holders(self, permission: str) -> list[str]:
        """The ids of everybody to whom roles or groups grant a permission; not of suspended accounts, and not of those
        whose roles only their OpenID tokens name."""
        if permission in self.policy.members:
            raise ValueError(f"Every account holds {permission}: that is no list of a few people")
        roles = {role for role, granted in self.policy.roles.items() if permission in granted} | {ADMIN}
        found = {
            person.user_id: person async for person in self._store.stream(staff_accounts()) if roles & person.roles
        }
        grouped = {user_id for each in self._grants for user_id in await each.holders(permission)}
        others = [account(user_id).key for user_id in sorted(grouped - found.keys())]
        for person in await self._store.batch_get(others) if others else []:
            if person is not None:
                found[person.user_id] = person
        return sorted(user_id for user_id, person in found.items() if not person.suspended)
