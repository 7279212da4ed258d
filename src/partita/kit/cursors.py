"""Cursors of lists that are not a single query: signed and bound to their list, like those of queries."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import orjson

from partita.table import CursorKeys, InvalidCursorError, sealing


def seal(keys: CursorKeys, list_name: object, place: Any) -> str:
    """A cursor that continues after a place; `list_name` is any JSON value."""
    return sealing.seal(keys.keys, _identity(list_name), orjson.dumps(place, option=orjson.OPT_SORT_KEYS))


def unseal(keys: CursorKeys, list_name: object, cursor: str) -> Any:
    """The place in a cursor; refused if it was altered or belongs to another list."""
    try:
        return orjson.loads(sealing.unseal(keys.keys, _identity(list_name), cursor))
    except sealing.BrokenSealError as broken:
        raise InvalidCursorError(str(broken)) from None


def _identity(list_name: object) -> bytes:
    # The prefix keeps cursors of queries from being valid here.
    return sha256(b"list\0" + orjson.dumps(list_name, option=orjson.OPT_SORT_KEYS)).digest()
