"""What can be allowed in WorthWatch, and which roles allow it. That curators publish is no permission but their status:
it changes in the transaction that publishes or suspends."""

from __future__ import annotations

from partita.kit.permissions import Permission


class WorthWatch(Permission):
    """The permissions of WorthWatch."""

    LIST = "worthwatch:list:write", "Make lists"
    RATE = "worthwatch:rating:write", "Rate and review titles"
    COMMENT = "worthwatch:comment:write", "Write comments"
    REPORT = "worthwatch:report:write", "Report lists, comments and reviews"
    APPLY = "worthwatch:application:write", "Apply as a curator"
    DECIDE = "worthwatch:application:decide", "Decide applications, suspend and restore curators"
    MODERATE = "worthwatch:report:resolve", "Resolve reports, remove lists, comments and reviews"
    CATALOG = "worthwatch:catalog:edit", "Add, edit, check, import and merge titles"
    LOG = "worthwatch:log:read", "Read who changed what"


MEMBERS = frozenset({WorthWatch.LIST, WorthWatch.RATE, WorthWatch.COMMENT, WorthWatch.REPORT, WorthWatch.APPLY})
"""What everybody with an account may do."""

ROLES: dict[str, frozenset[str]] = {
    "moderator": frozenset(map(str, {WorthWatch.DECIDE, WorthWatch.MODERATE, *MEMBERS})),
    "librarian": frozenset(map(str, {WorthWatch.CATALOG, *MEMBERS})),
    "admin": frozenset(map(str, WorthWatch)),
}
