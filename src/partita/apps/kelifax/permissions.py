"""What can be allowed in Kelifax, and which roles allow it."""

from __future__ import annotations

from partita.kit.permissions import Permission


class Kelifax(Permission):
    """The permissions."""

    LIKE = "kelifax:resource:like", "Upvote and save resources"
    READ_MODERATION = "kelifax:moderation:read", "See submissions and reports"
    APPROVE = "kelifax:resource:approve", "Approve, reject and feature resources"
    EDIT = "kelifax:resource:edit", "Edit resources"
    DELETE = "kelifax:resource:delete", "Delete resources"
    READ_LOG = "kelifax:log:read", "Read the moderation log"
    READ_ANALYTICS = "kelifax:analytics:read", "See analytics"


MEMBERS: frozenset[str] = frozenset({Kelifax.LIKE.value})
"""What everybody with an account may do."""

MODERATOR = frozenset(map(str, Kelifax))
"""Moderators may do everything in Kelifax."""

ROLES: dict[str, frozenset[str]] = {"moderator": MODERATOR, "admin": MODERATOR}
