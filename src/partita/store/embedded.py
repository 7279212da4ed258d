"""Requests that run in this process, on the embedded engine."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from partita.dynamo.requests import ItemRequest
from partita.dynamo.values import Item as WireItem
from partita.engine import Engine
from partita.store.cursor_keys import lasting_keys
from partita.store.files import LargeFiles
from partita.store.retries import IN_PROCESS, Retries
from partita.store.store import Store
from partita.store.table_setup import make
from partita.table.cursors import CursorKeys
from partita.table.shared_rows import RowCache
from partita.table.tables import Table

REMEMBERED_BYTES = 2_000_000
"""Of rows as they are stored, each counted with 1,000 bytes more; with their items they take 15 to 30 MB of memory."""


class EmbeddedTransport:
    """The engine as a transport: the syntax tree goes in as it is, and is written as text only if in doubt."""

    def __init__(self, engine: Engine, remembered: int = REMEMBERED_BYTES, recovery_days: int | None = None) -> None:
        self.engine = engine
        self._recovery_days = recovery_days
        self._rows = RowCache(remembered)

    def send(self, request: ItemRequest) -> dict[str, Any]:
        return self.engine.execute(request, self._row)

    async def send_async(self, request: ItemRequest) -> dict[str, Any]:
        return await self.engine.execute_async(request, self._row)

    def call(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        return self.engine.call(operation, wire)

    async def call_async(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        return await self.engine.call_async(operation, wire)

    def create(self, table: Table) -> None:
        make(table, self.engine.call, self.engine.maintenance.run)
        if self._recovery_days is not None:
            self._set_recovery(table.name, self._recovery_days)

    def _set_recovery(self, name: str, days: int) -> None:
        if (self.engine.refresh().tables[name].recovery_days or 0) == days:
            return
        wanted: dict[str, Any] = {"PointInTimeRecoveryEnabled": days > 0}
        if days:
            wanted["RecoveryPeriodInDays"] = days
        request = {"TableName": name, "PointInTimeRecoverySpecification": wanted}
        self.engine.call("UpdateContinuousBackups", request)

    def close(self) -> None:
        """The engine belongs to whoever made it."""

    async def close_async(self) -> None:
        """Nothing is held for an event loop."""

    def _row(self, stored: bytes) -> WireItem:
        return self._rows.get(stored) or self._rows.add(stored, orjson.loads(stored))


class EmbeddedStore(Store):
    """A store on an engine in this process."""

    def __init__(
        self,
        engine: Engine | str | Path,
        cursors: CursorKeys | None = None,
        *,
        retries: Retries = IN_PROCESS,
        clock: Callable[[], float] = time.time,
        files: LargeFiles | None = None,
        remembered: int = REMEMBERED_BYTES,
        recovery_days: int | None = None,
    ) -> None:
        """A store on an engine, or on a folder whose engine is opened and closed with it.

        It remembers the rows it read last, up to so many bytes as they are stored (0: none). Cursors are signed with
        keys that last as long as the folder does, unless others are given. The tables it creates can go back to any
        second of so many days (0: to none); without that, each is left as it is.
        """
        self._owned = not isinstance(engine, Engine)
        self.engine = engine if isinstance(engine, Engine) else Engine(engine)
        cursors = cursors or lasting_keys(self.engine.database.folder)
        transport = EmbeddedTransport(self.engine, remembered, recovery_days)
        super().__init__(transport, cursors, retries=retries, clock=clock, files=files)

    def check_present(self) -> None:
        self.engine.database.check_present()

    def state(self) -> int | None:
        return self.engine.state()

    def close(self) -> None:
        """Close the engine, if the store opened it."""
        if self._owned:
            self.engine.close()
