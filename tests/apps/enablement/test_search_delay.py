"""Search is less than a second behind what is written, while many write."""

from __future__ import annotations

import asyncio
import statistics
import time
from contextlib import suppress
from pathlib import Path

import pytest

from partita.apps.enablement.inputs import ContentEdit, NewContent
from partita.apps.enablement.permissions import CONTRIBUTOR
from partita.apps.enablement.schema import Content
from partita.apps.enablement.service import EnablementService
from partita.apps.enablement.service.library import Wanted
from partita.kit.permissions import Viewer
from tests.apps.enablement.conftest import ANNA
from tests.apps.enablement.killed import suite_in
from tests.apps.enablement.sizes import FULL, report, sized
from tests.apps.house import person

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(sized(110, 900))]
WRITERS, EACH = 16, sized(3, 100)
_PAUSE = 0.2
"""Seconds between two drafts of a writer: people do less."""
_LOOK = 0.02
"""Seconds between two looks."""


async def test_search_is_less_than_a_second_behind_while_many_write(tmp_path: Path) -> None:
    suite = suite_in(tmp_path)
    service = EnablementService(suite.kit)
    following = asyncio.create_task(suite.worker.run())
    delays: list[float] = []
    newest: list[tuple[str, float]] = []
    writing = True

    async def write(writer: int) -> None:
        """Drafts of somebody, each edited once: both must be found by their new words."""
        who = person(f"writer{writer}", *CONTRIBUTOR)
        for number in range(EACH):
            word = f"w{writer}x{number}"
            new = NewContent(title=f"Guide {word}", summary="Prices.", text="# Prices\n\nAtlas costs 100.\n")
            made = await service.content.create(who, new)
            newest.append((word, time.perf_counter()))
            edited = await service.content.edit(who, made.content_id, ContentEdit(summary=f"Prices of e{word}."))
            assert isinstance(edited, Content)
            newest.append((f"e{word}", time.perf_counter()))
            await asyncio.sleep(_PAUSE)

    async def watch() -> None:
        """Wait for the newest that is written, again and again."""
        while writing or newest:
            if not newest:
                await asyncio.sleep(0)
                continue
            word, written = newest.pop()
            newest.clear()
            while not await _finds(service, ANNA, word):
                await asyncio.sleep(_LOOK)
            delays.append(time.perf_counter() - written)

    try:
        watching = asyncio.create_task(watch())
        began = time.perf_counter()
        await asyncio.gather(*map(write, range(WRITERS)))
        rate = 2 * WRITERS * EACH / (time.perf_counter() - began)
        writing = False
        await watching
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following
        await suite.close()
    assert statistics.median(delays) < 1, delays
    assert max(delays) < 1 or not FULL, delays
    report(
        f"{2 * WRITERS * EACH:,} writes of {WRITERS} writers, {rate:,.0f} a second: search behind by"
        f" {1000 * statistics.median(delays):.0f} ms (median of {len(delays)}), {1000 * max(delays):.0f} ms at most"
    )


async def _finds(service: EnablementService, viewer: Viewer, word: str) -> bool:
    return bool((await service.library.browse(viewer, Wanted(text=word))).items)
