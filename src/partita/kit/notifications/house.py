"""Notifications in the house's table.

Exact counts: the inbox's numbers change in the transaction of the notification. To read everything is one write, the
next round: what belongs to an earlier round is read. Notifications of one day expire at one moment, and the inbox
counts by day, so that what has expired is no longer counted, without any write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

from partita.kit.clock import Clock
from partita.kit.notifications import schema
from partita.kit.notifications.kinds import HOUSE_STORE
from partita.kit.notifications.schema import Inbox, Merged, Note
from partita.kit.notifications.stores import KEPT_DAYS, Entry, Notification, Position, day_of, expiry_of
from partita.store.store import AsyncStore
from partita.table import Action, ChangedMeanwhileError, Check, KeyPartError, Put, Transaction, Update

_TRIES = 40
"""Many may add to one inbox at once: a site that everybody comments on."""


class HouseStore:
    """Everybody's inbox."""

    name = HOUSE_STORE

    def __init__(self, store: AsyncStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    # -- adding

    async def add(self, notification: Notification) -> bool:
        """Add a notification once; True unless it was merged into an unread one."""

        async def attempt() -> bool:
            box = await self._inbox(notification.user_id)
            if notification.group:
                return await self._add_to_group(box, notification)
            return await self._add_alone(box, notification)

        return await self._store.attempt(attempt, tries=_TRIES)

    async def _add_alone(self, box: Inbox, told: Notification) -> bool:
        new = _note(told, box)
        one_more = Transaction(Put(new).if_new().otherwise(_Known()), self._counted(box, {new.day: 1}))
        with suppress(_Known):  # from an earlier try
            await self._store.transact(one_more)
        return True

    async def _add_to_group(self, box: Inbox, told: Notification) -> bool:
        known = await self._store.get(schema.merged(told.user_id, told.cause_id))
        if known is not None:
            return known.opened
        there = await self._store.get(schema.note(told.user_id, told.id))
        new = _note(told, box)
        merge = there is not None and there.unread_in(box)
        guard = Merged(
            user_id=told.user_id,
            cause_id=told.cause_id,
            opened=not merge,
            begun_by=there.begun_by if there is not None and merge else told.cause_id,
            expires_at=expiry_of(day_of(told.at)),
        )
        new = new.with_(Note.begun_by(guard.begun_by))
        counts: dict[str, int] = {new.day: 1}
        if there is None:
            # A row that has expired and is not deleted yet is in nobody's way.
            write = Put(new).if_new(or_expired_at=self._clock.now().timestamp()).otherwise(_changed)
        else:
            if merge:
                newer = new if new.at >= there.at else there
                new = newer.model_copy(update={"count": there.count + 1, "round": box.round, "read": False})
                counts = {} if new.day == there.day else {there.day: -1, new.day: 1}
            write = Put(new).unless_changed(there, Note.at, Note.count, Note.round, Note.read)
        try:
            await self._store.transact(
                Transaction(Put(guard).if_new().otherwise(_Known()), write, self._counted(box, counts))
            )
        except _Known:
            return await self._add_to_group(box, told)  # another try has counted it, and said how
        return guard.opened

    # -- reading

    async def page(self, user_id: str, *, limit: int, before: Position | None) -> Sequence[Entry]:
        """Somebody's notifications, newest first."""
        query = schema.notes_of(user_id)
        if before is not None:
            query = query.before(Note.at(before.at), Note.note_id(before.id))
        notes = (await self._store.page(query, limit=limit)).items
        if not notes:
            return ()
        box = await self._store.get(schema.inbox(user_id))
        return [_entry(each, box) for each in notes]

    async def unread_count(self, user_id: str) -> int:
        """One item, read by its key."""
        box = await self._store.get(schema.inbox(user_id))
        if box is None:
            return 0
        oldest = self._oldest_day()
        return sum(count for day, count in box.unread.items() if day >= oldest)

    async def unread_among(self, user_id: str, causes: Mapping[str, str]) -> frozenset[str]:
        """Those of these causes that are unread, given with the id of the notification that tells each."""
        if not causes:
            return frozenset()
        keys = [schema.note(user_id, each).key for each in dict.fromkeys(causes.values())]
        guards = [schema.merged(user_id, cause).key for cause, note in causes.items() if cause != note]
        box = await self._store.get(schema.inbox(user_id))
        notes = await self._store.batch_get(keys, consistent=True)
        counted = await self._store.batch_get(guards, consistent=True) if guards else []
        begun = {each.note_id: each.begun_by for each in notes if each is not None and each.unread_in(box)}
        read = {each.cause_id for each in counted if each and each.begun_by != begun.get(causes[each.cause_id])}
        return frozenset(cause for cause, note in causes.items() if note in begun and cause not in read)

    async def mark_read(self, user_id: str, id: str) -> Entry | None:
        """Mark one as read, if it is unread."""
        try:
            wanted = schema.note(user_id, id)
        except KeyPartError:
            return None

        async def attempt() -> Entry | None:
            box, there = await self._store.get(schema.inbox(user_id)), await self._store.get(wanted)
            if there is None:
                return None
            if box is not None and there.unread_in(box):
                read = Update(there.own_key, Note.read.set(True))
                same = read.unless_changed(there, Note.count, Note.round, Note.read, Note.day)
                await self._store.transact(Transaction(same, self._counted(box, {there.day: -1})))
            return _entry(there, None)

        return await self._store.attempt(attempt, tries=_TRIES)

    async def mark_all_read(self, user_id: str) -> None:
        """Begin the next round."""
        box = await self._store.get(schema.inbox(user_id))
        if box is not None:
            await self._store.write(Update(box.own_key, Inbox.round.add(1), Inbox.unread.set({})))

    # -- the inbox

    async def _inbox(self, user_id: str) -> Inbox:
        """Somebody's inbox, made if it is missing."""
        found = await self._store.get(schema.inbox(user_id))
        if found is not None:
            return found
        new = Inbox(user_id=user_id)
        try:
            await self._store.write(Put(new).if_new().otherwise(_Known()))
        except _Known:
            return await self._inbox(user_id)
        return new

    def _counted(self, box: Inbox, changes: dict[str, int]) -> Update[Inbox] | Check[Inbox]:
        """The inbox with other numbers of unread ones, if it is still in the round that the decision rests on. Days
        that have expired are removed on the way."""
        same = Inbox.round.equals(box.round)
        actions: list[Action[Inbox]] = [Inbox.unread[day].add(change) for day, change in changes.items()]
        oldest = self._oldest_day()
        actions += [Inbox.unread[day].remove() for day in box.unread if day < oldest and day not in changes]
        if not actions:
            return Check(box.own_key, same).otherwise(_changed)
        return Update(box.own_key, *actions).when(same).otherwise(_changed)

    def _oldest_day(self) -> str:
        """The first day whose notifications have not expired."""
        return (self._clock.now().date() - timedelta(days=KEPT_DAYS)).isoformat()


def _note(told: Notification, box: Inbox) -> Note:
    day = day_of(told.at)
    return Note(
        user_id=told.user_id,
        note_id=told.id,
        kind=told.kind,
        at=told.at,
        data=dict(told.data),
        link=told.link,
        round=box.round,
        day=day,
        expires_at=expiry_of(day),
    )


def _entry(note: Note, box: Inbox | None) -> Entry:
    return Entry(note.note_id, note.kind, note.at, note.data, note.link, note.count, note.unread_in(box))


def _changed(there: Inbox | Note | None) -> ChangedMeanwhileError:
    return ChangedMeanwhileError("The inbox", there)


class _Known(Exception):
    """Another try, or another process, was faster."""
