"""The changes of a table, item by item: for programs that follow a table without the kit's workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import orjson

from partita.store.streams import Batch, Calls, Shard, record_calls, shard_calls
from partita.table.changes import ItemChange, change_of
from partita.table.errors import InvalidCursorError, ModelError
from partita.table.items import Item

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
_LIMIT = 1000
Positions = dict[str, str]
"""Shard → sequence number of the last change that was read there."""


def parse_position(text: str | None) -> Positions:
    """Where to go on, from a change's `position`."""
    if text is None:
        return {}
    try:
        positions = orjson.loads(text)
    except orjson.JSONDecodeError:
        positions = None
    if not isinstance(positions, dict) or not all(isinstance(value, str) for value in positions.values()):
        raise InvalidCursorError("it is not a position in a stream")
    return positions


def open_shards(item_type: type[Item]) -> Calls[list[Shard]]:
    """The shards to read, in order."""
    table = item_type.__table__
    if table.stream is None:
        raise ModelError(f"{table.name} has no stream: declare it with Table(…, stream='NEW_AND_OLD_IMAGES')")
    return (yield from shard_calls(table))


def next_batch(shard: Shard, seen: Positions, iterator: str | None) -> Calls[Batch]:
    """The next records of a shard."""
    batch = yield from record_calls(shard, seen.get(shard.name, ""), iterator, limit=_LIMIT)
    if batch.gap:
        raise InvalidCursorError("changes are kept for a day, and those after this position are gone: read the table")
    return batch


def read_changes(item_type: type[I], shard: Shard, batch: Batch, seen: Positions) -> Iterator[ItemChange[I]]:
    """The changes of items of one type; `seen` follows them."""
    for record in batch.records:
        change = change_of(item_type.__table__, record)
        seen[shard.name] = change.sequence
        old, new = change.read(item_type)
        if old is not None or new is not None:
            yield ItemChange(old, new, change.at, change.expired, orjson.dumps(seen).decode())
