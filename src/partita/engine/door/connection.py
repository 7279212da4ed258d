"""One client's connection: requests and responses in order, and a clean close."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import inf
from threading import get_ident
from time import monotonic
from typing import cast

from partita.dynamo.errors import DynamoError, InternalServerError
from partita.engine.completions import Completions
from partita.engine.door.admission import Admissions
from partita.engine.door.backend import Backend
from partita.engine.door.budget import Budget
from partita.engine.door.limits import DoorLimits
from partita.engine.door.reader import Request, RequestReader
from partita.engine.door.refusals import RequestTimeoutError, ServiceUnavailableError
from partita.engine.door.responses import CONTINUE, JSON, TEXT, ResponseWriter, error_body
from partita.open_files import files_left

log = logging.getLogger(__name__)

_ONE_WRITE = 64 * 1024  # up to this size, copying head and body together is cheaper than two writes
_LAST_SECOND = 1.0
_FEWEST = 16
_TELL_EVERY = 60.0


@dataclass(slots=True)
class Shared:
    """What all connections of one server share."""

    backend: Backend
    admissions: Admissions
    limits: DoorLimits
    completions: Completions
    responses: ResponseWriter = field(default_factory=ResponseWriter)
    connections: dict[Connection, None] = field(default_factory=dict)
    """In the order in which they came, or were last heard of."""
    places: int = field(init=False)
    """How many connections there may be; never more than files can be opened."""
    thread: int = field(default_factory=get_ident)
    budget: Budget = field(init=False)
    stopping: bool = False
    on_empty: Callable[[], None] = lambda: None
    _told_at: float = -inf

    def __post_init__(self) -> None:
        self.budget = Budget(self.limits.all_bodies_bytes)
        self.places = min(self.limits.connections, max(_FEWEST, files_left()))

    def enter(self, connection: Connection) -> bool:
        """Whether there is a place for one more; one that waits for its client makes room, if there is one."""
        if len(self.connections) >= self.places and not self._make_room():
            return False
        self.connections[connection] = None
        return True

    def heard_of(self, connection: Connection) -> None:
        """It is the last one now that would make room."""
        if self.connections.pop(connection, connection) is None:
            self.connections[connection] = None

    def _make_room(self) -> bool:
        now = monotonic()
        if now - self._told_at > _TELL_EVERY:
            self._told_at = now
            log.warning("door: all %d connections are in use; those that wait longest are closed", self.places)
        waiting = [each for each in self.connections if each.waits]
        longest = next((each for each in waiting if not each.has_asked), waiting[0] if waiting else None)
        if longest is None:
            return False
        del self.connections[longest]
        longest.abort()
        return True


class Exchange:
    """One request that the backend is running."""

    __slots__ = ("connection", "request", "thread")

    def __init__(self, connection: Connection, request: Request, thread: int) -> None:
        self.connection = connection
        self.request = request
        self.thread = thread

    def done(self, result: bytes | DynamoError) -> None:
        """Respond to the client; from any thread."""
        if get_ident() == self.thread:
            self.connection.deliver(self, result)
        else:
            self.connection.shared.completions.post(partial(self.connection.deliver, self, result))


class Connection(asyncio.Protocol):
    """Runs one request at a time; meanwhile it reads at most one more chunk."""

    __slots__ = (
        "_eof",
        "_lingering",
        "_pumping",
        "_reader",
        "_reading_paused",
        "_running",
        "_timed",
        "_to_discard",
        "_transport",
        "_unsent",
        "_writing_paused",
        "deadline",
        "has_asked",
        "shared",
    )

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.deadline = inf  # when `expire` is due
        self.has_asked = False  # whether a whole request ever came
        self._reader = RequestReader(shared.admissions, shared.limits, shared.budget)
        self._transport: asyncio.Transport | None = None
        self._running: Exchange | None = None
        self._pumping = False
        self._reading_paused = False
        self._writing_paused = False
        self._unsent = 0
        self._eof = False
        self._lingering = False
        self._to_discard = shared.limits.linger_bytes
        self._timed = 0  # the request the deadline is for, by the reader's count

    # What the loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        shared = self.shared
        if shared.stopping or not shared.enter(self):
            self._turn_away()
            return
        self.deadline = monotonic() + shared.limits.idle_seconds

    def data_received(self, data: bytes) -> None:
        reader = self._reader
        self.shared.heard_of(self)
        if reader.finished:
            self._discard(len(data))
            return
        try:
            reader.feed(data)
        except Exception:
            log.exception("The door failed to read a request")
            reader.refuse(_failure())
        self._pump()

    def eof_received(self) -> bool:
        self._eof = True
        # True keeps our side open: the client sends no more but still waits for responses.
        return self._busy()

    def pause_writing(self) -> None:
        self._writing_paused = True

    def resume_writing(self) -> None:
        self._writing_paused = False
        self.deadline = inf
        self._pump()

    def connection_lost(self, _: Exception | None) -> None:
        # The client has gone; its running request finishes, and the response is dropped.
        self._transport = None
        self._running = None
        self._reader.close()
        shared = self.shared
        shared.connections.pop(self, None)
        if shared.stopping and not shared.connections:
            shared.on_empty()

    # What the door calls.

    @property
    def waits(self) -> bool:
        """Whether it waits for its client, and nothing of an answer is under way."""
        return not self._busy()

    def expire(self, now: float) -> None:
        """The deadline has passed: refuse an incomplete request, or close an idle connection."""
        transport = self._transport
        if transport is None:
            return
        if self._writing_paused and not self._lingering:
            unsent = transport.get_write_buffer_size()
            if unsent < self._unsent:
                # Slow, but reading.
                self._unsent = unsent
                self.deadline = now + self.shared.limits.send_seconds
                return
        elif self._reader.receiving and not self._lingering:
            self._reader.refuse(RequestTimeoutError("The request did not arrive in time. Send it again."))
            self._pump()
            return
        transport.abort()

    def wind_up(self) -> None:
        """The server stops: respond to complete requests, then close."""
        if not self._busy() and not self._lingering and self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close now."""
        if self._transport is not None:
            self._transport.abort()

    # Requests and answers.

    def deliver(self, exchange: Exchange, result: object) -> None:
        """Send the response of the running request; on the loop's thread only."""
        self.shared.budget.give_back(exchange.request.size)
        exchange.request.size = 0
        if exchange is not self._running:
            if self._transport is not None:
                log.error("The backend answered the same request twice: %s", exchange.request.operation)
            return
        self._running = None
        request = exchange.request
        if isinstance(result, bytes):
            self._respond(request, 200, result)
        else:
            self._respond_error(request, result)
        self._pump()

    def _pump(self) -> None:
        if self._pumping:
            return  # answered on the spot, within the loop below
        self._pumping = True
        waiting = self._reader.requests
        try:
            # A loop, not a recursion: thousands of pipelined requests may be answered immediately.
            while waiting and self._running is None and not self._writing_paused:
                self._start(waiting.popleft())
        finally:
            self._pumping = False
        self._settle()

    def _start(self, request: Request) -> None:
        self.has_asked = True
        if request.refusal is not None:
            self.shared.budget.give_back(request.size)
            self._respond_error(request, request.refusal)
            return
        if request.operation is None:
            self._respond(request, 200, request.body, TEXT)
            return
        shared = self.shared
        exchange = self._running = Exchange(self, request, shared.thread)
        try:
            if request.key is None:
                shared.backend.answer(request.operation, request.body, exchange.done)
            else:
                shared.backend.answer(request.operation, request.body, exchange.done, request.key)
        except DynamoError as error:
            exchange.done(error)
        except Exception:
            log.exception("The backend failed to run %s", request.operation)
            if self._running is exchange:
                exchange.done(_failure())

    def _respond_error(self, request: Request, error: object) -> None:
        try:
            if not isinstance(error, DynamoError):
                raise TypeError(f"neither bytes nor a DynamoError but {type(error).__name__}")
            if error.silent:
                log.info("%s (%s)", error.message, error.code)
            status, body = error.status, error_body(error)
        except Exception as problem:
            if isinstance(error, BaseException):
                problem.__cause__ = error
            log.exception("The backend's answer to %s cannot be sent", request.operation)
            status, body = 500, error_body(_failure())
        self._respond(request, status, body)

    def _respond(self, request: Request, status: int, body: bytes, content_type: str = JSON) -> None:
        transport, shared = self._transport, self.shared
        self.deadline = inf
        if transport is None or transport.is_closing():
            return
        last = shared.stopping and not self._reader.requests
        head, body = shared.responses.message(
            status,
            body,
            keep_alive=request.keep_alive and not last,
            content_type=content_type,
            encoding=request.encoding if len(body) >= shared.limits.compress_from_bytes else None,
            cors=request.cors,
        )
        if request.bodiless:
            transport.write(head)
        elif len(body) <= _ONE_WRITE:
            transport.write(head + body)
        else:
            transport.writelines((head, body))

    # Reading, deadlines, the end.

    def _busy(self) -> bool:
        return self._running is not None or bool(self._reader.requests) or self._writing_paused

    def _settle(self) -> None:
        transport, reader, limits = self._transport, self._reader, self.shared.limits
        if transport is None or self._lingering:
            return
        if self._running is not None or reader.requests or self._writing_paused:
            if (reader.requests or reader.receiving or self._writing_paused) and not self._reading_paused:
                self._reading_paused = True
                transport.pause_reading()
            if self._writing_paused and self.deadline == inf:
                self._unsent = transport.get_write_buffer_size()
                self.deadline = monotonic() + limits.send_seconds
            elif self._running is not None:
                self.deadline = inf
            return
        if reader.finished or self._eof or self.shared.stopping:
            self._shut(transport)
            return
        if self._reading_paused:
            self._reading_paused = False
            transport.resume_reading()
        if reader.receiving:
            if reader.awaits_continue:
                reader.awaits_continue = False
                transport.write(CONTINUE)
            if self._timed != reader.begun or self.deadline == inf:
                # Counted from the first byte, so that a slow client does not get more time with every byte.
                self._timed = reader.begun
                self.deadline = monotonic() + limits.receive_seconds
        elif self.deadline == inf:
            self.deadline = monotonic() + limits.idle_seconds

    def _shut(self, transport: asyncio.Transport) -> None:
        if self._eof:
            transport.close()
            return
        # Closing with unread bytes resets the connection and can destroy the response before the client has read it.
        # So only our side is closed, and incoming bytes are discarded until the client closes or a limit is reached.
        self._lingering = True
        self._reader.finish()
        limits = self.shared.limits
        wait = min(limits.receive_seconds, _LAST_SECOND) if self.shared.stopping else limits.receive_seconds
        self.deadline = monotonic() + wait
        transport.write_eof()
        if self._reading_paused:
            self._reading_paused = False
            transport.resume_reading()

    def _discard(self, size: int) -> None:
        self._to_discard -= size
        if self._to_discard < 0 and self._transport is not None:
            self._transport.abort()

    def _turn_away(self) -> None:
        assert self._transport is not None
        self._reader.close()
        why = "is stopping" if self.shared.stopping else "has too many connections"
        body = error_body(ServiceUnavailableError(f"The server {why}. Try again later."))
        self._transport.write(self.shared.responses.head(503, body, keep_alive=False) + body)
        self._transport.close()


def _failure() -> InternalServerError:
    # DynamoDB's own message; the cause is only in the log, since it may be confidential.
    return InternalServerError("Internal server error")
