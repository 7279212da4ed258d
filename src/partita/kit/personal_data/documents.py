"""One JSON document with lists of any length, made as it is sent."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterable
from decimal import Decimal
from typing import Any

import orjson

Part = tuple[str, Any]
"""A name, and a value or an asynchronous iterator of the entries of a list."""


async def json_document(parts: Iterable[Part]) -> AsyncIterator[bytes]:
    """The pieces of a JSON object with these parts, in their order."""
    between = b"{"
    for name, value in parts:
        yield between + orjson.dumps(name) + b": "
        between = b",\n"
        if isinstance(value, AsyncIterator):
            yield b"["
            comma = b"\n"
            async for entry in value:
                yield comma + _json(entry)
                comma = b",\n"
            yield b"]"
        else:
            yield _json(value)
    yield b"}\n"


def _json(value: Any) -> bytes:
    return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(value)).decode()
    raise TypeError(f"{type(value).__name__} is nothing that JSON can hold")
