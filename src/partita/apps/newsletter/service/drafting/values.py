"""From stored items to the values that writers work on, and back. No reading or writing of tables here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from typing import Any, get_args

from partita.apps.newsletter.formats import as_plain, length_of, topic_label
from partita.apps.newsletter.schema import Chunk, Newsletter, Topics
from partita.apps.newsletter.service.generators.values import MadeWith
from partita.apps.newsletter.service.outlining import PERSON, NewSection, NewStory, OutlineItem, OutlineSection, Plan
from partita.apps.newsletter.service.writing.retrieval import Match, Parts
from partita.apps.newsletter.service.writing.topics import topic
from partita.apps.newsletter.service.writing.values import (
    LENGTHS,
    Citation,
    Edition,
    Passage,
    Section,
    Shape,
    SoFar,
    Story,
)

_SHAPES = frozenset(get_args(Shape))
_LEAST_WORDS = 40
_OPENING = (0, 1)
"""Where the text of a source begins: often below a line that says who wrote it, and when."""


# 1. Newsletters
def edition_of(newsletter: Newsletter, today: date) -> Edition:
    """For whom and how a newsletter is written."""
    return Edition(
        title=newsletter.title,
        today=today,
        audience=tuple(newsletter.target_audience),
        tone_professional=newsletter.tone_professional,
        tone_technical=newsletter.tone_technical,
        length=LENGTHS[length_of(newsletter.length_preference)],
        frequency=newsletter.frequency,
        region=newsletter.geographic_focus,
        language=newsletter.language,
        issue_label=newsletter.issue_label,
    )


# 2. Passages
def matches_of(topics: Topics, language: str) -> tuple[Match, ...]:
    """What was found and may be told, the best of each topic first: all but what a person has dropped."""
    return tuple(each for each in found_in(topics, language) if each.passage.id not in topics.excluded)


def found_in(topics: Topics, language: str) -> tuple[Match, ...]:
    """All that was found, dropped passages too; also what another program has found."""
    found = []
    for number, entry in enumerate(topics.retrieved_content, 1):
        plain = as_plain(entry)
        passage = _passage(plain, number, language)
        facts = plain.get("metadata") or {}
        found.append(
            Match(
                passage,
                topic_label(str(plain.get("topic", ""))),
                Parts(float(plain.get("score") or 0)),
                tuple(map(str, facts.get("matched") or ())),
                pinned=passage.id in topics.pinned,
                used_in=str(facts.get("used_in") or ""),
            )
        )
    return tuple(found)


def _passage(entry: Mapping[str, Any], number: int, language: str) -> Passage:
    facts = entry.get("metadata") or {}
    page = facts.get("page")
    return Passage(
        id=str(entry.get("id") or f"chunk-{number}"),
        source_id=str(facts.get("source_id") or entry.get("source") or ""),
        text=str(entry.get("content") or ""),
        title=str(facts.get("title") or entry.get("source") or ""),
        heading=str(facts.get("heading") or ""),
        page=None if page is None else int(page),
        position=int(facts.get("position") or 0),
        published=str(facts["date"]) if facts.get("date") else None,
        language=str(facts.get("language") or language),
        url=str(facts["url"]) if facts.get("url") else None,
        publisher=str(facts.get("publisher") or ""),
        kind=str(facts.get("kind") or "text"),
    )


def places_beside(passages: Iterable[Passage]) -> tuple[tuple[str, int], ...]:
    """Where the passages before and after some are, and where their sources begin."""
    places = {
        (each.source_id, position)
        for each in passages
        if each.source_id
        for position in (each.position - 1, each.position + 1, *_OPENING)
        if position != each.position
    }
    return tuple(sorted(place for place in places if place[1] >= 0))


def neighbours_of(
    passages: Iterable[Passage], chunks: Sequence[Chunk | None], dropped: Collection[str] = ()
) -> dict[str, tuple[Passage, ...]]:
    """The passages beside each, and the one that its source begins with, as far as they may be used."""
    there = {
        (chunk.source_id, chunk.position): chunk
        for chunk in chunks
        if chunk is not None and chunk.enabled and chunk.kind == "text" and _id_of(chunk) not in dropped
    }
    beside: dict[str, tuple[Passage, ...]] = {}
    for passage in passages:
        opening = next((at for at in _OPENING if (passage.source_id, at) in there), passage.position)
        first = (opening,) if opening < passage.position else ()
        positions = sorted({*first, passage.position - 1, passage.position + 1})
        near = [there.get((passage.source_id, position)) for position in positions]
        beside[passage.id] = tuple(
            replace(
                passage,
                id=_id_of(chunk),
                text=chunk.text,
                heading=chunk.heading,
                page=chunk.page,
                position=chunk.position,
            )
            for chunk in near
            if chunk is not None
        )
    return beside


def _id_of(chunk: Chunk) -> str:
    return chunk.chunk_id or f"{chunk.source_id}-{chunk.position}"


# 3. Outlines
def without_dropped(plan: Plan, dropped: Collection[str]) -> Plan:
    """The outline as it is told: no story refers to a passage that a person has dropped. A story that has no other is
    left out, but one of the person's own stays, and asks the sources for others."""
    sections = tuple(
        section.model_copy(
            update={
                "items": tuple(
                    _without(item, dropped)
                    for item in section.items
                    if item.source == PERSON or not dropped_whole(item, dropped)
                )
            }
        )
        for section in plan.sections
    )
    return replace(plan, sections=sections)


