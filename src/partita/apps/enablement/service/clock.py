"""The clock: expires what is over, releases what is scheduled, and has people reminded; every minute, safely twice.

It finds what is due by an index, day by day from where it was, and never by reading everything.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from partita.apps.enablement import schema
from partita.apps.enablement.formats import Due, day_after, due_key, due_of, start_of, today_of
from partita.apps.enablement.schema import ClockMark, Content, Fanout, PortalUpload, Proposal
from partita.apps.enablement.service.access import has_expired
from partita.apps.enablement.service.bookkeeping import (
    CLOCK,
    EXPIRY,
    MUST_READ,
    RELEASE,
    REVIEW,
    due_after,
    due_steps,
    reminder_of,
    step_of,
)
from partita.apps.enablement.service.changing import Changing, expiry_of
from partita.apps.enablement.service.lifecycle import Lifecycle
from partita.kit.jobs import Arguments, JobKind, Result, Running, Schedule
from partita.kit.kit import Kit
from partita.table import AttributeOf, ChangedMeanwhileError, Put, Transaction, Update
from partita.table.types import timestamp

_log = logging.getLogger(__name__)

DueRow = Content | Proposal | PortalUpload | Fanout
Handle = Callable[[Any, Due], Awaitable[bool]]
"""Does what is due with a row, and returns whether it did: False if it has changed meanwhile."""
FANOUT, SWEEP = "fanout", "sweep"
"""What the clock does with other rows: tells people, deletes an upload that nobody attached."""
LATE = timedelta(minutes=15)
"""A day is not over for the clock until then: another machine may still write for it, and indexes follow later."""
PATIENCE = 2
"""The days for which the clock goes back to what failed."""
LOOK_BACK = 400
"""The days that the first look goes back."""


class ContentClock:
    """Does what is due."""

    def __init__(self, kit: Kit, changing: Changing, lifecycle: Lifecycle) -> None:
        self._kit = kit
        self._store = kit.store
        self._changing = changing
        self._lifecycle = lifecycle
        self._handlers: dict[str, Handle] = {
            RELEASE: self._release,
            REVIEW: self._remind,
            EXPIRY: self._remind,
            MUST_READ: self._remind,
        }

    def handle(self, kind: str, handler: Handle) -> None:
        """Let another part of the service do what is due of a kind, such as `fanout` or `sweep`."""
        self._handlers[kind] = handler

    async def expire_due(self) -> Counter[str]:
        """Expire everything whose validity is over: how many were due, expired, skipped (another was faster, or the
        index was behind) and failed. What failed is tried again the next time."""
        numbers = Counter(due=0, expired=0, skipped=0, errors=0)
        now = self._changing.now()

        async def visit(day: str) -> bool:
            whole = True
            async for content in self._store.stream(schema.expiring_until(day, timestamp(now))):
                numbers["due"] += 1
                outcome = await self._expire(content, now)
                numbers[outcome] += 1
                if outcome == "errors":
                    whole = await self._put_off(content, Content.expiry_day, day, now) and whole
            return whole

        await self._each_day("expiry", now, visit)
        return numbers

    async def run_due(self) -> Counter[str]:
        """Release, remind, tell, sweep: how many were due, done, skipped and failed. Kinds that nobody handles wait."""
        numbers = Counter(due=0, done=0, skipped=0, errors=0)
        now = self._changing.now()

        async def visit(day: str) -> bool:
            whole = True
            async for row in self._store.stream(schema.due_on(day)):
                due = due_of(row.due_key or "")
                if due is None or due.at > timestamp(now):
                    continue
                numbers["due"] += 1
                outcome = await self._do(row, due)
                numbers[outcome] += 1
                if outcome != "done":
                    whole = await self._put_off(row, type(row).due_day, day, now) and whole
            return whole

        await self._each_day("due", now, visit)
        return numbers

    async def _each_day(self, name: str, now: datetime, visit: Callable[[str], Awaitable[bool]]) -> None:
        """Visit every day from the first that is not finished to today, and remember how far it came."""
        today = today_of(now)
        mark = await self._store.get(schema.clock_mark(name))
        day = first = day_after(today, -LOOK_BACK) if mark is None else min(mark.from_day, today)
        unfinished: str | None = None
        while day <= today:
            if not await visit(day) and unfinished is None:
                unfinished = day
            day = day_after(day)
        finished = unfinished or min(today, today_of(now - LATE))
        if mark is None or finished > first:
            await self._remember(name, mark, finished)

    async def _put_off(self, row: DueRow, attribute: AttributeOf[Any, Any], day: str, now: datetime) -> bool:
        """Put what cannot be done for two days off until tomorrow, so that one bad row does not make the clock visit
        all the days since; whether its old day is finished with that."""
        today = today_of(now)
        if day >= day_after(today, -PATIENCE):
            return False
        try:
            later = Update(row.own_key, attribute.set(day_after(today)))
            await self._store.write(later.unless_changed(row, attribute))
        except ChangedMeanwhileError:
            return False
        return True

    async def _remember(self, name: str, mark: ClockMark | None, day: str) -> None:
        new = ClockMark(name=name, from_day=day)
        # Whoever is behind another must not take the mark back.
        put = Put(new).if_new() if mark is None else Put(new).unless_changed(mark, ClockMark.from_day)
        with suppress(ChangedMeanwhileError):
            await self._store.write(put.otherwise(ChangedMeanwhileError("The clock")))

    async def _expire(self, content: Content, now: datetime) -> str:
        if not has_expired(content, now):
            return "skipped"
        try:
            await self._changing.commit(CLOCK, content, expiry_of(content), now)
        except ChangedMeanwhileError:
            return "skipped"
        except Exception:
            _log.exception("enablement: %s could not be expired", content.content_id)
            return "errors"
        return "expired"

    async def _do(self, row: DueRow, due: Due) -> str:
        handler = self._handlers.get(due.kind)
        if handler is None:
            return "skipped"
        try:
            return "done" if await handler(row, due) else "skipped"
        except ChangedMeanwhileError:
            return "skipped"
        except Exception:
            _log.exception("enablement: %s of %s failed", due.kind, row.own_key.wire)
            return "errors"

    async def _release(self, row: Content | Proposal, due: Due) -> bool:
        if isinstance(row, Proposal):
            await self._lifecycle.release_proposal(row, CLOCK)
        else:
            await self._lifecycle.release(row, CLOCK)
        return True

    async def _remind(self, content: Content, due: Due) -> bool:
        """Store who must be told, and move on to the next step; both or neither."""
        today = today_of(self._changing.now())
        following = due_after(content, due, today)
        moved = Update(
            content.own_key,
            *(
                (Content.due_day.remove(), Content.due_key.remove())
                if following is None
                else (Content.due_day.set(following.day), Content.due_key.set(following.key(content.content_id)))
            ),
        ).unless_changed(content, Content.due_key, Content.version)
        told = reminder_of(content, due, today)
        stale = due not in due_steps(content)  # another program has changed its dates
        reminders = () if stale else (Put(self._reminder(content, told)),)
        await self._store.transact(Transaction(moved, *reminders))
        return True

    def _reminder(self, content: Content, due: Due) -> Fanout:
        step = step_of(content, due)
        change_id = f"{content.content_id}.{due.kind}.{due.day}"
        return Fanout(
            change_id=change_id,
            cause=due.kind,
            of_content=content.content_id,
            caused_at=start_of(due.day),
            details={"step": step},
            due_day=today_of(self._changing.now()),
            due_key=fanout_key(self._changing.now(), change_id),
        )


def fanout_key(now: datetime, change_id: str) -> str:
    """The `due_key` of a fan-out that the clock takes up the next time; its `due_day` is today."""
    return due_key(FANOUT, timestamp(now), change_id)


def jobs(clock: ContentClock) -> tuple[JobKind, ...]:
    """The clock as jobs."""

    async def expire(running: Running, arguments: Arguments) -> Result:  # noqa: ARG001
        numbers = await clock.expire_due()
        return Result(_told(numbers), values=dict(numbers), idle=not any(numbers.values()))

    async def due(running: Running, arguments: Arguments) -> Result:  # noqa: ARG001
        numbers = await clock.run_due()
        return Result(_told(numbers), values=dict(numbers), idle=not any(numbers.values()))

    return (
        JobKind("enablement.expire", "Expire content that is no longer valid", expire, retries=0, kept_days=1),
        JobKind("enablement.due", "Release and remind of content", due, retries=0, kept_days=1),
    )


SCHEDULES = (
    Schedule("enablement.expire", "enablement.expire", every=timedelta(minutes=1)),
    Schedule("enablement.due", "enablement.due", every=timedelta(minutes=1)),
)


def _told(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in numbers.items()) + "."
