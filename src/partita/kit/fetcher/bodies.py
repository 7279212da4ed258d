"""Reading an answer to its end, and no further than its limit, however it is packed."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

from partita.kit.fetcher.refusals import FetchRefused

_GZIP = 16 + zlib.MAX_WBITS


async def read_body(chunks: AsyncIterator[bytes], encoding: str, most_bytes: int) -> bytes:
    """The content of an answer; what it unpacks to counts, not only what is sent."""
    packing = encoding.strip().lower()
    if packing in ("", "identity"):
        return await _plain(chunks, most_bytes)
    if packing in ("gzip", "x-gzip"):
        return await _unpacked(chunks, most_bytes)
    raise FetchRefused("The page is packed in a way that was not asked for.")


async def _plain(chunks: AsyncIterator[bytes], most_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        _check(len(body), most_bytes)
    return bytes(body)


async def _unpacked(chunks: AsyncIterator[bytes], most_bytes: int) -> bytes:
    body = bytearray()
    sent = 0
    unpacking = zlib.decompressobj(_GZIP)
    try:
        async for chunk in chunks:
            sent += len(chunk)
            _check(sent, most_bytes)
            while chunk:
                if unpacking.eof:  # one may follow the other
                    unpacking = zlib.decompressobj(_GZIP)
                # One more than is allowed, so that too much is seen and never made.
                body += unpacking.decompress(chunk, most_bytes - len(body) + 1)
                _check(len(body), most_bytes)
                chunk = unpacking.unused_data if unpacking.eof else unpacking.unconsumed_tail
    except zlib.error:
        raise FetchRefused("The page is damaged: it cannot be unpacked.") from None
    if sent and not unpacking.eof:
        raise FetchRefused("The page broke off before its end.")
    return bytes(body)


def _check(size: int, most_bytes: int) -> None:
    if size > most_bytes:
        raise too_large(most_bytes)


def too_large(most_bytes: int) -> FetchRefused:
    """The refusal that says how much is taken."""
    return FetchRefused(f"The page is larger than {most_bytes / 1_000_000:g} MB.")
