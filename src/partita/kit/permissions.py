"""Who may do what: permissions are words, roles and groups grant them, everything else is denied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from partita.kit.problems import Forbidden, SignInRequired


class Access(StrEnum):
    """What a route may ask for that is no permission of a system."""

    PUBLIC = "public"
    """Anybody."""
    SIGNED_IN = "signed-in"
    """Anybody with an account."""


class House(StrEnum):
    """What administrators of the suite do."""

    MANAGE_USERS = "house:users:manage"
    READ_OUTBOX = "house:outbox:read"
    READ_METRICS = "house:metrics:read"


Permission = StrEnum
"""One enumeration per system, each word `system:thing:action`."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """The person or program a request comes from, with all that was granted."""

    user_id: str | None = None
    username: str = ""
    name: str = ""
    permissions: frozenset[str] = frozenset()
    withheld: frozenset[str] = frozenset()
    """What a token's owner may do and the token may not."""
    via: Literal["nobody", "session", "token", "oidc", "command"] = "nobody"
    session_id: str | None = None
    must_change_password: bool = False
    """Somebody with a one-time password: nothing is granted until it is changed."""

    @property
    def signed_in(self) -> bool:
        return self.user_id is not None

    def may(self, permission: str) -> bool:
        """Whether this is granted; templates ask this."""
        if permission == Access.PUBLIC:
            return True
        if permission == Access.SIGNED_IN:
            return self.signed_in
        return permission in self.permissions

    @property
    def id(self) -> str:
        """The user's id, for what only people with an account do."""
        if self.user_id is None:
            raise SignInRequired("Sign in to do this.")
        return self.user_id


NOBODY = Viewer()


def authorize(viewer: Viewer, permission: str) -> None:
    """Let pass, or refuse: 401 where signing in might help, 403 otherwise."""
    if viewer.may(permission):
        return
    if not viewer.signed_in:
        raise SignInRequired("Sign in to do this.")
    if permission in viewer.withheld:
        raise Forbidden(f"This token lacks the permission {permission}. Make a new one with it on your account page.")
    raise Forbidden(f"This needs the permission {permission}. Ask an administrator for it.")


class Grants(Protocol):
    """Something that grants permissions beside roles: fus's groups."""

    async def permissions_of(self, user_id: str) -> frozenset[str]:
        """All that is granted to a user."""

    async def reasons_for(self, user_id: str) -> Sequence[Reason]:
        """The same, apart by what grants it; for people who ask why."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why somebody may do something."""

    by: str
    """`Every account`, `The role kelifax:moderator`, `The fus group editors`."""
    permissions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Policy:
    """Every permission there is, what each role grants, and what everybody with an account may do."""

    known: frozenset[str]
    roles: Mapping[str, frozenset[str]]
    """`system:role` → permissions; `admin` is the role that holds all of them."""
    members: frozenset[str]

    def granted(self, roles: Iterable[str], extra: Iterable[str] = ()) -> frozenset[str]:
        """What roles and groups grant together; words that no system knows grant nothing."""
        granted = set(self.members)
        for role in roles:
            granted |= self.known if role == ADMIN else self.roles.get(role, frozenset())
        granted.update(word for word in extra if word in self.known)
        return frozenset(granted)

    def reasons(self, roles: Iterable[str], extra: Iterable[Reason] = ()) -> tuple[Reason, ...]:
        """The same as `granted`, apart by what grants it; what grants nothing is left out."""
        found = [Reason("Every account", self.members)]
        for role in sorted(roles):
            permissions = self.known if role == ADMIN else self.roles.get(role, frozenset())
            found.append(Reason(f"The role {role}", permissions))
        found.extend(Reason(each.by, each.permissions & self.known) for each in extra)
        return tuple(reason for reason in found if reason.permissions)


ADMIN = "admin"
"""The role of the suite that holds every permission."""
