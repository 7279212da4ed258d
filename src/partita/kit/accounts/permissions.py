"""What each account may do: the policy of all systems, and what their groups grant."""

from __future__ import annotations

from partita.kit.accounts.schema import Account
from partita.kit.permissions import Grants, Policy, Reason

_NOTHING_ALLOWED = Policy(labels={}, roles={}, members=frozenset())


class Permissions:
    """Permissions by account. Until `use` is called, nobody has any."""

    def __init__(self) -> None:
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
