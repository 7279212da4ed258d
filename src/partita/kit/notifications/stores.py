"""What holds notifications: the house's table, or one that a system brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2s
from typing import Any, Protocol

from partita.table.types import timestamp

KEPT_DAYS = 90
"""How long a notification lasts."""


@dataclass(frozen=True, slots=True)
class Notification:
    """Something that somebody should know, made of its cause alone: whoever makes it again makes the same."""

    user_id: str
    kind: str
    cause: str
    """What it is about, by an id that the cause itself has: a comment's, a decision's."""
    at: str
    """When the cause happened; not when somebody got round to telling it."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """What the kind's words are made of."""
    link: str = ""
    """The path it leads to."""
    group: str = ""
    """Notifications of one group are merged into one while it is unread; empty: never."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", timestamp(moment(self.at)))  # one spelling, so that text order is time order

    @property
    def id(self) -> str:
        """Its id among the recipient's: of the cause, or of the group."""
        return digest(self.kind, "group", self.group) if self.group else self.cause_id

    @property
    def cause_id(self) -> str:
        """The id of the cause among the recipient's notifications."""
        return digest(self.kind, "cause", self.cause)


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a list of notifications: text order of time and id."""

    at: str
    id: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A notification as its store has it."""

    id: str
    kind: str
    at: str
    data: Mapping[str, Any]
    link: str
    count: int
    """How many were merged into it."""
    unread: bool

    @property
    def position(self) -> Position:
        return Position(self.at, self.id)


class NotificationStore(Protocol):
    """What a system brings if it has a table of its own for notifications."""

    @property
    def name(self) -> str:
        """Its name in addresses, `enablement`; the house's is `house`."""

    async def add(self, notification: Notification) -> bool:
        """Add a notification once, however often this is called. True if it is one of its own, False if it was merged
        into one that was unread; the same answer each time."""

    async def page(self, user_id: str, *, limit: int, before: Position | None) -> Sequence[Entry]:
        """Somebody's notifications before a place, newest first; fewer than the limit only at the end."""

    async def unread_count(self, user_id: str) -> int:
        """How many are unread: exactly those that the pages show as unread."""

    async def unread_among(self, user_id: str, causes: Mapping[str, str]) -> frozenset[str]:
        """Those of these causes that are unread, given with the id of the notification that tells each: of a group that
        was read and began anew, those that came since."""

    async def mark_read(self, user_id: str, id: str) -> Entry | None:
        """Mark one as read, and return it; None if there is none."""

    async def mark_all_read(self, user_id: str) -> None:
        """Mark all as read, with work that does not grow with their number."""


def digest(*parts: str) -> str:
    """An id made of texts; other texts make another one."""
    told = b"".join(len(raw).to_bytes(4, "big") + raw for raw in (part.encode() for part in parts))
    return blake2s(told, digest_size=16).hexdigest()


def moment(text: str) -> datetime:
    """A moment in any spelling that a table may have; without a zone it is UTC."""
    at = datetime.fromisoformat(text)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)


def day_of(at: str) -> str:
    """The day of a moment, in UTC."""
    return moment(at).date().isoformat()


def expiry_of(day: str) -> int:
    """When notifications of a day go: all of them at one moment, so that counts by day stay exact."""
    begun = datetime.fromisoformat(day).replace(tzinfo=UTC)
    return int((begun + timedelta(days=KEPT_DAYS + 1)).timestamp())
