"""Six fixed editions made from the demo's sources, and how one is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from partita.apps.newsletter.formats import TOPICS
from partita.apps.newsletter.service.writing.extractive import write_draft
from partita.apps.newsletter.service.writing.outline import make_outline
from partita.apps.newsletter.service.writing.quality import Quality, report_card
from partita.apps.newsletter.service.writing.retrieval import (
    CANDIDATES,
    Retrieval,
    Wishes,
    relevance,
    retrieve,
    topic_query,
)
from partita.apps.newsletter.service.writing.values import Draft, Edition, Library, Passage, Section
from tests.apps.newsletter.writing.questions import TODAY, passages, statistics

NEWS = ("breaking_news", "policy_updates", "food_security")
INSIGHTS = ("research_findings", "technology_innovation", "climate_smart_agriculture")
FARMING = ("market_access", "livestock")
OPENINGS = ("funding_opportunities", "events_conferences")

EDITIONS: dict[str, tuple[Edition, tuple[str, ...]]] = {
    "friendly and short": (
        Edition("Herders' News", TODAY, ("farmers",), 20, 20, "short", "weekly", "Kenya"),
        ("breaking_news", *FARMING, "project_updates"),
    ),
    "mixed": (
        Edition("Dryland Digest", TODAY, ("researchers", "policy_makers"), 60, 50, "mixed", "monthly", "East Africa"),
        (*NEWS[:2], INSIGHTS[0], INSIGHTS[2], "livestock", "funding_opportunities"),
    ),
    "mixed for partners": (
        Edition("Partner Mail", TODAY, ("development_partners",), 45, 35, "mixed", "quarterly", "Uganda"),
        ("food_security", "technology_innovation", "market_access", "project_updates", "publications_resources"),
    ),
    "formal and long": (
        Edition("Quarterly Review", TODAY, ("researchers",), 85, 80, "long", "quarterly"),
        (*NEWS[1:], *INSIGHTS, "livestock", "events_conferences", "publications_resources"),
    ),
    "Amharic": (
        Edition("የእርሻ ዜና", TODAY, ("farmers",), 50, 50, "short", "monthly", language="am"),
        ("food_security", *INSIGHTS, *FARMING, *OPENINGS),
    ),
    "Arabic": (
        Edition("نشرة القرن الأفريقي", TODAY, ("policy_makers",), 80, 50, "short", "monthly", language="ar"),
        ("food_security", INSIGHTS[0], INSIGHTS[2], *FARMING, *OPENINGS),
    ),
}


@dataclass(frozen=True)
class Made:
    """An edition on its way from passages to a draft."""

    edition: Edition
    retrieval: Retrieval
    outline: tuple[Section, ...]
    library: Library
    draft: Draft

    @property
    def sections(self) -> dict[str, str]:
        return {each.key: each.markdown for each in self.draft.sections}

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the sources were quoted with."""
        last = max(self.draft.sections, key=lambda each: len(each.so_far.sentences))
        return last.so_far.sentences

    @property
    def passages(self) -> tuple[Passage, ...]:
        near = (each for some in self.library.neighbours.values() for each in some)
        return (*self.library.passages.values(), *near)

    def card(self) -> Quality:
        return report_card(self.edition, self.outline, self.sections, self.draft.citations, self.passages)


def found(edition: Edition, topics: Sequence[str], wishes: Wishes | None = None) -> Retrieval:
    """What retrieval finds for an edition, with every passage at hand as a candidate."""
    queries = {TOPICS[each]: topic_query(TOPICS[each], edition.language) for each in topics}
    candidates = {}
    for label, query in queries.items():
        scored = [(relevance(query, each, statistics())[0], each) for each in passages()]
        best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].id))
        candidates[label] = [each for _, each in best[:CANDIDATES]]
    return retrieve(edition, candidates, queries, statistics(), wishes)


def library_of(retrieval: Retrieval) -> Library:
    by_place = {(each.source_id, each.position): each for each in passages()}
    chosen = {each.passage.id: each.passage for each in retrieval.matches}
    near = {
        each.id: tuple(by_place[key] for step in (-1, 1) if (key := (each.source_id, each.position + step)) in by_place)
        for each in chosen.values()
    }
    return Library(chosen, near)


@cache
def made(edition: Edition, topics: tuple[str, ...]) -> Made:
    retrieval = found(edition, topics)
    outline = make_outline(edition, retrieval.matches)
    library = library_of(retrieval)
    return Made(edition, retrieval, outline, library, write_draft(edition, outline, library))


def of(name: str) -> Made:
    """One of the fixed editions."""
    return made(*EDITIONS[name])
