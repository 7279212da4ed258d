"""What can be allowed in the newsletter generator, and which roles allow it."""

from __future__ import annotations

from partita.kit.permissions import Permission


class Letters(Permission):
    """The permissions. What belongs to a newsletter is for its owner, those it is shared with, and managers."""

    WRITE = "newsletter:newsletter:write", "Make newsletters"
    MANAGE = "newsletter:newsletter:manage", "Read and edit everybody's newsletters and proposals"
    APPROVE = "newsletter:newsletter:approve", "Approve newsletters"
    READ_SOURCES = "newsletter:source:read", "Read sources"
    ADD_SOURCES = "newsletter:source:add", "Add sources"
    MANAGE_SOURCES = "newsletter:source:manage", "Edit and delete everybody's sources"
    PROPOSE = "newsletter:proposal:write", "Write proposals"
    MANAGE_PROMPTS = "newsletter:prompt:manage", "Choose the writer and edit prompts"
    MANAGE_BRAND = "newsletter:brand:manage", "Set logo, colour and imprint"


AUTHOR = frozenset(map(str, (Letters.WRITE, Letters.READ_SOURCES, Letters.ADD_SOURCES, Letters.PROPOSE)))
EDITOR = AUTHOR | {str(Letters.APPROVE), str(Letters.MANAGE_SOURCES)}
ROLES: dict[str, frozenset[str]] = {
    "author": AUTHOR,
    "editor": EDITOR,
    "admin": frozenset(map(str, Letters)),
}
