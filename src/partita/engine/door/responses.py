"""Responses as bytes; most of the head is prepared once a second, so that one takes about a microsecond."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from email.utils import formatdate
from http import HTTPStatus
from time import time
from zlib import crc32

import orjson

from partita.dynamo.errors import DynamoError
from partita.engine.door import compression

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
JSON = "application/x-amz-json-1.0"
TEXT = "text/plain; charset=utf-8"

_ID_BITS = 104  # 26 hexadecimal digits for the counter, 26 characters for this server
_ID_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUV"


class ResponseWriter:
    """Writes response heads: date, request id, checksum, length."""

    __slots__ = ("_clock", "_count", "_door_id", "_heads", "_second", "_step")

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._second = -1
        self._heads: dict[tuple[int, bool, str], bytes] = {}
        self._door_id = "".join(secrets.choice(_ID_LETTERS) for _ in range(26)).encode()
        # An odd step visits every number once before it repeats one, and does not look like a counter.
        self._count = secrets.randbits(_ID_BITS)
        self._step = secrets.randbits(_ID_BITS) | 1

    def head(
        self,
        status: int,
        body: bytes,
        *,
        keep_alive: bool,
        content_type: str = JSON,
        encoding: bytes | None = None,
        cors: bytes = b"",
    ) -> bytes:
        """Everything before the body; `body` is as it is sent, `cors` are headers for web pages."""
        second = int(self._clock())
        if second != self._second:
            self._heads.clear()
            self._second = second
        start = self._heads.get((status, keep_alive, content_type))
        if start is None:
            start = self._heads[(status, keep_alive, content_type)] = self._start(status, keep_alive, content_type)
        count = self._count = (self._count + self._step) & ((1 << _ID_BITS) - 1)
        return b"%b%026X%b\r\nx-amz-crc32: %d\r\n%b%bContent-Length: %d\r\n\r\n" % (
            start,
            count,
            self._door_id,
            crc32(body),
            b"" if encoding is None else b"Content-Encoding: %b\r\n" % encoding,
            cors,
            len(body),
        )

    def message(
        self,
        status: int,
        body: bytes,
        *,
        keep_alive: bool,
        content_type: str = JSON,
        encoding: bytes | None = None,
        cors: bytes = b"",
    ) -> tuple[bytes, bytes]:
        """Head and body, compressed if an encoding is given."""
        if encoding is not None:
            body = compression.compress(body, encoding)
        head = self.head(status, body, keep_alive=keep_alive, content_type=content_type, encoding=encoding, cors=cors)
        return head, body

    def _start(self, status: int, keep_alive: bool, content_type: str) -> bytes:
        return (
            f"HTTP/1.1 {status} {_reason(status)}\r\n"
            "Server: partita\r\n"
            f"Date: {formatdate(self._second, usegmt=True)}\r\n"
            f"Content-Type: {content_type}\r\n"
            f"Connection: {'keep-alive' if keep_alive else 'close'}\r\n"
            "x-amzn-RequestId: "
        ).encode()


def error_body(error: DynamoError) -> bytes:
    """The JSON that DynamoDB sends for this error."""
    return orjson.dumps(error.wire())


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"
