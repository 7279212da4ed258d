"""Other sentences: what a section does not say yet, with the citation that comes with it."""

from __future__ import annotations

from partita.apps.newsletter.service.writing.suggestions import other_sentences
from partita.apps.newsletter.service.writing.terms import alike, terms
from tests.apps.newsletter.writing.editions import of


def test_other_sentences_are_new_and_bring_their_source() -> None:
    made = of("mixed")
    section = next(each for each in made.outline if each.key == "research_findings")
    found = [each.passage for each in made.retrieval.of(section.topic)]
    told = [frozenset(terms(each)) for each in made.sentences]
    offered = other_sentences(made.edition, section, made.library, made.draft.markdown, made.draft.citations, found)
    assert offered
    known = {each.id: each for each in made.passages}
    numbers = {each.chunk_id: each.n for each in made.draft.citations}
    for each in offered:
        assert all(alike(frozenset(terms(each.text)), other) <= 0.55 for other in told)
        assert each.citation.quote.split("\n")[-1] in known[each.citation.chunk_id].text
        assert each.new == (each.citation.chunk_id not in numbers)
        expected = numbers.get(each.citation.chunk_id, len(numbers) + 1)
        assert each.citation.n == expected


def test_nothing_is_offered_when_all_is_told() -> None:
    made = of("mixed")
    section = next(each for each in made.outline if each.key == "research_findings")
    everything = " ".join(each.text for each in made.passages)
    assert other_sentences(made.edition, section, made.library, everything, made.draft.citations) == ()
