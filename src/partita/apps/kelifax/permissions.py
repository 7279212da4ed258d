"""What can be allowed in Kelifax, and which roles allow it."""

from __future__ import annotations

from enum import StrEnum


class Kelifax(StrEnum):
    """The permissions."""

    READ_MODERATION = "kelifax:moderation:read"
    APPROVE = "kelifax:resource:approve"
    EDIT = "kelifax:resource:edit"
    DELETE = "kelifax:resource:delete"
    READ_LOG = "kelifax:log:read"
    READ_ANALYTICS = "kelifax:analytics:read"


MODERATOR = frozenset(Kelifax)
"""Moderators approve, reject, feature, edit and delete: there is nothing in Kelifax that they may not do."""

ROLES: dict[str, frozenset[str]] = {
    "moderator": frozenset(map(str, MODERATOR)),
    "admin": frozenset(map(str, Kelifax)),
}
