"""Other sentences: what the passages of a section still have to say, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partita.apps.newsletter.service.writing.candidates import acronyms_in, candidates
from partita.apps.newsletter.service.writing.ranking import scores
from partita.apps.newsletter.service.writing.reading_back import pieces
from partita.apps.newsletter.service.writing.selection import TOO_ALIKE
from partita.apps.newsletter.service.writing.shapes import Numbering
from partita.apps.newsletter.service.writing.terms import alike, terms
from partita.apps.newsletter.service.writing.topics import topic
from partita.apps.newsletter.service.writing.values import Citation, Edition, Library, Passage, Section


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A sentence that could be put in, and the citation that it brings."""

    text: str
    """As it would be printed, without its number."""
    citation: Citation
    """With the number that it would have; a new one if its passage is not cited yet."""
    new: bool
    """Whether the citation is new to the draft."""


def other_sentences(
    edition: Edition,
    section: Section,
    library: Library,
    markdown: str,
    citations: Sequence[Citation],
    passages: Sequence[Passage] = (),
    most: int = 8,
) -> tuple[Suggestion, ...]:
    """The best sentences for a section that its text does not have: from its own passages, then from `passages` (what
    was found for its topic)."""
    own = [library.passages[id] for story in section.stories for id in story.references if id in library.passages]
    given = {each.id: each for each in (*own, *passages)}.values()
    pool = candidates(given, edition, acronyms_in(given))
    told = [frozenset(terms(text)) for each in pieces({"": markdown}) for text in each.sentences]
    known = topic(section.topic)
    words = known.words[edition.language].replace(":", " ") if known else ""
    subject = f"{' '.join(f'{story.title} {story.gist}' for story in section.stories)} {words}"
    ranked = sorted(zip(scores(pool, subject, edition), pool, strict=True), key=lambda each: -each[0])
    chosen: list[Suggestion] = []
    cited = {each.chunk_id: each for each in citations}
    for _, each in ranked:
        if len(chosen) == most:
            break
        if each.loose or any(alike(each.terms, other) > TOO_ALIKE for other in told):
            continue
        told.append(each.terms)
        numbering = Numbering(dict(cited))
        numbering.number(each.passage, each.source_text)
        chosen.append(Suggestion(each.text, numbering.citations[each.passage.id], each.passage.id not in cited))
    return tuple(chosen)
