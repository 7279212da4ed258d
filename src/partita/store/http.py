"""One POST to an endpoint and its answer, over kept-alive connections; whether to try again is decided elsewhere."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import urllib3

from partita.store.answers import ConnectionFailedError, read_answer
from partita.store.signing import CredentialsSource, Signer

_CONNECT_SECONDS = 5.0
_READ_SECONDS = 30.0


class Endpoint:
    """An address that speaks DynamoDB's protocol, for threads (urllib3) and for an event loop (aiohttp)."""

    def __init__(self, url: str, region: str, credentials: CredentialsSource, *, connections: int) -> None:
        parts = urlsplit(url)
        self.url = f"{parts.scheme}://{parts.netloc}/"
        self._signer = Signer(parts.netloc, region, credentials)
        self._connections = connections
        timeout = urllib3.Timeout(connect=_CONNECT_SECONDS, read=_READ_SECONDS)
        self._pool = urllib3.PoolManager(maxsize=connections, block=True, timeout=timeout, retries=False)
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def post(self, operation: str, body: bytes) -> dict[str, Any]:
        """Run an operation once; DynamoDB's errors are raised."""
        headers = self._signer.headers(operation, body)
        try:
            answer = self._pool.request("POST", self.url, body=body, headers=headers, redirect=False)
        except urllib3.exceptions.HTTPError as error:
            raise ConnectionFailedError(f"{self.url} did not answer: {error}") from error
        return read_answer(answer.status, answer.headers, answer.data)

    async def post_async(self, operation: str, body: bytes) -> dict[str, Any]:
        """The same without blocking."""
        headers = self._signer.headers(operation, body)
        session = await self._open_session()
        try:
            async with session.post(self.url, data=body, headers=headers, allow_redirects=False) as answer:
                return read_answer(answer.status, answer.headers, await answer.read())
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ConnectionFailedError(f"{self.url} did not answer: {error!r}") from error

    async def _open_session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            timeout = aiohttp.ClientTimeout(sock_connect=_CONNECT_SECONDS, sock_read=_READ_SECONDS)
            connector = aiohttp.TCPConnector(limit=self._connections)
            # Answers come uncompressed and are checksummed: what arrives is what is checked.
            self._session = aiohttp.ClientSession(connector=connector, timeout=timeout, auto_decompress=False)
            self._loop = loop
        return self._session

    def close(self) -> None:
        """Close the connections of the blocking face."""
        self._pool.clear()

    async def close_async(self) -> None:
        """Close the connections of the non-blocking face."""
        if self._session is not None:
            await self._session.close()
