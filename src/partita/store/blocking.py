"""Kept-alive connections for threads: plain sockets, used by one thread at a time."""

from __future__ import annotations

import os
import select
import socket
import time
from collections import deque
from threading import BoundedSemaphore

from partita.store.address import Address
from partita.store.http_answer import Answer, AnswerReader

_CHUNK = 64 * 1024


class Connections:
    """As many connections to an address as are needed at once, up to a limit; those not in use are kept for a while."""

    def __init__(self, address: Address, most: int) -> None:
        self._address = address
        self._free = BoundedSemaphore(most)
        self._idle: deque[_Connection] = deque()
        self._closed = False

    def exchange(self, request: bytes) -> Answer:
        """Send a request and wait for its answer; OSError or HttpError if none comes."""
        with self._free:
            connection = self._kept() or _Connection(self._address)
            try:
                answer = connection.exchange(request)
            except BaseException:  # whatever it is, the rest of an answer may still come: nobody else must read it
                connection.close()
                raise
            if answer.keep_alive and not self._closed:
                self._idle.append(connection)
            else:
                connection.close()
            return answer

    def _kept(self) -> _Connection | None:
        """The connection used last, since the others may then grow old and go."""
        while (connection := self._taken()) is not None:
            if connection.usable():
                return connection
            connection.close()
        return None

    def _taken(self) -> _Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def close(self) -> None:
        """Close what is idle now, and the others when they are done."""
        self._closed = True
        while (connection := self._taken()) is not None:
            connection.close()


class _Connection:
    """One socket."""

    __slots__ = ("_idle", "_poll", "_process", "_socket", "_used")

    def __init__(self, address: Address) -> None:
        self._socket = socket.create_connection((address.host, address.port), address.timeouts.connect)
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if address.tls is not None:
                self._socket = address.tls.wrap_socket(self._socket, server_hostname=address.host)
            self._socket.settimeout(address.timeouts.read)
        except BaseException:
            self._socket.close()
            raise
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._process = os.getpid()
        self._idle = address.timeouts.idle
        self._used = 0.0

    def exchange(self, request: bytes) -> Answer:
        self._socket.sendall(request)
        incoming = AnswerReader()
        while True:
            answer = incoming.feed(self._socket.recv(_CHUNK))
            if answer is not None:
                self._used = time.monotonic()
                return answer

    def usable(self) -> bool:
        """Whether the other side is still there as far as we know, and nobody else reads from the socket."""
        if self._process != os.getpid() or time.monotonic() - self._used > self._idle:
            return False
        return not self._poll.poll(0)  # nothing is due: what can be read is the end, or nothing we asked for

    def close(self) -> None:
        self._socket.close()
