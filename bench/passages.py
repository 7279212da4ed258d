"""Finding passages for a newsletter's topics and for questions, in as many as a large organisation has
(`python -m bench newsletter`)."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
from tests.apps.newsletter.writing import questions as answering

from partita.apps.newsletter.demo.library import sources
from partita.apps.newsletter.schema import Chunk, Source
from partita.apps.newsletter.search import CATALOG, passage_id
from partita.apps.newsletter.service import NewsletterService
from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.writing.retrieval import QUESTION_CANDIDATES, Query, topic_query
from partita.apps.newsletter.service.writing.topics import TOPICS
from partita.apps.newsletter.system import build as build_newsletter
from partita.bootstrap import build
from partita.kit.search.following import build_anew
from partita.kit.search.nearest import signs_of
from partita.kit.settings import Settings
from partita.table import Put

if TYPE_CHECKING:
    from partita.kit.kit import Kit
    from partita.kit.meaning.encoder import MiniLM

COUNT = 100_000
WANTED = 30
_ASKED = 10
_TODAY = date(2026, 11, 16)
DIMENSIONS = 384
_EACH = 40
"""Passages of a source."""


@dataclass
class Times:
    """How long some searches took, in milliseconds."""

    clock: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    """Of the processor, which says more on a machine with other work."""

    async def measure(self, search: Awaitable[object]) -> None:
        begun, used = time.perf_counter(), time.process_time()
        await search
        self.clock.append((time.perf_counter() - begun) * 1000)
        self.busy.append((time.process_time() - used) * 1000)

    def __str__(self) -> str:
        clock, busy = (
            f"{statistics.median(some):.1f} ms in the middle, 95 of 100 within"
            f" {sorted(some)[len(some) * 95 // 100]:.1f} ms"
            for some in (self.clock, self.busy)
        )
        return f"{clock}; in processor time {busy}"


@dataclass
class PassagesResult:
    """What a run has measured."""

    count: int
    filled: float = 0.0
    """Seconds for putting sources and passages into the table."""
    built: float = 0.0
    """Seconds for indexing them."""
    topics: Times = field(default_factory=Times)
    """The words of a topic, in the index alone."""
    whole_topics: Times = field(default_factory=Times)
    """Passages for a topic, with reading and scoring them."""
    questions: Times = field(default_factory=Times)
    """Questions by words and by what they mean, with reading and scoring what is found."""
    indexed: Times = field(default_factory=Times)
    """The same once more in the index alone: the vector of the question is remembered, and nothing is read."""
    again: Times = field(default_factory=Times)
    """The same questions once more, whose vectors are remembered."""
    megabytes: float = 0.0
    """What the index takes on disk."""
    load: tuple[float, float] = (0.0, 0.0)
    """Of the machine, before and after."""


def compare(progress: Callable[[str], None], count: int = COUNT) -> PassagesResult:
    """Store and index passages mixed from the demo's sentences, and ask for each topic, and questions."""
    return asyncio.run(_compare(progress, count))


async def _compare(progress: Callable[[str], None], count: int) -> PassagesResult:
    result = PassagesResult(count)
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        await _fill(data, result)
        progress(f"{count:,} passages stored in {result.filled:.0f} s, indexed in {result.built:.0f} s")
        model = answering.model()
        if model is not None:
            _add_vectors(data / "search.db", model, count)
            progress("vectors added")
        suite = build(_settings(data, meaning=True), builders=[build_newsletter])
        await _ask(suite.kit, result, meaning=model is not None)
        await suite.close()
        result.megabytes = sum(file.stat().st_size for file in data.glob("search.db*")) / 1e6
    result.load = (before, os.getloadavg()[0])
    return result


def _settings(data: Path, *, meaning: bool) -> Settings:
    return Settings(data=data, fetch=False, jobs=0, durability="off", meaning=meaning)


async def _fill(data: Path, result: PassagesResult) -> None:
    """The table and the index, without a model: it would take hours for so many passages."""
    suite = build(_settings(data, meaning=False), builders=[build_newsletter])
    store = suite.kit.store
    begun = time.perf_counter()
    items = _items(result.count)
    while some := list(islice(items, 1_000)):
        await store.batch_write(some)
    result.filled = time.perf_counter() - begun
    begun = time.perf_counter()
    await build_anew(suite.kit.search, store, NewsletterService(suite.kit).passages.catalog)
    result.built = time.perf_counter() - begun
    await suite.close()


def _items(count: int) -> Iterator[Put[Source] | Put[Chunk]]:
    titles = [source.title for source in sources()]
    dice = random.Random(11)
    for number, (_, text) in enumerate(_passages(count)):
        name, position = f"s{number // _EACH:06}", number % _EACH
        if not position:
            published = date.fromordinal(_TODAY.toordinal() - dice.randrange(900)).isoformat()
            moment = f"{published}T08:00:00.000000Z"
            chunks = min(_EACH, count - number)
            yield Put(
                Source(
                    source_id=name,
                    title=dice.choice(titles),
                    kind="text",
                    published=published,
                    chunk_count=chunks,
                    created_by="somebody",
                    created_at=moment,
                    language="en",
                )
            )
        yield Put(Chunk(source_id=name, position=position, text=text, chunk_id=f"chunk-{number}"))


