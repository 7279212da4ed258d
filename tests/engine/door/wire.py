"""Both ends of the door for its tests: a backend that does what it is asked, a client that sends bytes as they are."""

from __future__ import annotations

import socket
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from types import TracebackType

from partita.dynamo.errors import ConditionalCheckFailedError, DynamoError, ValidationError
from partita.dynamo.services import target

SECONDS = 20.0
Done = Callable[[bytes | DynamoError], None]


class StandIn:
    """A backend whose operations are the ways in which a backend can answer."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, bytes]] = []
        self.held: SimpleQueue[Done] = SimpleQueue()

    def answer(self, operation: str, body: bytes, done: Done, key: str | None = None) -> None:
        self.calls.append((operation, body))
        getattr(self, f"do_{operation.lower()}")(body, done)

    def do_echo(self, body: bytes, done: Done) -> None:
        done(body)

    def do_getrecords(self, body: bytes, done: Done) -> None:
        done(body)

    def do_size(self, body: bytes, done: Done) -> None:
        done(b'{"Size":%d}' % len(body))

    def do_big(self, body: bytes, done: Done) -> None:
        done(b'{"Big":"%b"}' % (b"x" * int(body)))

    def do_later(self, body: bytes, done: Done) -> None:
        Thread(target=done, args=(body,)).start()

    def do_hold(self, body: bytes, done: Done) -> None:
        self.held.put(done)

    def do_refuse(self, body: bytes, done: Done) -> None:
        done(ConditionalCheckFailedError(item={"pk": {"S": "a"}}))

    def do_raise(self, body: bytes, done: Done) -> None:
        raise ValidationError("no")

    def do_break(self, body: bytes, done: Done) -> None:
        raise RuntimeError("the backend broke")

    def do_breaklater(self, body: bytes, done: Callable[[object], None]) -> None:
        Thread(target=done, args=(RuntimeError("the backend broke later"),)).start()

    def do_twice(self, body: bytes, done: Done) -> None:
        done(body)
        done(b"again")

    def do_breakafterwards(self, body: bytes, done: Done) -> None:
        done(body)
        raise RuntimeError("the backend broke afterwards")


@dataclass(frozen=True)
class Response:
    """What a client read."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def crc_is_right(self) -> bool:
        return int(self.headers["x-amz-crc32"]) == zlib.crc32(self.body)


class Client:
    """One connection, without any opinion on HTTP."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        self._buffer = b""

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, operation: str, body: bytes = b"{}", **headers: str) -> Response:
        self.send(post(operation, body, **headers))
        return self.response()

    def response(self, *, bodiless: bool = False) -> Response:
        head = self._until(b"\r\n\r\n").decode()
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        length = 0 if bodiless else int(headers.get("content-length", "0"))
        return Response(int(first.split()[1]), headers, self._take(length))

    def is_closed(self) -> bool:
        """Whether the server has ended the connection, with nothing more to read; waits for it."""
        try:
            return not self._buffer and self.socket.recv(65536) == b""
        except ConnectionError:
            return True

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            self._more()
        head, _, self._buffer = self._buffer.partition(mark)
        return head

    def _take(self, size: int) -> bytes:
        parts, missing = [self._buffer[:size]], size - len(self._buffer)
        self._buffer = self._buffer[size:]
        while missing > 0:
            part = self.socket.recv(min(missing, 1 << 20))
            if not part:
                raise ConnectionError("the server closed within a body")
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _more(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed")
        self._buffer += data


def post(operation: str, body: bytes = b"{}", *, version: str = "1.1", **headers: str) -> bytes:
    """A request as bytes; header names are written with underscores."""
    return head(operation, version=version, Content_Length=str(len(body)), **headers) + body


def head(operation: str, *, version: str = "1.1", **headers: str) -> bytes:
    """A request without its body."""
    headers = {"Host": "localhost", "X_Amz_Target": target(operation), **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"POST / HTTP/{version}\r\n{lines}\r\n".encode()


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)
