"""Notifications in the house's table: somebody's inbox, settings, and what waits for a digest."""

from __future__ import annotations

from typing import Any, Literal

from partita.kit.notifications.kinds import MailPace
from partita.kit.schema import DIGESTS, HOUSE, INBOX
from partita.table import Attribute, Get, Item, Query, access_pattern, attribute, camel_case, derived, key_part, version
from partita.table.types import Day, Timestamp

Cadence = Literal["soon", "daily", "weekly"]
"""`soon` is mail at once, of kinds that gather."""


# 1. The inbox: how many are unread, and which round of reading it is.
class Inbox(Item, table=HOUSE, pk="INBOX#{user_id}", sk="INBOX", names=camel_case):
    """How many notifications of each day somebody has not read."""

    user_id: Attribute[str] = key_part()
    round: Attribute[int] = attribute(default=0)
    """Goes up when everything is read: what belongs to an earlier round is read, without being touched."""
    unread: Attribute[dict[str, int]] = attribute(default_factory=dict)
    """Day of the notification → unread ones. A day's notifications expire together, and their number with them."""


@access_pattern("Somebody's inbox", HOUSE, documented=False, user_id="1")
def inbox(user_id: str) -> Get[Inbox]:
    return Inbox.get(Inbox.user_id(user_id)).consistently()


# 2. Notification: one per cause, or one per group.
class Note(
    Item,
    table=HOUSE,
    pk="INBOX#{user_id}",
    sk="NOTE#{note_id}",
    keys={"inboxOf": "INBOX#{user_id}", "inboxSk": "{at}#{note_id}"},
    names=camel_case,
):
    """Something that somebody should know."""

    user_id: Attribute[str] = key_part()
    note_id: Attribute[str] = key_part()
    """Made of the kind and the cause, or the group."""
    kind: Attribute[str]
    at: Attribute[Timestamp]
    """Of the cause; of the newest one in a group."""
    data: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    link: Attribute[str] = attribute(default="", max_length=2000)
    count: Attribute[int] = attribute(default=1, ge=1)
    round: Attribute[int] = attribute(default=0)
    """The inbox's when it was added, or merged into."""
    read: Attribute[bool] = attribute(default=False)
    begun_by: Attribute[str] = attribute(default="")
    """The id of the cause with which a group's count began: each time that it was read, another one."""
    day: Attribute[Day]
    """The day under which the inbox counts it."""
    expires_at: Attribute[int]

    def unread_in(self, inbox: Inbox | None) -> bool:
        """Whether it counts as unread."""
        return inbox is not None and not self.read and self.round == inbox.round


@access_pattern("A notification", HOUSE, documented=False, user_id="1", note_id="n1")
def note(user_id: str, note_id: str) -> Get[Note]:
    return Note.get(Note.user_id(user_id), Note.note_id(note_id)).consistently()


@access_pattern("Somebody's notifications, newest first", HOUSE, documented=False, user_id="1")
def notes_of(user_id: str) -> Query[Note]:
    return Note.query(INBOX, Note.user_id(user_id)).newest_first()


class Merged(Item, table=HOUSE, pk="INBOX#{user_id}", sk="CAUSE#{cause_id}", names=camel_case):
    """A cause that a group has counted: the guard that keeps it from being counted twice."""

    user_id: Attribute[str] = key_part()
    cause_id: Attribute[str] = key_part()
    opened: Attribute[bool]
    """Whether it began the group's notification anew, or was merged into an unread one."""
    begun_by: Attribute[str] = attribute(default="")
    """The notification's when it was counted: if the notification has another one now, this cause was read."""
    expires_at: Attribute[int]


@access_pattern("A cause that a group has counted", HOUSE, documented=False, user_id="1", cause_id="c1")
def merged(user_id: str, cause_id: str) -> Get[Merged]:
    return Merged.get(Merged.user_id(user_id), Merged.cause_id(cause_id)).consistently()


# 3. Settings: how somebody hears of each kind.
class NotificationSettings(Item, table=HOUSE, pk="INBOX#{user_id}", sk="SETTINGS", names=camel_case):
    """What somebody has chosen; kinds that are not here have their defaults."""

    user_id: Attribute[str] = key_part()
    suite: Attribute[dict[str, bool]] = attribute(default_factory=dict)
    mail: Attribute[dict[str, MailPace]] = attribute(default_factory=dict)
    revision: Attribute[int] = version()


@access_pattern("How somebody hears of things", HOUSE, documented=False, user_id="1")
def settings_of(user_id: str) -> Get[NotificationSettings]:
    return NotificationSettings.get(NotificationSettings.user_id(user_id)).consistently()


class Unsubscribed(Item, table=HOUSE, pk="ADDRESS#{address}", sk="KIND#{kind}", names=camel_case):
    """An address without an account that wants no more mail of a kind."""

    address: Attribute[str] = key_part()
    """A digest of it."""
    kind: Attribute[str] = key_part()
    at: Attribute[Timestamp]


@access_pattern("Whether an address wants no mail", HOUSE, documented=False, address="9f86d081", kind="press.decided")
def unsubscribed(address: str, kind: str) -> Get[Unsubscribed]:
    return Unsubscribed.get(Unsubscribed.address(address), Unsubscribed.kind(kind)).consistently()


# 4. Digests: one per person and period, and what it will tell.
class Digest(Item, table=HOUSE, pk="DIGEST#{cadence}#{period}#{user_id}", sk="DIGEST", names=camel_case):
    """A digest: open while entries are added, closed when it is being sent, done."""

    cadence: Attribute[Cadence] = key_part()
    period: Attribute[str] = key_part()
    """The day on which it is due, or the minute."""
    user_id: Attribute[str] = key_part()
    state: Attribute[Literal["open", "closed", "done"]] = attribute(default="open")
    due_at: Attribute[Timestamp]
    expires_at: Attribute[int]
    digest_due: Attribute[Literal["DUE"] | None] = derived(lambda state: None if state == "done" else "DUE")


@access_pattern("Digests that are due", HOUSE, documented=False, now="2026-01-26T10:30:00Z")
def due_digests(now: str) -> Query[Digest]:
    return Digest.query(DIGESTS, Digest.digest_due("DUE")).at_most(Digest.due_at(now))


class DigestEntry(Item, table=HOUSE, pk="DIGEST#{cadence}#{period}#{user_id}", sk="ENTRY#{cause_id}", names=camel_case):
    """Something that a digest will tell, unless it was read before."""

    cadence: Attribute[Cadence] = key_part()
    period: Attribute[str] = key_part()
    user_id: Attribute[str] = key_part()
    cause_id: Attribute[str] = key_part()
    kind: Attribute[str]
    at: Attribute[Timestamp]
    data: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    link: Attribute[str] = attribute(default="", max_length=2000)
    note_id: Attribute[str]
    """The notification that it is about: entries of a group share it."""
    in_suite: Attribute[bool]
    """Whether there is such a notification, which may have been read."""
    expires_at: Attribute[int]


@access_pattern("What a digest will tell", HOUSE, documented=False, cadence="daily", period="2026-01-26", user_id="1")
def entries_of(cadence: Cadence, period: str, user_id: str) -> Query[DigestEntry]:
    return DigestEntry.query(
        DigestEntry.cadence(cadence), DigestEntry.period(period), DigestEntry.user_id(user_id)
    ).consistently()


# What `partita check` finds here, and why it is accepted.
HOUSE.accept(
    "large-item",
    Inbox,
    Note,
    NotificationSettings,
    DigestEntry,
    because="ninety days, some dozen kinds, and data of a few short texts",
)
