"""Waiting for a writer: its progress is told, and a cancel ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from partita.apps.newsletter.service.generators.values import WrittenSection
from partita.apps.newsletter.service.generators.writer import Listen
from partita.apps.newsletter.service.reading.sentences import word_count
from partita.apps.newsletter.service.steps import Work

T = TypeVar("T")
_LOOK_SECONDS = 0.5
"""How often a writer's progress is told, and a cancel is seen."""


async def listened(
    work: Work, begin: Callable[[Listen], Awaitable[WrittenSection]], name: str, done: int, total: int
) -> WrittenSection:
    """Let a writer write a section, telling how many words there are."""
    heard = [""]

    def listen(text: str) -> None:
        heard[0] = text

    def message() -> str:
        return f"{name}: {word_count(heard[0]):,} words" if heard[0] else name

    return await watched(work, begin(listen), "Writing", done, total, message)


async def watched(
    work: Work,
    writing: Awaitable[T],
    phase: str,
    done: int,
    total: int,
    message: Callable[[], str] = lambda: "",
) -> T:
    """Wait for a writer, telling how far it is; a cancel ends it."""
    task = asyncio.ensure_future(writing)
    try:
        while True:
            await work.progress(phase, done=done, total=total, message=message())
            finished, _ = await asyncio.wait({task}, timeout=_LOOK_SECONDS)
            if finished:
                return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
