"""Requests that run in this process, on the embedded engine."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any

from partita.dynamo.requests import ItemRequest
from partita.engine import Engine
from partita.store.files import LargeFiles
from partita.store.make import make
from partita.store.retries import IN_PROCESS, Retries
from partita.store.store import Store
from partita.table.cursors import CursorKeys
from partita.table.tables import Table


class EmbeddedTransport:
    """The engine as a transport: the syntax tree goes in as it is, nothing is rendered or parsed."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def send(self, request: ItemRequest) -> dict[str, Any]:
        return self.engine.execute(request)

    async def send_async(self, request: ItemRequest) -> dict[str, Any]:
        return await self.engine.execute_async(request)

    async def call_async(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        return await self.engine.call_async(operation, wire)

    def create(self, table: Table) -> None:
        make(table, self.engine.call, self.engine.maintenance.run)


class EmbeddedStore(Store):
    """A store on an engine in this process."""

    def __init__(
        self,
        engine: Engine,
        cursors: CursorKeys | None = None,
        *,
        retries: Retries = IN_PROCESS,
        clock: Callable[[], float] = time.time,
        files: LargeFiles | None = None,
    ) -> None:
        cursors = cursors or CursorKeys(secrets.token_bytes(32))
        super().__init__(EmbeddedTransport(engine), cursors, retries=retries, clock=clock, files=files)
        self.engine = engine
