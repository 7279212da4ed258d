"""Kept-alive connections for an event loop, used by one task at a time."""

from __future__ import annotations

import asyncio
import select
from typing import cast

from partita.store.address import Address, Timeouts
from partita.store.http_answer import CUT_OFF, Answer, AnswerReader, HttpError


class LoopConnections:
    """As many connections to an address as are needed at once, up to a limit; those not in use are kept for a while."""

    def __init__(self, address: Address, most: int, loop: asyncio.AbstractEventLoop) -> None:
        self._address = address
        self._free = asyncio.BoundedSemaphore(most)
        self._idle: list[_Connection] = []
        self._loop = loop
        self._closed = False

    async def exchange(self, request: bytes) -> Answer:
        """Send a request and wait for its answer; OSError or HttpError if none comes."""
        async with self._free:
            connection = self._kept() or await self._open()
            try:
                answer = await connection.exchange(request)
            except BaseException:  # whatever it is, the rest of an answer may still come: nobody else must read it
                connection.abort()
                raise
            if answer.keep_alive and not self._closed:
                self._idle.append(connection)
            else:
                connection.close()
            return answer

    def _kept(self) -> _Connection | None:
        """The connection used last, since the others may then grow old and go."""
        while self._idle:
            connection = self._idle.pop()
            if connection.usable():
                return connection
            connection.close()
        return None

    async def _open(self) -> _Connection:
        where = self._address
        async with asyncio.timeout(where.timeouts.connect):
            _, connection = await self._loop.create_connection(
                lambda: _Connection(self._loop, where.timeouts), where.host, where.port, ssl=where.tls
            )
        return connection

    async def close(self) -> None:
        """Close what is idle now, and the others when they are done."""
        self._closed = True
        closing = [connection.close() for connection in self._idle]
        self._idle.clear()
        if closing:
            await asyncio.wait(closing, timeout=self._address.timeouts.connect)


class _Connection(asyncio.Protocol):
    """One transport, and the answer that is awaited on it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, timeouts: Timeouts) -> None:
        self._loop = loop
        self._timeouts = timeouts
        self._lost: asyncio.Future[None] = loop.create_future()
        self._awaited: asyncio.Future[Answer] | None = None
        self._heard = 0.0

    async def exchange(self, request: bytes) -> Answer:
        self._incoming = AnswerReader()
        self._awaited = self._loop.create_future()
        self._heard = self._loop.time()
        self._timer = self._loop.call_later(self._timeouts.read, self._look_at_the_clock)
        self._transport.write(request)
        try:
            return await self._awaited
        finally:
            self._timer.cancel()
            self._awaited = None

    def usable(self) -> bool:
        """Whether the other side is still there; what the loop has not had time to notice counts too."""
        if self._transport.is_closing() or self._loop.time() - self._heard > self._timeouts.idle:
            return False
        return not self._poll.poll(0)

    def close(self) -> asyncio.Future[None]:
        """Let go; what is returned is done when the other side knows."""
        self._transport.close()
        return self._lost

    def abort(self) -> None:
        self._transport.abort()

    # -- what the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._poll = select.poll()
        self._poll.register(transport.get_extra_info("socket").fileno(), select.POLLIN)

    def data_received(self, data: bytes) -> None:
        self._heard = self._loop.time()
        if self._awaited is None or self._awaited.done():
            self._transport.abort()  # nobody asked
            return
        try:
            answer = self._incoming.feed(data)
        except HttpError as error:
            self._awaited.set_exception(error)
            return
        if answer is not None:
            self._awaited.set_result(answer)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._lost.done():
            self._lost.set_result(None)
        if self._awaited is not None and not self._awaited.done():
            reason = exc if isinstance(exc, OSError) else HttpError(CUT_OFF)
            self._awaited.set_exception(reason)

    def _look_at_the_clock(self) -> None:
        left = self._heard + self._timeouts.read - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look_at_the_clock)
        elif self._awaited is not None and not self._awaited.done():
            self._awaited.set_exception(TimeoutError(f"nothing came for {self._timeouts.read} seconds"))
