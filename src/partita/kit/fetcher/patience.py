"""How long an answer may take: as long as a page, and longer for a file that keeps coming."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType

from partita.kit.fetcher.refusals import FetchRefused

MOST_TIMES = 6.0
"""How many times a page's seconds the largest file may take."""


class Patience:
    """A deadline that moves on with what arrives: every `page_bytes` buy another `seconds`, so that a file comes at the
    slowest pace of a page or faster. It never moves further than the size that was asked for needs, and no further than
    `MOST_TIMES`."""

    def __init__(self, *, seconds: float, page_bytes: int, most_bytes: int) -> None:
        self._seconds = seconds
        self._page_bytes = page_bytes
        self._longest = seconds * min(max(1.0, most_bytes / page_bytes), MOST_TIMES)
        self._received = 0
        self._limit = asyncio.timeout(seconds)
        self._begun = 0.0

    async def __aenter__(self) -> Patience:
        self._begun = asyncio.get_running_loop().time()
        await self._limit.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._limit.__aexit__(kind, error, trace)
        except TimeoutError:
            raise self._refusal() from None
        if isinstance(error, TimeoutError):  # of a connection, which the system gave up before us
            raise self._refusal() from None

    async def taking(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """What arrives, as it arrives."""
        async for chunk in chunks:
            self._received += len(chunk)
            self._limit.reschedule(self._begun + self._allowed)
            yield chunk

    @property
    def _allowed(self) -> float:
        return min(self._seconds * (1 + self._received / self._page_bytes), self._longest)

    def _refusal(self) -> FetchRefused:
        if self._longest == self._seconds or not self._received:
            return FetchRefused(f"The page took longer than {self._seconds:g} seconds.")
        came = f"{self._received / 1_000_000:.1f} MB in {self._allowed:.0f} seconds"
        return FetchRefused(f"The file came too slowly: {came}. Try again later, or upload it.")
