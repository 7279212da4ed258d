"""Signed requests as bytes: AWS Signature Version 4 over a fixed set of headers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from partita import __version__
from partita.dynamo.services import target
from partita.dynamo.signature import ALGORITHM, SERVICE, TIMESTAMP, canonical_request, scope, signature

_TYPE = "application/x-amz-json-1.0"


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key; never shown."""

    access_key: str
    secret_key: str
    token: str | None = None

    def __repr__(self) -> str:
        return f"Credentials({self.access_key[:4]}…)"


CredentialsSource = Callable[[], Credentials]
"""Asked before every request, so that credentials that expire are renewed by whoever knows how."""


@dataclass(frozen=True, slots=True)
class Signer:
    """Writes the requests to one endpoint."""

    host: str
    region: str
    credentials: CredentialsSource

    def request(self, operation: str, body: bytes, now: float | None = None) -> bytes:
        """A request whole, head and body: sent in one piece it costs one call to the system."""
        credentials = self.credentials()
        moment = _moment(int(time.time() if now is None else now))
        headers = {"content-type": _TYPE, "host": self.host, "x-amz-date": moment}
        if credentials.token is not None:
            headers["x-amz-security-token"] = credentials.token
        headers["x-amz-target"] = target(operation)
        request = canonical_request("POST", "/", "", headers, tuple(headers), body)
        signed = signature(request, credentials.secret_key, moment, self.region, SERVICE)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = (
            f"POST / HTTP/1.1\r\n{lines}authorization: {ALGORITHM} "
            f"Credential={credentials.access_key}/{scope(moment[:8], self.region, SERVICE)}, "
            f"SignedHeaders={';'.join(headers)}, Signature={signed}\r\n"
            # Answers come uncompressed and are checksummed: what arrives is what is checked.
            f"accept-encoding: identity\r\nuser-agent: partita/{__version__}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


@lru_cache(maxsize=8)
def _moment(second: int) -> str:
    return time.strftime(TIMESTAMP, time.gmtime(second))