def _passages(count: int) -> Iterator[tuple[list[int], str]]:
    """Four of the demo's sentences, so that all are about farming, and words about much else."""
    dice = random.Random(7)
    told = _told(count)
    for _ in range(count):
        own = dice.choices(range(len(told)), k=4)
        other = (f"w{int(dice.paretovariate(0.7)) % 200_000}" for _ in range(90))
        yield own, " ".join((*(told[each] for each in own), *other))


def _told(count: int) -> list[str]:
    """English sentences of the demo's sources; some of them for few passages."""
    texts = [source.markdown(_TODAY) for source in sources() if source.language == "en"]
    return [each.text for text in texts for each in sentences(text)][: max(10, count // 20)]


def _add_vectors(file: Path, model: MiniLM, count: int) -> None:
    """What each of its four sentences means, with their words, and for the passage the mean of these."""
    import numpy as np

    told = _told(count)
    known = np.frombuffer(b"".join(model.vectors([(each,) for each in told])), np.int8).reshape(-1, DIMENSIONS)
    words = [signs_of(model.words(each), DIMENSIONS) for each in told]
    connection = apsw.Connection(str(file))
    slug = CATALOG.slug
    docs: dict[str, int] = dict(connection.execute(f"SELECT id, doc FROM documents_{slug}"))
    with connection:
        for number, (own, _) in enumerate(_passages(count)):
            doc = docs[passage_id(f"s{number // _EACH:06}", number % _EACH)]
            numbers = known[own]
            mean = numbers.sum(axis=0, dtype=np.float32)
            whole = (mean / np.linalg.norm(mean) * 127).round().astype(np.int8)
            connection.execute(
                f"INSERT INTO vectors_{slug} (doc, model, vector) VALUES (?, ?, ?)", (doc, model.name, whole.tobytes())
            )
            connection.execute(f"INSERT INTO sentences_{slug} (doc, vectors) VALUES (?, ?)", (doc, numbers.tobytes()))
            signs = b"".join(words[each] for each in own)
            connection.execute(f"INSERT INTO pieces_{slug} (doc, signs) VALUES (?, ?)", (doc, signs))
    connection.close()


async def _ask(kit: Kit, result: PassagesResult, *, meaning: bool) -> None:
    service = NewsletterService(kit)
    passages, viewer = service.passages, kit.accounts.operator()
    for number in range(1 + min(_ASKED, max(1, result.count // 1_000))):
        for topic in TOPICS:
            query = topic_query(topic.label, "en")
            indexed, whole = (result.topics, result.whole_topics) if number else (Times(), Times())
            # The first time counts how many passages hold each word.
            await indexed.measure(kit.search.rank(passages.catalog, query.words_to_ask, limit=60))
            await whole.measure(passages.candidates(query))
    if not meaning:
        return
    await service.retrieval.try_search(viewer, "What is this about?")  # loads what is loaded once
    asked = [each.text for each in answering.third_questions()[: max(3, result.count // 100)]]
    for times in (result.questions, result.again):
        for text in asked:
            await times.measure(service.retrieval.try_search(viewer, text))
    for text in asked:
        words = Query.of_text(text).words_to_ask
        await result.indexed.measure(
            asyncio.gather(
                kit.search.rank(passages.catalog, words, limit=QUESTION_CANDIDATES),
                kit.search.nearest(passages.catalog, text, limit=QUESTION_CANDIDATES),
            )
        )


def section(result: PassagesResult) -> list[str]:
    """What there is to say of a run."""
    load, later = result.load
    return [
        "## Passages for a newsletter",
        "",
        f"In {result.count:,} passages of some 160 words, stored in {result.filled:.0f} s and indexed in",
        f"{result.built:.0f} s; the index has {result.megabytes:,.0f} MB. Load {load:.1f} before, {later:.1f} after.",
        f"Wanted: a median under {WANTED} ms, for topics 95 of 100 within 150 ms.",
        "",
        f"- {len(result.topics.clock)} times the 17 to 20 words of a topic, of which any may be there, in the index:",
        f"  {result.topics}.",
        f"- The same with reading and scoring what is found: {result.whole_topics}.",
        *_meant(result),
    ]


def _meant(result: PassagesResult) -> list[str]:
    if not result.questions.clock:
        return []
    return [
        f"- {len(result.questions.clock)} questions, as people try a search: by words and meaning, with the time that",
        f"  the model takes to read the question, and with reading and scoring what is found: {result.questions}.",
        f"- The same questions once more: {result.again}.",
        f"- The same once more in the index alone: {result.indexed}.",
    ]
