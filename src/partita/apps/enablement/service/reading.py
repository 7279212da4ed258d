"""Must read: people are asked to read content by a day, confirm that they have, and are reminded until they do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from partita.apps.enablement import schema
from partita.apps.enablement.formats import day_after, day_of, today_of
from partita.apps.enablement.inputs import MustReadRequest
from partita.apps.enablement.permissions import Action, Enablement
from partita.apps.enablement.schema import Content, ContentChange, Fanout, MustRead, confirmed_reader
from partita.apps.enablement.service import audience
from partita.apps.enablement.service.access import allows, is_scheduled, visible_to
from partita.apps.enablement.service.bookkeeping import entry
from partita.apps.enablement.service.changing import Changing, Step
from partita.apps.enablement.service.desks import MOST_COUNTED
from partita.apps.enablement.service.fanouts import Fanouts
from partita.kit.accounts import Account
from partita.kit.jobs import Arguments, JobKind, Result, Running
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import Conflict, FieldError, Invalid
from partita.table import ChangedMeanwhileError, Check, Delete, Page, Put, Transaction, Update
from partita.table.types import timestamp

T = TypeVar("T")
ASKED, ASKED_NO_MORE, REMINDED = "asked_to_read", "asked_no_more", "reminded"
"""Actions of the history. Whoever is told of the first and the last: those who have not confirmed."""
DAYS_AGAIN = 14
"""How long people have who are asked again, if their day is over."""
MOST_READERS = 5000
_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class ReadingEntry:
    """Something to read, or that was read."""

    row: MustRead
    content: Content

    @property
    def asked(self) -> bool:
        """Whether somebody else asked for it."""
        return self.row.asked_by != self.row.reader


@dataclass(frozen=True, slots=True)
class Readers:
    """Who was asked to read something, and who has."""

    content: Content
    missing: tuple[MustRead, ...]
    confirmed: tuple[MustRead, ...]
    unasked: tuple[MustRead, ...]
    """Those who confirmed without having been asked."""
    reminded_today: bool

    @property
    def total(self) -> int:
        """How many were asked."""
        return len(self.missing) + len(self.confirmed)


class Reading:
    """Asking, confirming, reminding."""

    def __init__(self, kit: Kit, changing: Changing, fanouts: Fanouts) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing
        self._fanouts = fanouts

    # Approvers

    async def ask(self, viewer: Viewer, content_id: str, request: MustReadRequest) -> Content:
        """Ask people, and groups as they are now, to read something by a day. Whoever has confirmed the current version
        is not asked again."""
        content = await self._changing.allowed(viewer, content_id, Action.ASK)
        if request.read_by < today_of(self._changing.now()):
            raise Invalid(FieldError("read_by", "Choose today or a later day."))
        readers = await self._people(request)
        asked_at = timestamp(self._changing.now())
        await self._each(readers, lambda reader: self._ask_one(viewer, content, reader, request.read_by, asked_at))
        due = self._asking(content_id, self._kit.ids.new(), asked_at, viewer.id)

        async def asked(before: Content, now: datetime) -> Step:
            after = before.with_(Content.must_read_by(request.read_by))
            scheduled = is_scheduled(before, now)  # then the release tells them
            return Step(after, ASKED, quiet=True, writes=() if scheduled else (Put(due).if_new(),))

        # The rows come first: those are told who are asked then.
        return await self._changing.change(viewer, content_id, Action.ASK, asked)

    async def suggest_people(self, viewer: Viewer, text: str) -> list[Account]:
        """People whose username begins with a text and who may read, for the field that names readers."""
        authorize(viewer, Enablement.APPROVE)
        accounts = self._kit.accounts
        found = await accounts.people.suggest(text[:64])
        return [each for each in found if str(Enablement.READ) in await accounts.permissions.of(each)]

    async def suggest_groups(self, viewer: Viewer, text: str) -> list[str]:
        """Groups whose name begins with a text."""
        authorize(viewer, Enablement.APPROVE)
        return await self._kit.accounts.permissions.suggest_groups(text)

    async def withdraw(self, viewer: Viewer, content_id: str) -> Content:
        """Ask nobody any more; what was confirmed stays."""
        content = await self._changing.allowed(viewer, content_id, Action.ASK)
        if content.must_read_by is None:
            raise Conflict("Nobody is asked to read this.", code="nobody_asked")

        async def withdrawn(before: Content, now: datetime) -> Step:  # noqa: ARG001
            return Step(before.with_(Content.must_read_by(None)), ASKED_NO_MORE, quiet=True)

        after = await self._changing.change(viewer, content_id, Action.ASK, withdrawn)
        rows = [each async for each in self._store.stream(schema.readers_asked(content_id))]
        await self._each([each for each in rows if is_open(each)], self._ask_no_more)
        return after

    async def remind(self, viewer: Viewer, content_id: str) -> int:
        """Remind those who have not confirmed, once a day; how many there are."""
        content = await self._changing.allowed(viewer, content_id, Action.ASK)
        now = self._changing.now()
        missing = [each async for each in self._store.stream(schema.readers_asked(content_id)) if is_open(each)]
        if not missing:
            raise Conflict("Everybody has read this.", code="nobody_to_remind")
        again = Conflict("They have been reminded today already. Try again tomorrow.", code="reminded_today")
        told = entry(_reminder_id(now), viewer.id, REMINDED, now, before=content, after=None)
        there = Check(content.own_key, content.own_key.present())
        due = self._fanouts.due(
            f"{content_id}.{told.change_id}", audience.REMINDED, content_id, told.changed_at, by=viewer.id
        )
        await self._store.transact(Transaction(there, Put(told).if_new().otherwise(again), Put(due).if_new()))
        await self._each(missing, lambda row: self._mark_reminded(row, today_of(now)))
        return len(missing)

    async def readers(self, viewer: Viewer, content_id: str) -> Readers:
        """Who was asked and who has confirmed; for the owner and approvers."""
        content = await self._changing.allowed(viewer, content_id, Action.SEE_READERS)
        query = schema.readers_asked(content_id)
        rows = (await self._store.page(query, limit=MOST_READERS)).items
        asked = [each for each in rows if each.asked_by != each.reader]
        reminder = schema.change(content_id, _reminder_id(self._changing.now()))
        return Readers(
            content,
            tuple(sorted((each for each in asked if is_open(each)), key=lambda row: (row.read_by, row.reader))),
            tuple(sorted((each for each in asked if not is_open(each)), key=lambda row: row.confirmed_at or "")),
            tuple(each for each in rows if each.asked_by == each.reader and not is_open(each)),
            await self._store.get(reminder) is not None,
        )

    # Readers

    async def mine(self, viewer: Viewer, *, limit: int = 50, cursor: str | None = None) -> Page[ReadingEntry]:
        """What the viewer must still read, the most urgent first; what they cannot read any more is left out."""
        page = await self._store.page(schema.reading_of(viewer.id), limit=limit, after=cursor)
        return Page(tuple(await self._entries(viewer, page)), page.next_cursor)

    async def to_read_count(self, viewer: Viewer) -> int:
        """How much the viewer must still read, up to `MOST_COUNTED`."""
        return len((await self.mine(viewer, limit=MOST_COUNTED)).items)

    async def confirmed(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[ReadingEntry]:
        """What the viewer has confirmed."""
        page = await self._store.page(schema.confirmed_by(viewer.id), limit=limit, after=cursor)
        return Page(tuple(await self._entries(viewer, page)), page.next_cursor)

    async def state(self, viewer: Viewer, content_id: str) -> MustRead | None:
        """Whether the viewer must read an item, or has."""
        return await self._store.get(schema.must_read(content_id, viewer.id).consistently())

    async def open_among(self, viewer: Viewer, content_ids: Iterable[str]) -> set[str]:
        """Those of several items that the viewer has still to read."""
        wanted = tuple(dict.fromkeys(content_ids))
        rows = await self._store.batch_get(schema.must_reads(wanted, viewer.id)) if wanted else []
        return {row.of_content for row in rows if row is not None and is_open(row)}

    async def confirm(self, viewer: Viewer, content_id: str) -> MustRead:
        """I have read this, as it is now; also for those whom nobody asked."""

        async def attempt() -> MustRead:
            content = await self._changing.allowed(viewer, content_id, Action.RESPOND)
            now = self._changing.now()
            before = await self.state(viewer, content_id)
            if before is not None and not is_open(before) and before.confirmed_major == content.major:
                return before
            row = before or MustRead(
                of_content=content_id,
                reader=viewer.id,
                read_by=today_of(now),
                asked_at=timestamp(now),
                asked_by=viewer.id,
            )
            after = row.with_(
                MustRead.confirmed_at(timestamp(now)),
                MustRead.confirmed_major(content.major),
                MustRead.open_reader(confirmed_reader(viewer.id)),
            )
            put = Put(after).if_new() if before is None else unchanged(Put(after), before)
            await self._store.write(put.otherwise(ChangedMeanwhileError("What you have read")))
            return after

        return await self._store.attempt(attempt)

    # A new version

    async def ask_again(self, change: ContentChange) -> int:
        """Ask everybody once more who confirmed an earlier version, if the approver said so; how many."""
        content = await self._changing.content(change.history_of)
        if not change.ask_again or content.must_read_by is None:
            return 0
        read_by = max(content.must_read_by, day_after(change.changed_at[:10], DAYS_AGAIN))
        rows = [each async for each in self._store.stream(schema.readers_asked(content.content_id))]
        outdated = [each for each in rows if each.asked_by != each.reader and not is_open(each)]
        outdated = [each for each in outdated if (each.confirmed_at or "") < change.changed_at]
        await self._each(outdated, lambda row: self._reopen(row, read_by, change))
        begun = outdated or any(each.asked_at == change.changed_at for each in rows)
        if begun and day_of(content.must_read_by) != read_by:
            step = Step(content.with_(Content.must_read_by(read_by)), ASKED, quiet=True)
            await self._changing.commit(change.changed_by, content, step, self._changing.now())
        if begun:
            due = self._asking(content.content_id, f"{change.change_id}.again", change.changed_at, change.changed_by)
            with suppress(ChangedMeanwhileError):  # this was done before, and they are told
                await self._store.write(Put(due).if_new().otherwise(ChangedMeanwhileError("The request")))
        return len(outdated)

    async def start_asking(self, change: ContentChange) -> None:
        """Have everybody asked again by a job: a handler of changes must be quick."""
        arguments = {"content_id": change.history_of, "change_id": change.change_id}
        await self._kit.jobs.start(ASK_AGAIN, arguments, None, key=change.change_id)

    def job(self) -> JobKind:
        """Asking again, as a job."""

        async def run(running: Running, arguments: Arguments) -> Result:  # noqa: ARG001
            wanted = schema.change(str(arguments["content_id"]), str(arguments["change_id"]))
            change = await self._store.get(wanted)
            number = 0 if change is None else await self.ask_again(change)
            return Result(f"{number} asked again.")

        return JobKind(ASK_AGAIN, "Ask people to read a new version", run, kept_days=1)

    # Details

    def _asking(self, content_id: str, change_id: str, asked_at: str, by: str) -> Fanout:
        """Those must be told who were asked at this moment."""
        details = {"asked_at": asked_at}
        return self._fanouts.due(change_id, audience.ASKED, content_id, asked_at, by=by, details=details)

    async def _people(self, request: MustReadRequest) -> list[str]:
        """The ids of those who are meant and may read; every name that is wrong is refused."""
        people, errors = self._kit.accounts.people, []
        found: set[str] = set()
        for number, username in enumerate(request.usernames):
            person = await people.by_username(username)
            if person is None or person.suspended:
                errors.append(FieldError(f"usernames.{number}", f"There is nobody with the username {username!r}."))
            elif Enablement.READ not in await self._kit.accounts.permissions.of(person):
                errors.append(FieldError(f"usernames.{number}", f"{username} may not read content of this portal."))
            else:
                found.add(person.user_id)
        for number, group in enumerate(request.groups):
            members = await self._kit.accounts.permissions.members_of(group)
            if members is None:
                errors.append(FieldError(f"groups.{number}", f"There is no group {group!r}."))
            else:
                accounts = await people.get_many(members)
                found |= {each.user_id for each in accounts.values() if not each.suspended}
        if len(found) > MOST_READERS:
            errors.append(FieldError("groups", f"At most {MOST_READERS:,} people at once; these are {len(found):,}."))
        if errors:
            raise Invalid(*errors)
        if not found:
            raise Invalid(FieldError("groups", "Nobody is in these groups."))
        return sorted(found)

    async def _ask_one(self, viewer: Viewer, content: Content, reader: str, read_by: str, now: str) -> None:
        async def attempt() -> None:
            before = await self._store.get(schema.must_read(content.content_id, reader).consistently())
            if before is None:
                row = MustRead(
                    of_content=content.content_id,
                    reader=reader,
                    read_by=read_by,
                    asked_at=now,
                    asked_by=viewer.id,
                    open_reader=reader,
                )
                await self._store.write(Put(row).if_new().otherwise(ChangedMeanwhileError("The request")))
                return
            up_to_date = not is_open(before) and before.confirmed_major == content.major
            after = before.with_(MustRead.asked_by(viewer.id), MustRead.asked_at(now), MustRead.read_by(read_by))
            if not up_to_date:
                after = after.with_(MustRead.open_reader(reader))
            await self._store.write(unchanged(Put(after), before))

        await self._store.attempt(attempt)

    async def _ask_no_more(self, row: MustRead) -> None:
        """Somebody may have confirmed it in this moment: then it stays."""
        if row.confirmed_at is not None:  # an earlier version: that stays
            back = row.with_(MustRead.open_reader(confirmed_reader(row.reader)))
            await self._unless_changed(unchanged(Put(back), row))
        else:
            await self._unless_changed(Delete(row.own_key).unless_changed(row, MustRead.open_reader))

    async def _reopen(self, row: MustRead, read_by: str, change: ContentChange) -> None:
        again = row.with_(
            MustRead.open_reader(row.reader),
            MustRead.read_by(read_by),
            MustRead.asked_at(change.changed_at),
            MustRead.asked_by(change.changed_by),
        )
        await self._unless_changed(unchanged(Put(again), row))

    async def _mark_reminded(self, row: MustRead, day: str) -> None:
        await self._unless_changed(
            Update(row.own_key, MustRead.reminded_on.set(day)).unless_changed(row, MustRead.open_reader)
        )

    async def _unless_changed(self, write: Put[MustRead] | Update[MustRead] | Delete[MustRead]) -> None:
        try:
            await self._store.write(write)
        except ChangedMeanwhileError:
            return

    async def _each(self, things: Iterable[T], act: Callable[[T], Awaitable[None]]) -> None:
        """Some at a time: a group may have thousands of members."""
        waiting = list(things)
        for start in range(0, len(waiting), _AT_ONCE):
            await asyncio.gather(*(act(each) for each in waiting[start : start + _AT_ONCE]))

    async def _entries(self, viewer: Viewer, rows: Iterable[MustRead]) -> list[ReadingEntry]:
        listed = list(rows)
        ids = tuple(dict.fromkeys(each.of_content for each in listed))
        found = await self._store.batch_get(schema.content_found(ids).keys) if ids else []
        now = self._changing.now()
        contents = {
            each.content_id: each
            for each in found
            if each is not None and visible_to(viewer, each, now).page == "whole" and _in_use(viewer, each, now)
        }
        return [ReadingEntry(each, contents[each.of_content]) for each in listed if each.of_content in contents]


def _in_use(viewer: Viewer, content: Content, now: datetime) -> bool:
    return content.status in ("Approved", "Expired") and allows(viewer, content, Action.FIND, now)


def is_open(row: MustRead) -> bool:
    """Whether somebody has still to confirm it."""
    return row.open_reader == row.reader


def unchanged(put: Put[MustRead], before: MustRead) -> Put[MustRead]:
    """Only over the row that was read."""
    return put.unless_changed(
        before, MustRead.open_reader, MustRead.confirmed_at, MustRead.asked_at, MustRead.asked_by, MustRead.read_by
    )


def _reminder_id(now: datetime) -> str:
    """One entry of the history a day, so that nobody is reminded twice."""
    return f"reminded.{today_of(now)}"


ASK_AGAIN = "enablement.ask-again"
