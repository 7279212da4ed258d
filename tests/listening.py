"""A server of a test's own, on loopback. Its connections end with it: one that is left would be told as a leak by
whichever test runs when garbage is collected."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(
    talk: Talk, *, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[int]:
    """The port on which everybody who comes is talked to, for as long as the block lasts."""
    talks: dict[asyncio.Future[None], asyncio.StreamWriter] = {}

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talks[asyncio.ensure_future(talk(reader, writer))] = writer

    server = await asyncio.start_server(begin, host, port, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task, writer in talks.items():
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*talks, return_exceptions=True)
        await asyncio.sleep(0)  # a transport closes its socket in the turn after
        await asyncio.sleep(0)
