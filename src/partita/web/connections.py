"""Connections of `partita serve`, with bounds: nobody takes more than a share of memory, time and sockets.

uvicorn reads a request line and headers of any length, waits for ever for the rest of a request, and accepts
connections until the process has no file left to open. Here every connection has a deadline for what it does now, and
when all are taken, the one that has waited longest makes room. Bodies that are received or worked on share a budget of
memory; when it is used up, the slowest of those that are received makes room.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from itertools import chain
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from partita.kit.settings import read_settings
from partita.open_files import files_left

_log = logging.getLogger(__name__)
_FEWEST = 16


@dataclass(frozen=True, slots=True)
class Limits:
    """What a client may take; times in seconds."""

    connections: int = 1024
    head_bytes: int = 64 * 1024
    headers: int = 100
    receive_seconds: float = 30.0
    """For a request's head, and for each further stretch of a body."""
    bodies_bytes: int = 24_000_000
    """What all bodies together may take that are received or worked on."""
    body_counts: int = 1_000_000
    """So much of one counts; what is more goes on to a file."""
    slowest_bytes: int = 1024
    """What a body brings in a second, at least."""
    send_seconds: float = 60.0
    """How long nothing of an answer may be taken."""
    linger_seconds: float = 2.0
    """How long a refusal waits to be read."""

    @property
    def sweep_seconds(self) -> float:
        """How often deadlines are looked at."""
        return min(1.0, self.receive_seconds / 4, self.send_seconds / 4)


@cache
def limits_here() -> Limits:
    """The limits of this process: never more connections than it can open files."""
    settings = read_settings()
    return Limits(
        connections=max(_FEWEST, min(settings.connections, files_left())),
        receive_seconds=settings.receive_seconds,
        send_seconds=2 * settings.receive_seconds,
    )


