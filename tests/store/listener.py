"""A server on loopback that answers as a script says: rightly, in pieces, cut off, damaged, or not at all."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any
from zlib import crc32

import orjson


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, and which connection it came over."""

    connection: int
    head: str
    body: bytes

    @property
    def members(self) -> Any:
        return orjson.loads(self.body)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back, piece by piece, and whether the connection is closed afterwards."""

    pieces: tuple[bytes, ...]
    then_close: bool = False
    pause: float = 0.0
    """Seconds before each piece, where time itself is what is tested."""


SILENCE = Reply(())
HANG_UP = Reply((), then_close=True)
Script = Callable[[Asked], Reply]


def http(
    body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None, then_close: bool = False
) -> Reply:
    """An answer with a length and a checksum; `headers` come on top, or instead."""
    shown = {"Content-Length": str(len(body)), "x-amz-crc32": str(crc32(body)), **(headers or {})}
    head = f"HTTP/1.1 {status} Said\r\n" + "".join(f"{name}: {value}\r\n" for name, value in shown.items())
    return Reply((head.encode() + b"\r\n" + body,), then_close)


def said(answer: Any, **settings: Any) -> Reply:
    """An answer in JSON."""
    return http(orjson.dumps(answer), **settings)


def in_turn(*replies: Reply) -> Script:
    """One reply after the other, whatever is asked."""
    waiting = iter(replies)
    return lambda _asked: next(waiting)


class Listener:
    """What has been asked, and which connections have ended."""

    def __init__(self, script: Script, tls: ssl.SSLContext | None) -> None:
        self._script = script
        self._tls = tls
        self._over = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()
        self.asked: list[Asked] = []
        self.ended: SimpleQueue[int] = SimpleQueue()
        """The number of each connection that has ended, whoever ended it."""
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self._socket.getsockname()[1]}"

    @property
    def connections(self) -> int:
        return len(self._open)

    def push(self, connection: int, data: bytes) -> None:
        """Send what nobody asked for."""
        self._open[connection - 1].sendall(data)

    def _accept(self) -> None:
        with suppress(OSError):  # the socket is closed when the test is over
            while True:
                accepted, _ = self._socket.accept()
                self._open.append(accepted)
                self._threads.append(threading.Thread(target=self._serve, args=(accepted, len(self._open))))
                self._threads[-1].start()

    def _serve(self, accepted: socket.socket, number: int) -> None:
        try:
            with suppress(OSError):
                if self._tls is not None:
                    accepted = self._tls.wrap_socket(accepted, server_side=True)
                self._converse(accepted, number)
        finally:
            accepted.close()
            self.ended.put(number)

    def _converse(self, accepted: socket.socket, number: int) -> None:
        with accepted.makefile("rb") as arriving:
            while line := arriving.readline():
                head = line
                while (line := arriving.readline()).strip():
                    head += line
                text = head.decode()
                length = next(part for part in text.lower().split("\r\n") if part.startswith("content-length:"))
                asked = Asked(number, text, arriving.read(int(length.partition(":")[2])))
                self.asked.append(asked)
                reply = self._script(asked)
                if reply is SILENCE:
                    self._over.wait()
                    return
                for piece in reply.pieces:
                    self._over.wait(reply.pause)
                    accepted.sendall(piece)
                if reply.then_close:
                    accepted.shutdown(socket.SHUT_RDWR)
                    return

    def close(self) -> None:
        self._over.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._threads[0].join(10)
        for accepted in self._open:
            with suppress(OSError):
                accepted.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
            assert not thread.is_alive()


@contextmanager
def listening(script: Script, tls: ssl.SSLContext | None = None) -> Iterator[Listener]:
    """A listener for as long as the block lasts."""
    listener = Listener(script, tls)
    try:
        yield listener
    finally:
        listener.close()
