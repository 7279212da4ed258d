"""AWS Signature Version 4 as pure functions, shared by whoever signs a request and whoever verifies it."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "dynamodb"
TERMINATOR = "aws4_request"
TIMESTAMP = "%Y%m%dT%H%M%SZ"


def canonical_request(
    method: str, path: str, query: str, headers: Mapping[str, str], signed_headers: Sequence[str], body: bytes
) -> str:
    """The text that is signed. Path and query are encoded, header names lower-case, and `signed_headers` sorted."""
    lines = [f"{name}:{' '.join(headers.get(name, '').split())}" for name in signed_headers]
    return "\n".join((method, path, query, *lines, "", ";".join(signed_headers), sha256(body).hexdigest()))


def scope(date: str, region: str, service: str) -> str:
    """What a signature is good for: one day, region and service."""
    return f"{date}/{region}/{service}/{TERMINATOR}"


def signature(request: str, secret: str, timestamp: str, region: str, service: str) -> str:
    """The signature of a canonical request, in hexadecimal."""
    date = timestamp[:8]
    digest = sha256(wire(request)).hexdigest()
    string_to_sign = f"{ALGORITHM}\n{timestamp}\n{scope(date, region, service)}\n{digest}"
    return hmac.digest(signing_key(secret, date, region, service), wire(string_to_sign), "sha256").hex()


@lru_cache(maxsize=256)
def signing_key(secret: str, date: str, region: str, service: str) -> bytes:
    """The key of one day, region and service: four HMACs that need not be done again for every request."""
    key = ("AWS4" + secret).encode()
    for part in (date, region, service, TERMINATOR):
        key = hmac.digest(key, wire(part), "sha256")
    return key


def wire(text: str) -> bytes:
    """The bytes of a header: those that are no UTF-8 come out as they went in."""
    return text.encode("utf-8", "surrogateescape")
