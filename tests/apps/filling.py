"""Fill a table with millions of rows in minutes: in the engine's own format, sorted, without a record in the stream."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

import orjson

from partita.dynamo.size import item_size
from partita.engine import Engine, keys, rows
from partita.engine.definitions import KeyAttribute, Table
from partita.engine.spread import HASH_BYTES, Spread, hashed
from partita.engine.writer import Transaction
from partita.table import Item

_CHUNK = 50_000
Kinds = tuple[KeyAttribute, ...]
_SPREAD: Spread = "md5"  # as all new tables have it


class Like(NamedTuple):
    """An item that differs from an example only in some texts, each as long as the one that it stands for."""

    example: Item
    texts: tuple[str, ...]
    instead: tuple[str, ...]

    @property
    def row(self) -> dict[str, Any]:
        """The item as it is stored."""
        return _loaded(_put(orjson.dumps(self.example.to_row()), _pairs(self.texts, self.instead)))


def partition_hash(text: str) -> int:
    """Where a partition lies in the file: whoever adds partitions in this order only appends to its largest index."""
    return int.from_bytes(keys.partition(({"S": text},), _SPREAD)[:HASH_BYTES])


def fill(engine: Engine, table: str, items: Iterable[Item | Like]) -> int:
    """Write new items, and return how many: rows as they come, the entries of each index at the end, sorted."""
    filling = _Filling(engine.writer.catalog.table(table))
    waiting: list[_Row] = []
    for number, item in enumerate(items, 1):
        waiting.append(filling.row(item))
        if number % _CHUNK == 0:
            engine.writer.run(lambda transaction: filling.write_rows(transaction, waiting))
            waiting.clear()
    engine.writer.run(lambda transaction: filling.write_rows(transaction, waiting))
    for position in range(len(filling.table.indexes)):
        entries = sorted(filling.entries[position])
        filling.entries[position].clear()
        for start in range(0, len(entries), _CHUNK):
            engine.writer.run(partial(filling.write_entries, position, entries[start : start + _CHUNK]))
    return filling.count


@dataclass(frozen=True, slots=True)
class _Entry:
    """An item's entry in an index; `size` is that of the attributes in it."""

    position: int
    key: bytes
    size: int


@dataclass(frozen=True, slots=True)
class _Row:
    """What is written of one item."""

    key: bytes
    size: int
    expires: int | None
    body: bytes
    entries: tuple[_Entry, ...]


@dataclass(frozen=True, slots=True)
class _Stencil:
    """The row of an example, with the parts of its partition keys, whose hashes change with the texts."""

    row: _Row
    kinds: Kinds
    kinds_of_entries: tuple[Kinds, ...]

    def cut(self, pairs: Sequence[tuple[bytes, bytes]]) -> _Row:
        row = self.row
        key, end = _put_key(row.key, self.kinds, pairs), -len(row.key)
        entries = tuple(
            _Entry(entry.position, _put_key(entry.key[:end], kinds, pairs) + key, entry.size)
            for entry, kinds in zip(row.entries, self.kinds_of_entries, strict=True)
        )
        return _Row(key, row.size, row.expires, _put(row.body, pairs), entries)


class _Filling:
    """The rows of one table on their way."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.count = 0
        self.entries: list[list[tuple[bytes, int]]] = [[] for _ in table.indexes]
        self._stencils: dict[int, tuple[Item, _Stencil]] = {}

    def row(self, item: Item | Like) -> _Row:
        if isinstance(item, Like):
            return self._stencil(item.example).cut(_pairs(item.texts, item.instead))
        return self._planned(item)

    def _planned(self, item: Item) -> _Row:
        stored = item.to_row()
        change = rows.plan(self.table, rows.key_of_item(self.table, stored), None, None, stored)
        entries = (
            _Entry(position, key, item_size(rows.projected(self.table, index, stored)))
            for position, (index, _, key) in enumerate(change.entries)
            if key is not None
        )
        return _Row(change.key, change.size, rows.expiry(self.table, stored, 0), change.body, tuple(entries))

    def _stencil(self, example: Item) -> _Stencil:
        known = self._stencils.get(id(example))
        if known is None:
            row = self._planned(example)
            of_entries = tuple(self.table.indexes[entry.position].hash for entry in row.entries)
            known = self._stencils[id(example)] = (example, _Stencil(row, (self.table.hash,), of_entries))
        return known[1]

    def write_rows(self, transaction: Transaction, waiting: Sequence[_Row]) -> None:
        statement = f"INSERT INTO {self.table.rows} (key, size, expires, crc, body) VALUES (?, ?, ?, ?, ?)"
        connection, entries = transaction.connection, self.entries
        sizes = [[0, 0] for _ in self.table.indexes]
        for row in waiting:
            transaction.execute(statement, (row.key, row.size, row.expires, crc32(row.body), row.body))
            row_id = connection.last_insert_rowid()
            for entry in row.entries:
                entries[entry.position].append((entry.key, row_id))
                sizes[entry.position][0] += 1
                sizes[entry.position][1] += entry.size
        transaction.count(self.table.id, len(waiting), sum(row.size for row in waiting))
        for index, (count, size) in zip(self.table.indexes, sizes, strict=True):
            transaction.count(index.id, count, size)
        self.count += len(waiting)

    def write_entries(self, position: int, chunk: Sequence[tuple[bytes, int]], transaction: Transaction) -> None:
        index = self.table.indexes[position]
        transaction.connection.executemany(f"INSERT INTO {index.rows} (key, item) VALUES (?, ?)", chunk)


def _pairs(texts: tuple[str, ...], instead: tuple[str, ...]) -> list[tuple[bytes, bytes]]:
    pairs = [(text.encode(), other.encode()) for text, other in zip(texts, instead, strict=True)]
    for text, other in pairs:
        if len(text) != len(other):
            raise ValueError(f"{other!r} is not as long as {text!r}, so the size of the item would be wrong")
    return pairs


def _put(stored: bytes, pairs: Sequence[tuple[bytes, bytes]]) -> bytes:
    for text, other in pairs:
        stored = stored.replace(text, other)
    return stored


def _put_key(key: bytes, kinds: Kinds, pairs: Sequence[tuple[bytes, bytes]]) -> bytes:
    stored = _put(key[HASH_BYTES:], pairs)
    values, position = [], 0
    for _, kind in kinds:
        value, position = keys.decode(kind, stored, position)
        values.append(value)
    return hashed(values, stored[:position], _SPREAD) + stored


def _loaded(body: bytes) -> dict[str, Any]:
    row: dict[str, Any] = orjson.loads(body)
    return row
