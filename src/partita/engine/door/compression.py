"""gzip for responses and requests, with a limit on decompressed bodies."""

from __future__ import annotations

import zlib
from functools import lru_cache

from partita.dynamo.errors import RequestTooLargeError, SerializationError

_GZIP = 31  # zlib's window bits for a gzip wrapper
_FASTEST = 1  # it blocks the loop
_MEMBERS = 64
"""Clients send one; each costs some work, however empty it is."""
_PIECE = 64 * 1024


def compress(body: bytes) -> bytes:
    """The body as one gzip member."""
    packer = zlib.compressobj(_FASTEST, zlib.DEFLATED, _GZIP)
    return packer.compress(body) + packer.flush()


def decompress(body: bytes, encoding: bytes, limit: int) -> bytes:
    """A decompressed request body; stops at `limit` bytes."""
    if encoding.lower() == b"identity":
        return body
    if encoding.lower() != b"gzip":
        raise SerializationError("Content-Encoding must be gzip or identity.")
    unpacked = bytearray()
    at = 0
    for _ in range(_MEMBERS):
        if at == len(body):
            return bytes(unpacked)
        at = _unpack(body, at, unpacked, limit)
    raise SerializationError(f"The gzip body has more than {_MEMBERS} members. Send it as one.")


def _unpack(body: bytes, at: int, unpacked: bytearray, limit: int) -> int:
    """Unpack the member that begins at a place; returns where it ends. It is given piece by piece: what a member leaves
    over is copied, so that a whole body given to each of many members would take quadratic time."""
    unpacker = zlib.decompressobj(_GZIP)
    while not unpacker.eof:
        piece = body[at : at + _PIECE]
        if not piece:
            raise SerializationError("The gzip body ends too early.")
        try:
            unpacked += unpacker.decompress(piece, limit - len(unpacked) + 1)
        except zlib.error as error:
            raise SerializationError("The body is not gzip, although its Content-Encoding says so.") from error
        if len(unpacked) > limit:
            raise too_large(limit)
        at += len(piece) - len(unpacker.unused_data) - len(unpacker.unconsumed_tail)
    return at


@lru_cache(maxsize=64)
def wants_gzip(accept_encoding: bytes) -> bool:
    """Whether an Accept-Encoding allows gzip."""
    for part in accept_encoding.lower().split(b","):
        name, *parameters = (piece.strip() for piece in part.split(b";"))
        if name == b"gzip":
            return not any(parameter in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000") for parameter in parameters)
    return False


def too_large(limit: int) -> RequestTooLargeError:
    """The refusal of a body over the limit."""
    return RequestTooLargeError(f"Request size exceeds the limit of {limit} bytes. Send fewer or smaller items.")
