"""The offline writer: an edition made of its sources' sentences, and of phrases filled with counts, days and titles.

In ten steps: (1) sentences of a story's passages and their neighbours, (2) without those that cannot be printed, (3)
each with what it leans on, are (4) scored and (5) chosen within the story's budget, (6) put in order, (7) set by the
story's shape and (8) numbered. (9) Opening and closing come from phrase books. (10) Words that a story cannot use pass
on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from partita.apps.newsletter.service.reading.sentences import word_count
from partita.apps.newsletter.service.writing.announcements import dates_ahead
from partita.apps.newsletter.service.writing.candidates import Candidate, acronyms_in, candidates, goes_on, is_generic
from partita.apps.newsletter.service.writing.headlines import telling
from partita.apps.newsletter.service.writing.phrases import Phrases, book, day_in_words, filled
from partita.apps.newsletter.service.writing.ranking import central_sentences, scores
from partita.apps.newsletter.service.writing.selection import choose, ordered
from partita.apps.newsletter.service.writing.shapes import Numbering, is_fact, story_text
from partita.apps.newsletter.service.writing.terms import alike, terms
from partita.apps.newsletter.service.writing.topics import topic
from partita.apps.newsletter.service.writing.values import (
    Draft,
    Edition,
    Library,
    Passage,
    Section,
    SectionDraft,
    SoFar,
    Story,
)

_NEIGHBOUR = 0.8
"""What sentences of neighbours count, compared with those of a story's own passages."""
_FACT = 0.25
"""What a fact gains in an opportunity."""
_THE_TITLE = 0.75
"""What is so much like a title is one."""
_BEGINS = 2
"""A source begins with its first passage, or with its second one below a line that says who wrote it."""
_SHORT_OF = 0.7
"""Below this share of its words a section says that the sources had no more."""


def write_draft(edition: Edition, outline: Sequence[Section], library: Library) -> Draft:
    """The whole edition."""
    so_far = SoFar()
    written: dict[str, SectionDraft] = {}
    for section in writing_order(outline):
        written[section.key] = write_section(edition, section, outline, library, so_far)
        so_far = written[section.key].so_far
    sections = tuple(written[each.key] for each in outline if written[each.key].markdown)
    short = tuple(each.name for each in outline if written[each.key].short_of)
    return Draft(sections, so_far.citations, short)


def writing_order(outline: Sequence[Section]) -> tuple[Section, ...]:
    """The order in which sections are written: opening and closing count what the others have used."""
    return tuple(sorted(outline, key=lambda each: _frames(each)))


def write_section(
    edition: Edition, section: Section, outline: Sequence[Section], library: Library, so_far: SoFar
) -> SectionDraft:
    """One section, after those that were written before it."""
    if _frames(section):
        return _frame(edition, section, outline, library, so_far)
    numbering = Numbering({each.chunk_id: each for each in so_far.citations})
    told = [frozenset(terms(each)) for each in so_far.sentences]
    sentences = list(so_far.sentences)
    spare = so_far.spare_words
    blocks: list[str] = []
    short_of = 0
    pools = _Pools.of(edition, section, outline, library)
    for story in section.stories:
        budget = story.words + spare
        chosen, judged = pools.told(story, budget, told)
        in_order = ordered(chosen, judged, story.references)
        text = story_text(story, in_order, edition, book(edition.language), numbering)
        if not text and story.source == "user" and story.gist:
            text = [story.gist]
        if not text:
            spare = budget
            continue
        blocks += [f"### {story.title}", *text]
        told += [each.terms for each in chosen]
        sentences += [each.text for each in in_order]
        spare = max(0, budget - sum(each.words for each in chosen))
    written = word_count(" ".join(blocks))
    if blocks and written < _SHORT_OF * section.words:
        short_of = section.words - written
    markdown = "\n\n".join((f"## {section.name}", *blocks)) if blocks else ""
    after = SoFar(tuple(numbering.citations.values()), tuple(sentences), spare, so_far.acronyms)
    return SectionDraft(section.key, markdown, after, short_of)


