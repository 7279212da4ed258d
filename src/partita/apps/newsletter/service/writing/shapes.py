"""How a story is set: paragraphs with their numbers, and by its shape figures, facts, a date line or a quote (7, 8)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from partita.apps.newsletter.service.writing.announcements import clause_before, periods
from partita.apps.newsletter.service.writing.candidates import Candidate, is_generic
from partita.apps.newsletter.service.writing.days import placed_days
from partita.apps.newsletter.service.writing.headlines import untold
from partita.apps.newsletter.service.writing.phrases import Book, day_in_words
from partita.apps.newsletter.service.writing.selection import paragraphs
from partita.apps.newsletter.service.writing.terms import alike, terms
from partita.apps.newsletter.service.writing.values import Citation, Edition, Passage, Story

IN_FIGURES_FROM = 50
"""From this technical tone on, findings list their figures."""
_FEWEST_FIGURES = 3
_ANOTHER_SUBJECT = 0.5
"""A heading less like the headline than this opens another subject."""
_MONEY = r"dollars?|euros?|shillings?|birr|usd|eur|ብር|دولار\w*"
_WHO = re.compile(
    r"\b(eligible|can apply|may apply|applicants?|open to|citizens|invited to apply|who can)\b|ማመልከት ይችላሉ|يحق|للجمعيات",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(rf"\d[\d,.]*\s*(million\s+)?({_MONEY})|[$€]\s?\d", re.IGNORECASE)
_BY_WHEN = re.compile(
    r"\b(deadline|clos(e|es|ing)|until|no later than|due (on|by)"
    r"|(apply|submit|register|submitted|registered|sent|received|booked) (by|before))\b|ይጠናቀቃል|آخر موعد",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    rf"\d[\d,.]*\s*(percent|%|million|billion|tonnes?|kilograms?|litres?|hectares?|cents?|times|people|households|farms"
    rf"|animals|districts|pages|በመቶ|ኩንታል|ኪሎ|في المئة|طن|هكتار|{_MONEY})",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\b(?:in|at) ((?:[A-Z][\w’'-]+)(?: [A-Z][\w’'-]+){0,2})(?= (?:from|on|between|in|at)\b|[.,])")


@dataclass(slots=True)
class Numbering:
    """Gives passages their numbers, in the order in which they are first cited."""

    citations: dict[str, Citation] = field(default_factory=dict)

    def number(self, passage: Passage, *sentences: str) -> int:
        """The number of a passage; the sentences are noted as quoted from it."""
        known = self.citations.get(passage.id)
        if known is None:
            known = Citation(
                n=max((each.n for each in self.citations.values()), default=0) + 1,
                chunk_id=passage.id,
                source_id=passage.source_id,
                title=passage.title,
                quote="",
                url=passage.url,
                date=passage.published,
                page=passage.page,
                publisher=passage.publisher,
                heading=passage.heading,
            )
        quoted = dict.fromkeys((*filter(None, known.quote.split("\n")), *sentences))
        self.citations[passage.id] = replace(known, quote="\n".join(quoted))
        return known.n


def story_text(
    story: Story, in_order: Sequence[Candidate], edition: Edition, words: Book, numbering: Numbering
) -> list[str]:
    """The blocks of a story, without its headline."""
    shape = story.shape
    quotes = [each for each in in_order if each.quote]
    plain = [each for each in in_order if not each.quote]
    blocks: list[str] = []
    facts: list[tuple[str, Candidate]] = []
    figures: list[Candidate] = []
    if shape == "event" and plain:
        blocks += _date_line(plain[0], edition)
    if shape == "opportunity":
        plain, facts = _facts(plain, words)
    elif shape == "finding" and edition.tone_technical >= IN_FIGURES_FROM:
        plain, figures = _figures(plain)
    told = {story.title}
    begun: set[str] = set()
    for each in paragraphs(plain):
        turns = bool(begun) and each[0].passage.id not in begun  # right under the headline nothing is turned to
        heading = _run_in(each, told, words.full_stop) if turns else ""
        begun |= {one.passage.id for one in each}
        blocks.append(f"{heading}{_paragraph(each, numbering)}")
    if facts:
        blocks.append("\n".join(f"- **{label}:** {each.text} {_mark(numbering, [each])}" for label, each in facts))
    if figures:
        entries = "\n".join(f"- {each.text} {_mark(numbering, [each])}" for each in figures)
        blocks += [f"**{words.in_figures}**", entries]
    blocks += [f"> {each.text} {_mark(numbering, [each])}" for each in quotes]
    return blocks


def _run_in(sentences: Sequence[Candidate], told: set[str], full_stop: str) -> str:
    """The heading of a paragraph that turns to something else than the headline says, in the source's words."""
    heading = sentences[0].passage.heading.strip().rstrip(".")
    known = frozenset(terms(heading))
    apart = all(alike(known, frozenset(terms(each))) < _ANOTHER_SUBJECT for each in told)
    own = [each for each in sentences if each.passage.id == sentences[0].passage.id]
    if is_generic(heading) or not apart or len(own) < 2 or sentences[0].loose:
        return ""
    if untold(heading, " ".join(each.text for each in sentences)):
        return ""
    told.add(heading)
    return f"**{heading}{full_stop}** "


