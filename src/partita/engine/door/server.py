"""The engine's server: DynamoDB's JSON protocol over HTTP/1.1, for any AWS SDK."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from types import TracebackType

from partita.engine.completions import Completions
from partita.engine.door.admission import Admissions
from partita.engine.door.backend import Backend
from partita.engine.door.connection import Connection, Shared
from partita.engine.door.limits import DoorLimits
from partita.loopback import is_loopback

BACKLOG = 1024
"""Connections that wait until they are accepted."""


class UnprotectedHostError(ValueError):
    """The server would be reachable from other machines without access keys."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"Refusing to listen on {host!r} without access keys: whoever reaches that address could read and change "
            "every table. Configure access keys, or listen on 127.0.0.1."
        )


def check_protected(host: str, keys: Mapping[str, str] | None) -> None:
    """Refuse to listen where other machines are without access keys."""
    if not keys and not is_loopback(host):
        raise UnprotectedHostError(host)


def url_of(host: str, port: int) -> str:
    """The endpoint URL for SDKs."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Door:
    """One listening server; `start` and `stop` belong to the loop that runs it."""

    def __init__(
        self,
        backend: Backend,
        *,
        host: str = "127.0.0.1",
        port: int = 8000,
        keys: Mapping[str, str] | None = None,
        limits: DoorLimits | None = None,
        origins: Iterable[str] = (),
        listeners: Sequence[socket.socket] = (),
    ) -> None:
        """`listeners` are sockets that listen already; then the host is only checked, and the port is theirs."""
        check_protected(host, keys)
        self._backend = backend
        self._host = host
        self._port = port
        self._listeners = listeners
        self._admissions = Admissions(keys, origins)
        self._limits = limits or DoorLimits()
        self._servers: list[asyncio.Server] = []
        self._shared: Shared | None = None
        self._sweep: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Start listening."""
        loop = asyncio.get_running_loop()
        shared = Shared(self._backend, self._admissions, self._limits, Completions(loop))
        if self._listeners:
            for listener in self._listeners:
                self._servers.append(
                    await loop.create_server(lambda: Connection(shared), sock=listener, backlog=BACKLOG)
                )
        else:
            self._servers.append(
                await loop.create_server(lambda: Connection(shared), self._host, self._port, backlog=BACKLOG)
            )
        self._shared = shared
        self._sweep = loop.call_later(self._limits.sweep_seconds, self._sweep_deadlines)

    async def stop(self) -> None:
        """Stop listening, respond to complete requests, then close every connection."""
        servers, shared = self._servers, self._shared
        if not servers or shared is None:
            return
        self._servers = []
        for server in servers:
            server.close()
        shared.stopping = True
        empty = asyncio.Event()
        shared.on_empty = empty.set
        try:
            for end, seconds in ((Connection.wind_up, self._limits.stop_seconds), (Connection.abort, 1.0)):
                for connection in list(shared.connections):
                    end(connection)
                if shared.connections:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(empty.wait(), seconds)
        finally:
            if self._sweep is not None:
                self._sweep.cancel()
        for server in servers:
            await server.wait_closed()

    async def __aenter__(self) -> Door:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    @property
    def port(self) -> int:
        """The port, also if the system chose it."""
        return self._address()[1]

    @property
    def url(self) -> str:
        """The endpoint URL for SDKs."""
        return url_of(*self._address())

    def _address(self) -> tuple[str, int]:
        if not self._servers:
            raise RuntimeError("The door is not started: await start() first.")
        host, port = self._servers[0].sockets[0].getsockname()[:2]
        return host, port

    def _sweep_deadlines(self) -> None:
        # One timer for all connections: setting a deadline is then an assignment, not a heap operation per request.
        assert self._shared is not None
        now = monotonic()
        for connection in [one for one in self._shared.connections if one.deadline <= now]:
            connection.expire(now)
        self._sweep = asyncio.get_running_loop().call_later(self._limits.sweep_seconds, self._sweep_deadlines)


async def serve(
    backend: Backend,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    keys: Mapping[str, str] | None = None,
    limits: DoorLimits | None = None,
) -> Door:
    """Start a door on the running loop; the caller stops it."""
    door = Door(backend, host=host, port=port, keys=keys, limits=limits)
    await door.start()
    return door


def run(
    backend: Backend,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    keys: Mapping[str, str] | None = None,
    limits: DoorLimits | None = None,
    origins: Iterable[str] = (),
    listeners: Sequence[socket.socket] = (),
    lifeline: int | None = None,
    ready: Callable[[Door], object] | None = None,
) -> None:
    """Serve from the main thread until SIGINT or SIGTERM, then stop gracefully; `ready` is called when it listens.

    `lifeline` is the reading end of a pipe: it stops too when the other end is closed.
    """
    door = Door(backend, host=host, port=port, keys=keys, limits=limits, origins=origins, listeners=listeners)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        if lifeline is not None:
            loop.add_reader(lifeline, _when_readable, loop, lifeline, stop)
        async with door:
            if ready is not None:
                ready(door)
            await stop.wait()

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main())


def _when_readable(loop: asyncio.AbstractEventLoop, lifeline: int, stop: asyncio.Event) -> None:
    loop.remove_reader(lifeline)
    stop.set()


def new_loop() -> asyncio.AbstractEventLoop:
    """uvloop's loop if it is installed: a request takes about 30 % less time than on asyncio's (measured)."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
