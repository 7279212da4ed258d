"""A rehearsal: reads see the real tables, writes go to a scratch database, and nothing real changes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from partita.dynamo.errors import ConditionalCheckFailedError, ResourceNotFoundError
from partita.dynamo.expressions.tree import AttributeNotExists, Path
from partita.dynamo.limits import BATCH_GET_KEYS
from partita.dynamo.requests import (
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    GetItem,
    ItemRequest,
    Keys,
    PutItem,
    Query,
    Scan,
    TransactAction,
    TransactGetItems,
    TransactWriteItems,
)
from partita.dynamo.values import Item as WireItem
from partita.engine import Engine
from partita.store.embedded import EmbeddedTransport
from partita.store.migrate.checkpoints import MIGRATIONS
from partita.store.store import Transport
from partita.table.migrations import Migration
from partita.table.tables import Table

Spot = tuple[str, WireItem]
"""A table and a key."""


class Rehearsal:
    """A transport for dry runs. What a request touches is copied into the scratch database, then it runs there."""

    def __init__(self, real: Transport, scratch: Transport, targets: Iterable[Table]) -> None:
        self._real = real
        self._scratch = scratch
        self._targets = {table.name: table for table in targets}
        self._deleted: set[str] = set()
        self._lock = threading.Lock()

    @classmethod
    @contextmanager
    def of(cls, real: Transport, migration: Migration) -> Iterator[Rehearsal]:
        """A rehearsal of a migration, on a folder that goes afterwards."""
        with Engine.temporary(background=False) as engine:
            scratch = EmbeddedTransport(engine)
            for table in (MIGRATIONS, *migration.targets):
                scratch.create(table)
            yield cls(real, scratch, migration.targets)

    def send(self, request: ItemRequest) -> dict[str, Any]:
        if isinstance(request, Scan):
            return self._real.send(request)
        writes = list(_writes(request))
        self._copy([*_reads(request), *map(self._spot, writes)])
        deleted = [str(self._spot(write)) for write in writes if isinstance(write, DeleteItem)]
        if not deleted:
            return self._scratch.send(request)
        with self._lock:  # nobody copies again what is deleted here
            response = self._scratch.send(request)
            self._deleted.update(deleted)
            return response

    async def send_async(self, request: ItemRequest) -> dict[str, Any]:
        return await asyncio.to_thread(self.send, request)

    def create(self, table: Table) -> None:
        """The scratch database has every table already."""

    def call(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        return self._scratch.call(operation, wire)

    async def call_async(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        return await self._scratch.call_async(operation, wire)

    def close(self) -> None:
        """Both transports belong to others."""

    async def close_async(self) -> None:
        """Both transports belong to others."""

    def _spot(self, write: TransactAction) -> Spot:
        if not isinstance(write, PutItem):
            return write.table, write.key
        table = self._targets.get(write.table, MIGRATIONS)
        return write.table, {key.name: write.item[key.name] for key in table.keys}

    def _copy(self, spots: list[Spot]) -> None:
        """Bring what the real tables hold here, unless this rehearsal has its own version of it."""
        wanted = [spot for spot in spots if spot[0] in self._targets and str(spot) not in self._deleted]
        for start in range(0, len(wanted), BATCH_GET_KEYS):
            chunk = wanted[start : start + BATCH_GET_KEYS]
            here = {str((name, self._key(name, row))) for name, row in _rows(self._scratch, chunk)}
            missing = [spot for spot in chunk if str(spot) not in here]
            for name, row in _rows(self._real, missing):
                absent = AttributeNotExists(Path((self._targets[name].pk.name,)))
                with self._lock, suppress(ConditionalCheckFailedError):
                    if str((name, self._key(name, row))) not in self._deleted:
                        self._scratch.send(PutItem(table=name, item=row, condition=absent))

    def _key(self, name: str, row: WireItem) -> WireItem:
        return {key.name: row[key.name] for key in self._targets[name].keys}


def _writes(request: ItemRequest) -> Iterator[TransactAction]:
    match request:
        case BatchWriteItem(tables=tables):
            yield from (write for writes in tables.values() for write in writes)
        case TransactWriteItems(actions=actions):
            yield from actions
        case GetItem() | Query() | Scan() | BatchGetItem() | TransactGetItems():
            return
        case _:
            yield request


def _reads(request: ItemRequest) -> Iterator[Spot]:
    """Keys that are read. Only the migration's own notes are queried, and in a rehearsal they begin empty."""
    match request:
        case GetItem():
            yield request.table, request.key
        case TransactGetItems(gets=gets):
            yield from ((get.table, get.key) for get in gets)
        case BatchGetItem(tables=tables):
            yield from ((name, key) for name, wanted in tables.items() for key in wanted.keys)


def _rows(transport: Transport, spots: list[Spot]) -> Iterator[tuple[str, WireItem]]:
    """The rows of up to a hundred keys."""
    for name in dict.fromkeys(name for name, _ in spots):
        keys = [key for at, key in spots if at == name]
        while keys:
            try:
                response = transport.send(BatchGetItem(tables={name: Keys(keys=tuple(keys), consistent=True)}))
            except ResourceNotFoundError:
                break  # a target that is not there yet holds nothing
            yield from ((name, row) for row in response["Responses"].get(name, ()))
            keys = (response.get("UnprocessedKeys") or {}).get(name, {}).get("Keys", [])
