"""Memory that was used and is free goes back to the system, so that a server is as large as what it holds now."""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of glibc's malloc.h
_LARGE_BLOCK = 4 * 1024 * 1024
_KEPT_AT_THE_TOP = 8 * 1024 * 1024
_TRIM_SECONDS = 5.0
_GROWN = 4_000_000
"""It is tidied up after the process has grown by so many bytes."""


def bound_heaps() -> None:
    """Let all threads share two heaps, before there are any, and give large blocks back as soon as they are free.

    glibc gives each thread a heap of its own, and what is free in one is of no use to the others: after 20,000 requests
    that was a third of the process's memory. And once a large block was freed, it takes blocks of that size from the
    heap and keeps them: 39 MB for good when two passwords had been checked at once."""
    library = _library()
    if library is not None:
        library.mallopt(_M_ARENA_MAX, 2)
        library.mallopt(_M_MMAP_THRESHOLD, _LARGE_BLOCK)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT_AT_THE_TOP)


@asynccontextmanager
async def given_back(seconds: float = _TRIM_SECONDS) -> AsyncIterator[None]:
    """Meanwhile, give free memory back now and then: glibc does so by itself only at the end of a heap, and whatever
    lies there keeps all that is free before it."""
    library = _library()
    if library is None:
        yield
        return
    task = asyncio.create_task(_give_back(library, seconds), name="give memory back")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _give_back(library: ctypes.CDLL, seconds: float) -> None:
    before = 0
    while True:
        await asyncio.sleep(seconds)
        if resident_bytes() > before + _GROWN:
            await asyncio.to_thread(library.malloc_trim, 0)  # a few milliseconds, without Python's lock
            before = resident_bytes()


def resident_bytes() -> int:
    """What the process has in memory, on Linux."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _library() -> ctypes.CDLL | None:
    """glibc; None if the C library is another one."""
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            library = ctypes.CDLL(None)
            library.mallopt, library.malloc_trim  # noqa: B018 - looked for
            return library
    return None
