"""The inbox: notifications on the documented table, as the bell, the list and programs read them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

from partita.apps.enablement import schema
from partita.apps.enablement.inputs import PreferencesInput
from partita.apps.enablement.permissions import Enablement, State
from partita.apps.enablement.schema import NOTIFICATION_DAYS, About, Content, Notification, Rhythm
from partita.apps.enablement.service.access import state_of
from partita.kit.clock import Clock, stamp
from partita.kit.kit import Kit
from partita.kit.notifications import Channels, Entry, Kind, MailPace, Position, Words
from partita.kit.notifications import Notification as Told
from partita.kit.notifications.letters import Line, letter
from partita.kit.notifications.stores import moment
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import NotFound
from partita.store.store import AsyncStore
from partita.table import Page, any_of

STORE = "enablement"
MOST_COUNTED = 100
"""Beyond that the bell says 99+, so that counting stays cheap."""
_AT_ONCE = 8
_LONGEST_SUMMARY = 300
_SAMPLE = Words("Version 2 of “Atlas price list”", "Prices of this year.\nBecause you follow Atlas.")


def _words(data: Mapping[str, Any], _count: int) -> Words:
    reason = str(data.get("reason") or "")
    why = f"{reason[:1].upper()}{reason[1:]}." if reason else ""
    text = "\n".join(filter(None, (data.get("message"), why)))
    return Words(str(data["title"]), text, str(data.get("product") or ""))


def _kind(about: str, label: str, why: str) -> Kind:
    return Kind(
        f"enablement.{about}",
        label,
        _words,
        why,
        Channels(suite=True, mail="daily"),
        needs=Enablement.READ,
        gathers=True,
        store=STORE,
    )


MY_WORK = _kind(
    "my-work", "My work: decisions, comments, reviews", "You get this because it is your work in the portal."
)
MUST_READ = _kind("must-read", "What I must read", "You get this because you were asked to read something.")
NEWS = _kind("news", "News of what I follow", "You get this because you follow this in the portal, or downloaded it.")
KINDS = (MY_WORK, MUST_READ, NEWS)
KIND_OF: dict[About, Kind] = {"my_work": MY_WORK, "must_read": MUST_READ, "news": NEWS}
_ABOUT = {kind.name: about for about, kind in KIND_OF.items()}
_RHYTHMS: dict[MailPace, Rhythm] = {"once": "at_once", "daily": "daily", "weekly": "weekly", "never": "never"}
_PACES = {rhythm: pace for pace, rhythm in _RHYTHMS.items()}


class News:
    """What a notification says of content, as it is now. The row itself has the title alone: validity ends without a
    write, and nobody must find the words of closed content among what they were told before."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit

    async def look_up(self, told: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The data of news with the summary of their content, or without a word of it if readers no longer have it."""
        summaries = await self._summaries(each.get("content_id") for each in told if _of_release(each))
        return [
            {**each, "message": _said(each.get("message"), summaries.get(each.get("content_id") or ""))}
            if _of_release(each)
            else each
            for each in told
        ]

    async def rows(self, rows: Sequence[Notification]) -> list[Notification]:
        """The same for rows."""
        return self.rows_about(rows, await self.contents(filter(None, map(_news_about, rows))))

    def rows_about(self, rows: Sequence[Notification], contents: Iterable[Content]) -> list[Notification]:
        """The same if the content was read already."""
        summaries = self._of_readers(contents)
        return [
            row.with_(Notification.message(_said(row.message, summaries.get(about)))) if about else row
            for row, about in zip(rows, map(_news_about, rows), strict=True)
        ]

    async def contents(self, content_ids: Iterable[str]) -> list[Content]:
        """Content as it is now; what is gone is left out."""
        wanted = tuple(dict.fromkeys(content_ids))
        found = await self._kit.store.batch_get(schema.content_found(wanted).keys) if wanted else []
        return [each for each in found if each is not None]

    async def _summaries(self, content_ids: Iterable[str | None]) -> dict[str, str]:
        return self._of_readers(await self.contents(filter(None, content_ids)))

    def _of_readers(self, contents: Iterable[Content]) -> dict[str, str]:
        """The summaries of what readers have."""
        now = self._kit.clock.now()
        return {
            each.content_id: each.summary
            for each in contents
            if state_of(each, now) in (State.RELEASED, State.SOFT_EXPIRED)
        }


def _news_about(row: Notification) -> str:
    """The id of the content that a row is news of."""
    return (row.content_id or "") if row.about != "my_work" and row.type == "info" else ""


def _of_release(data: Mapping[str, Any]) -> bool:
    return data.get("type") == "info" and bool(data.get("content_id"))


def _said(message: str | None, summary: str | None) -> str:
    """The note of a new version, or the summary; nothing if the content is closed."""
    return "" if summary is None else message or summary[:_LONGEST_SUMMARY]


class Inbox:
    """Notifications as the documented table has them; the house's bell adds them to its own."""

    name = STORE

    def __init__(self, store: AsyncStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    # What the house needs of a store of notifications

    async def add(self, notification: Told) -> bool:
        """Once for its cause and person; the first reason stays."""
        with suppress(_Known):
            row = _row(notification, stamp(self._clock))
            await self._store.write(schema.create_notification(row).otherwise(_Known()))
        return True

    async def page(self, user_id: str, *, limit: int, before: Position | None) -> Sequence[Entry]:
        """Somebody's notifications before a place, newest first."""
        query = schema.notifications_of(user_id).consistently()
        if before is not None:
            query = query.before(Notification.created_at(before.at), Notification.notification_id(before.id))
        return [_entry(row) for row in await self._store.page(query, limit=limit)]

    async def unread_count(self, user_id: str) -> int:
        """How many are unread, up to `MOST_COUNTED`."""
        return len((await self._store.page(schema.unread_ids(user_id), limit=MOST_COUNTED)).items)

    async def unread_among(self, user_id: str, causes: Mapping[str, str]) -> frozenset[str]:
        """Those of these causes that are unread; each has a notification of its own."""
        if not causes:
            return frozenset()
        unread = {row.notification_id async for row in self._store.stream(schema.unread_ids(user_id))}
        return frozenset(cause for cause, note in causes.items() if note in unread)

    async def mark_read(self, user_id: str, id: str) -> Entry | None:
        """Mark one as read, and return it."""
        found = await self.find(user_id, id)
        if found is None:
            return None
        if not found.read:
            await self._mark([found], stamp(self._clock))
        return _entry(found.with_(Notification.read(True)))

    async def mark_all_read(self, user_id: str) -> None:
        """Mark all as read. The documented `read` lies in each row, so that this grows with what is unread."""
        await self.mark_read_until(user_id, stamp(self._clock))

    # For this system's own list

    async def find(self, user_id: str, notification_id: str) -> Notification | None:
        """One of somebody's notifications, without reading the others."""
        if not notification_id or len(notification_id) > 200:
            return None
        async for row in self._store.stream(schema.notification(notification_id)):
            if row.user_id == user_id:
                return row
        return None

    async def mark_read_until(self, user_id: str, shown_at: str) -> int:
        """Mark what was there at a moment as read; how many were."""
        unread = [row async for row in self._store.stream(schema.unread_of(user_id))]
        return await self._mark(unread, shown_at)

    async def _mark(self, rows: Iterable[Notification], told_until: str) -> int:
        turns = asyncio.Semaphore(_AT_ONCE)

        async def one(row: Notification) -> bool:
            update = schema.mark_read(row.user_id, row.created_at, row.notification_id)
            there = row.own_key.present()
            shown = any_of(Notification.told_at.missing(), Notification.told_at <= told_until)
            async with turns:
                try:
                    await self._store.write(update.when(there).when(shown).otherwise(_Known()))
                except _Known:  # expired meanwhile, or it came after the list was shown
                    return False
            return True

        return sum(await asyncio.gather(*map(one, rows)))


class Notifications:
    """A person's notifications of this system, and how often they get mail."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._store = kit.store
        self.inbox = Inbox(kit.store, kit.clock)
        self._news = News(kit)
        self.kinds = tuple(replace(kind, look_up=self._news.look_up) if kind is NEWS else kind for kind in KINDS)
        """The kinds as the house uses them."""

    async def list(
        self,
        viewer: Viewer,
        *,
        show: Literal["all", "unread", "must_read"] = "all",
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page[Notification]:
        """The viewer's notifications, newest first."""
        return (await self.list_with_content(viewer, show=show, limit=limit, cursor=cursor))[0]

    async def list_with_content(
        self,
        viewer: Viewer,
        *,
        show: Literal["all", "unread", "must_read"] = "all",
        limit: int = 20,
        cursor: str | None = None,
    ) -> tuple[Page[Notification], Sequence[Content]]:
        """The same with the content that they are about, which the viewer may or may not find."""
        authorize(viewer, Enablement.READ)
        query = schema.unread_of(viewer.id) if show == "unread" else schema.notifications_of(viewer.id)
        if show == "must_read":
            query = query.where(Notification.about.equals("must_read"))
        page = await self._store.page(query, limit=limit, after=cursor)
        contents = await self._news.contents(each.content_id for each in page if each.content_id)
        return replace(page, items=tuple(self._news.rows_about(page.items, contents))), contents

    async def get(self, viewer: Viewer, notification_id: str) -> Notification:
        """One of the viewer's notifications."""
        authorize(viewer, Enablement.READ)
        found = await self.inbox.find(viewer.id, notification_id)
        if found is None:
            raise no_such_notification(notification_id)
        (shown,) = await self._news.rows([found])
        return shown

    async def unread_count(self, viewer: Viewer) -> int:
        """How many are unread; `MOST_COUNTED` means that there may be more."""
        authorize(viewer, Enablement.READ)
        return await self.inbox.unread_count(viewer.id)

    async def read(self, viewer: Viewer, notification_id: str) -> Notification:
        """Mark one as read."""
        found = await self.get(viewer, notification_id)
        await self.inbox.mark_read(viewer.id, notification_id)
        return found.with_(Notification.read(True))

    async def read_all(self, viewer: Viewer, until: str | None = None) -> int:
        """Mark those as read that were there when the list was shown; how many were."""
        authorize(viewer, Enablement.READ)
        return await self.inbox.mark_read_until(viewer.id, until or stamp(self._kit.clock))

    async def preferences(self, viewer: Viewer) -> dict[About, Rhythm]:
        """How often the viewer gets mail; kept with the house's settings, so that there is one place for it."""
        authorize(viewer, Enablement.READ)
        chosen = await self._kit.notifications.preferences.channels(viewer.id, {kind.name: kind for kind in KINDS})
        return {about: _RHYTHMS[chosen[kind.name].mail] for about, kind in KIND_OF.items()}

    async def choose(self, viewer: Viewer, choice: PreferencesInput) -> dict[About, Rhythm]:
        """Change how often the viewer gets mail."""
        authorize(viewer, Enablement.READ)
        chosen = await self._kit.notifications.preferences.channels(viewer.id, {kind.name: kind for kind in KINDS})
        changed = {
            kind.name: Channels(chosen[kind.name].suite, _PACES[rhythm])
            for about, kind in KIND_OF.items()
            if (rhythm := getattr(choice, about)) is not None
        }
        if changed:
            await self._kit.notifications.preferences.choose(viewer.id, changed)
        return await self.preferences(viewer)

    async def sample(self, viewer: Viewer) -> str:
        """The text of a mail as the viewer would get it now, of their latest news; or of something invented."""
        rows = (await self.list(viewer, limit=3)).items
        told = [_words({"title": row.title, "message": row.message, "reason": row.reason}, 1) for row in rows]
        lines = [Line(words, f"{self._kit.settings.base_url}{row.link}") for words, row in zip(told, rows, strict=True)]
        return letter(
            "A sample",
            lines or [Line(_SAMPLE, f"{self._kit.settings.base_url}/enablement")],
            name=viewer.name,
            why="This is your daily digest: what you have not read yet of the last day.",
            unsubscribe="(one click)",
        ).text


def no_such_notification(notification_id: str) -> NotFound:
    """What is somebody else's is not there."""
    return NotFound(f"You have no notification {notification_id[:80]!r}.")


def _row(told: Told, told_at: str) -> Notification:
    data = told.data
    ends = moment(told.at) + timedelta(days=NOTIFICATION_DAYS)
    return Notification(
        user_id=told.user_id,
        notification_id=told.id,
        type=data.get("type", "info"),
        title=data["title"],
        message=data.get("message") or "",
        created_at=told.at,
        content_id=data.get("content_id"),
        reason=data.get("reason"),
        cause=told.cause,
        link=told.link or None,
        about=_ABOUT[told.kind],
        told_at=told_at,
        expires_at=int(ends.timestamp()),
    )


def _entry(row: Notification) -> Entry:
    data = {
        "title": row.title,
        "message": row.message,
        "reason": row.reason,
        "type": row.type,
        "content_id": row.content_id,
    }
    kind = KIND_OF[row.about or "news"]  # the original program does not say
    return Entry(row.notification_id, kind.name, row.created_at, data, row.link or "", 1, not row.read)


class _Known(Exception):
    """There is one already, or none any more."""
