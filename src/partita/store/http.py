"""One POST to an endpoint and its answer, over kept-alive connections; whether to try again is decided elsewhere."""

from __future__ import annotations

import asyncio
import time
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any

from partita.store.address import DEFAULT_TIMEOUTS, Timeouts, address
from partita.store.answers import ConnectionFailedError, read_answer
from partita.store.blocking import Connections
from partita.store.http_answer import HttpError
from partita.store.nonblocking import LoopConnections
from partita.store.signing import CredentialsSource, Signer


class Endpoint:
    """An address that speaks DynamoDB's protocol, for threads and for event loops."""

    def __init__(
        self,
        url: str,
        region: str,
        credentials: CredentialsSource,
        *,
        connections: int,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
    ) -> None:
        self._address = address(url, timeouts)
        self._signer = Signer(self._address.authority, region, credentials)
        self._most = connections
        self._connections = Connections(self._address, connections)
        self._loops: dict[asyncio.AbstractEventLoop, LoopConnections] = {}
        self._loops_change = Lock()
        self._dated: tuple[str | None, float] = None, 0.0

    def post(self, operation: str, body: bytes) -> dict[str, Any]:
        """Run an operation once; DynamoDB's errors are raised."""
        request = self._signer.request(operation, body)
        try:
            answer = self._connections.exchange(request)
        except (OSError, HttpError) as error:
            raise self._failed(error) from error
        self._dated = answer.date, time.time()
        return read_answer(answer.status, answer.checksum, answer.body)

    async def post_async(self, operation: str, body: bytes) -> dict[str, Any]:
        """The same without blocking."""
        request = self._signer.request(operation, body)
        try:
            answer = await self._of_this_loop().exchange(request)
        except (OSError, HttpError) as error:
            raise self._failed(error) from error
        self._dated = answer.date, time.time()
        return read_answer(answer.status, answer.checksum, answer.body)

    @property
    def clock_skew(self) -> float | None:
        """How many seconds this machine's clock is ahead of the endpoint's, to a second or so; None if not known."""
        date, here = self._dated
        try:
            return None if date is None else here - parsedate_to_datetime(date).timestamp()
        except ValueError:
            return None

    def _of_this_loop(self) -> LoopConnections:
        """A connection belongs to the loop that opened it."""
        loop = asyncio.get_running_loop()
        connections = self._loops.get(loop)
        if connections is None:
            with self._loops_change:
                for old in [each for each in self._loops if each.is_closed()]:
                    del self._loops[old]
                connections = self._loops[loop] = LoopConnections(self._address, self._most, loop)
        return connections

    def _failed(self, error: Exception) -> ConnectionFailedError:
        return ConnectionFailedError(f"{self._address.url} did not answer: {str(error) or type(error).__name__}")

    def close(self) -> None:
        """Close the connections of the blocking face."""
        self._connections.close()

    async def close_async(self) -> None:
        """Close the connections of the running loop."""
        connections = self._loops.pop(asyncio.get_running_loop(), None)
        if connections is not None:
            await connections.close()
