"""Finding passages for a newsletter's topics, in as many as a large organisation has (`python -m bench newsletter`)."""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from tests.apps.newsletter.writing import questions as answering

from partita.apps.newsletter.demo.library import sources
from partita.apps.newsletter.search import CATALOG, passage_document
from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.writing.retrieval import Query, topic_query
from partita.apps.newsletter.service.writing.topics import TOPICS
from partita.kit.meaning import Meaning
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
    meant: list[float] = field(default_factory=list)
    """Questions by words and by what they mean, with the time that the model takes for the question."""
    compared: list[float] = field(default_factory=list)
    """The same questions again, whose vectors are remembered."""
    meant_busy: list[float] = field(default_factory=list)
    compared_busy: list[float] = field(default_factory=list)
    """Both in processor time, which says more on a machine with other work."""
    megabytes: float = 0.0
    """What the index takes on disk."""


class QuickVectors:
    """The model for questions; passages and their sentences, for which it would take hours, get vectors by chance."""

    name = "by chance"

    def __init__(self, model: Meaning) -> None:
        self._model = model
        self._dice = random.Random(11)
        self.asked = False
        """Whether all vectors of passages are made, so that whatever comes is a question."""

    def understands(self, text: str) -> bool:
        return True

    def vector(self, texts: Sequence[str]) -> bytes:
        if self.asked:
            return self._model.vector(texts)
        return self._dice.randbytes(384)


def compare(progress: Callable[[str], None], count: int = COUNT) -> PassagesResult:
    """Index passages mixed from the demo's sentences, and ask for each topic."""
    return asyncio.run(_compare(progress, count))


async def _compare(progress: Callable[[str], None], count: int) -> PassagesResult:
    result = PassagesResult(count)
    with tempfile.TemporaryDirectory() as folder:
        model = answering.model()
        quick = None if model is None else QuickVectors(model)
        search = Search(Path(folder) / "search.db", CursorKeys(b"a key for measuring, of 32 bytes"), meaning=quick)
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
        making = search.understand(CATALOG)
        if making is not None and quick is not None:
            await asyncio.wrap_future(making)
            quick.asked = True
            progress("vectors made")
            await _ask(search, result)
        result.megabytes = sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6
        search.close()
    return result


async def _ask(search: Search, result: PassagesResult) -> None:
    """Questions by words and by meaning: the first is for what is loaded once."""
    asked = [each.text for each in answering.paraphrased_questions() if each.language == "en"]
    await search.nearest(CATALOG, "What is this about?")
    for times, busy in ((result.meant, result.meant_busy), (result.compared, result.compared_busy)):
        for text in asked:
            begun, used = time.perf_counter(), time.process_time()
            words = Query.of_text(text).words_to_ask
            await asyncio.gather(search.rank(CATALOG, words, limit=120), search.nearest(CATALOG, text, limit=60))
            times.append((time.perf_counter() - begun) * 1000)
            busy.append((time.process_time() - used) * 1000)


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
        *_meant(result),
    ]


def _meant(result: PassagesResult) -> list[str]:
    if not result.meant:
        return []
    first, again = (statistics.median(each) for each in (result.meant, result.compared))
    busy, again_busy = (statistics.median(each) for each in (result.meant_busy, result.compared_busy))
    late = sorted(result.meant)[len(result.meant) * 95 // 100]
    return [
        "",
        f"{len(result.meant)} questions by words and by what they mean: {first:.1f} ms in the middle, 95 of 100 within",
        f"{late:.1f} ms, with the time that the model takes to read the question; {again:.1f} ms for a question that",
        f"was asked before. In processor time: {busy:.1f} and {again_busy:.1f} ms. The index has",
        f"{result.megabytes:.0f} MB with a vector of 384 bytes for each passage and for each of its sentences.",
    ]
