"""Who may see and do what with a content item: the role table, applied. Pure functions, used everywhere."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from partita.apps.enablement.formats import day_of, today_of
from partita.apps.enablement.permissions import (
    ROLE_TABLE,
    SHORT,
    UNTIL_APPROVED,
    Action,
    Enablement,
    Part,
    State,
)
from partita.apps.enablement.schema import Content
from partita.kit.permissions import Viewer, refuse_withheld
from partita.kit.problems import Conflict, Forbidden, NotFound, Problem, SignInRequired
from partita.table.types import timestamp


class Verdict(StrEnum):
    """What the role table says."""

    ALLOWED = "allowed"
    SHORT = "short page"
    FORBIDDEN = "403"
    CONFLICT = "409"
    HIDDEN = "404"


@dataclass(frozen=True, slots=True)
class Visibility:
    """What somebody sees of a content item."""

    listed: bool
    """Whether it may be in their lists, search results, numbers and news."""
    page: Literal["whole", "short", "none"]
    """`short`: title, reason and replacement. `none`: it does not exist for them."""
    download: bool
    change_notes: bool
    history: bool


def visible_to(viewer: Viewer, content: Content, now: datetime) -> Visibility:
    """What somebody sees of a content item at a moment."""
    page = verdict(viewer, content, Action.READ, now)
    return Visibility(
        listed=allows(viewer, content, Action.FIND, now),
        page="whole" if page is Verdict.ALLOWED else "short" if page is Verdict.SHORT else "none",
        download=allows(viewer, content, Action.DOWNLOAD, now),
        change_notes=allows(viewer, content, Action.CHANGE_NOTES, now),
        history=allows(viewer, content, Action.HISTORY, now),
    )


def state_of(content: Content, now: datetime) -> State:
    """The column of the role table. What has expired is so from its moment on, even if the clock is late."""
    if content.status == "Draft":
        return State.DRAFT
    if content.status == "Deprecated":
        return State.RETIRED
    if content.status == "Expired" or has_expired(content, now):
        return State.HARD_EXPIRED if content.closes else State.SOFT_EXPIRED
    return State.SCHEDULED if is_scheduled(content, now) else State.RELEASED


def has_expired(content: Content, now: datetime) -> bool:
    """Whether approved content is no longer valid, and the clock has not said so yet."""
    ends = content.expires_at
    return content.status == "Approved" and ends is not None and ends <= timestamp(now)


def is_scheduled(content: Content, now: datetime) -> bool:
    """Whether approved content waits for its day. Rows of the original program have no `released_at`."""
    if content.status != "Approved":
        return False
    if content.approval_state == "scheduled" and content.released_at is None:
        return True
    return (day_of(content.effective_date) or "") > today_of(now)


def parts_of(viewer: Viewer, content: Content) -> frozenset[Part]:
    """Who somebody is to a content item; an owner who may no longer write is none."""
    parts = {
        part
        for part, permission in (
            (Part.VIEWER, Enablement.READ),
            (Part.APPROVER, Enablement.APPROVE),
            (Part.ADMIN, Enablement.MANAGE),
        )
        if viewer.may(permission)
    }
    if viewer.signed_in and viewer.user_id == content.owner_user_id and viewer.may(Enablement.WRITE):
        parts.add(Part.OWNER)
    return frozenset(parts)


def verdict(viewer: Viewer, content: Content, action: Action, now: datetime) -> Verdict:
    """What the role table says of an action. Whoever may not know of the item is told nothing else."""
    state = state_of(content, now)
    parts = parts_of(viewer, content)
    known = _cell(parts, content, ROLE_TABLE[Action.READ, state])
    if known is Verdict.FORBIDDEN:
        return Verdict.HIDDEN
    return known if action is Action.READ else _cell(parts, content, ROLE_TABLE[action, state])


def _cell(parts: frozenset[Part], content: Content, cell: str) -> Verdict:
    if not cell:
        return Verdict.CONFLICT
    if parts and (Part.VIEWER in cell or any(part in cell for part in parts)):
        return Verdict.ALLOWED
    if UNTIL_APPROVED in cell and Part.OWNER in parts and not content.ever_approved:
        return Verdict.ALLOWED
    return Verdict.SHORT if SHORT in cell and Part.VIEWER in parts else Verdict.FORBIDDEN


def allows(viewer: Viewer, content: Content, action: Action, now: datetime) -> bool:
    """Whether somebody may do something."""
    return verdict(viewer, content, action, now) is Verdict.ALLOWED


def permits(parts: Iterable[str], content: Content, action: Action, now: datetime) -> bool:
    """Whether somebody who is these parts to an item may do something with it."""
    return _cell(frozenset(map(Part, parts)), content, ROLE_TABLE[action, state_of(content, now)]) is Verdict.ALLOWED


def require(viewer: Viewer, content: Content, action: Action, now: datetime) -> None:
    """Refuse what the role table does not allow, and say what is missing and whom to ask."""
    said = verdict(viewer, content, action, now)
    if said is not Verdict.ALLOWED:
        raise refusal(viewer, content, action, now, said)


def refusal(viewer: Viewer, content: Content, action: Action, now: datetime, said: Verdict) -> Problem:
    """Why the role table does not allow something."""
    if said is Verdict.HIDDEN:
        return no_such_content(content.content_id)
    if said is Verdict.CONFLICT:
        state = state_of(content, now)
        detail = f"“{content.title}” is in the state “{state}”, which does not allow this: {action}."
        return Conflict(detail, code="wrong_state")
    if not viewer.signed_in:
        return SignInRequired("Sign in to do this.")
    cell = ROLE_TABLE[action, state_of(content, now)]
    refuse_withheld(viewer, *enough_for(viewer, content, cell))
    return Forbidden(f"You may not do this: {action}. {_whom_to_ask(cell)}")


def enough_for(viewer: Viewer, content: Content, parts: Container[str]) -> list[Enablement]:
    """The permissions of which any one makes somebody one of these parts to an item."""
    of = {Part.APPROVER: Enablement.APPROVE, Part.ADMIN: Enablement.MANAGE}
    if viewer.user_id == content.owner_user_id:
        of = {Part.OWNER: Enablement.WRITE, **of}
    return [permission for part, permission in of.items() if part in parts]


def _whom_to_ask(cell: str) -> str:
    if Part.OWNER in cell:
        return "Ask its owner or an administrator of the portal."
    if Part.APPROVER in cell:
        return "Ask somebody with the role approver."
    return "Ask an administrator of the portal."


def no_such_content(content_id: str) -> NotFound:
    """The same words for what is not there and for what somebody may not know of."""
    return NotFound(f"There is no content {content_id[:80]!r}.")


class Closed(Forbidden):
    """Content that readers may know of and no longer read: what it was, why it is closed, and what replaced it."""

    code = "closed"

    def __init__(self, content: Content) -> None:
        self._content = content
        why = f" {content.retired_because}" if content.retired_because else ""
        state = "retired" if content.status == "Deprecated" else "no longer valid"
        super().__init__(f"“{content.title}” is {state}.{why}")

    @property
    def members(self) -> dict[str, Any]:
        return {"content_title": self._content.title, "superseded_by": self._content.superseded_by}


def own_work(viewer: Viewer, content: Content, changed_by: str | None) -> Forbidden | None:
    """Nobody decides on their own work, but administrators."""
    if viewer.may(Enablement.MANAGE) or viewer.user_id not in (content.owner_user_id, changed_by):
        return None
    refuse_withheld(viewer, Enablement.MANAGE)
    return Forbidden("This is your own work. Ask another approver to decide on it.", code="own_work")
