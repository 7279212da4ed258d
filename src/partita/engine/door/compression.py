"""gzip for responses and requests, with a limit on decompressed bodies."""

from __future__ import annotations

import zlib
from functools import lru_cache

from partita.dynamo.errors import RequestTooLargeError, SerializationError

_GZIP = 31  # zlib's window bits for a gzip wrapper
_FASTEST = 1  # it blocks the loop


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
    out: list[bytes] = []
    size = 0
    while body:
        unpacker = zlib.decompressobj(_GZIP)
        try:
            part = unpacker.decompress(body, limit - size + 1)
        except zlib.error as error:
            raise SerializationError("The body is not gzip, although its Content-Encoding says so.") from error
        out.append(part)
        size += len(part)
        if size > limit:
            raise too_large(limit)
        if not unpacker.eof:
            raise SerializationError("The gzip body ends too early.")
        body = unpacker.unused_data
    return b"".join(out)


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
