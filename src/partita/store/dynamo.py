"""Requests that run at an endpoint over HTTP: AWS, or anything else that speaks DynamoDB's protocol."""

from __future__ import annotations

import asyncio
import secrets
import time
import uuid
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import orjson
import urllib3

from partita.dynamo.errors import DynamoError, ResourceInUseError, ResourceNotFoundError
from partita.dynamo.requests import ItemRequest, TransactWriteItems
from partita.dynamo.wire import render
from partita.store.answers import ConnectionFailedError, pause, read_answer, worth_retrying
from partita.store.create import create_request
from partita.store.signing import Credentials, CredentialsSource, Signer
from partita.store.store import Store
from partita.table.cursors import CursorKeys
from partita.table.tables import Table

_CONNECT_SECONDS = 5.0
_READ_SECONDS = 30.0
_WAIT_SECONDS = 120.0


class DynamoTransport:
    """One endpoint with kept-alive connections, for threads (urllib3) and for an event loop (aiohttp)."""

    def __init__(
        self,
        endpoint_url: str,
        region: str,
        credentials: CredentialsSource,
        *,
        connections: int = 32,
        attempts: int = 6,
    ) -> None:
        parts = urlsplit(endpoint_url)
        self._url = f"{parts.scheme}://{parts.netloc}/"
        self._signer = Signer(parts.netloc, region, credentials)
        self._attempts = attempts
        self._connections = connections
        timeout = urllib3.Timeout(connect=_CONNECT_SECONDS, read=_READ_SECONDS)
        self._pool = urllib3.PoolManager(maxsize=connections, block=True, timeout=timeout, retries=False)
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def send(self, request: ItemRequest) -> dict[str, Any]:
        """Run a request, again where that can help."""
        operation, wire = render(_repeatable(request))
        return self.call(operation, wire)

    def call(self, operation: str, wire: dict[str, Any]) -> dict[str, Any]:
        """Run any operation in the wire's form."""
        body = orjson.dumps(wire)
        for attempt in range(self._attempts):
            try:
                return self._post(operation, body)
            except DynamoError as error:
                if not worth_retrying(error) or attempt == self._attempts - 1:
                    raise
            time.sleep(pause(attempt))
        raise AssertionError("the last attempt returns or raises")

    def _post(self, operation: str, body: bytes) -> dict[str, Any]:
        headers = self._signer.headers(operation, body)
        try:
            answer = self._pool.request("POST", self._url, body=body, headers=headers, redirect=False)
        except urllib3.exceptions.HTTPError as error:
            raise ConnectionFailedError(f"{self._url} did not answer: {error}") from error
        return read_answer(answer.status, answer.headers, answer.data)

    async def send_async(self, request: ItemRequest) -> dict[str, Any]:
        """The same without blocking."""
        operation, wire = render(_repeatable(request))
        body = orjson.dumps(wire)
        for attempt in range(self._attempts):
            try:
                return await self._post_async(operation, body)
            except DynamoError as error:
                if not worth_retrying(error) or attempt == self._attempts - 1:
                    raise
            await asyncio.sleep(pause(attempt))
        raise AssertionError("the last attempt returns or raises")

    async def _post_async(self, operation: str, body: bytes) -> dict[str, Any]:
        headers = self._signer.headers(operation, body)
        session = await self._open_session()
        try:
            async with session.post(self._url, data=body, headers=headers, allow_redirects=False) as answer:
                return read_answer(answer.status, answer.headers, await answer.read())
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ConnectionFailedError(f"{self._url} did not answer: {error!r}") from error

    async def _open_session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            timeout = aiohttp.ClientTimeout(sock_connect=_CONNECT_SECONDS, sock_read=_READ_SECONDS)
            connector = aiohttp.TCPConnector(limit=self._connections)
            # Answers come uncompressed and are checksummed: what arrives is what is checked.
            self._session = aiohttp.ClientSession(connector=connector, timeout=timeout, auto_decompress=False)
            self._loop = loop
        return self._session

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
        self._pool.clear()

    async def close_async(self) -> None:
        """Close the connections of the non-blocking face."""
        if self._session is not None:
            await self._session.close()


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
