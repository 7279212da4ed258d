"""Where cards are drawn: one at a time and each once, so that whoever asks for many takes no more than one thread."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from partita.kit.problems import Unavailable
from partita.kit.sharing.cards import Card
from partita.kit.sharing.pictures import open_graph_picture
from partita.table.recent import Recent

KEPT_BYTES = 8_000_000
"""Some two hundred cards."""
MOST_WAITING = 8


class Studio:
    """Draws cards in a thread of its own, and keeps those that were asked for last."""

    def __init__(self) -> None:
        self._drawn: Recent[str, bytes] = Recent(KEPT_BYTES)
        self._under_way: dict[str, asyncio.Future[bytes]] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="cards")

    async def draw(self, card: Card) -> bytes:
        """The card as a PNG; `Unavailable` while too many others wait for theirs."""
        digest = card.digest
        drawn = self._drawn.get(digest)
        if drawn is not None:
            return drawn
        waiting = self._under_way.get(digest)
        if waiting is None:
            if len(self._under_way) >= MOST_WAITING:
                raise Unavailable("Many pictures are being drawn. Try again in a moment.")
            waiting = asyncio.ensure_future(self._draw(digest, card))
            self._under_way[digest] = waiting
        # Somebody who goes away must not take the picture from those who wait for the same one.
        return await asyncio.shield(waiting)

    async def _draw(self, digest: str, card: Card) -> bytes:
        try:
            drawn = await asyncio.get_running_loop().run_in_executor(self._thread, open_graph_picture, card)
        finally:
            del self._under_way[digest]
        self._drawn.add(digest, drawn, len(drawn))
        return drawn
