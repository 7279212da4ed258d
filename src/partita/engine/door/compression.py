"""gzip and deflate for responses and requests, with a limit on decompressed bodies."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache

from partita.dynamo.errors import RequestTooLargeError, SerializationError

_WINDOWS = {b"gzip": 31, b"deflate": 15}
"""zlib's window bits for each wrapper."""
_FASTEST = 1  # it blocks the loop
_MEMBERS = 64
"""Clients send one; each costs some work, however empty it is."""
_PIECE = 64 * 1024
_WEIGHT = re.compile(rb"[01](\.[0-9]{0,3})?")


def compress(body: bytes, encoding: bytes = b"gzip") -> bytes:
    """The body as one member."""
    packer = zlib.compressobj(_FASTEST, zlib.DEFLATED, _WINDOWS[encoding])
    return packer.compress(body) + packer.flush()


def decompress(body: bytes, encoding: bytes, limit: int) -> bytes:
    """A decompressed request body; stops at `limit` bytes."""
    encoding = encoding.lower()
    if encoding == b"identity":
        return body
    if encoding not in _WINDOWS:
        raise SerializationError("Content-Encoding must be gzip, deflate or identity.")
    unpacked = bytearray()
    at = 0
    for _ in range(_MEMBERS):
        if at == len(body):
            return bytes(unpacked)
        at = _unpack(body, at, unpacked, limit, encoding)
    raise SerializationError(f"The compressed body has more than {_MEMBERS} members. Send it as one.")


def _unpack(body: bytes, at: int, unpacked: bytearray, limit: int, encoding: bytes) -> int:
    """Unpack the member that begins at a place; returns where it ends. It is given piece by piece: what a member leaves
    over is copied, so that a whole body given to each of many members would take quadratic time."""
    unpacker = zlib.decompressobj(_WINDOWS[encoding])
    name = encoding.decode()
    while not unpacker.eof:
        piece = body[at : at + _PIECE]
        if not piece:
            raise SerializationError(f"The {name} body ends too early.")
        try:
            unpacked += unpacker.decompress(piece, limit - len(unpacked) + 1)
        except zlib.error as error:
            raise SerializationError(f"The body is not {name}, although its Content-Encoding says so.") from error
        if len(unpacked) > limit:
            raise too_large(limit)
        at += len(piece) - len(unpacker.unused_data) - len(unpacker.unconsumed_tail)
    return at


@lru_cache(maxsize=64)
def chosen_encoding(accept_encoding: bytes) -> bytes | None:
    """The encoding that an Accept-Encoding likes best, the first of those it likes as much; `*` means gzip."""
    best, most = None, 0.0
    for part in accept_encoding.lower().split(b","):
        name, *parameters = (piece.strip() for piece in part.split(b";"))
        name = b"gzip" if name == b"*" else name
        weight = next((_weight(each[2:]) for each in parameters if each.startswith(b"q=")), 1.0)
        if name in _WINDOWS and weight > most:
            best, most = name, weight
    return best


def _weight(text: bytes) -> float:
    return float(text) if _WEIGHT.fullmatch(text) else 0.0


def too_large(limit: int) -> RequestTooLargeError:
    """The refusal of a body over the limit."""
    return RequestTooLargeError(f"Request size exceeds the limit of {limit} bytes. Send fewer or smaller items.")
