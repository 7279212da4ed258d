"""Cursors of lists that no single query answers: signed, and bound to their list, like those of the tables."""

from __future__ import annotations

import binascii
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from typing import Any

import orjson

from partita.table import CursorKeys, InvalidCursorError

_SIGNATURE_BYTES = 16
_LONGEST = 8192


def seal(keys: CursorKeys, list_name: object, place: Any) -> str:
    """A cursor that goes on after a place; the list is named by anything JSON can spell."""
    payload = orjson.dumps(place, option=orjson.OPT_SORT_KEYS)
    return _spelled(_signature(keys.keys[0], list_name, payload) + payload)


def unseal(keys: CursorKeys, list_name: object, cursor: str) -> Any:
    """The place in a cursor; refused when it was altered or belongs to another list."""
    if len(cursor) > _LONGEST:
        raise InvalidCursorError("too long")
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError):
        raise InvalidCursorError("not base64") from None
    signature, payload = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
    if _spelled(raw) != cursor:
        raise InvalidCursorError("altered")  # base64 has spare bits: only one spelling is ours
    if not any(hmac.compare_digest(signature, _signature(key, list_name, payload)) for key in keys.keys):
        raise InvalidCursorError("altered, or of another list")
    return orjson.loads(payload)


def _spelled(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


def _signature(key: bytes, list_name: object, payload: bytes) -> bytes:
    # What a table's cursor signs is never a hash of a list, so neither can stand for the other.
    identity = sha256(b"list\0" + orjson.dumps(list_name, option=orjson.OPT_SORT_KEYS)).digest()
    return hmac.digest(key, identity + payload, "sha256")[:_SIGNATURE_BYTES]
