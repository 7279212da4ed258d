"""Requests that run in this process, on the embedded engine."""

from __future__ import annotations

import secrets
from typing import Any

from partita.dynamo.errors import ResourceInUseError
from partita.dynamo.requests import ItemRequest
from partita.engine import Engine
from partita.store.create import create_request
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

    def create(self, table: Table) -> None:
        try:
            self.engine.call("CreateTable", create_request(table))
        except ResourceInUseError:
            return
        if table.ttl is not None:
            setting = {"Enabled": True, "AttributeName": table.ttl}
            self.engine.call("UpdateTimeToLive", {"TableName": table.name, "TimeToLiveSpecification": setting})


class EmbeddedStore(Store):
    """A store on an engine in this process."""

    def __init__(self, engine: Engine, cursors: CursorKeys | None = None, *, retries: Retries = IN_PROCESS) -> None:
        super().__init__(EmbeddedTransport(engine), cursors or CursorKeys(secrets.token_bytes(32)), retries=retries)
        self.engine = engine
