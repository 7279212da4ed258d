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
    TRANSFER = "kelifax:directory:transfer", "Import and export the directory"
    READ_ANALYTICS = "kelifax:analytics:read", "See analytics"


MEMBERS: frozenset[str] = frozenset({Kelifax.LIKE.value})
"""What everybody with an account may do."""

ADMIN = frozenset(map(str, Kelifax))
"""Administrators may do everything in Kelifax."""

MODERATOR = ADMIN - {Kelifax.TRANSFER.value}
"""Moderators decide on what others submit; the directory as a whole is not theirs."""

ROLES: dict[str, frozenset[str]] = {"moderator": MODERATOR, "admin": ADMIN}
