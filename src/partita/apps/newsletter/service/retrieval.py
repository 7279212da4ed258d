"""Retrieval: content for the topics of a newsletter, as a step; and a search that shows why something is found."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from partita.apps.newsletter import schema
from partita.apps.newsletter.formats import as_plain, as_stored, is_newsletter, topic_label
from partita.apps.newsletter.schema import SHARED_SHELF, Newsletter, Topics
from partita.apps.newsletter.service.access import Access
from partita.apps.newsletter.service.bookkeeping import changed, retrieval_settings
from partita.apps.newsletter.service.drafting.values import edition_of, matches_of
from partita.apps.newsletter.service.passages import Candidates, Passages
from partita.apps.newsletter.service.readiness import Readiness
from partita.apps.newsletter.service.steps import Step, Work
from partita.apps.newsletter.service.writing.retrieval import (
    CANDIDATES,
    FLOOR,
    QUESTION_CANDIDATES,
    QUESTION_FLOOR,
    Match,
    Miss,
    Query,
    Retrieval,
    Statistics,
    Wishes,
    answer,
    retrieve,
    topic_query,
)
from partita.apps.newsletter.service.writing.topics import topic
from partita.apps.newsletter.service.writing.values import Edition, Language, Passage
from partita.kit.jobs import JobFailed
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.permissions import Viewer
from partita.table import ChangedMeanwhileError
from partita.table.types import timestamp

_TRIES = 8
_ISSUES = 12
"""So many earlier issues of a series are looked at."""
_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Tried:
    """What a search finds, and what it does not, part by part."""

    hits: tuple[Match, ...]
    misses: tuple[Miss, ...]
    """What fell out, and why; the nearest if nothing was found."""
    total: int
    """How many passages can be found."""


class Retrieving:
    """Finds content."""

    def __init__(self, kit: Kit, access: Access, passages: Passages, readiness: Readiness) -> None:
        self._kit = kit
        self._store = kit.store
        self._access = access
        self._passages = passages
        self._readiness = readiness

    def step(self) -> Step:
        """The step, for `Steps.use`."""
        return Step("retrieval", self.run, self._readiness.retrieval)

    async def run(self, work: Work) -> None:
        """Search for each topic, then choose among all that was found."""
        newsletter = await find(self._store, schema.newsletter, work.subject)
        if newsletter is None:
            raise JobFailed("The newsletter was deleted meanwhile.")
        for left in range(_TRIES, 0, -1):
            topics = await find(self._store, schema.topics, work.subject)
            if topics is None or not topics.selected_types:
                raise JobFailed("No topic is chosen any more. Choose one, and find content again.")
            found = await self._retrieve(work, newsletter, topics)
            try:
                return await self._finish(work, newsletter, topics, found)
            except ChangedMeanwhileError:
                if left == 1:
                    raise
        return None

    async def _retrieve(self, work: Work, newsletter: Newsletter, topics: Topics) -> Retrieval:
        edition = edition_of(newsletter, self._kit.clock.now().date())
        labels = [topic_label(each) for each in topics.selected_types]
        labels = [each for each in labels if topic(each) is not None]
        private = await self._passages.private(newsletter.newsletter_code)
        pinned = await self._pinned(topics, newsletter.language)
        queries: dict[str, Query] = {}
        candidates: dict[str, tuple[Passage, ...]] = {}
        known: list[Statistics] = []
        for done, label in enumerate(labels):
            await work.progress("Searching", done=done, total=len(labels), message=label)
            queries[label] = topic_query(label, edition.language, str(topics.search_words.get(label, "")))
            found = await self._passages.candidates(queries[label], source_ids=topics.source_ids, private=private)
            kept = [each for each in pinned.get(label, ()) if each.id not in {one.id for one in found.passages}]
            queries[label] = replace(queries[label], likeness=found.likeness)
            candidates[label] = (*kept, *found.passages)
            known.append(found.statistics)
        await work.progress("Choosing", done=len(labels), total=len(labels))
        wishes = Wishes(frozenset(topics.pinned), frozenset(topics.excluded), await self._used_in(newsletter))
        wishes = replace(wishes, any_age=frozenset(map(topic_label, topics.any_age)))
        return await work.in_thread(retrieve, edition, candidates, queries, _together(known), wishes)

    async def _pinned(self, topics: Topics, language: str) -> dict[str, list[Passage]]:
        """Pinned passages by topic, as they are now: no search need find them."""
        pinned = [each for each in matches_of(topics, language) if each.passage.id in topics.pinned]
        there = await self._passages.at([(each.passage.source_id, each.passage.position) for each in pinned])
        now = {each.id: each for each in there}
        found: dict[str, list[Passage]] = {}
        for each in pinned:
            if each.passage.id in now:
                found.setdefault(each.topic, []).append(now[each.passage.id])
        return found

    async def _used_in(self, newsletter: Newsletter) -> dict[str, str]:
        """Passages that earlier issues of the series cited, with the label of the latest of them. Issues that
        were made after this one are no earlier ones."""
        if not newsletter.series_id:
            return {}
        before = schema.issues_before(newsletter.series_id, newsletter.created_at)
        issues = await self._store.page(before, limit=_ISSUES)
        keys = schema.newsletters_with(tuple(issue.newsletter_code for issue in issues)).keys if issues else ()
        found = await self._store.batch_get(keys) if keys else []
        labels = {each.newsletter_code: each.issue_label for each in found if each is not None}
        used: dict[str, str] = {}
        for issue in issues:
            for chunk_id in issue.chunk_ids:
                used.setdefault(chunk_id, labels.get(issue.newsletter_code) or f"No. {issue.issue_number}")
        return used

    async def _finish(self, work: Work, newsletter: Newsletter, topics: Topics, found: Retrieval) -> None:
        now = timestamp(self._kit.clock.now())
        settings = retrieval_settings(newsletter, topics)
        settings |= {"widened": list(found.widened), "elsewhere": _used_elsewhere(found)}
        after = topics.model_copy(
            update={
                "retrieved_content": tuple(as_stored(stored_match(each)) for each in found.matches),
                "total_chunks_retrieved": len(found.matches),
                "thin": found.thin,
                "settings": as_stored(settings),
                "retrieval_status": "completed",
                "retrieval_completed_at": now,
                "retrieval_error": None,
                "updated_at": now,
            }
        )
        count = len(found.matches)
        sources = len({each.passage.source_id for each in found.matches})
        words = f"{_counted(count, 'passage')} from {_counted(sources, 'source')}."
        path = f"/newsletter/editions/{work.subject}/plan"
        await work.finish(changed(topics, after), message=words, path=path)

    async def has_sources(self, code: str) -> bool:
        """Whether there is anything to draw from: on the shared shelf, or on that of a newsletter."""
        for shelf in (SHARED_SHELF, code):
            if len(await self._store.page(schema.sources(shelf), limit=1)):
                return True
        return False

    # -- trying a search

    async def try_search(
        self, viewer: Viewer, text: str, label: str = "", code: str = "", language: Language = "en"
    ) -> Tried:
        """What a question, or a topic of an edition, finds now; nothing is stored."""
        today = self._kit.clock.now().date()
        edition = Edition("", today, frequency="custom", language=language)
        private: tuple[Passage, ...] = ()
        wishes = Wishes()
        if code:
            newsletter = await self._access.newsletter(viewer, code)
            assert is_newsletter(newsletter.newsletter_code)
            edition = edition_of(newsletter, today)
            private = await self._passages.private(code)
            wishes = Wishes(used_in=await self._used_in(newsletter))
        query = topic_query(label, edition.language, text) if label else Query.of_text(text)
        most = CANDIDATES if label else QUESTION_CANDIDATES
        found = await self._passages.candidates(query, private=private, most=most)
        query = replace(query, likeness=found.likeness)
        if label:
            return await asyncio.to_thread(_by_topic, edition, label, query, found, wishes)
        floor = QUESTION_FLOOR
        hits, rest = await asyncio.to_thread(answer, query, found.passages, found.statistics, edition, "", floor)
        near = tuple(Miss(each, "weak") for each in rest[:_NEAREST])
        return Tried(tuple(hits), near, found.statistics.total)


def _by_topic(edition: Edition, label: str, query: Query, found: Candidates, wishes: Wishes) -> Tried:
    made = retrieve(edition, {label: found.passages}, {label: query}, found.statistics, wishes)
    weak = sorted((each for each in made.misses if each.reason == "weak"), key=lambda each: -each.match.score)
    rest = [each for each in made.misses if each.reason != "weak"]
    return Tried(made.matches, (*rest, *weak[:_NEAREST]), found.statistics.total)


def _together(known: list[Statistics]) -> Statistics:
    """The statistics of several queries as one."""
    held: dict[str, int] = {}
    for each in known:
        held.update(each.held_by)
    total = max((each.total for each in known), default=0)
    average = sum(each.average_length for each in known) / len(known) if known else 100.0
    return Statistics(total, held, average)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else noun + 's'}"


def stored_match(match: Match) -> dict[str, Any]:
    """A passage as the document has it; what is ours stands in its `metadata`."""
    passage = match.passage
    facts = {
        "url": passage.url,
        "date": passage.published,
        "source_id": passage.source_id,
        "title": passage.title,
        "position": passage.position,
        "heading": passage.heading,
        "page": passage.page,
        "publisher": passage.publisher,
        "language": passage.language,
        "kind": passage.kind,
        "matched": list(match.matched),
        "used_in": match.used_in,
        "parts": parts_of(match),
    }
    return {
        "id": passage.id,
        "topic": match.topic,
        "source": passage.publisher or passage.title,
        "score": round(match.score, 4),
        "content": passage.text,
        "metadata": {name: value for name, value in facts.items() if value not in (None, "")},
    }


def parts_of(match: Match) -> dict[str, float]:
    """What a score is made of."""
    parts = match.parts
    values = {
        "words": parts.words,
        "meaning": parts.meaning,
        "age": parts.age,
        "region": parts.region,
        "audience": parts.audience,
        "earlier": parts.earlier,
    }
    return {name: round(value, 3) for name, value in values.items()}


def _used_elsewhere(found: Retrieval) -> dict[str, list[str]]:
    """Topics with too little, and those that have passages which fit them too."""
    used = {each.passage.id: each.topic for each in found.matches}
    better: dict[str, list[str]] = {}
    for each in found.misses:
        label, passage_id = each.match.topic, each.match.passage.id
        if each.reason == "other topic" and label in found.thin and passage_id in used:
            better[label] = sorted({*better.get(label, ()), used[passage_id]})
    return better


def elsewhere(topics: Topics) -> dict[str, list[str]]:
    """Topics with too little → the topics under which passages are used that fit them too."""
    return dict(as_plain(topics.settings).get("elsewhere") or {})


def widened(topics: Topics) -> tuple[str, ...]:
    """Topics for which older passages were taken, since there was too little."""
    return tuple(as_plain(topics.settings).get("widened") or ())


STRENGTHS = ((0.45, "strong"), (0.28, "good"), (FLOOR, "fair"), (0.0, "weak"))
"""From which score on a passage is called what."""


def strength(score: float) -> str:
    """A score in a word."""
    return next(word for least, word in STRENGTHS if score >= least)
