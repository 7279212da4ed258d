"""Requests that run at an endpoint over HTTP: AWS, or anything else that speaks DynamoDB's protocol."""

from __future__ import annotations

import asyncio
import secrets
import time
import uuid
from dataclasses import replace
from typing import Any

import orjson

from partita.dynamo.errors import DynamoError, ResourceInUseError, ResourceNotFoundError
from partita.dynamo.requests import ItemRequest, TransactWriteItems
from partita.dynamo.wire import render
from partita.store.answers import ConnectionFailedError, pause, worth_retrying
from partita.store.create import create_request
from partita.store.http import Endpoint
from partita.store.signing import Credentials, CredentialsSource
from partita.store.store import Store
from partita.table.cursors import CursorKeys
from partita.table.tables import Table

_WAIT_SECONDS = 120.0


class DynamoTransport:
    """Requests to one endpoint, sent again where that can help."""

    def __init__(
        self,
        endpoint_url: str,
        region: str,
        credentials: CredentialsSource,
        *,
        connections: int = 32,
        attempts: int = 6,
    ) -> None:
        self._endpoint = Endpoint(endpoint_url, region, credentials, connections=connections)
        self._attempts = attempts

    def send(self, request: ItemRequest) -> dict[str, Any]:
        """Run a request, again where that can help."""
        operation, wire = render(_repeatable(request))
        return self.call(operation, wire)

    def call(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        """Run any operation in the wire's form."""
        body = orjson.dumps(wire)
        for attempt in range(self._attempts):
            try:
                return self._endpoint.post(operation, body)
            except DynamoError as error:
                if not worth_retrying(error) or attempt == self._attempts - 1:
                    raise
            time.sleep(pause(attempt))
        raise AssertionError("the last attempt returns or raises")

    async def send_async(self, request: ItemRequest) -> dict[str, Any]:
        """The same without blocking."""
        operation, wire = render(_repeatable(request))
        body = orjson.dumps(wire)
        for attempt in range(self._attempts):
            try:
                return await self._endpoint.post_async(operation, body)
            except DynamoError as error:
                if not worth_retrying(error) or attempt == self._attempts - 1:
                    raise
            await asyncio.sleep(pause(attempt))
        raise AssertionError("the last attempt returns or raises")

    def create(self, table: Table) -> None:
        """Make a table and wait until it can be used."""
        try:
            self.call("CreateTable", create_request(table))
        except ResourceInUseError:
            return
        deadline = time.monotonic() + _WAIT_SECONDS
        while self._status(table) != "ACTIVE":
            if time.monotonic() > deadline:
                raise ConnectionFailedError(f"{table.name} is not usable after {_WAIT_SECONDS:.0f} seconds.")
            time.sleep(0.2)
        if table.ttl is not None:
            setting = {"Enabled": True, "AttributeName": table.ttl}
            self.call("UpdateTimeToLive", {"TableName": table.name, "TimeToLiveSpecification": setting})

    def _status(self, table: Table) -> str:
        try:
            return str(self.call("DescribeTable", {"TableName": table.name})["Table"]["TableStatus"])
        except ResourceNotFoundError:
            return "CREATING"  # AWS may not have heard of it everywhere yet

    def close(self) -> None:
        """Close the connections of the blocking face."""
        self._endpoint.close()

    async def close_async(self) -> None:
        """Close the connections of the non-blocking face."""
        await self._endpoint.close_async()


def _repeatable(request: ItemRequest) -> ItemRequest:
    """A transaction with a token of its own, so that sending it again does it once."""
    if isinstance(request, TransactWriteItems) and request.token is None:
        return replace(request, token=str(uuid.uuid4()))
    return request


class DynamoStore(Store):
    """A store at an endpoint; what is not given of region, endpoint and credentials comes from botocore's chain."""

    def __init__(
        self,
        *,
        endpoint_url: str | None = None,
        region: str | None = None,
        credentials: CredentialsSource | None = None,
        cursors: CursorKeys | None = None,
        connections: int = 32,
        attempts: int = 6,
    ) -> None:
        if endpoint_url is None or region is None or credentials is None:
            from partita.store.aws import discovered

            endpoint_url, region, credentials = discovered(endpoint_url, region, credentials)
        self.dynamo = DynamoTransport(endpoint_url, region, credentials, connections=connections, attempts=attempts)
        super().__init__(self.dynamo, cursors or CursorKeys(secrets.token_bytes(32)))

    def close(self) -> None:
        """Let go of the connections."""
        self.dynamo.close()


def fixed(access_key: str, secret_key: str) -> CredentialsSource:
    """Credentials that never change."""
    known = Credentials(access_key, secret_key)
    return lambda: known
