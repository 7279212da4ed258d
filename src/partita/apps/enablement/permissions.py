"""What can be allowed in the portal, which roles allow it, and the table of who may do what in which state."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from partita.kit.permissions import Permission


class Enablement(Permission):
    """The permissions; each role has one more than the one before."""

    READ = "enablement:content:read", "Read released content"
    WRITE = "enablement:content:write", "Write content and submit it for approval"
    APPROVE = "enablement:content:approve", "Approve and retire content, ask people to read it"
    MANAGE = "enablement:content:manage", "Manage all content, products and logs"


VIEWER = frozenset({str(Enablement.READ)})
CONTRIBUTOR = VIEWER | {str(Enablement.WRITE)}
APPROVER = CONTRIBUTOR | {str(Enablement.APPROVE)}
ROLES: dict[str, frozenset[str]] = {
    "viewer": VIEWER,
    "contributor": CONTRIBUTOR,
    "approver": APPROVER,
    "admin": frozenset(map(str, Enablement)),
}


def members(viewers: Literal["everybody", "role"]) -> frozenset[str]:
    """What every account may do: read, unless the setting `enablement_viewers` asks for the role."""
    return VIEWER if viewers == "everybody" else frozenset()


class State(StrEnum):
    """A content item as the table below sees it; `service/access.py` tells which."""

    DRAFT = "Draft"
    SCHEDULED = "Scheduled"
    RELEASED = "Released"
    SOFT_EXPIRED = "Expired, soft"
    HARD_EXPIRED = "Expired, hard"
    RETIRED = "Retired"


class Action(StrEnum):
    """What somebody does with a content item."""

    FIND = "found in lists and search"
    READ = "read page and previews"
    DOWNLOAD = "download"
    CHANGE_NOTES = "read change notes"
    HISTORY = "history, comments, old versions, compare"
    EDIT = "edit, attach, submit, withdraw"
    COMMENT = "comment"
    DECIDE = "request changes, approve"
    PLAN = "change release day or validity, expire, retire"
    CONFIRM = "still correct"
    RENEW = "renew"
    REINSTATE = "reinstate"
    ASK = "ask to read, remind"
    SEE_READERS = "see who has read it"
    RESPOND = "vote, report, follow"
    HAND_OVER = "hand over to somebody who may write"
    DELETE = "delete"


class Part(StrEnum):
    """Who somebody is to a content item."""

    VIEWER = "V"
    OWNER = "O"
    APPROVER = "A"
    ADMIN = "X"


SHORT = "v"
"""In a cell: viewers get a short page that says what replaced it."""
UNTIL_APPROVED = "o"
"""In a cell: the owner, if it was never approved."""

_COLUMNS = tuple(State)
_ROWS: dict[Action, tuple[str, str, str, str, str, str]] = {
    #                   Draft  Scheduled  Released  soft   hard    Retired
    Action.FIND: ("OAX", "OAX", "V", "V", "OAX", "OAX"),
    Action.READ: ("OAX", "OAX", "V", "V", "OAXv", "OAXv"),
    Action.DOWNLOAD: ("OAX", "OAX", "V", "V", "X", "X"),
    Action.CHANGE_NOTES: ("OAX", "OAX", "V", "V", "OAX", "OAX"),
    Action.HISTORY: ("OAX", "OAX", "OAX", "OAX", "OAX", "OAX"),
    Action.EDIT: ("OX", "OX", "OX", "", "", ""),
    Action.COMMENT: ("OAX", "OAX", "OAX", "", "", ""),
    Action.DECIDE: ("AX", "AX", "AX", "", "", ""),
    Action.PLAN: ("", "AX", "AX", "", "", ""),
    Action.CONFIRM: ("", "", "OAX", "", "", ""),
    Action.RENEW: ("", "", "", "OAX", "OAX", ""),
    Action.REINSTATE: ("", "", "", "", "", "AX"),
    Action.ASK: ("", "AX", "AX", "", "", ""),
    Action.SEE_READERS: ("", "AX", "OAX", "", "", ""),
    Action.RESPOND: ("", "", "V", "V", "", ""),
    Action.HAND_OVER: ("OX", "OX", "OX", "OX", "OX", "OX"),
    Action.DELETE: ("oX", "X", "X", "X", "X", "X"),
}
ROLE_TABLE: dict[tuple[Action, State], str] = {
    (action, state): cell for action, cells in _ROWS.items() for state, cell in zip(_COLUMNS, cells, strict=True)
}
"""Who may do what in which state. `V` are viewers and all above; an empty cell is nobody: a conflict with the state."""


def role_table() -> str:
    """The table for docs/enablement.md."""
    head = ["action", *_COLUMNS]
    rows = [[action, *(_words(ROLE_TABLE[action, state]) for state in _COLUMNS)] for action in Action]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *rows))


def _words(cell: str) -> str:
    letters = " ".join(letter for letter in cell if letter in list(Part))
    if UNTIL_APPROVED in cell:
        letters = f"O if never approved, {letters}"
    return f"{letters}; V: short page" if SHORT in cell else letters or "—"
