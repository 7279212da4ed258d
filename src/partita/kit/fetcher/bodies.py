"""Reads the body of a response, plain or compressed, up to a limit."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

from partita.kit.fetcher.refusals import FetchRefused

_GZIP = 16 + zlib.MAX_WBITS


async def read_body(chunks: AsyncIterator[bytes], encoding: str, most_bytes: int) -> bytes:
    """The body of a response; the limit also holds for its decompressed size."""
    compression = encoding.strip().lower()
    if compression in ("", "identity"):
        return await _plain(chunks, most_bytes)
    if compression in ("gzip", "x-gzip"):
        return await _decompressed(chunks, most_bytes)
    raise FetchRefused("The page is compressed in a way that is not supported.")


async def _plain(chunks: AsyncIterator[bytes], most_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        _check(len(body), most_bytes)
    return bytes(body)


async def _decompressed(chunks: AsyncIterator[bytes], most_bytes: int) -> bytes:
    body = bytearray()
    sent = 0
    decompressor = zlib.decompressobj(_GZIP)
    try:
        async for chunk in chunks:
            sent += len(chunk)
            _check(sent, most_bytes)
            while chunk:
                if decompressor.eof:  # several members may follow each other
                    decompressor = zlib.decompressobj(_GZIP)
                # One byte more than allowed, to detect that there is more without decompressing it.
                body += decompressor.decompress(chunk, most_bytes - len(body) + 1)
                _check(len(body), most_bytes)
                chunk = decompressor.unused_data if decompressor.eof else decompressor.unconsumed_tail
    except zlib.error:
        raise FetchRefused("The page is damaged: it cannot be decompressed.") from None
    if sent and not decompressor.eof:
        raise FetchRefused("The page ended too early.")
    return bytes(body)


def _check(size: int, most_bytes: int) -> None:
    if size > most_bytes:
        raise too_large(most_bytes)


def too_large(most_bytes: int) -> FetchRefused:
    """The refusal of a page above the limit."""
    return FetchRefused(f"The page is larger than {most_bytes / 1_000_000:g} MB.")
