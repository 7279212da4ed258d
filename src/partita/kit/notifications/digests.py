"""Digests: one mail per person and period with what is unread.

A notification that somebody wants in a digest waits as an entry under the period that its cause falls into, so that a
retry finds it there. A digest is closed before its entries are read, so that none is added behind its back; whoever
finds it closed finishes it, with the same entries and the same mail.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from partita.dynamo.errors import DynamoError
from partita.kit.notifications import schema
from partita.kit.notifications.schema import Cadence, Digest, DigestEntry
from partita.kit.notifications.stores import KEPT_DAYS, Notification, moment
from partita.store.store import AsyncStore
from partita.table import Put, Transaction, Update, any_of
from partita.table.types import timestamp

SOON = timedelta(minutes=5)
"""Mail at once is sent at full five minutes, ten to fifteen minutes after its cause."""
MOST_ENTRIES = 1000
"""How many entries of a digest are read; nobody reads more."""

_log = logging.getLogger(__name__)

Compose = Callable[[Digest, Sequence[DigestEntry]], Awaitable[bool]]
"""Queues the mail of a digest, the same one however often it is asked; whether there is a new mail."""


class Digests:
    """What waits, and sending it when it is due."""

    def __init__(self, store: AsyncStore, *, hour: int) -> None:
        """Digests are due at this hour, in UTC; weekly ones on Mondays."""
        self._store = store
        self._hour = hour

    async def add(self, cadence: Cadence, notification: Notification, *, in_suite: bool) -> None:
        """Let a notification wait for the next digest after its cause, once; for a later one if that is sent."""
        due = due_after(cadence, moment(notification.at), self._hour)
        while True:
            try:
                await self._store.transact(self._entry(cadence, due, notification, in_suite=in_suite))
                return
            except _Waiting:
                return  # from an earlier try
            except _Closed:
                due = due + SOON if cadence == "soon" else due_after(cadence, due, self._hour)

    async def send_due(self, now: datetime, compose: Compose) -> int:
        """Send what is due; how many mails there were. Any number of processes may do this at once."""
        sent = 0
        async for digest in self._store.stream(schema.due_digests(timestamp(now))):
            close = Update(digest.own_key, Digest.state.set("closed"))
            with suppress(_Closed):  # by another process, which may be gone: the rest is done all the same
                await self._store.write(close.when(Digest.state.equals("open")).otherwise(_Closed()))
            waiting = schema.entries_of(digest.cadence, digest.period, digest.user_id)
            entries = (await self._store.page(waiting, limit=MOST_ENTRIES)).items
            try:
                sent += await compose(digest, entries)
            except (DynamoError, OSError):
                raise
            except Exception:  # one that cannot be written must not keep others from theirs; it is tried again
                _log.exception("the %s digest of %s for %s failed", digest.cadence, digest.period, digest.user_id)
                continue
            done = Update(digest.own_key, Digest.state.set("done"))
            with suppress(_Closed):  # done by another process
                await self._store.write(done.when(Digest.state.equals("closed")).otherwise(_Closed()))
        return sent

    def _entry(self, cadence: Cadence, due: datetime, told: Notification, *, in_suite: bool) -> Transaction:
        period = f"{due:%Y-%m-%dT%H.%M}" if cadence == "soon" else due.date().isoformat()
        expires = int((due + timedelta(days=KEPT_DAYS)).timestamp())
        entry = DigestEntry(
            cadence=cadence,
            period=period,
            user_id=told.user_id,
            cause_id=told.cause_id,
            kind=told.kind,
            at=told.at,
            data=dict(told.data),
            link=told.link,
            note_id=told.id,
            in_suite=in_suite,
            expires_at=expires,
        )
        key = Digest.key(Digest.cadence(cadence), Digest.period(period), Digest.user_id(told.user_id))
        is_open = any_of(key.absent(), Digest.state.equals("open"))
        digest = Update(
            key, Digest.state.set("open"), Digest.due_at.set(timestamp(due)), Digest.expires_at.set(expires)
        ).or_new()
        return Transaction(Put(entry).if_new().otherwise(_Waiting()), digest.when(is_open).otherwise(_Closed()))


def due_after(cadence: Cadence, at: datetime, hour: int) -> datetime:
    """The first moment after this one at which a digest is due."""
    if cadence == "soon":
        begun = at.replace(minute=at.minute - at.minute % 5, second=0, microsecond=0)
        return begun + 3 * SOON
    due = at.replace(hour=hour, minute=0, second=0, microsecond=0)
    if cadence == "weekly":
        due += timedelta(days=-due.weekday())
    step = timedelta(days=7 if cadence == "weekly" else 1)
    while due <= at:
        due += step
    return due


def by_note(entries: Sequence[DigestEntry]) -> Mapping[str, Sequence[DigestEntry]]:
    """Entries by the notification that they are about, newest first: those of a group together."""
    grouped: dict[str, list[DigestEntry]] = {}
    for entry in sorted(entries, key=lambda each: (each.at, each.cause_id), reverse=True):
        grouped.setdefault(entry.note_id, []).append(entry)
    return grouped


class _Waiting(Exception):
    """The entry is there already."""


class _Closed(Exception):
    """The digest is being sent, or is sent."""
