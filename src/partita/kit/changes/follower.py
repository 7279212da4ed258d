"""One handler on its way through a stream: where it is in each shard, and the next batch."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any

from partita.kit.changes.handlers import Handler
from partita.kit.changes.lease import LeaseLostError, Tenancy
from partita.kit.changes.reading import SharedReader
from partita.kit.changes.schema import Checkpoint, checkpoints
from partita.kit.clock import Clock, stamp
from partita.store.store import AsyncStore
from partita.store.streams import Shard
from partita.table import Condition, Put, any_of
from partita.table.types import expires_in, timestamp

_log = logging.getLogger(__name__)
_FINISHED_KEPT = timedelta(days=3)
"""How long a checkpoint outlives its shard, which is gone a day after it was closed."""
MACHINES_KEPT = timedelta(days=3)
"""How long what is known of a machine outlives it; whatever it has missed then is no longer in the streams."""
_RENEWED_AFTER = timedelta(days=1)

HandleAll = Callable[[Handler, Sequence[dict[str, Any]]], Awaitable[None]]


class Follower:
    """Takes a handler through its stream. Progress is written only if nobody else has moved it, and with a turn of the
    lease only if no later turn has begun."""

    def __init__(
        self,
        store: AsyncStore,
        reader: SharedReader,
        clock: Clock,
        lease: Tenancy,
        handler: Handler,
        name: str,
        handle_all: HandleAll,
        *,
        kept: timedelta | None = None,
    ) -> None:
        """`name` is the one that progress is kept under: for ever, or for so long after it was last written."""
        self.handler = handler
        self._store = store
        self._reader = reader
        self._clock = clock
        self._lease = lease
        self._name = name
        self._handle_all = handle_all
        self._kept = kept
        self._places: dict[str, _Place] | None = None
        self._turn: int | None = None
        self._working = asyncio.Lock()

    def forget(self) -> None:
        """Read the progress again: others may have worked meanwhile."""
        self._places = None

    async def step(self, *, since: float | None = None) -> int:
        """One batch of each shard; how many changes were handled. Without the lease, it works beside whoever has it.
        What was read before `since` is read again."""
        async with self._working:
            turn = self._lease.turn
            if self._places is None or self._turn != turn:
                self._turn = turn
                self._places = await self._load()
            places, total = self._places, 0
            unfinished: set[str] = set()
            for shard in await self._shards(places, since):
                place = places.get(shard.name)
                if place is None:
                    place = places[shard.name] = await self._claim(shard.name, None)
                if place.finished:
                    continue
                if shard.parent not in unfinished:  # its parent first, or the order of a key would be lost
                    total += await self._advance(shard, place, since=since)
                if not place.finished:
                    unfinished.add(shard.id)
            return total

    async def _shards(self, places: dict[str, _Place], since: float | None) -> list[Shard]:
        """The shards of the stream. If some came and went while nobody read them, what is kept is built anew."""
        shards = await self._reader.shards(self.handler.table, since=since)
        if _missed(places, shards):
            # Another process may have seen newer ones than the list that is known here.
            shards = await self._reader.shards(self.handler.table, since=time.monotonic())
            if _missed(places, shards):
                await self._begin_anew()
                for gone in _gone(places, shards):
                    places[gone].finished = True
                    await self._write(gone, places[gone])
        return shards

    async def _begin_anew(self) -> None:
        table = self.handler.table.name
        why = "it did not run for a day, or the table has a new stream"
        _log.error("changes: %s missed changes of %s: %s", self.handler.name, table, why)
        kept = self.handler.kept
        if kept is not None:
            _log.info("changes: %s rebuilds its index", self.handler.name)
            if kept.outdate is not None:
                await kept.outdate()
            await kept.build()

    async def _load(self) -> dict[str, _Place]:
        kept = self.handler.kept
        if kept is not None and not await kept.whole():
            _log.info("changes: %s rebuilds its index", self.handler.name)
            await kept.build()
        known = [each async for each in self._store.stream(checkpoints(self._name))]
        return {each.shard: await self._claim(each.shard, each) for each in known}

    async def _claim(self, shard: str, known: Checkpoint | None) -> _Place:
        """Where the handler is in a shard. With a turn, the checkpoint gets it first: from then on, nobody with an
        earlier turn can move it."""
        place = _Place(known)
        if self._turn is not None and not place.finished and (known is None or known.turn < self._turn):
            await self._write(shard, place)
        elif self._turn is not None and known is not None and known.turn > self._turn:
            raise LeaseLostError("Another process follows the streams now")
        return place

    async def _advance(self, shard: Shard, place: _Place, *, since: float | None) -> int:
        batch = await self._reader.next(shard, place.sequence, place.iterator, since=since)
        if batch.gap:
            await self._begin_anew()
        await self._handle_all(self.handler, batch.records)
        place.finished = batch.iterator is None
        if batch.records:
            place.sequence = batch.records[-1]["dynamodb"]["SequenceNumber"]
        if batch.records or place.finished or self._is_due(place):
            await self._write(shard.name, place)
        place.iterator = batch.iterator
        return len(batch.records)

    def _is_due(self, place: _Place) -> bool:
        """Whether a checkpoint that is kept for a while must be written though it has not moved."""
        if self._kept is None or place.stored is None:
            return False
        return place.stored.updated_at < timestamp(self._clock.now() - _RENEWED_AFTER)

    async def _write(self, shard: str, place: _Place) -> None:
        stored = place.stored
        kept = _FINISHED_KEPT if place.finished else self._kept
        reached = Checkpoint(
            handler=self._name,
            shard=shard,
            sequence=place.sequence,
            finished=place.finished,
            turn=self._turn if self._turn is not None else stored.turn if stored is not None else 0,
            updated_at=stamp(self._clock),
            expires_at=None if kept is None else expires_in(kept, self._clock.now()),
        )
        if stored is not None:
            moving = Put(reached).when(_unmoved(stored))
        else:
            moving = Put(reached).if_new(or_expired_at=self._clock.now().timestamp())
        moved = LeaseLostError(f"Another process has moved the progress of {self.handler.name}")
        try:
            if self._turn is not None:
                self._lease.check()
            await self._store.write(moving.otherwise(moved))
        except BaseException:
            self._places = None  # whether it was written is not known
            raise
        place.stored = reached


def _missed(places: dict[str, _Place], shards: list[Shard]) -> bool:
    """Whether shards came and went between those that were read and those that are there: one that was not read to its
    end, or one between it and the next. Shards are there for a day after they were closed. Nobody tells what was
    written before a new stream began, after the one that was read."""
    if _gone(places, shards):
        return True
    streams = {_stream(name) for name in places}
    if streams and not streams >= {_stream(shard.name) for shard in shards}:
        return True
    known = {*places, *(shard.name for shard in shards)}
    parents = {shard.sibling(shard.parent) for shard in shards if shard.name not in places and shard.parent}
    return bool(places) and not parents <= known


def _gone(places: dict[str, _Place], shards: list[Shard]) -> list[str]:
    there = {shard.name for shard in shards}
    return [name for name, place in places.items() if not place.finished and name not in there]


def _stream(shard_name: str) -> str:
    return shard_name.partition("/")[0]


def _unmoved(read: Checkpoint) -> Condition[Checkpoint]:
    """That a checkpoint is as it was read; those of earlier releases have no turn."""
    same = Checkpoint.turn.equals(read.turn)
    if read.turn == 0:
        same = any_of(Checkpoint.turn.missing(), same)
    return same & Checkpoint.sequence.equals(read.sequence)


class _Place:
    """Where a handler is in a shard."""

    __slots__ = ("finished", "iterator", "sequence", "stored")

    def __init__(self, stored: Checkpoint | None) -> None:
        self.stored = stored
        self.sequence = stored.sequence if stored is not None else ""
        self.finished = stored is not None and stored.finished
        self.iterator: str | None = None
