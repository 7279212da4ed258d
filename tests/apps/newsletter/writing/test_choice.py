"""The choice of sentences holds for other subjects than the demo's, and tells more of what matters than first ones."""

from __future__ import annotations

from pathlib import Path

from partita.apps.newsletter.formats import TOPICS
from partita.apps.newsletter.service.reading.sentences import sentences, word_count
from partita.apps.newsletter.service.writing.extractive import write_draft
from partita.apps.newsletter.service.writing.values import Edition, Library, Passage, Section, Story
from tests.apps.newsletter.writing.questions import TODAY
from tests.apps.newsletter.writing.test_extractive import within


def corpus() -> tuple[list[Passage], list[str]]:
    """Passages, and the sentences that are worth telling."""
    lines = (Path(__file__).parent / "other_texts.txt").read_text().splitlines()
    found: list[Passage] = []
    facts: list[str] = []
    for line in lines:
        if not line or line.startswith("#"):
            continue
        source, heading, text = (cell.strip() for cell in line.split("|"))
        facts += [sentences(part)[-1].text for part in text.split("‡")[:-1]]
        place = sum(each.source_id == source for each in found)
        passage = Passage(f"p{len(found)}", source, text.replace("‡", ""), f"About {source}", heading, position=place)
        found.append(passage)
    return found, facts


def test_other_subjects_are_told_by_what_matters_more_often_than_by_first_sentences() -> None:
    passages, facts = corpus()
    told = first = total = 0
    for tone in (30, 50, 70):
        for budget in (22, 30, 40):
            edition = Edition("Other", TODAY, tone_technical=tone)
            stories = tuple(Story(each.heading, "", (each.id,), budget) for each in passages)
            section = Section("s", "S", stories, TOPICS["project_updates"], budget * len(passages))
            draft = write_draft(edition, (section,), Library({each.id: each for each in passages}))
            words = sum(map(word_count, draft.sections[0].so_far.sentences))
            split = [[each.text for each in sentences(passage.text)] for passage in passages]
            firsts = within([some[at] for at in range(9) for some in split if at < len(some)], words)
            told += sum(fact in draft.markdown for fact in facts)
            first += sum(fact in firsts for fact in facts)
            total += len(facts)
    assert total >= 150
    assert told / total >= 0.75
    assert told >= 1.25 * first
