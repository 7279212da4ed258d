"""The worker inside `serve`: one process at a time follows the streams for all handlers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson

from partita.dynamo.errors import DynamoError
from partita.kit.changes.handlers import Handler, Kept
from partita.kit.changes.schema import Checkpoint, Lease, Parked, checkpoints
from partita.kit.clock import Clock, stamp
from partita.store.store import AsyncStore
from partita.store.streams import Call, Shard, records, shards
from partita.table import Delete, Put, any_of
from partita.table.changes import change_of
from partita.table.types import timestamp

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """The worker's pace; times in seconds."""

    poll: float = 0.15
    """Between two polls of a stream that has nothing new."""
    batch: int = 100
    """Records between two checkpoints."""
    tries: int = 6
    """How often a handler is tried on a change before the change is parked."""
    first_pause: float = 0.05
    longest_pause: float = 5.0
    lease: float = 10.0
    """How long others wait before they take over from a process that was killed."""
    shards: float = 5.0
    """Between two looks for new shards."""


class LeaseLostError(Exception):
    """Another process follows the streams now."""


class ChangeWorker:
    """Reads the streams and runs the handlers: at least once, in order per key, with retries. A change that keeps
    failing is parked."""

    def __init__(
        self,
        store: AsyncStore,
        call: Call,
        handlers: Iterable[Handler],
        clock: Clock,
        *,
        place: str = "",
        pace: Pace | None = None,
    ) -> None:
        """With a `place`, the name of a machine, progress is kept for that machine alone."""
        self._store = store
        self._call = call
        self._handlers = tuple(handlers)
        self._clock = clock
        self._place = place
        self._lease = self._named("changes")
        self._pace = pace or Pace()
        self._holder = secrets.token_hex(8)
        self._working = asyncio.Lock()
        self._until: datetime | None = None
        self._progress: dict[str, _Progress] = {}
        names = [handler.name for handler in self._handlers]
        if len(names) != len(set(names)):
            raise ValueError(f"Two handlers have the same name and would share their progress: {sorted(names)}")

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
        self._forget()  # `drain` may have been long ago
        try:
            while True:
                try:
                    busy = await self._turn()
                except (DynamoError, LeaseLostError, OSError) as error:
                    _log.warning("changes: %s; trying again", error)
                    busy = False
                if not busy:
                    await asyncio.sleep(self._pace.poll)
        finally:
            with contextlib.suppress(DynamoError, OSError):
                await self._give_back()

    async def drain(self) -> int:
        """Read every stream to its end; returns how many changes were handled."""
        total = 0
        while True:
            async with self._working:
                handled = await self._look()
            if not handled:
                return total
            total += handled

    async def replay(self, parked: Parked) -> None:
        """Run the handler once more and forget the change; raises the error if it fails again."""
        handler = next((each for each in self._handlers if each.name == parked.handler), None)
        if handler is None:
            raise LookupError(f"There is no handler {parked.handler} any more. Use `forget` instead.")
        await handler.run(change_of(handler.table, orjson.loads(parked.record)))
        await self._store.write(Delete(parked.own_key))

    # -- one process at a time

    async def _turn(self) -> bool:
        if not await self._take():
            await asyncio.sleep(self._pace.lease / 4)
            return False
        async with self._working:
            return bool(await self._look(leased=True))

    async def _take(self) -> bool:
        """Take or renew the lease, if it is ours or has expired. It is renewed when half of it is over."""
        now = self._clock.now()
        if self._until is not None and now < self._until - timedelta(seconds=self._pace.lease / 2):
            return True
        if self._until is not None and now >= self._until:
            self._forget()  # another process may have worked meanwhile
        until = now + timedelta(seconds=self._pace.lease)
        mine = Lease(name=self._lease, holder=self._holder, until=timestamp(until))
        free = any_of(mine.own_key.absent(), Lease.holder.equals(self._holder), Lease.until < timestamp(now))
        try:
            await self._store.write(Put(mine).when(free).otherwise(LeaseLostError("Another process has the lease")))
        except LeaseLostError:
            self._forget()
            return False
        self._until = until
        return True

    def _forget(self) -> None:
        self._until = None
        self._progress.clear()

    async def _give_back(self) -> None:
        mine = Lease.key(Lease.name(self._lease))
        with contextlib.suppress(LeaseLostError):
            await self._store.write(
                Delete(mine).when(Lease.holder.equals(self._holder)).otherwise(LeaseLostError("not mine"))
            )

    # -- looking at all streams once

    async def _look(self, *, leased: bool = False) -> int:
        """One batch of each shard for each handler, side by side; how many changes were handled."""
        handled = await asyncio.gather(*(self._follow(handler, leased=leased) for handler in self._handlers))
        return sum(handled)

    async def _follow(self, handler: Handler, *, leased: bool) -> int:
        progress = await self._where(handler, leased=leased)
        total = 0
        unfinished: set[str] = set()
        for shard in progress.shards:
            place = progress.places.setdefault(shard.name, _Place())
            if place.finished:
                continue
            if shard.parent not in unfinished:  # its parent first, or the order of a key would be lost
                total += await self._advance(handler, shard, place, leased=leased)
            if not place.finished:
                unfinished.add(shard.id)
        return total

    async def _where(self, handler: Handler, *, leased: bool) -> _Progress:
        """A handler's progress; read once, since only the process with the lease changes it."""
        progress = self._progress.get(handler.name)
        now = self._clock.now()
        if progress is None:
            if handler.kept is not None and not await handler.kept.whole():
                _log.info("changes: %s rebuilds its index", handler.name)
                await self._build(handler.kept, leased=leased)
            progress = _Progress(looked=now)
            async for checkpoint in self._store.stream(checkpoints(self.progress_of(handler))):
                progress.places[checkpoint.shard] = _Place(checkpoint.sequence, finished=checkpoint.finished)
            progress.shards = await shards(self._call, handler.table)
            self._progress[handler.name] = progress
        elif now - progress.looked > timedelta(seconds=self._pace.shards):
            progress.looked = now
            progress.shards = await shards(self._call, handler.table)
        return progress

    async def _advance(self, handler: Handler, shard: Shard, place: _Place, *, leased: bool) -> int:
        batch = await records(self._call, shard, place.sequence, place.iterator, limit=self._pace.batch)
        if batch.gap:
            _log.error("changes: %s did not run for a day and missed changes of %s", handler.name, handler.table.name)
            if handler.kept is not None:
                await self._build(handler.kept, leased=leased)
        for record in batch.records:
            await self.handle(handler, record)
        place.finished = batch.iterator is None
        if batch.records:
            place.sequence = batch.records[-1]["dynamodb"]["SequenceNumber"]
        if batch.records or place.finished:
            if leased and not await self._take():
                raise LeaseLostError("Another process follows the streams now")
            done = Checkpoint(
                handler=self.progress_of(handler),
                shard=shard.name,
                sequence=place.sequence,
                finished=place.finished,
                updated_at=stamp(self._clock),
            )
            await self._store.write(Put(done))
        place.iterator = batch.iterator
        return len(batch.records)

    async def _build(self, kept: Kept, *, leased: bool) -> None:
        """Rebuild, and renew the lease meanwhile: a large table takes long."""
        building = asyncio.ensure_future(kept.build())
        try:
            while not (await asyncio.wait([building], timeout=self._pace.lease / 4))[0]:
                if leased and not await self._take():
                    raise LeaseLostError("Another process follows the streams now")
            await building
        finally:
            building.cancel()

    async def handle(self, handler: Handler, record: dict[str, Any]) -> None:
        """Run a handler on a change, with retries; park the change if it keeps failing."""
        change = change_of(handler.table, record)
        pause = self._pace.first_pause
        for attempt in range(1, self._pace.tries + 1):
            try:
                await handler.run(change)
                return
            except Exception as error:  # whatever it is, the next changes must not wait for ever
                _log.warning("changes: %s failed on %s (try %d): %r", handler.name, change.sequence, attempt, error)
                if attempt == self._pace.tries:
                    await self._park(handler, record, error)
                    return
            await asyncio.sleep(pause)
            pause = min(pause * 2, self._pace.longest_pause)

    async def _park(self, handler: Handler, record: dict[str, Any], error: Exception) -> None:
        sequence = record["dynamodb"]["SequenceNumber"]
        _log.error("changes: %s parked %s of %s", handler.name, sequence, handler.table.name)
        parked = Parked(
            handler=handler.name,
            parked_at=stamp(self._clock),
            sequence=sequence,
            table_name=handler.table.name,
            record=orjson.dumps(record).decode(),
            error=f"{type(error).__name__}: {error}"[:2000],
            tries=self._pace.tries,
        )
        await self._store.write(Put(parked))


@dataclass(slots=True)
class _Place:
    """Where a handler is in a shard."""

    sequence: str = ""
    finished: bool = False
    iterator: str | None = None


@dataclass(slots=True)
class _Progress:
    """Where a handler is in a stream."""

    looked: datetime
    shards: list[Shard] = field(default_factory=list)
    places: dict[str, _Place] = field(default_factory=dict)
