"""Who may do what: permissions are words, roles and groups grant them, everything else is denied."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol, Self

from partita.kit.problems import Forbidden, SignInRequired


class Access(StrEnum):
    """What a route may require instead of a permission."""

    PUBLIC = "public"
    """Anybody."""
    SIGNED_IN = "signed-in"
    """Anybody with an account."""


class Permission(StrEnum):
    """Base of one enumeration per system; each permission is a word `system:thing:action` and a label."""

    label: str

    def __new__(cls, word: str, label: str) -> Self:
        permission = str.__new__(cls, word)
        permission._value_ = word
        permission.label = label
        return permission


class House(Permission):
    """What administrators of the suite do."""

    MANAGE_USERS = "house:users:manage", "Manage accounts"
    MANAGE_JOBS = "house:jobs:manage", "See and manage everybody's jobs"
    READ_OUTBOX = "house:outbox:read", "Read mail that was kept instead of sent"
    READ_METRICS = "house:metrics:read", "Read metrics"
    READ_REQUESTS = "house:requests:read", "See which DynamoDB requests make a page"


@dataclass(frozen=True, slots=True)
class Viewer:
    """The person or program that sent a request, with their permissions."""

    user_id: str | None = None
    username: str = ""
    name: str = ""
    permissions: frozenset[str] = frozenset()
    withheld: frozenset[str] = frozenset()
    """Permissions of a token's owner that the token lacks."""
    lapsed: frozenset[str] = frozenset()
    """Permissions that a token was given and its owner has no longer."""
    labels: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """What people call the permissions of a token's owner: refusals say which to choose."""
    via: Literal["nobody", "session", "token", "oidc", "command"] = "nobody"
    session_id: str | None = None
    must_change_password: bool = False
    """A one-time password grants nothing until it is changed."""
    must_add_factor: bool = False
    """Whoever must have a second factor is granted nothing until they have."""
    confirmed: bool = False
    """Whether the password or a code was entered a few minutes ago in this session."""
    avatar: str | None = None
    """The file of their own picture."""

    @property
    def signed_in(self) -> bool:
        return self.user_id is not None

    def may(self, permission: str) -> bool:
        """Whether this viewer has the permission."""
        if permission == Access.PUBLIC:
            return True
        if permission == Access.SIGNED_IN:
            return self.signed_in
        return permission in self.permissions

    @property
    def id(self) -> str:
        """The user's id; `SignInRequired` for visitors."""
        if self.user_id is None:
            raise SignInRequired("Sign in to do this.")
        return self.user_id


NOBODY = Viewer()


def authorize(viewer: Viewer, permission: str) -> None:
    """Raise unless the viewer has the permission: 401 if signing in might help, otherwise 403."""
    if viewer.may(permission):
        return
    if not viewer.signed_in:
        raise SignInRequired("Sign in to do this.")
    refuse_withheld(viewer, permission)
    if permission in viewer.lapsed:
        raise Forbidden(
            f"This needs the permission {_named(permission)}, which you have no longer. Ask an administrator for it: "
            "this token works again when you have it."
        )
    if viewer.via == "token":
        raise Forbidden(
            f"This needs the permission {_named(permission)}, which neither this token nor you have. Ask an "
            f"administrator for it. When you have it, {_another_token('it', viewer)}"
        )
    raise Forbidden(f"This needs the permission {_named(permission)}. Ask an administrator for it.")


def refuse_withheld(viewer: Viewer, *permissions: str) -> None:
    """Raise if the viewer is a token whose owner has one of these permissions: the next step is another token. Before
    any refusal that would say whom to ask instead."""
    for permission in permissions:
        if permission in viewer.withheld:
            raise token_lacks(viewer, permission)


def token_lacks(viewer: Viewer, *permissions: str) -> Forbidden:
    """The refusal of a token that needs all of these, which its owner has."""
    lacks, them = ("permission", "it") if len(permissions) == 1 else ("permissions", "them")
    return Forbidden(
        f"This token lacks the {lacks} {_all_named(permissions, viewer)}, which you have. A token cannot be changed: "
        f"{_another_token(them, viewer)}"
    )


def require_write(viewer: Viewer, system: str) -> None:
    """Raise before a token changes something that needs no permission but an account, unless it was given one of the
    system, or any if `system` is empty: one that was made for reading only reads, and one that was made for one system
    leaves the others alone."""
    start = f"{system}:" if system else ""
    if viewer.via != "token" or any(each.startswith(start) for each in viewer.permissions):
        return
    of = f" of {system}" if system else ""
    enough = sorted(each for each in viewer.withheld if each.startswith(start))
    if not enough:
        raise Forbidden(
            f"This token only reads here, and you have no permission{of} that another could have. Ask an administrator "
            f"for one. When you have it, {_another_token('it', viewer)}"
        )
    one = "it" if len(enough) == 1 else "one of them"
    raise Forbidden(
        f"This token only reads here. Any permission{of} is enough to change what is yours; you have "
        f"{_all_named(enough[:_MOST_NAMED], viewer)}. A token cannot be changed: {_another_token(one, viewer)}"
    )


