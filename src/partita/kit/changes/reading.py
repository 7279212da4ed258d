"""One reader of each shard for all handlers: what one has read is there for the others, for a while."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

from partita.kit.changes.pace import Pace
from partita.store.streams import Batch, Call, Shard, records, shards
from partita.table import Table
from partita.table.shared_rows import SharedRow

_KEPT = 8
"""Batches of a shard that are kept; each has at most a megabyte. A handler that is further behind reads for itself."""


class SharedReader:
    """Reads streams for handlers that are at places of their own. Those who keep up share every read; nobody waits
    for a slower one."""

    def __init__(self, call: Call, pace: Pace) -> None:
        self._call = call
        self._pace = pace
        self._tails: dict[str, _Tail] = {}
        self._lists: dict[str, _ShardList] = {}

    async def shards(self, table: Table, *, since: float | None = None) -> list[Shard]:
        """The shards of a table's stream, parents first; looked up every few seconds, or if that was before `since`."""
        known = self._lists.setdefault(table.name, _ShardList())
        async with known.lock:
            if known.read_at < (time.monotonic() - self._pace.shards if since is None else since):
                now = time.monotonic()
                known.shards = await shards(self._call, table)
                known.read_at = now
                names = {shard.name for each in self._lists.values() for shard in each.shards}
                self._tails = {name: tail for name, tail in self._tails.items() if name in names}
            return known.shards

    async def next(self, shard: Shard, after: str, iterator: str | None, *, since: float | None = None) -> Batch:
        """The batch that follows a sequence number. At the end of what is known, the stream is asked once for all, and
        not again before the time to poll, or if it was asked after `since`. The longer nothing happens, the longer is
        that time."""
        tail = self._tails.setdefault(shard.name, _Tail())
        known = tail.following(after)
        if known is not None:
            return known
        if tail.end is not None and _number(after) < _number(tail.end):
            return await records(self._call, shard, after, iterator, limit=self._pace.batch)
        async with tail.lock:
            known = tail.following(after)  # somebody may have read it meanwhile
            if known is not None:
                return known
            at_the_end = tail.end == after
            now = time.monotonic()
            if at_the_end and tail.empty_at > (now - self._pause(tail) if since is None else since):
                return Batch([], tail.iterator)
            use = tail.iterator if at_the_end else iterator
            batch = await records(self._call, shard, after, use, limit=self._pace.batch)
            for record in batch.records:
                _share_images(record["dynamodb"])
            tail.add(after, batch, now)
            return batch

    def expect(self, table: str) -> None:
        """Something was written to a table just now: whatever is idle there is asked again soon."""
        known = self._lists.get(table)
        for shard in () if known is None else known.shards:
            tail = self._tails.get(shard.name)
            if tail is not None:
                tail.empty_reads, tail.empty_at = 0, float("-inf")

    def _pause(self, tail: _Tail) -> float:
        pace = self._pace
        return min(pace.poll * 2.0 ** min(tail.empty_reads // 4, 10), max(pace.idle, pace.poll))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A batch, with the sequence numbers that it lies between."""

    start: str
    end: str
    batch: Batch


@dataclass(slots=True)
class _Tail:
    """The last batches that were read of a shard."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pieces: deque[_Piece] = field(default_factory=lambda: deque(maxlen=_KEPT))
    end: str | None = None
    """The sequence number up to which it was read."""
    iterator: str | None = None
    closed: bool = False
    empty_at: float = float("-inf")
    """When it was asked last and nothing new was there."""
    empty_reads: int = 0
    """How often that has been so since something was there."""

    def following(self, after: str) -> Batch | None:
        """What is known to follow a sequence number; None if it must be read."""
        if self.closed and self.end == after:
            return Batch([], None)
        for piece in self.pieces:
            if piece.start == after:
                return piece.batch
            if _number(piece.start) < _number(after) < _number(piece.end):
                rest = [record for record in piece.batch.records if _number(_sequence(record)) > _number(after)]
                return replace(piece.batch, records=rest, gap=False)
        return None

    def add(self, after: str, batch: Batch, asked_at: float) -> None:
        if self.end != after:
            self.pieces.clear()
        self.end = after
        if batch.records:
            self.end = _sequence(batch.records[-1])
            self.pieces.append(_Piece(after, self.end, batch))
            self.empty_reads = 0
        else:
            self.empty_at = asked_at
            self.empty_reads += 1
        self.iterator = batch.iterator
        self.closed = batch.iterator is None


@dataclass(slots=True)
class _ShardList:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    shards: list[Shard] = field(default_factory=list)
    read_at: float = float("-inf")


def _share_images(told: dict[str, Any]) -> None:
    """Most handlers look at every change only to see that it is of a type they do not want: found out once for all."""
    for image in ("OldImage", "NewImage"):
        if image in told:
            told[image] = SharedRow(told[image])


def _sequence(record: dict[str, object]) -> str:
    told = record["dynamodb"]
    assert isinstance(told, dict)
    return str(told["SequenceNumber"])


def _number(sequence: str) -> int:
    return int(sequence) if sequence else -1
