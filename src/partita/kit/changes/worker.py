"""The worker inside `serve`: one process at a time follows the streams, every handler on its own way."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import orjson

from partita.dynamo.errors import DynamoError
from partita.kit.changes.follower import MACHINES_KEPT, Follower
from partita.kit.changes.handlers import Handler
from partita.kit.changes.handling import handle, handle_all
from partita.kit.changes.lease import LOOKS, LeaseLostError, Tenancy
from partita.kit.changes.pace import Pace
from partita.kit.changes.reading import SharedReader
from partita.kit.changes.schema import Lease, Parked
from partita.kit.clock import Clock
from partita.store.store import AsyncStore
from partita.store.streams import Call
from partita.table import Delete
from partita.table.changes import change_of
from partita.table.types import timestamp

__all__ = ["ChangeWorker", "LeaseLostError", "Pace"]

_log = logging.getLogger(__name__)
_STREAMS_KEPT = timedelta(hours=22)
"""Streams keep changes for a day; what is about to go cannot be read in time."""


class ChangeWorker:
    """Follows the streams: at least once, in order per key, checkpointed, retried, parked if nothing helps. No handler
    waits for another."""

    def __init__(
        self,
        store: AsyncStore,
        call: Call,
        handlers: Iterable[Handler],
        clock: Clock,
        *,
        place: str = "",
        pace: Pace | None = None,
        reader: SharedReader | None = None,
    ) -> None:
        """With a `place`, the name of a machine, progress is kept for that machine alone, and as long as it is heard of
        now and then. Workers of one machine share a `reader`."""
        self._store = store
        self._handlers = tuple(handlers)
        self._clock = clock
        self._place = place
        self._pace = pace or Pace()
        names = [handler.name for handler in self._handlers]
        if len(names) != len(set(names)):
            raise ValueError(f"Two handlers have the same name and would share their progress: {sorted(names)}")
        kept = MACHINES_KEPT if place else None
        # A day longer than its checkpoints: they have its turns, which must not begin again at one.
        lease_kept = None if kept is None else kept + timedelta(days=1)
        self._lease = Tenancy(store, clock, self._named("changes"), self._pace.lease, kept=lease_kept)
        reader = reader or SharedReader(call, self._pace)
        self._followers = [
            Follower(store, reader, clock, self._lease, each, self.progress_of(each), self._handle_all, kept=kept)
            for each in self._handlers
        ]

    @property
    def handlers(self) -> tuple[Handler, ...]:
        return self._handlers

    def progress_of(self, handler: Handler) -> str:
        """The name under which a handler's progress is kept."""
        return self._named(handler.name)

    def _named(self, name: str) -> str:
        return f"{name}@{self._place}" if self._place else name

    async def run(self) -> None:
        """Follow the streams until cancelled; another process takes over within seconds."""
        failures = 0
        try:
            while self._handlers:
                try:
                    if await self._lease.take(self._note_absence):
                        failures = 0
                        await self._follow_all()
                    else:
                        await asyncio.sleep(self._pace.lease / LOOKS)
                except (DynamoError, LeaseLostError, OSError) as error:
                    _log.warning("changes: %s; trying again", error)
                    await asyncio.sleep(self._pace.after_failures(failures))
                    failures += 1
                except (
                    Exception
                ):  # what a machine keeps cannot be read, for example: nobody else would start this again
                    _log.exception("changes: trying again")
                    await asyncio.sleep(self._pace.longest_pause)
        finally:
            with contextlib.suppress(DynamoError, OSError):
                await self._lease.give_back()

    async def drain(self) -> int:
        """Work until every stream is read to its end; how many changes were handled."""
        total = 0
        while True:
            since = time.monotonic()
            handled = sum(await asyncio.gather(*(self._drained(each, since) for each in self._followers)))
            if not handled:
                return total
            total += handled

    async def catch_up(self, name: str) -> None:
        """Let all handlers but the one of this name, which asks for it, read their streams to the end."""
        since = time.monotonic()

        async def to_the_end(follower: Follower) -> None:
            while await follower.step(since=since):
                pass

        try:
            await asyncio.gather(*(to_the_end(each) for each in self._followers if each.handler.name != name))
        except LeaseLostError as lost:
            raise ConnectionAbortedError(f"{lost}: its handlers may be behind") from lost

    async def replay(self, parked: Parked) -> None:
        """Ask the handler once more; the change is forgotten when it succeeds, and the error is raised when not."""
        handler = next((each for each in self._handlers if each.name == parked.handler), None)
        if handler is None:
            raise LookupError(f"There is no handler {parked.handler} any more. Forget the change instead.")
        await handler.run(change_of(handler.table, orjson.loads(parked.record)))
        await self._store.write(Delete(parked.own_key))

    async def handle(self, handler: Handler, record: dict[str, Any]) -> None:
        """Ask a handler to take a change, several times; park the change if nothing helps."""
        await handle(self._store, self._clock, self._pace, handler, record)

    async def _handle_all(self, handler: Handler, records: Sequence[dict[str, Any]]) -> None:
        await handle_all(self._store, self._clock, self._pace, handler, records)

    async def _follow_all(self) -> None:
        """Every handler by itself, and the lease beside them, until the lease is lost or this is cancelled."""
        for follower in self._followers:
            follower.forget()  # what was known before is long ago
        tasks = [asyncio.create_task(self._lease.keep(), name="changes-lease")]
        tasks += [asyncio.create_task(self._follow(each), name=each.handler.name) for each in self._followers]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _note_absence(self, known: Lease | None) -> None:
        """If this machine was last heard of longer ago than streams keep changes, what it keeps is not whole. A lease
        that is not there was deleted since, or this machine is new."""
        if not self._place or (known is not None and known.until > timestamp(self._clock.now() - _STREAMS_KEPT)):
            return
        if known is None:
            _log.info("changes: this machine is new here, or was away for long: it builds what it keeps")
        for kept in (each.kept for each in self._handlers if each.kept is not None):
            if kept.outdate is not None and await kept.whole():
                if known is not None:
                    since = known.until
                    _log.warning("changes: this machine missed changes since %s, and rebuilds what it keeps", since)
                await kept.outdate()

    async def _follow(self, follower: Follower) -> None:
        failures = 0
        while self._lease.turn is not None:
            try:
                pause = 0.0 if await follower.step() else self._pace.poll
                failures = 0
            except LeaseLostError:
                raise
            except (DynamoError, OSError) as error:
                _log.warning("changes: %s: %s; trying again", follower.handler.name, error)
                pause = self._pace.after_failures(failures)
                failures += 1
            except Exception:  # a mistake of one handler's own must not stop the others
                _log.exception("changes: %s stopped and begins again", follower.handler.name)
                follower.forget()
                pause = self._pace.longest_pause
            if pause:
                await asyncio.sleep(pause)

    async def _drained(self, follower: Follower, since: float) -> int:
        """A step to the end of what there is; if another process moves the progress meanwhile, there is more to do."""
        try:
            return await follower.step(since=since)
        except LeaseLostError:
            return 1
