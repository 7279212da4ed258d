"""Signed requests as bytes: SigV4 over a fixed set of headers, with the signing key cached for the day."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from partita import __version__
from partita.dynamo.signature import ALGORITHM, SERVICE, TERMINATOR, signing_key

_TARGET = "DynamoDB_20120810."
_STREAMS_TARGET = "DynamoDBStreams_20120810."
STREAM_OPERATIONS = frozenset({"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"})
_TYPE = "application/x-amz-json-1.0"
_NAMES = "content-type;host;x-amz-date;x-amz-target"
_NAMES_WITH_TOKEN = "content-type;host;x-amz-date;x-amz-security-token;x-amz-target"


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
        known = self.credentials()
        moment = _moment(int(time.time() if now is None else now))
        date = moment[:8]
        target = (_STREAMS_TARGET if operation in STREAM_OPERATIONS else _TARGET) + operation
        if known.token is None:
            names, token_line, token_header = _NAMES, "", ""
        else:
            names = _NAMES_WITH_TOKEN
            token_line = f"x-amz-security-token:{known.token}\n"
            token_header = f"x-amz-security-token: {known.token}\r\n"
        # What is signed never varies in shape, so it is written down instead of being sorted and joined each time.
        canonical = (
            f"POST\n/\n\ncontent-type:{_TYPE}\nhost:{self.host}\nx-amz-date:{moment}\n{token_line}"
            f"x-amz-target:{target}\n\n{names}\n{sha256(body).hexdigest()}"
        )
        scope = f"{date}/{self.region}/{SERVICE}/{TERMINATOR}"
        to_sign = f"{ALGORITHM}\n{moment}\n{scope}\n{sha256(canonical.encode()).hexdigest()}"
        key = signing_key(known.secret_key, date, self.region, SERVICE)
        signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
        head = (
            f"POST / HTTP/1.1\r\nhost: {self.host}\r\ncontent-type: {_TYPE}\r\nx-amz-date: {moment}\r\n{token_header}"
            f"x-amz-target: {target}\r\nauthorization: {ALGORITHM} Credential={known.access_key}/{scope}, "
            f"SignedHeaders={names}, Signature={signature}\r\n"
            # Answers come uncompressed and are checksummed: what arrives is what is checked.
            f"accept-encoding: identity\r\nuser-agent: partita/{__version__}\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body


@lru_cache(maxsize=8)
def _moment(second: int) -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
