"""A proxy in front of an endpoint of DynamoDB or S3, with faults: it falls silent, takes no connections, is slow or
overloaded, refuses operations, or holds requests back until somebody has seen them."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO
from urllib.parse import urlsplit

import orjson

from partita.engine.streams import arn_of_iterator
from tests.machines.s3_requests import operation_of

_CHUNK = 64 * 1024
_END_SECONDS = 20
_LENGTH, _EXPECT = b"content-length:", b"expect:"
_TARGET, _COPY = b"x-amz-target:", b"x-amz-copy-source:"


class Proxy:
    """Passes on what comes, and counts it by operation."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._target = (target.hostname or "", target.port or 80)
        # It never listens: nobody else gets the port while no connections are taken.
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self._listener: socket.socket | None = None
        self._talks = threading.Event()
        self._talks.set()
        self._closed = threading.Event()
        self._delay = 0.0
        self._overloaded = False
        self._refuses: frozenset[str] = frozenset()
        self._read_every = 0.0
        self._read_at: dict[str, float] = {}
        self._meetings: dict[str, Meeting] = {}
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self.requests: Counter[str] = Counter()
        """How often each operation was asked for."""
        self.refused: Counter[str] = Counter()
        self.throttled: Counter[str] = Counter()
        self.url = f"http://127.0.0.1:{self._reserved.getsockname()[1]}"
        self._listen()

    def fall_silent(self) -> None:
        """Connections stay open and are taken, and nothing comes."""
        self._talks.clear()

    def hang_up(self) -> None:
        """End all connections, and take none."""
        self._stop_listening()
        self._end_connections()

    def slow_down(self, seconds: float) -> None:
        """Every request waits for so long."""
        self._delay = seconds

    def refuse(self, *operations: str) -> None:
        """As AWS does for those who lack the right."""
        self._refuses = frozenset(operations)

    def overload(self) -> None:
        """Every request is answered as S3 does when there are too many: 503, slow down."""
        self._overloaded = True

    def limit_reads(self, seconds: float) -> None:
        """Each shard is read once in so many seconds, whoever asks; more is throttled, as DynamoDB does with more than
        five reads a second."""
        self._read_every = seconds

    def meet(self, operation: str, number: int, *, after: int = 0) -> Meeting:
        """Hold so many requests of an operation back, `after` some that pass, until the last of them has come or they
        are released."""
        meeting = self._meetings[operation] = Meeting(number, after)
        return meeting

    def be_well(self) -> None:
        """No faults any more."""
        self._delay, self._overloaded, self._refuses, self._read_every = 0.0, False, frozenset(), 0.0
        for meeting in self._meetings.values():
            meeting.release()
        self._meetings.clear()
        self._talks.set()
        if self._listener is None:
            self._listen()

    def close(self) -> None:
        """End all connections, and wait for those who passed on."""
        self._closed.set()
        self.be_well()
        self._stop_listening()  # from now on there are no new ones
        self._reserved.close()
        self._end_connections()
        for thread in self._threads:
            thread.join(_END_SECONDS)

    def _listen(self) -> None:
        listener = self._listener = socket.create_server(("127.0.0.1", self._reserved.getsockname()[1]))
        self._accepting = self._start(self._accept, listener)

    def _stop_listening(self) -> None:
        if self._listener is not None:
            _end(self._listener)
            self._accepting.join(_END_SECONDS)
            self._listener.close()
            self._listener = None

    def _end_connections(self) -> None:
        with self._lock:
            for each in self._open:
                _end(each)

    def _start(self, work: Callable[..., None], *arguments: object) -> threading.Thread:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):  # it was closed
            while True:
                client, _ = listener.accept()
                try:
                    server = socket.create_connection(self._target)
                except OSError:
                    client.close()
                    continue
                with self._lock:
                    self._open |= {client, server}
                ended = threading.Barrier(2)
                self._start(self._pass_on, self._requests, client, server, ended)
                self._start(self._pass_on, self._answers, server, client, ended)

    def _pass_on(
        self,
        pass_all: Callable[[socket.socket, socket.socket], None],
        source: socket.socket,
        sink: socket.socket,
        ended: threading.Barrier,
    ) -> None:
        with suppress(OSError):
            pass_all(source, sink)
        for each in (source, sink):
            _end(each)
        ended.wait()  # whoever still passes on in the other direction uses both
        with self._lock:
            self._open.discard(source)
        source.close()

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        with client.makefile("rb") as reader:
            while request := _request(reader, client):
                operation, data = request
                with self._lock:
                    self.requests[operation] += 1
                meeting = self._meetings.get(operation)
                if meeting is not None:
                    meeting.wait()
                self._talks.wait()
                self._closed.wait(self._delay)
                if self._overloaded:
                    self.refused[operation] += 1
                    client.sendall(_SLOW_DOWN)
                elif operation in self._refuses:
                    self.refused[operation] += 1
                    client.sendall(_refusal(operation))
                elif operation == "GetRecords" and self._is_too_much(data):
                    self.throttled[operation] += 1
                    client.sendall(_THROTTLED)
                else:
                    server.sendall(data)

    def _is_too_much(self, request: bytes) -> bool:
        """Of a shard: here each stream has one."""
        shard = arn_of_iterator(orjson.loads(request.partition(b"\r\n\r\n")[2])["ShardIterator"])
        now = time.monotonic()
        with self._lock:
            if now - self._read_at.get(shard, 0.0) < self._read_every:
                return True
            self._read_at[shard] = now
            return False

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        while data := server.recv(_CHUNK):
            self._talks.wait()
            client.sendall(data)


class Meeting:
    """Requests that wait for each other."""

    def __init__(self, number: int, after: int) -> None:
        self._left = number
        self._passing = after
        self._lock = threading.Lock()
        self._released = threading.Event()
        self._somebody = threading.Event()

    def wait(self) -> None:
        with self._lock:
            if self._passing:
                self._passing -= 1
                return
            self._left -= 1
            last = self._left <= 0
        self._somebody.set()
        if last:
            self.release()
        self._released.wait()

    def await_somebody(self, seconds: float) -> bool:
        """Until a request is held back."""
        return self._somebody.wait(seconds)

    def release(self) -> None:
        self._released.set()


def _request(reader: BinaryIO, client: socket.socket) -> tuple[str, bytes] | None:
    """The next request: its operation, and all of it; None if there are no more."""
    head = bytearray()
    operation, length = "", 0
    while line := reader.readline():
        lowered = line.lower()
        if lowered.startswith(_EXPECT):
            client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            continue
        head += line
        if lowered.startswith(_TARGET):
            operation = line.rpartition(b".")[2].strip().decode()
        elif lowered.startswith(_COPY):
            operation = "CopyObject"
        elif lowered.startswith(_LENGTH):
            length = int(line[len(_LENGTH) :])
        elif line == b"\r\n":
            return operation or operation_of(bytes(head.partition(b"\r\n")[0])), bytes(head) + reader.read(length)
    return None


def _refusal(operation: str) -> bytes:
    return _error(
        "com.amazon.coral.service#AccessDeniedException",
        Message=f"User: partita is not authorized to perform: dynamodb:{operation}",
    )


def _error(kind: str, **message: str) -> bytes:
    body = orjson.dumps({"__type": kind, **message})
    head = f"HTTP/1.1 400 Bad Request\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


_THROTTLED = _error(
    "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
    message="The request was denied due to request throttling.",
)


_SLOW_DOWN = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n"


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
