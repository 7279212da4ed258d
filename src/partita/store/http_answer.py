"""An HTTP answer while it arrives, read by httptools."""

from __future__ import annotations

from dataclasses import dataclass

import httptools

CUT_OFF = "the connection was closed before the answer was whole"
_MOST_BYTES = 256 * 2**20
"""No answer of DynamoDB comes near (a batch is 16 MB): what is larger is no answer of DynamoDB."""


class HttpError(Exception):
    """The answer was cut off, too long, or not HTTP."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An endpoint's answer."""

    status: int
    checksum: str | None
    body: bytes
    keep_alive: bool
    """Whether another request may follow on the same connection."""
    date: str | None = None
    """What time it is there."""


class AnswerReader:
    """Collects the pieces of one answer; httptools calls it back."""

    __slots__ = ("_bytes", "_checksum", "_chunks", "_date", "_excess", "_parser", "answer")

    def __init__(self) -> None:
        self.answer: Answer | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._checksum: str | None = None
        self._date: str | None = None
        self._chunks: list[bytes] = []
        self._bytes = 0
        self._excess = False

    def feed(self, data: bytes) -> Answer | None:
        """Take what has arrived; the answer, once it is whole. No data means that the connection was closed."""
        if not data:
            raise HttpError(CUT_OFF)
        self._bytes += len(data)
        if self._bytes > _MOST_BYTES:
            raise HttpError(f"the answer is over {_MOST_BYTES:,} bytes")
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            raise HttpError(f"the answer is not HTTP: {error}") from error
        if self._excess:
            raise HttpError("more came than one answer")
        return self.answer

    def on_message_begin(self) -> None:
        self._excess = self.answer is not None

    def on_header(self, name: bytes, value: bytes) -> None:
        match name.lower():
            case b"x-amz-crc32":
                self._checksum = value.decode("latin-1")
            case b"date":
                self._date = value.decode("latin-1")

    def on_body(self, chunk: bytes) -> None:
        self._chunks.append(chunk)

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        if status >= 200:  # before the answer proper there may be others, such as "100 Continue"
            body = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
            self.answer = Answer(status, self._checksum, body, self._parser.should_keep_alive(), self._date)
