"""How far the streams go right now, and which handlers have not come so far."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping

from partita.kit.changes.handlers import Handler
from partita.kit.changes.schema import Checkpoint, checkpoints
from partita.store.store import AsyncStore
from partita.store.streams import Call, Shard, records, shards
from partita.table import Table

Ends = dict[str, dict[str, str]]
"""By table and shard, the sequence number of its last change."""
_LIMIT = 1000
_EMPTY_READS = 3
"""DynamoDB may give nothing once although there is more."""


class Backlog:
    """What handlers have before them. Progress is read where handlers write it, whichever process they run in."""

    def __init__(
        self, store: AsyncStore, call: Call, handlers: Iterable[Handler], name_of: Callable[[Handler], str]
    ) -> None:
        """`name_of` is the name that a handler's progress is kept under."""
        self._store = store
        self._call = call
        self._handlers = tuple(handlers)
        self._name_of = name_of

    async def ends(self) -> Ends:
        """Where the streams end: whatever was written before is no further on."""
        tables = {handler.table.name: handler.table for handler in self._handlers}
        found = await asyncio.gather(*(self._ends_of(table) for table in tables.values()))
        return dict(zip(tables, found, strict=True))

    async def behind(self, ends: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
        """The handlers that have not handled everything up to there."""
        tables = {each.table.name: each.table for each in self._handlers if ends.get(each.table.name)}
        there = {name: {shard.name for shard in await shards(self._call, table)} for name, table in tables.items()}
        waited_for = [each for each in self._handlers if each.table.name in tables]
        late = await asyncio.gather(
            *(self._is_behind(each, ends[each.table.name], there[each.table.name]) for each in waited_for)
        )
        return tuple(each.name for each, is_late in zip(waited_for, late, strict=True) if is_late)

    async def _is_behind(self, handler: Handler, ends: Mapping[str, str], there: set[str]) -> bool:
        reached = await self._reached(handler)
        return any(_is_before(reached.get(shard), end, shard in there) for shard, end in ends.items())

    async def _ends_of(self, table: Table) -> dict[str, str]:
        """From where the first of the handlers is; the others come after it."""
        progress = [await self._reached(each) for each in self._handlers if each.table.name == table.name]
        ends: dict[str, str] = {}
        for shard in await shards(self._call, table):
            known = [reached[shard.name].sequence for reached in progress if shard.name in reached]
            end = await self._end_of(shard, max(known, key=_number, default=""))
            if end:
                ends[shard.name] = end
        return ends

    async def _end_of(self, shard: Shard, after: str) -> str:
        iterator: str | None = None
        empty = 0
        while empty < _EMPTY_READS:
            batch = await records(self._call, shard, after, iterator, limit=_LIMIT)
            empty = 0 if batch.records else empty + 1
            if batch.records:
                after = batch.records[-1]["dynamodb"]["SequenceNumber"]
            iterator = batch.iterator
            if iterator is None:
                break
        return after

    async def _reached(self, handler: Handler) -> dict[str, Checkpoint]:
        known = self._store.stream(checkpoints(self._name_of(handler)))
        return {each.shard: each async for each in known}


def _is_before(reached: Checkpoint | None, end: str, there: bool) -> bool:
    """A shard that is gone, and that a handler has never seen, is nothing that it will ever read."""
    if reached is None:
        return there
    return not reached.finished and _number(reached.sequence) < _number(end)


def _number(sequence: str) -> int:
    return int(sequence) if sequence else -1
