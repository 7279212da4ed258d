"""Requests that run at an endpoint over HTTP: AWS, or anything else that speaks DynamoDB's protocol."""

from __future__ import annotations

import secrets
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson

from partita.dynamo.errors import SerializationError
from partita.dynamo.requests import ItemRequest
from partita.dynamo.services import STREAM_OPERATIONS
from partita.dynamo.wire import render
from partita.store.address import DEFAULT_TIMEOUTS, Timeouts
from partita.store.circuit import Circuit
from partita.store.cursor_keys import set_keys
from partita.store.files import LargeFiles
from partita.store.http import Endpoint
from partita.store.retries import OVER_A_NETWORK, Retries
from partita.store.signing import Credentials, CredentialsSource
from partita.store.store import Store
from partita.store.table_setup import check, make
from partita.table.cursors import CursorKeys
from partita.table.tables import Table


class DynamoTransport:
    """Requests to one endpoint."""

    def __init__(
        self,
        endpoint_url: str,
        region: str,
        credentials: CredentialsSource,
        *,
        connections: int,
        retries: Retries,
        timeouts: Timeouts,
    ) -> None:
        self._endpoint = Endpoint(endpoint_url, region, credentials, connections=connections, timeouts=timeouts)
        self._streams = Endpoint(_streams_url(endpoint_url), region, credentials, connections=8, timeouts=timeouts)
        self._retries = retries
        # On AWS the streams have a host of their own, which may answer when the other does not.
        self._stream_retries = retries if retries.circuit is None else replace(retries, circuit=Circuit())

    @property
    def clock_skew(self) -> float | None:
        """How many seconds this machine's clock is ahead of the endpoint's; None if nothing has been asked yet."""
        return self._endpoint.clock_skew

    def send(self, request: ItemRequest) -> dict[str, Any]:
        """Run a request once."""
        operation, wire = render(request)
        return self._endpoint.post(operation, _body(wire))

    async def send_async(self, request: ItemRequest) -> dict[str, Any]:
        """The same without blocking."""
        operation, wire = render(request)
        return await self._endpoint.post_async(operation, _body(wire))

    def call(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        """Run any operation in the wire's form, again if that can help."""
        return self._retries.run(self._endpoint.post, operation, _body(wire))

    async def call_async(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        """The same without blocking, the operations of DynamoDB Streams included."""
        if operation in STREAM_OPERATIONS:
            return await self._stream_retries.run_async(self._streams.post_async, operation, _body(wire))
        return await self._retries.run_async(self._endpoint.post_async, operation, _body(wire))

    def create(self, table: Table) -> None:
        """Make a table or what it lacks, and wait until it can be used."""
        make(table, self.call, lambda: time.sleep(0.2))

    def close(self) -> None:
        """Close the connections of the blocking face."""
        self._endpoint.close()
        self._streams.close()

    async def close_async(self) -> None:
        """Close the connections of the non-blocking face."""
        await self._endpoint.close_async()
        await self._streams.close_async()


def _body(wire: dict[str, Any]) -> bytes:
    """The JSON of a request; what JSON cannot say is refused as the engine refuses it."""
    try:
        return orjson.dumps(wire, default=_plain)
    except TypeError as error:
        raise SerializationError(f"The request cannot be written as JSON: {error}") from None


def _plain(value: object) -> object:
    """Binary and sets as Python has them: a value may hold them."""
    if isinstance(value, bytes | bytearray):
        return b64encode(value).decode()
    if isinstance(value, set | frozenset):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not an attribute value")


def _streams_url(endpoint_url: str) -> str:
    """AWS has the streams at a host of their own; everybody else at the same."""
    return (
        endpoint_url.replace("://dynamodb.", "://streams.dynamodb.", 1)
        if ".amazonaws." in endpoint_url
        else endpoint_url
    )


class DynamoStore(Store):
    """A store at an endpoint; what is not given of region, endpoint and credentials comes from botocore's chain.

    Without `make_tables`, `create` makes nothing and refuses tables that lack something.
    """

    def __init__(
        self,
        *,
        endpoint_url: str | None = None,
        region: str | None = None,
        credentials: CredentialsSource | None = None,
        cursors: CursorKeys | None = None,
        connections: int = 32,
        retries: Retries = OVER_A_NETWORK,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
        clock: Callable[[], float] = time.time,
        files: LargeFiles | None = None,
        make_tables: bool = True,
    ) -> None:
        if endpoint_url is None or region is None or credentials is None:
            from partita.store.aws import discovered

            endpoint_url, region, credentials = discovered(endpoint_url, region, credentials)
        self.dynamo = DynamoTransport(
            endpoint_url, region, credentials, connections=connections, retries=retries, timeouts=timeouts
        )
        cursors = cursors or set_keys() or CursorKeys(secrets.token_bytes(32))
        super().__init__(self.dynamo, cursors, retries=retries, clock=clock, files=files)
        self._make_tables = make_tables

    def create(self, *tables: Table) -> None:
        """Make tables, or look whether they are there as declared."""
        if self._make_tables:
            super().create(*tables)
            return
        for table in tables:
            check(table, self.dynamo.call)

    def close(self) -> None:
        """Let go of the connections."""
        self.dynamo.close()


def fixed(access_key: str, secret_key: str) -> CredentialsSource:
    """Credentials that never change."""
    credentials = Credentials(access_key, secret_key)
    return lambda: credentials
