"""Parses HTTP/1.1 requests, as far as DynamoDB's protocol needs it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import httptools

from partita.dynamo.errors import DynamoError, RequestTooLargeError
from partita.engine.door.admission import Admission, Admissions
from partita.engine.door.budget import Budget
from partita.engine.door.compression import chosen_encoding, decompress, too_large
from partita.engine.door.limits import DoorLimits
from partita.engine.door.refusals import HeadersTooLargeError, MalformedRequestError, ServiceUnavailableError
from partita.weight import weight


@dataclass(slots=True)
class Request:
    """One complete request, or the part of it that was needed to refuse it."""

    operation: str | None
    body: bytes
    size: int = 0
    """What it takes of the budget."""
    refusal: DynamoError | None = None
    keep_alive: bool = True
    encoding: bytes | None = None
    """Of the response."""
    bodiless: bool = False
    key: str | None = None
    """The id of the access key that signed it."""
    cors: bytes = b""
    """Headers of the response for a web page."""


class RequestReader:
    """Reads one connection; `requests` are those that wait, in order."""

    __slots__ = (
        "_accepted",
        "_admission",
        "_admissions",
        "_body",
        "_budget",
        "_cors",
        "_encoding",
        "_kept",
        "_limits",
        "_method",
        "_parser",
        "_progress",
        "_raw_headers",
        "_refusal",
        "_size",
        "_taken",
        "_url",
        "_useless",
        "awaits_continue",
        "begun",
        "finished",
        "on_header",
        "receiving",
        "requests",
    )

    def __init__(self, admissions: Admissions, limits: DoorLimits, budget: Budget) -> None:
        self._admissions = admissions
        self._limits = limits
        self._budget = budget
        self.requests: deque[Request] = deque()
        self.begun = 0  # how many requests began, so that each has its own deadline
        self.receiving = False  # a request began and did not end
        self.awaits_continue = False  # its client waits for 100 Continue before the body
        self.finished = False  # no more is read: the last request asked to close, or was malformed
        self._useless = 0
        self._progress = False
        # The parser puts headers straight into the dictionary, without a Python call for each. A name that comes twice
        # counts once, with its first value, for signatures as for everything else.
        self._raw_headers: dict[bytes, bytes] = {}
        self.on_header = self._raw_headers.setdefault
        self._encoding: bytes | None = None
        self._accepted: bytes | None = None
        self._admission: Admission | None = None
        self._refusal: DynamoError | None = None
        self._taken = 0
        self._body: bytes | bytearray = b""
        self._reset()
        self._parser: httptools.HttpRequestParser | None = httptools.HttpRequestParser(self)

    def feed(self, data: bytes) -> None:
        """Read more bytes; never raises: a malformed request becomes a refused one."""
        if self._parser is None or self.finished:
            return
        self._progress = False
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserCallbackError as error:
            if not isinstance(error.__context__, _FinishedError):
                raise
        except httptools.HttpParserUpgrade:
            # Only after a head that was refused for it: see on_headers_complete.
            pass
        except httptools.HttpParserError:
            self.refuse(MalformedRequestError("The request is not HTTP/1.1."))
        # Endless headers, trailers or chunk extensions.
        self._useless = 0 if self._progress else self._useless + len(data)
        if self._useless > self._limits.head_bytes:
            self.refuse(self._headers_too_large())

    def refuse(self, refusal: DynamoError) -> None:
        """Refuse the current request without reading the rest of it, and read no more."""
        if not self.finished:
            self.finished = True
            self._end(Request(None, b"", refusal=refusal, keep_alive=False))

    def finish(self) -> None:
        """Read no more."""
        self.finished = True
        self.receiving = False

    def close(self) -> None:
        """Drop everything, also the reference cycle with the parser, so that no garbage collection is needed."""
        self.finish()
        self._reset()
        for request in self.requests:
            self._budget.give_back(request.size)
        self.requests.clear()
        self._parser = None

    # What the parser calls.

    def on_message_begin(self) -> None:
        self.receiving = True
        self.begun += 1

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_headers_complete(self) -> None:
        self._progress = True
        raw, parser = self._raw_headers, self._parser
        assert parser is not None
        head_bytes = len(self._url) + sum(map(len, raw)) + sum(map(len, raw.values()))
        headers = {name.lower(): value for name, value in reversed(raw.items())}  # the first of a name in two cases
        if parser.should_upgrade():
            # The parser skips such a request's body, which would then be read as the next request.
            raise self._refused(MalformedRequestError("This server only speaks HTTP/1.1: send no Upgrade."))
        if head_bytes > self._limits.head_bytes:
            raise self._refused(self._headers_too_large())
        if int(headers.get(b"content-length", b"0")) > self._limits.body_bytes:
            raise self._refused(too_large(self._limits.body_bytes))
        self._method = parser.get_method()
        self._cors = self._admissions.cors(self._method, headers)
        try:
            self._admission = self._admissions.admit(self._method, self._url, headers)
            self._kept = self._admission.operation is not None
        except DynamoError as error:
            self._refusal = error
        self._encoding = headers.get(b"content-encoding")
        self._accepted = chosen_encoding(headers.get(b"accept-encoding", b""))
        if b"expect" in headers and headers[b"expect"].lower() == b"100-continue":
            if self._refusal is not None:
                raise self._refused(self._refusal)
            self.awaits_continue = parser.get_http_version() != "1.0"

    def on_body(self, chunk: bytes) -> None:
        self._progress = True
        self.awaits_continue = False
        self._size += len(chunk)
        if self._size > self._limits.body_bytes:
            raise self._refused(too_large(self._limits.body_bytes))
        if not self._kept:
            return
        if not self._budget.take(len(chunk)):
            raise self._refused(_too_many())
        self._taken += len(chunk)
        if not self._body:
            self._body = chunk  # most bodies come at once
        elif isinstance(self._body, bytearray):
            self._body += chunk
        else:
            self._body = bytearray(self._body + chunk)

    def on_message_complete(self) -> None:
        assert self._parser is not None
        self._progress = True
        keep_alive = self._parser.should_keep_alive()
        body = bytes(self._body)
        try:
            body = self._opened(body)
        except DynamoError as error:
            # Without tracebacks, which would hold what was unpacked so far until garbage is collected.
            error.__cause__ = error.__context__ = error.__traceback__ = None
            self._refusal, body = error, b""
        operation = self._admission.operation if self._admission is not None else None
        if operation is None and self._admission is not None:
            body = self._admission.greeting
        bodiless = self._method == b"HEAD"
        key = None if self._admission is None else self._admission.key
        request = Request(
            operation, body, self._taken, self._refusal, keep_alive, self._accepted, bodiless, key, self._cors
        )
        self._taken = 0  # it is the request's now
        self._end(request)
        if not keep_alive:
            self.finished = True
            raise _FinishedError

    def _opened(self, body: bytes) -> bytes:
        if self._admission is None or self._refusal is not None:
            return body
        self._admission.check(body)
        unpacked = body
        if self._encoding is not None:
            unpacked = decompress(body, self._encoding, self._limits.body_bytes)
        values = weight(unpacked)
        if values > self._limits.all_bodies_bytes - len(unpacked):
            raise _too_many_values(self._limits.all_bodies_bytes)
        more = max(0, len(unpacked) - len(body)) + values
        if not self._budget.take(more):
            raise _too_many()
        self._taken += more
        return unpacked

    def _end(self, request: Request) -> None:
        self.requests.append(request)
        self.receiving = self.awaits_continue = False
        self._reset()

    def _reset(self) -> None:
        self._url = b""
        self._method = b""
        self._cors = b""
        self._raw_headers.clear()
        self._body = b""
        self._size = 0
        self._budget.give_back(self._taken)
        self._taken = 0
        self._encoding = None
        self._accepted = None
        self._kept = False  # whether the body is needed
        self._admission = None
        self._refusal = None

    def _refused(self, refusal: DynamoError) -> _FinishedError:
        self.refuse(refusal)
        return _FinishedError()

    def _headers_too_large(self) -> HeadersTooLargeError:
        return HeadersTooLargeError(f"Request line and headers are over {self._limits.head_bytes} bytes. Send fewer.")


def _too_many_values(limit: int) -> RequestTooLargeError:
    """The refusal of a body that could never be read within the limit."""
    return RequestTooLargeError(
        f"The values of the body would take over {limit} bytes of memory. Send fewer of them in one request."
    )


def _too_many() -> ServiceUnavailableError:
    return ServiceUnavailableError("The server has too many large requests. Try again later.")


class _FinishedError(Exception):
    """Stops the parser."""