def _frames(section: Section) -> int:
    """0 for what tells stories, then dates ahead, opening and closing."""
    shapes = {each.shape for each in section.stories}
    return 1 if "dates" in shapes else 2 if "opening" in shapes else 3 if "closing" in shapes else 0


# -- stories


@dataclass(frozen=True, slots=True)
class _Pools:
    """The sentences that the stories of a section may use, and how central they are in the topic."""

    edition: Edition
    section: Section
    pool: tuple[Candidate, ...]
    central: dict[tuple[str, int], float]
    neighbours: dict[str, frozenset[str]] = field(default_factory=dict)
    """By story title: ids of passages beside those that it refers to."""

    @staticmethod
    def of(edition: Edition, section: Section, outline: Iterable[Section], library: Library) -> _Pools:
        referred = {
            id for each in outline for story in each.stories if story.shape != "dates" for id in story.references
        }
        passages: dict[str, Passage] = {}
        beside: dict[str, frozenset[str]] = {}
        for story in section.stories:
            own = [library.passages[id] for id in story.references if id in library.passages]
            near = [
                near
                for each in own
                for near in library.neighbours.get(each.id, ())
                if near.id not in referred and (_belongs(near, each) or _is_told_first(near, each, story))
            ]
            beside[story.title] = frozenset(each.id for each in near)
            passages |= {each.id: each for each in (*own, *near)}
        acronyms = acronyms_in((*library.passages.values(), *passages.values()))
        pool = candidates(passages.values(), edition, acronyms)
        central = dict(zip((each.key for each in pool), central_sentences(pool), strict=True))
        return _Pools(edition, section, pool, central, beside)

    def told(
        self, story: Story, budget: int, told: Sequence[frozenset[str]]
    ) -> tuple[list[Candidate], dict[tuple[str, int], float]]:
        """The sentences of a story, and the scores of all that it could have."""
        beside = self.neighbours[story.title]
        pool = [each for each in self.pool if each.passage.id in story.references or each.passage.id in beside]
        known = topic(self.section.topic)
        words = known.words[self.edition.language].replace(":", " ") if known else ""
        subject = f"{story.title} {story.gist} {story.note} {words}"
        found = scores(pool, subject, self.edition, [self.central[each.key] for each in pool])
        judged = {
            each.key: score * (_NEIGHBOUR if each.passage.id in beside else 1.0)
            + _FACT * (story.shape == "opportunity" and is_fact(each.text))
            for each, score in zip(pool, found, strict=True)
        }
        lead = [each for each in pool if each.stands_alone and each.passage.id in _beginning(story, pool)]
        chosen = choose(pool, judged, budget, told, lead)
        must = telling(story.title, pool, judged, " ".join(each.text for each in chosen))
        if must:  # what the headline claims is told
            need = telling(story.title, pool, judged)
            chosen = choose(pool, judged, budget, told, lead, need)
        return chosen, judged


def _beginning(story: Story, pool: Sequence[Candidate]) -> frozenset[str]:
    """The passage that a story begins with: its first one. If that only goes on, as reactions do with what was decided,
    it is the one before it; or the one that its source begins with, if that one only goes on too. So it is if the
    headline is what the whole source is called."""
    first = next((each.passage for each in pool if each.passage.id in story.references[:1]), None)
    titled = first is not None and _has_its_title(story, first)
    if first is not None and first.position > 0 and (titled or is_generic(first.heading)):
        before = {
            each.passage.position: each.passage
            for each in pool
            if each.passage.source_id == first.source_id and each.passage.position < first.position
            if each.place == 0 and each.stands_alone
        }
        last = before.get(first.position - 1)
        if before:
            leads_on = titled or last is None or goes_on(last.heading)
            return frozenset({before[min(before) if leads_on else first.position - 1].id})
    return frozenset(story.references[:1])