@dataclass(slots=True, eq=False)
class Room:
    """All connections of one server. If there are too many, those go first that have never asked for anything."""

    limits: Limits
    loop: asyncio.AbstractEventLoop
    connections: dict[Connection, None] = field(default_factory=dict)
    """In the order in which they came, or were last heard of."""
    held: int = 0
    """Bytes of bodies that are in memory."""
    _sweeping: bool = False
    _told_at: dict[str, float] = field(default_factory=dict)

    def enter(self, connection: Connection) -> None:
        """One more; if there is no place left, one that waits for its client goes."""
        if len(self.connections) >= self.limits.connections:
            self._make_room()
        self.connections[connection] = None
        if not self._sweeping:
            self._sweeping = True
            self.loop.call_later(self.limits.sweep_seconds, self._sweep)

    def leave(self, connection: Connection) -> None:
        self.connections.pop(connection, None)

    def heard_of(self, connection: Connection) -> None:
        """It is the last one now that would make room."""
        if self.connections.pop(connection, connection) is None:
            self.connections[connection] = None

    def hold(self, count: int) -> None:
        """So many bytes more; if that is too much, the slowest senders go."""
        self.held += count
        while self.held > self.limits.bodies_bytes:
            slowest = min((each for each in self.connections if each.is_sending), key=Connection.speed, default=None)
            if slowest is None:
                return
            self._tell("connections: bodies take %d MB; those that come slowest are refused", self.held // 1_000_000)
            slowest.refuse_body()

    def let_go(self, count: int) -> None:
        self.held -= count

    def _tell(self, message: str, number: int) -> None:
        now = self.loop.time()
        if now - self._told_at.get(message, float("-inf")) > 60:
            self._told_at[message] = now
            _log.warning(message, number)

    def _make_room(self) -> None:
        self._tell("connections: all %d are in use; those that wait longest are closed", len(self.connections))
        silent = (each for each in self.connections if not each.has_asked)
        waiting = (each for each in self.connections if each.waits)
        longest = next(chain(silent, waiting, self.connections))
        self.leave(longest)
        longest.drop()

    def _sweep(self) -> None:
        now = self.loop.time()
        for connection in list(self.connections):
            connection.expire(now)
        if self.connections:
            self.loop.call_later(self.limits.sweep_seconds, self._sweep)
        else:
            self._sweeping = False


class Connection(HttpToolsProtocol):
    """A connection of uvicorn's with bounds."""

    _rooms: ClassVar[WeakKeyDictionary[asyncio.AbstractEventLoop, Room]] = WeakKeyDictionary()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        room = self._rooms.get(self.loop)
        if room is None:
            room = self._rooms[self.loop] = Room(limits_here(), self.loop)
        self._room = room
        self._limits = room.limits
        self._progress = False
        self._useless = 0  # bytes since the last one that was part of anything but a head
        self._since = self.loop.time()  # when what it does now began
        self._bytes = 0  # of the request that is being received
        self._held = 0  # of the bodies that are received or worked on
        self._receiving = False
        self._refused = False
        self._unread_since: float | None = None

    @property
    def _answering(self) -> RequestResponseCycle | None:
        """The request that is being answered, if there is one."""
        return self.cycle if self.has_asked and not self.cycle.response_complete else None

    @property
    def has_asked(self) -> bool:
        """Whether the head of a request ever came to its end."""
        last: RequestResponseCycle | None = self.cycle  # uvicorn has none before the first, whatever its types say
        return last is not None

    @property
    def waits(self) -> bool:
        """Whether it waits for its client, and no answer is being made."""
        return self._answering is None

    @property
    def is_sending(self) -> bool:
        """Whether a body is coming in."""
        return self._receiving and self._held > 0 and not self._refused

    def speed(self) -> float:
        """Bytes in a second of the request that is being received."""
        return self._bytes / (self.loop.time() - self._since + 0.001)

    # What the loop calls.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._room.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._room.leave(self)
        self._let_go()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._room.heard_of(self)
        self._progress = False
        self._bytes += len(data)
        super().data_received(data)
        self._useless = 0 if self._progress else self._useless + len(data)
        if self._useless > self._limits.head_bytes:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread_since = self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread_since = None

    # What the parser calls.

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._receiving = True
        self._since = self.loop.time()
        self._bytes = 0

    def on_headers_complete(self) -> None:
        self._progress = True
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > self._limits.head_bytes or len(self.headers) > self._limits.headers:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        if not self._refused:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._progress = True
        if not self._refused:
            super().on_body(body)
            more = min(len(body), self._limits.body_counts - self._held)
            if more > 0:
                self._held += more
                self._room.hold(more)

    def on_message_complete(self) -> None:
        self._progress = True
        self._receiving = False
        self._since = self.loop.time()
        if not self._refused:
            super().on_message_complete()

    # What an answer calls when it is complete.

    def on_response_complete(self) -> None:
        if not self.pipeline:
            self._let_go()
        super().on_response_complete()

    # What the room calls.

    def refuse_body(self) -> None:
        """End a body that comes in, as there is no memory left for it."""
        self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)

    def expire(self, now: float) -> None:
        """End it if what it does takes too long."""
        limits = self._limits
        if self._refused:
            if now - self._since > limits.linger_seconds:
                self.drop()
        elif self._unread_since is not None and now - self._unread_since > limits.send_seconds:
            self.drop()
        elif self.flow.read_paused:
            self._since = now  # we are the slow ones
            self._bytes = 0
        elif self._receiving:
            if now - self._since > limits.receive_seconds + self._bytes / limits.slowest_bytes:
                self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        elif not self.has_asked and now - self._since > limits.receive_seconds:
            self.drop()  # it has never asked for anything; between requests uvicorn's own time counts

    def drop(self) -> None:
        """End it at once."""
        self.transport.abort()

    def _let_go(self) -> None:
        self._room.let_go(self._held)
        self._held = 0

    def _refuse(self, status: HTTPStatus) -> None:
        """Say why, and read no more; an answer that has begun is broken off."""
        if self._refused:
            return
        self._refused = True
        self._since = self.loop.time()
        self._let_go()
        answering = self._answering
        if answering is not None:
            if answering.response_started or self.pipeline:
                self.drop()
                return
            answering.disconnected = True
            answering.message_event.set()
        text = f"{status.phrase}.\n".encode()
        self.transport.write(
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n"
            f"content-length: {len(text)}\r\nconnection: close\r\n\r\n".encode()
            + text
        )
        if self.transport.can_write_eof():
            self.transport.write_eof()  # it is closed when the client has read that, or after a while