def dropped_whole(item: OutlineItem, dropped: Collection[str]) -> bool:
    """Whether a person has dropped every passage that an item is made of."""
    return bool(item.references) and all(each in dropped for each in item.references)


def _without(item: OutlineItem, dropped: Collection[str]) -> OutlineItem:
    kept = tuple(each for each in item.references if each not in dropped)
    if kept == item.references:
        return item
    return item.model_copy(update={"rag_reference_ids": kept, "rag_reference_id": next(iter(kept), None)})


def sections_of(plan: Plan, edition: Edition) -> tuple[Section, ...]:
    """What the draft follows: what is switched on, in the person's order. Sections without an item are left out."""
    written = [section for section in plan.sections if section.written]
    stories = sum(len(section.written) for section in written)
    share = round(edition.words / max(1, stories))
    return tuple(
        _section(section, share, first=number == 0, last=number == len(written) - 1)
        for number, section in enumerate(written)
    )


def _section(section: OutlineSection, share: int, *, first: bool, last: bool) -> Section:
    items = section.written
    own = round(section.words / len(section.items)) if section.words and section.items else share
    told = tuple(_story(section, item, max(_LEAST_WORDS, own), first=first, last=last) for item in items)
    return Section(section.key, section.name, told, section.topic, sum(each.words for each in told))


def _story(section: OutlineSection, item: OutlineItem, words: int, *, first: bool, last: bool) -> Story:
    return Story(
        title=item.title,
        gist=item.description,
        references=item.references,
        words=item.words or words,
        shape=_shape(section, item, first=first, last=last),
        note=item.note,
        id=item.id,
        source=item.source,
    )


def _shape(section: OutlineSection, item: OutlineItem, *, first: bool, last: bool) -> Shape:
    """How an item is told; of other programs' outlines by what and where it is."""
    for shape in get_args(Shape):
        if item.shape == shape:
            return shape  # type: ignore[no-any-return]
    if not item.references and item.source != "user" and not section.topic:
        if first:
            return "opening"
        if last:
            return "closing"
    known = topic(section.topic or section.name)
    return known.shape if known else "news"


def proposed(sections: Iterable[Section]) -> tuple[NewSection, ...]:
    """An outline that a writer made, as it is merged with the person's."""
    return tuple(
        NewSection(
            name=section.name,
            topic=section.topic,
            words=section.words,
            items=tuple(
                NewStory(
                    title=story.title,
                    description=story.gist,
                    references=story.references,
                    words=story.words,
                    shape=story.shape,
                    source=story.source,
                )
                for story in section.stories
            ),
        )
        for section in sections
    )


# 4. Citations, and how a text was made
def stored_citation(citation: Citation, passage: Passage | None) -> dict[str, Any]:
    """A citation as the draft keeps it; what is not known is left out."""
    values = {name: value for name, value in asdict(citation).items() if value not in (None, "")}
    return values if passage is None else {**values, "position": passage.position}


def citation_of(stored: Mapping[str, Any]) -> Citation:
    """A citation of a draft."""
    plain = as_plain(stored)
    page = plain.get("page")
    return Citation(
        n=int(plain["n"]),
        chunk_id=str(plain.get("chunk_id") or ""),
        source_id=str(plain.get("source_id") or ""),
        title=str(plain.get("title") or ""),
        quote=str(plain.get("quote") or ""),
        url=plain.get("url"),
        date=plain.get("date"),
        page=int(page) if isinstance(page, int | str) and str(page).isdigit() else None,
        publisher=str(plain.get("publisher") or ""),
        heading=str(plain.get("heading") or ""),
    )


def stored_made_with(made: MadeWith) -> dict[str, Any]:
    """How a section was made, as the draft keeps it."""
    values = {
        "writer": made.writer,
        "model": made.model,
        "prompt_version": made.prompt_version,
        "tokens": {"read": made.tokens.read, "written": made.tokens.written, "estimated": made.tokens.estimated},
        "seconds": made.seconds,
        "calls": made.calls,
    }
    if made.instead_of:
        values["fallback"] = {"instead_of": made.instead_of, "reason": made.reason}
    return values


def stored_so_far(so_far: SoFar) -> dict[str, Any]:
    """What the finished sections have used, as a run that is interrupted keeps it."""
    return {
        "citations": [asdict(each) for each in so_far.citations],
        "sentences": list(so_far.sentences),
        "spare_words": so_far.spare_words,
        "acronyms": sorted(so_far.acronyms),
    }


def so_far_of(stored: Mapping[str, Any]) -> SoFar:
    """The same, read back."""
    return SoFar(
        tuple(Citation(**each) for each in stored["citations"]),
        tuple(stored["sentences"]),
        int(stored["spare_words"]),
        frozenset(stored["acronyms"]),
    )
