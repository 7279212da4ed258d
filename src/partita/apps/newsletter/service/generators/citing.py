"""From the numbers of one section to the citations of the whole edition, with the sentences that were used."""

from __future__ import annotations

from dataclasses import replace

from partita.apps.newsletter.service.generators.finishing import renumbered
from partita.apps.newsletter.service.generators.values import SectionTask
from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.writing.facts import citations_in
from partita.apps.newsletter.service.writing.spans import sentences_with_citations
from partita.apps.newsletter.service.writing.values import Citation, Library, Passage, Section, SectionDraft


def cited_in(section: Section, library: Library) -> dict[int, Passage]:
    """The passages that a section's stories refer to, numbered from 1."""
    ids = dict.fromkeys(each for story in section.stories for each in story.references if each in library.passages)
    return {number: library.passages[each] for number, each in enumerate(ids, 1)}


def draft_of(task: SectionTask, text: str, passages: dict[int, Passage], short_of: int) -> SectionDraft:
    """The section under the edition's numbers: a passage that was cited before keeps its number."""
    citations = {citation.chunk_id: citation for citation in task.so_far.citations}
    last = max((citation.n for citation in citations.values()), default=0)
    quotes = quotes_for(text, passages)
    numbers: dict[int, int] = {}
    for number in dict.fromkeys(citations_in(text)):
        passage = passages[number]
        before = citations.get(passage.id)
        if before is None:
            last += 1
            citations[passage.id] = _citation(last, passage, quotes[number])
        else:
            lines = dict.fromkeys((*before.quote.splitlines(), *quotes[number]))
            citations[passage.id] = replace(before, quote="\n".join(lines))
        numbers[number] = citations[passage.id].n
    told = tuple(sentence for sentence, _ in sentences_with_citations(text))
    so_far = replace(
        task.so_far,
        citations=tuple(sorted(citations.values(), key=lambda each: each.n)),
        sentences=(*task.so_far.sentences, *told),
        spare_words=0,
    )
    return SectionDraft(task.section.key, with_heading(task.section, renumbered(text, numbers)), so_far, short_of)


def quotes_for(text: str, passages: dict[int, Passage]) -> dict[int, list[str]]:
    """For each number the sentences of its passage that are nearest to those which cite it."""
    quotes: dict[int, list[str]] = {number: [] for number in passages}
    for sentence, numbers in sentences_with_citations(text):
        for number in numbers:
            if number in passages:
                nearest = _nearest(sentence, passages[number].text)
                if nearest and nearest not in quotes[number]:
                    quotes[number].append(nearest)
    return quotes


def with_heading(section: Section, text: str) -> str:
    """A section's text with its heading; the opening has none, as in the document."""
    opening = any(story.shape == "opening" for story in section.stories)
    return text if opening else f"## {section.name}\n\n{text}"


def _nearest(sentence: str, text: str) -> str:
    wanted = _words(sentence)
    best, score = "", 0.0
    for each in sentences(text):
        words = _words(each.text)
        shared = len(wanted & words) / (len(wanted | words) or 1)
        if shared > score:
            best, score = each.text, shared
    return " ".join(best.split())


def _words(text: str) -> set[str]:
    return {word.strip(".,;:!?()[]“”\"'።፣").casefold() for word in text.split()} - {""}


def _citation(n: int, passage: Passage, quotes: list[str]) -> Citation:
    return Citation(
        n=n,
        chunk_id=passage.id,
        source_id=passage.source_id,
        title=passage.title,
        quote="\n".join(quotes),
        url=passage.url,
        date=passage.published,
        page=passage.page,
        publisher=passage.publisher,
        heading=passage.heading,
    )
