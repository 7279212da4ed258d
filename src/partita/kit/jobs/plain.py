"""Plain values as bytes, to be read from a process that nobody trusts: reading them can run nothing.

A pickle could name code to call, or a size to allocate. This imports Python's library alone, as its process does.
"""

from __future__ import annotations

import json
import struct
from typing import Any


class NotPlainError(ValueError):
    """No plain value, or bytes that are none."""


def encode(value: Any) -> bytes:
    """None, booleans, numbers, text, bytes, and lists, tuples, sets and dicts of them."""
    blobs: list[bytes] = []
    text = json.dumps(_tagged(value, blobs)).encode()
    parts = [text, *blobs]
    return b"".join([struct.pack("!I", len(parts)), *(struct.pack("!Q", len(part)) for part in parts), *parts])


def decode(data: bytes) -> Any:
    """The value; `NotPlainError` for anything else."""
    try:
        (count,) = struct.unpack_from("!I", data)
        if count < 1 or 4 + 8 * count > len(data):
            raise NotPlainError("its parts do not fit")
        lengths = struct.unpack_from(f"!{count}Q", data, 4)
        parts, at = [], 4 + 8 * count
        for length in lengths:
            parts.append(data[at : at + length])
            at += length
        if at != len(data):
            raise NotPlainError("its parts do not fit")
        return _value(json.loads(parts[0]), parts[1:])
    except (struct.error, ValueError, TypeError, IndexError, KeyError, RecursionError) as error:
        raise NotPlainError(f"these bytes hold no plain value: {error}") from None


def _tagged(value: Any, blobs: list[bytes]) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        blobs.append(bytes(value))
        return ["bytes", len(blobs) - 1]
    if isinstance(value, dict):
        return ["dict", [[_tagged(key, blobs), _tagged(each, blobs)] for key, each in value.items()]]
    for tag, kind in _SEQUENCES.items():
        if isinstance(value, kind):
            return [tag, [_tagged(each, blobs) for each in value]]
    raise NotPlainError(f"a {type(value).__name__} is no plain value")


def _value(tagged: Any, blobs: list[bytes]) -> Any:
    if not isinstance(tagged, list):
        return tagged
    tag, inner = tagged
    if tag == "bytes":
        return blobs[inner]
    if tag == "dict":
        return {_value(key, blobs): _value(each, blobs) for key, each in inner}
    return _SEQUENCES[tag](_value(each, blobs) for each in inner)


_SEQUENCES: dict[str, type[Any]] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
