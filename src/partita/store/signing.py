"""Signing requests: SigV4 over a fixed set of headers, with the signing key cached for the day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from partita.engine.door.sigv4 import ALGORITHM, SERVICE, TERMINATOR, canonical_request, signature

_TARGET = "DynamoDB_20120810."


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
    """Makes the headers of requests to one endpoint."""

    host: str
    region: str
    credentials: CredentialsSource

    def headers(self, operation: str, body: bytes, now: datetime | None = None) -> dict[str, str]:
        """Everything the request carries beside its body."""
        known = self.credentials()
        moment = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
        headers = {"host": self.host, "x-amz-date": moment, "x-amz-target": _TARGET + operation}
        if known.token is not None:
            headers["x-amz-security-token"] = known.token
        signed = sorted(headers)
        request = canonical_request("POST", "/", "", headers, signed, sha256(body).hexdigest())
        date = moment[:8]
        sealed = signature(request, known.secret_key, moment, date, self.region, SERVICE)
        headers["authorization"] = (
            f"{ALGORITHM} Credential={known.access_key}/{date}/{self.region}/{SERVICE}/{TERMINATOR}, "
            f"SignedHeaders={';'.join(signed)}, Signature={sealed}"
        )
        headers["content-type"] = "application/x-amz-json-1.0"
        headers["accept-encoding"] = "identity"
        return headers
