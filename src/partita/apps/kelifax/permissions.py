"""What can be allowed in Kelifax, and which roles allow it."""

from __future__ import annotations

from partita.kit.permissions import Permission


class Kelifax(Permission):
    """The permissions."""

    READ_MODERATION = "kelifax:moderation:read", "See submissions and reports"
    APPROVE = "kelifax:resource:approve", "Approve, reject and feature resources"
    EDIT = "kelifax:resource:edit", "Edit resources"
    DELETE = "kelifax:resource:delete", "Delete resources"
    READ_LOG = "kelifax:log:read", "Read the moderation log"
    READ_ANALYTICS = "kelifax:analytics:read", "See analytics"


MEMBERS: frozenset[str] = frozenset()
"""An account alone allows nothing that visitors may not do."""

MODERATOR = frozenset(map(str, Kelifax))
"""Moderators may do everything in Kelifax."""

ROLES: dict[str, frozenset[str]] = {"moderator": MODERATOR, "admin": MODERATOR}
