"""Telling people: the change stream stores what must be told, the clock tells it group by group, each person once."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from partita.apps.enablement import schema
from partita.apps.enablement.formats import Due, today_of
from partita.apps.enablement.schema import Content, ContentChange, Fanout
from partita.apps.enablement.service.audience import BATCH_APPROVED, BATCH_SUBMITTED, TOLD_ACTIONS, Audience, Group
from partita.apps.enablement.service.clock import FANOUT, ContentClock, fanout_key
from partita.apps.enablement.service.inbox import KIND_OF
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.table import Put, Update

_AT_ONCE = 16


class Fanouts:
    """What people must be told, and telling it."""

    def __init__(self, kit: Kit, clock: ContentClock) -> None:
        self._kit = kit
        self._store = kit.store
        self._audience = Audience(kit)
        clock.handle(FANOUT, self.tell)

    async def follow_change(self, change: ContentChange) -> None:
        """Store that people must be told of a row of the history; for the change stream, and once."""
        if change.action not in TOLD_ACTIONS:
            return
        content = await find(self._store, schema.content, change.history_of)
        if content is None:
            return
        by, at = change.changed_by, change.changed_at
        if change.batch is not None:
            # One row for all of them, whichever comes first; what readers hear stays one for each.
            cause = BATCH_SUBMITTED if change.action == "submitted" else BATCH_APPROVED
            await self._store_once(self.due(f"{change.batch}.{cause}", cause, change.batch, at, by=by))
            if change.action != "approved":
                return
        details = {"authors": list(await self._audience.authors(content)), "batch": change.batch}
        await self._store_once(self.due(change.change_id, change.action, change.history_of, at, by=by, details=details))

    async def _store_once(self, new: Fanout) -> None:
        with suppress(_Known):
            await self._store.write(Put(new).if_new().otherwise(_Known()))

    def due(
        self,
        change_id: str,
        cause: str,
        content_id: str,
        at: str,
        *,
        by: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> Fanout:
        """What must be told of a cause at the clock's next look: for the transaction of whatever causes it. The id is
        the cause's own, so that the same cause is the same row."""
        now = self._kit.clock.now()
        return Fanout(
            change_id=change_id,
            cause=cause,
            of_content=content_id,
            caused_at=at,
            caused_by=by,
            details=details,
            due_day=today_of(now),
            due_key=fanout_key(now, change_id),
        )

    async def tell(self, fanout: Fanout, _due: Due) -> bool:
        """Tell everybody whom a cause concerns. It may run at once in several processes and end anywhere: a person is
        told once, and a group that is done is not read again. Of a batch that goes on, nobody hears yet."""
        if fanout.cause in (BATCH_SUBMITTED, BATCH_APPROVED):
            job = await self._kit.jobs.look(fanout.of_content)
            if job is not None and job.is_open:
                return False
        content, groups = await self._audience.groups(fanout)
        done = fanout.done
        for group in groups:
            if group.name in done:
                continue
            await self._tell_group(fanout, content, group)
            done = (*done, group.name)
            await self._store.write(Update(fanout.own_key, Fanout.done.set(done)).when(fanout.own_key.present()))
        ended = Update(fanout.own_key, Fanout.due_day.remove(), Fanout.due_key.remove())
        await self._store.write(ended.when(fanout.own_key.present()))
        return True

    async def _tell_group(self, fanout: Fanout, content: Content | None, group: Group) -> None:
        turns = asyncio.Semaphore(_AT_ONCE)

        async def one(user_id: str, reason: str) -> None:
            async with turns:
                await self._tell_one(fanout, content, group, user_id, reason)

        waiting: list[asyncio.Task[None]] = []
        async with asyncio.TaskGroup() as tasks:
            async for user_id, reason in group.people():
                waiting.append(tasks.create_task(one(user_id, reason)))
                if len(waiting) >= 10 * _AT_ONCE:  # so that a large group does not lie in memory
                    await asyncio.wait(waiting)
                    waiting.clear()

    async def _tell_one(self, fanout: Fanout, content: Content | None, group: Group, user_id: str, reason: str) -> None:
        product = (
            None if content is None else " · ".join(filter(None, (content.product_suite, content.product_concept)))
        )
        data = {
            "title": group.title,
            "message": group.message,
            "reason": reason[:300],
            "type": group.type,
            "product": product or "",
            **({} if content is None else {"content_id": content.content_id}),
        }
        await self._kit.notifications.tell(
            user_id,
            KIND_OF[group.about],
            # One id for each person: the documented index finds one notification by its id alone.
            cause=f"{fanout.change_id} for {user_id}",
            at=fanout.caused_at,
            data=data,
            link=group.link,
        )


class _Known(Exception):
    """It is stored already."""