def _paragraph(sentences: Sequence[Candidate], numbering: Numbering) -> str:
    """Sentences with a number after each run from one passage."""
    pieces: list[str] = []
    run: list[Candidate] = []
    for place, each in enumerate(sentences):
        run.append(each)
        pieces.append(each.text)
        if place + 1 == len(sentences) or sentences[place + 1].passage.id != each.passage.id:
            pieces.append(_mark(numbering, run))
            run = []
    return " ".join(pieces)


def _mark(numbering: Numbering, run: Sequence[Candidate]) -> str:
    return f"[{numbering.number(run[0].passage, *(each.source_text for each in run))}]"


def _facts(plain: Sequence[Candidate], words: Book) -> tuple[list[Candidate], list[tuple[str, Candidate]]]:
    """What an opportunity offers: who, how much, by when, in the source's words; the lead stays a paragraph."""
    facts: list[tuple[str, Candidate]] = []
    rest = list(plain[:1])
    wanted = [(words.who, _WHO), (words.how_much, _HOW_MUCH), (words.by_when, _BY_WHEN)]
    for each in plain[1:]:
        label = next((label for label, pattern in wanted if pattern.search(each.text)), None)
        if label is None or each.loose or each.passage.id != plain[0].passage.id:
            rest.append(each)
        else:
            facts.append((label, each))
            wanted = [(other, pattern) for other, pattern in wanted if other != label]
    followers = [each for each in rest if each.loose]
    if len(facts) < 2 or any(_leans_on(each, [fact for _, fact in facts]) for each in followers):
        return list(plain), []
    order = [words.who, words.how_much, words.by_when]
    return rest, sorted(facts, key=lambda fact: order.index(fact[0]))


def is_fact(text: str) -> bool:
    """Whether a sentence tells who may apply, for how much, or until when."""
    return any(pattern.search(text) for pattern in (_WHO, _HOW_MUCH, _BY_WHEN))


def _figures(plain: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """The sentences of a finding that are mostly figures, from three on: those at the end of their passages, so that no
    other sentence loses what it leans on; the lead paragraph stays."""
    figures: list[Candidate] = []
    for place in range(len(plain) - 1, 1, -1):
        each = plain[place]
        follower = plain[place + 1] if place + 1 < len(plain) else None
        last = follower is None or follower.passage.id != each.passage.id or follower in figures
        if last and _QUANTITY.search(each.text) and not each.loose and not each.definite:
            figures.insert(0, each)
    if len(figures) < _FEWEST_FIGURES or len(plain) - len(figures) < 2:
        return list(plain), []
    return [each for each in plain if each not in figures], figures


def _leans_on(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    return any((each.passage.id, each.place + 1) == candidate.key for each in others)


def _date_line(lead: Candidate, edition: Edition) -> list[str]:
    """When and where an event is, from its lead sentence: a day until which something can be sent in, or on which
    registration closes, is not when it takes place."""
    found: list[tuple[date, date]] = []
    end = 0
    for first, last in periods(lead.text, placed_days(lead.text)):
        clause = clause_before(lead.text, first.start)
        if not _BY_WHEN.search(lead.text, max(end, first.start - len(clause)), first.start):
            found.append((first.day, last.day))
        end = last.end
    if not found:
        return []
    period = next((each for each in found if each[1] > edition.today), found[0])
    days = dict.fromkeys(day_in_words(each, edition.language) for each in period)
    place = _PLACE.search(lead.text)
    return [f"**{' · '.join((' – '.join(days), *((place[1],) if place else ())))}**"]