def _another_token(permission: str, viewer: Viewer) -> str:
    """The next step for the owner of a token: one that has another permission and still does what this one does."""
    besides = " and those that this one has" if viewer.permissions or viewer.lapsed else ""
    return f"create another token with {permission}{besides} on your account page (/account/tokens)."


_MOST_NAMED = 5


class ConfirmationRequired(Forbidden):
    """The session is known, but whoever uses it must show again that they are its owner."""

    code = "confirm_it_is_you"
    title = "Confirm that it is you"


def require_confirmation(viewer: Viewer) -> None:
    """Raise before something dangerous, unless the password or a code was entered a few minutes ago.

    Only browsers are asked: they are left open, and their cookies are stolen. A program has what its token grants, and
    nobody creates a token without being asked.
    """
    if viewer.via == "session" and not viewer.confirmed:
        raise ConfirmationRequired("Enter your password or a code again to do this.")


def _named(permission: str, label: str = "") -> str:
    """A permission for people and for programs: `“Edit sites” (fus:site:edit)`."""
    label = permission.label if isinstance(permission, Permission) else label
    return f"“{label}” ({permission})" if label else permission


def _all_named(permissions: Iterable[str], viewer: Viewer) -> str:
    return ", ".join(_named(each, viewer.labels.get(each, "")) for each in permissions)


class Grants(Protocol):
    """Something that grants permissions besides roles, such as fus's groups."""

    async def permissions_of(self, user_id: str) -> frozenset[str]:
        """All that is granted to a user."""

    async def reasons_for(self, user_id: str) -> Sequence[Reason]:
        """The same, listed by what grants it."""

    async def holders(self, permission: str) -> Sequence[str]:
        """The ids of everybody to whom this grants a permission."""

    async def members_of(self, group: str) -> Sequence[str] | None:
        """The ids of everybody in a group; None if there is no such group."""

    async def groups_named(self, start: str, limit: int) -> Sequence[str]:
        """The names of groups that begin so, in any case."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why somebody may do something."""

    by: str
    """`Every account`, `Role Kelifax moderator`, `Group editors`."""
    permissions: frozenset[str]


_SUITE = "The suite"
"""What belongs to no system, as people read it."""


@dataclass(frozen=True, slots=True)
class Policy:
    """All permissions, what each role grants, and what everybody with an account may do."""

    labels: Mapping[str, str]
    """Permission → its label."""
    roles: Mapping[str, frozenset[str]]
    """`system:role` → permissions; `admin` is the role that holds all of them."""
    members: frozenset[str]
    role_labels: Mapping[str, str] = field(default_factory=dict)
    """Role → what people call it."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """System → its title."""
    known: frozenset[str] = field(init=False)
    """Every permission there is."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", frozenset(self.labels))

    def label(self, permission: str) -> str:
        """The label of a permission; a stored one that no longer exists is its own label."""
        return self.labels.get(permission, permission)

    def label_with_system(self, permission: str) -> str:
        """`fus: Write comments`, for lists of several systems, whose labels may be the same."""
        if permission not in self.labels:
            return permission
        return f"{self.titles.get(permission.partition(':')[0], _SUITE)}: {self.labels[permission]}"

    def role_label(self, role: str) -> str:
        """The label of a role."""
        return "Administrator" if role == ADMIN else self.role_labels.get(role, role)

    def choices(self, among: Container[str]) -> dict[str, list[tuple[str, str]]]:
        """These permissions with their labels, by the title of their system; those of the suite itself come last."""
        grouped: dict[str, list[tuple[str, str]]] = {title: [] for title in self.titles.values()}
        for permission, label in self.labels.items():
            if permission in among:
                title = self.titles.get(permission.partition(":")[0], _SUITE)
                grouped.setdefault(title, []).append((permission, label))
        return {title: permissions for title, permissions in grouped.items() if permissions}

    def role_choices(self) -> dict[str, list[tuple[str, str, str]]]:
        """Every role with its label and what it grants, by the title of its system."""
        grouped = {_SUITE: [(ADMIN, self.role_label(ADMIN), "Everything in every system")]}
        for role, permissions in self.roles.items():
            granted = ", ".join(sorted(map(self.label, permissions)))
            title = self.titles.get(role.partition(":")[0], _SUITE)
            grouped.setdefault(title, []).append((role, self.role_label(role), granted))
        return grouped

    def granted(self, roles: Iterable[str], extra: Iterable[str] = ()) -> frozenset[str]:
        """What roles and groups grant together; unknown words grant nothing."""
        granted = set(self.members)
        for role in roles:
            granted |= self.known if role == ADMIN else self.roles.get(role, frozenset())
        granted.update(word for word in extra if word in self.known)
        return frozenset(granted)

    def reasons(self, roles: Iterable[str], extra: Iterable[Reason] = ()) -> tuple[Reason, ...]:
        """The same as `granted`, listed by what grants it; roles and groups that grant nothing are left out."""
        reasons = [Reason("Every account", self.members)]
        for role in sorted(roles):
            permissions = self.known if role == ADMIN else self.roles.get(role, frozenset())
            reasons.append(Reason(f"Role {self.role_label(role)}", permissions))
        reasons.extend(Reason(each.by, each.permissions & self.known) for each in extra)
        return tuple(reason for reason in reasons if reason.permissions)


ADMIN = "admin"
"""The role of the suite that holds every permission."""
