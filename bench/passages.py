"""Finding passages for a newsletter's topics, in as many as a large organisation has (`python -m bench newsletter`)."""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from partita.apps.newsletter.demo.library import sources
from partita.apps.newsletter.search import CATALOG, passage_document
from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.writing.retrieval import topic_query
from partita.apps.newsletter.service.writing.topics import TOPICS
from partita.kit.search import Document, Search
from partita.table import CursorKeys

COUNT = 100_000
WANTED = 30
_ASKED = 10
_TODAY = date(2026, 11, 16)


@dataclass
class PassagesResult:
    """What a run has measured."""

    count: int
    built: float = 0.0
    milliseconds: list[float] = field(default_factory=list)


def compare(progress: Callable[[str], None], count: int = COUNT) -> PassagesResult:
    """Index passages mixed from the demo's sentences, and ask for each topic."""
    return asyncio.run(_compare(progress, count))


async def _compare(progress: Callable[[str], None], count: int) -> PassagesResult:
    result = PassagesResult(count)
    with tempfile.TemporaryDirectory() as folder:
        search = Search(Path(folder) / "search.db", CursorKeys(b"a key for measuring, of 32 bytes"))
        begun = time.perf_counter()
        await search.rebuild_from(CATALOG, {"passages": lambda: _documents(count)})
        result.built = time.perf_counter() - begun
        progress(f"{count:,} passages indexed in {result.built:.0f} s")
        for number in range(_ASKED + 1):
            for topic in TOPICS:
                words = topic_query(topic.label, "en").words_to_ask
                begun = time.perf_counter()
                await search.rank(CATALOG, words, limit=60)
                if number:  # the first time counts how many passages hold each word
                    result.milliseconds.append((time.perf_counter() - begun) * 1000)
        search.close()
    return result


async def _documents(count: int) -> AsyncIterator[Document]:
    """Passages of four sentences from any sources, so that all are about farming, and of words about much else."""
    dice = random.Random(7)
    told = [each.text for source in sources() for each in sentences(source.markdown(_TODAY))]
    titles = [source.title for source in sources()]
    for number in range(count):
        own = dice.choices(told, k=4)
        other = (f"w{int(dice.paretovariate(0.7)) % 200_000}" for _ in range(90))
        yield passage_document(f"s{number // 40}", number % 40, dice.choice(titles), "", " ".join((*own, *other)))


def section(result: PassagesResult) -> list[str]:
    """What there is to say of a run."""
    ordered = sorted(result.milliseconds)
    middle, most = statistics.median(ordered), ordered[len(ordered) * 95 // 100]
    return [
        "## Passages for a newsletter",
        "",
        f"{len(ordered)} searches for one topic, with 17 to 20 words of which any may be there, in {result.count:,}",
        f"passages, indexed in {result.built:.0f} s: {middle:.1f} ms in the middle, 95 of 100 within {most:.1f} ms.",
        f"Wanted: a median under {WANTED} ms, 95 of 100 within 150 ms.",
    ]
