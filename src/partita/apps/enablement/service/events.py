"""Events: what people do, appended with the server's time, and the log of them for administrators."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from partita.apps.enablement import schema
from partita.apps.enablement.formats import today_of
from partita.apps.enablement.inputs import EventBatch, EventInput
from partita.apps.enablement.permissions import Action, Enablement, State
from partita.apps.enablement.schema import Content, Event, RecentUse
from partita.apps.enablement.service.access import allows, no_such_content, state_of
from partita.apps.enablement.service.content import Contents
from partita.kit.clock import Clock
from partita.kit.kit import Kit
from partita.kit.limits import Rule
from partita.kit.permissions import Viewer, authorize
from partita.kit.problems import FieldError, Invalid
from partita.table import Page, Put, Transaction
from partita.table.types import expires_in, timestamp

ONE_USE = timedelta(minutes=30)
"""Whoever opens something again within this time uses it once."""
SENDING = Rule("enablement-events", most=3600, seconds=3600)
USES = ("content_viewed", "content_downloaded")
"""What is counted once per person and half an hour, and not of one's own content."""
_LONGEST_WORDS = 200


class RecentlyUsed(Exception):
    """The same person did the same with the same item a moment ago."""


class Events:
    """Records what happens. Nothing here is changed afterwards; the change stream makes the numbers."""

    def __init__(self, kit: Kit, contents: Contents) -> None:
        self._kit = kit
        self._store = kit.store
        self._clock: Clock = kit.clock
        self._contents = contents
        self._kept = timedelta(days=kit.settings.enablement_event_days)

    def at(self, clock: Clock) -> Events:
        """The same with another clock, for what happened before it is recorded."""
        return Events(replace(self._kit, clock=clock), self._contents)

    # What the server sees

    async def viewed(self, viewer: Viewer, content: Content) -> bool:
        """Somebody opened a content item; whether that is a view."""
        return await self._used(viewer, content, "content_viewed")

    async def downloaded(self, viewer: Viewer, content: Content) -> bool:
        """Somebody downloaded the file of a content item; whether that counts."""
        return await self._used(viewer, content, "content_downloaded")

    async def searched(self, viewer: Viewer, words: str, results: int) -> None:
        """Somebody searched, and found so many."""
        text = " ".join(words.split())[:_LONGEST_WORDS]
        if text:
            await self._append(
                viewer.id,
                [
                    EventInput.model_construct(
                        event_name="search_done", content_id=None, metadata={"words": text, "results": results}
                    )
                ],
            )

    async def _used(self, viewer: Viewer, content: Content, name: str, metadata: dict[str, Any] | None = None) -> bool:
        """One use of what readers have: not of one's own, not twice within half an hour. The guard and the event are
        written together, so that of many at once one counts."""
        now = self._clock.now()
        if viewer.user_id is None or not is_use(viewer, content, now):
            return False
        guard = RecentUse(
            of_content=content.content_id,
            person=viewer.id,
            event_name=name,
            expires_at=expires_in(ONE_USE, now),
        )
        event = self._event(viewer.id, name, content.content_id, {**(metadata or {}), "major": content.major}, now)
        first = Put(guard).if_new(or_expired_at=now.timestamp()).otherwise(RecentlyUsed())
        try:
            await self._store.transact(Transaction(first, Put(event).if_new()))
        except RecentlyUsed:
            return False
        return True

    # What browsers and programs send

    async def record(self, viewer: Viewer, batch: EventBatch) -> int:
        """Append events; who and when, the server says. How many were recorded: uses that do not count are left out."""
        authorize(viewer, Enablement.READ)
        await self._kit.limits.check(SENDING, viewer.id)
        about = await self._about(viewer, batch.events)
        uses = [each for each in batch.events if each.event_name in USES]
        others = [each for each in batch.events if each.event_name not in USES]
        counted = await asyncio.gather(
            *(
                self._used(viewer, about[each.content_id], each.event_name, each.metadata)
                for each in uses
                if each.content_id is not None
            )
        )
        await self._append(viewer.id, others)
        return sum(counted) + len(others)

    async def _about(self, viewer: Viewer, events: Iterable[EventInput]) -> dict[str, Content]:
        """The content that events are about; refused if it is not there for the viewer."""
        given = list(enumerate(events))
        ids = {each.content_id for _, each in given if each.content_id is not None}
        found = {each.content_id: each for each in await self._contents.visible(viewer, sorted(ids))}
        errors = [
            FieldError(f"events.{number}.content_id", no_such_content(each.content_id).detail)
            for number, each in given
            if each.content_id is not None and each.content_id not in found
        ]
        errors += [
            FieldError(f"events.{number}.content_id", "Say which content it is about.")
            for number, each in given
            if each.content_id is None and each.event_name in USES
        ]
        if errors:
            raise Invalid(*errors)
        return found

    async def _append(self, user_id: str, events: Iterable[EventInput]) -> None:
        now = self._clock.now()
        # Every id is new: a batch needs no conditions, and one that is sent twice writes the same rows.
        await self._store.batch_write(
            Put(self._event(user_id, each.event_name, each.content_id, each.metadata, now)) for each in events
        )

    def _event(
        self, user_id: str, name: str, content_id: str | None, metadata: dict[str, Any] | None, now: datetime
    ) -> Event:
        return Event(
            date_bucket=today_of(now),
            event_id=self._kit.ids.new(),
            event_name=name,
            user_id=user_id,
            content_id=content_id,
            metadata=metadata,
            timestamp=timestamp(now),
            expires_at=expires_in(self._kept, now),
        )

    # The log

    async def on(self, viewer: Viewer, day: str, *, limit: int = 50, cursor: str | None = None) -> Page[Event]:
        """The events of a day, newest first; for administrators."""
        authorize(viewer, Enablement.MANAGE)
        return await self._store.page(schema.events_on(day), limit=limit, after=cursor)

    async def of(self, viewer: Viewer, user_id: str, *, limit: int = 50, cursor: str | None = None) -> Page[Event]:
        """The events of a person, newest first; for administrators."""
        authorize(viewer, Enablement.MANAGE)
        return await self._store.page(schema.events_of(user_id), limit=limit, after=cursor)


def is_use(viewer: Viewer, content: Content, now: datetime) -> bool:
    """Whether what somebody does with an item is use: it is in the hands of readers, and not their own."""
    if viewer.user_id == content.owner_user_id:
        return False
    return state_of(content, now) in (State.RELEASED, State.SOFT_EXPIRED) and allows(viewer, content, Action.FIND, now)
