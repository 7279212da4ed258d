"""What is packed is unpacked no further than its limit."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.fetcher import FetchRefused
from partita.kit.fetcher.bodies import read_body

pytestmark = pytest.mark.anyio


async def _in_pieces(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


async def test_what_would_be_too_much_is_never_made() -> None:
    bomb = gzip.compress(bytes(50_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(FetchRefused, match=r"larger than 0\.1 MB"):
            await read_body(_in_pieces(bomb, len(bomb)), "gzip", 100_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


@given(parts=st.lists(st.binary(max_size=200), min_size=1, max_size=4), size=st.integers(1, 50))
async def test_pieces_and_members_are_put_together_however_they_come(parts: list[bytes], size: int) -> None:
    packed = b"".join(gzip.compress(part) for part in parts)
    assert await read_body(_in_pieces(packed, size), "GZip ", 1_000) == b"".join(parts)


@given(data=st.binary(max_size=100), size=st.integers(1, 50))
async def test_any_bytes_are_unpacked_or_refused(data: bytes, size: int) -> None:
    try:
        await read_body(_in_pieces(data, size), "gzip", 1_000)
    except FetchRefused:
        return
    assert data == b"" or data.startswith(b"\x1f\x8b")
