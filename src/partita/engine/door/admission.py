"""Admits or refuses a request by its headers alone, before its body is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache

import httptools

from partita.dynamo.errors import UnknownOperationError
from partita.dynamo.frozen import dataclass
from partita.dynamo.services import target
from partita.engine.door import sigv4
from partita.engine.door.refusals import BrowserRefusedError, MalformedRequestError, UnknownResourceError

HEALTH_PATHS = (b"/", b"/healthz")


@dataclass(frozen=True, slots=True)
class Admission:
    """An admitted request: for the backend if it has an operation, otherwise a health check."""

    operation: str | None
    seal: Seal | None = None
    greeting: bytes = b""
    """The response to a health check."""

    @property
    def key(self) -> str | None:
        """The id of the access key that signed it."""
        return None if self.seal is None else self.seal.claim.access_key

    def check(self, body: bytes) -> None:
        """Raise unless the body is the one that was signed."""
        if self.seal is not None:
            self.seal.check(body)


@dataclass(frozen=True, slots=True)
class Seal:
    """What a signature covers besides the body."""

    claim: sigv4.Claim
    method: str
    path: str
    query: str
    headers: Mapping[str, str]

    def check(self, body: bytes) -> None:
        """Raise unless the signature is right."""
        sigv4.verify_signature(self.claim, self.method, self.path, self.query, self.headers, body)


class Admissions:
    """The rules of one server; without keys nothing is verified, which is allowed on loopback only."""

    __slots__ = ("_keys", "_origins")

    def __init__(self, keys: Mapping[str, str] | None = None, origins: Iterable[str] = ()) -> None:
        self._keys = dict(keys or {})
        self._origins = frozenset(origin.encode() for origin in origins)

    def cors(self, method: bytes, headers: Mapping[bytes, bytes]) -> bytes:
        """The response's headers for a web page that may read it; none for others."""
        if not self._origins or not self._welcomes(headers.get(b"origin")):
            return b""
        anybody = b"*" in self._origins
        lines = [b"Access-Control-Allow-Origin: " + (b"*" if anybody else headers[b"origin"])]
        if not anybody:
            lines.append(b"Vary: Origin")
        if method == b"OPTIONS":
            for asked, allowed in _PREFLIGHT:
                if asked in headers:
                    lines.append(allowed + headers[asked])
            lines.append(b"Access-Control-Max-Age: 172800")
        else:
            lines.append(b"Access-Control-Expose-Headers: x-amzn-RequestId, x-amz-crc32, Date")
        return b"".join(line + b"\r\n" for line in lines)

    def _welcomes(self, origin: bytes | None) -> bool:
        return origin is not None and (b"*" in self._origins or origin in self._origins)

    def admit(self, method: bytes, url: bytes, headers: Mapping[bytes, bytes]) -> Admission:
        """Admit a request or raise the error to respond with."""
        path, query = (url, b"") if url == b"/" else _split(url)
        if method in (b"GET", b"HEAD") and path in HEALTH_PATHS:
            return HEALTH if path != b"/" else Admission(None, greeting=b"healthy: " + headers.get(b"host", b""))
        if method == b"OPTIONS" and self._welcomes(headers.get(b"origin")):
            return PREFLIGHT
        if method != b"POST" or path != b"/":
            raise UnknownResourceError("There is nothing at this method and path. DynamoDB's requests are POST /.")
        admission = _unsealed(headers.get(b"x-amz-target", b""))
        if admission is None:
            raise UnknownOperationError(
                "X-Amz-Target must be DynamoDB_20120810.<Operation>, or DynamoDBStreams_20120810.<Operation> for the "
                "operations on streams."
            )
        if not self._keys:
            if b"origin" in headers and not self._welcomes(headers[b"origin"]):
                # Otherwise a web page could use the server by DNS rebinding.
                raise BrowserRefusedError(
                    "Web pages may not use a server without access keys. Configure access keys, or allow the page's "
                    "origin."
                )
            return admission
        text = {_text(name): _text(value) for name, value in headers.items()}
        claim = sigv4.read_claim(text, self._keys, datetime.now(UTC))
        return Admission(admission.operation, Seal(claim, _text(method), _text(path), _text(query), text))


HEALTH = Admission(None, greeting=b"healthy")
PREFLIGHT = Admission(None)
_PREFLIGHT = (
    (b"access-control-request-method", b"Access-Control-Allow-Methods: "),
    (b"access-control-request-headers", b"Access-Control-Allow-Headers: "),
)


@lru_cache(maxsize=256)
def _unsealed(named: bytes) -> Admission | None:
    _, _, name = named.partition(b".")
    if name.isalnum() and len(name) <= 64 and named == target(name.decode("ascii")).encode():
        return Admission(name.decode("ascii"))
    return None


def _split(url: bytes) -> tuple[bytes, bytes]:
    try:
        parsed = httptools.parse_url(url)
    except httptools.HttpParserInvalidURLError as error:
        raise MalformedRequestError("The request's URL cannot be read.") from error
    return parsed.path or b"/", parsed.query or b""


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")