def _has_its_title(story: Story, passage: Passage) -> bool:
    """Whether the headline of a story is the title of a source, and no heading of the passage."""
    words = [frozenset(terms(each)) for each in (story.title, passage.title, passage.heading)]
    return alike(words[0], words[1]) >= _THE_TITLE and alike(words[0], words[2]) < _THE_TITLE


def _is_told_first(neighbour: Passage, passage: Passage, story: Story) -> bool:
    """Whether a passage is the beginning of a source that the story tells of as a whole."""
    before = neighbour.position < min(passage.position, _BEGINS)
    return before and neighbour.language == passage.language and _has_its_title(story, passage)


def _belongs(neighbour: Passage, passage: Passage) -> bool:
    """Whether a passage goes on with the one beside it: under the same heading, or one that says nothing by itself."""
    if neighbour.language != passage.language:
        return False
    if neighbour.heading == passage.heading:
        return True
    return is_generic(neighbour.heading if neighbour.position > passage.position else passage.heading)


# -- opening, dates and closing


def _frame(
    edition: Edition, section: Section, outline: Sequence[Section], library: Library, so_far: SoFar
) -> SectionDraft:
    words = book(edition.language)
    phrases = words.phrases(edition.register)
    kind = _frames(section)
    numbering = Numbering({each.chunk_id: each for each in so_far.citations})
    if kind == 1:
        lines = []
        for each in dates_ahead(edition, outline, library.passages):
            number = numbering.number(each.passage, *each.announcement.sentences)
            lines.append(f"- **{each.announcement.label(edition.language)}:** {each.text} [{number}]")
        blocks = [f"## {section.name}", "\n".join(lines)] if lines else []
    elif kind == 2:
        blocks = _opening(edition, outline, so_far, phrases)
    else:
        blocks = [f"## {section.name}", *_closing(edition, outline, library, phrases)]
    after = replace(so_far, citations=tuple(numbering.citations.values()))
    return SectionDraft(section.key, "\n\n".join(blocks), after)


def _opening(edition: Edition, outline: Sequence[Section], so_far: SoFar, phrases: Phrases) -> list[str]:
    telling = [each for each in outline if not _frames(each)]
    stories = [story for each in telling for story in each.stories]
    sources = {each.source_id for each in so_far.citations}
    days = sorted(each.date[:10] for each in so_far.citations if each.date)
    sentences = [phrases.greeting]
    sentences.append(phrases.overview if len(stories) > 1 and len(sources) > 1 else phrases.overview_of_one)
    if days and days[0] != days[-1]:
        sentences.append(phrases.span)
    lead = stories[0] if stories else None
    values = {
        "title": edition.title,
        "issue": edition.issue_label,
        "stories": len(stories),
        "sources": len(sources),
        "first": day_in_words(date.fromisoformat(days[0]), edition.language) if days else "",
        "last": day_in_words(date.fromisoformat(days[-1]), edition.language) if days else "",
        "headline": lead.title if lead else "",
    }
    if lead is not None and len(stories) > 1:
        sentences.append(phrases.highlight)
    blocks = [" ".join(filled(each, values) for each in sentences)]
    if len(telling) > 1 and edition.length != "short":
        lines = [f"- **{each.name}:** {'; '.join(story.title for story in each.stories)}" for each in telling]
        blocks += [phrases.contents, "\n".join(lines)]
    return blocks


def _closing(edition: Edition, outline: Sequence[Section], library: Library, phrases: Phrases) -> list[str]:
    sentences = [phrases.thanks]
    values: dict[str, object] = {"title": edition.title}
    ahead = dates_ahead(edition, outline, library.passages)
    if ahead:
        sentences.append(phrases.deadline)
        first = ahead[0]
        values |= {"day": first.announcement.label(edition.language), "headline": first.text.rstrip(".።")}
    sentences += [phrases.numbers, phrases.farewell]
    return [" ".join(filled(each, values) for each in sentences)]
