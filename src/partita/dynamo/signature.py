"""The part of AWS Signature Version 4 that whoever signs and whoever verifies share."""

from __future__ import annotations

import hmac
from functools import lru_cache

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "dynamodb"
TERMINATOR = "aws4_request"


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
