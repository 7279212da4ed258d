"""Proof that a draft is faithful: each sentence is in a source that it cites, or a phrase of ours filled with what is
stored. What a model wrote may be in other words, with the figures, names and quotations of what it cites."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from partita.apps.newsletter.service.reading.sentences import sentences
from partita.apps.newsletter.service.writing.announcements import dates_ahead, is_announced
from partita.apps.newsletter.service.writing.candidates import acronyms_in, spelled_out, without_connective
from partita.apps.newsletter.service.writing.days import days_in
from partita.apps.newsletter.service.writing.facts import (
    Facts,
    facts_of,
    unknown_figures,
    unknown_names,
    unknown_quotes,
)
from partita.apps.newsletter.service.writing.phrases import book
from partita.apps.newsletter.service.writing.reading_back import Piece
from partita.apps.newsletter.service.writing.terms import terms
from partita.apps.newsletter.service.writing.values import Citation, Edition, Passage, Section
from partita.kit.search.folding import fold

Support = Literal["source", "ours", "other words", ""]
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_SLOT = re.compile(r"\\\{(\w+)\\\}(\\\.|!|።)?")
_DAY = r"\d{1,2} \S+ \d{4}"
_DAY_LABEL = re.compile(rf"{_DAY}(?: – {_DAY})?")
_SHARED = 0.5
"""A sentence in other words has at least this share of its words from what it cites."""


@dataclass(frozen=True, slots=True)
class Found:
    """A sentence of a draft, and what it rests on."""

    piece: Piece
    text: str
    support: Support

    @property
    def faithful(self) -> bool:
        """Whether it rests on anything."""
        return bool(self.support)


def check(
    edition: Edition,
    outline: Sequence[Section],
    written: Iterable[Piece],
    citations: Sequence[Citation],
    passages: Iterable[Passage] = (),
    by_models: Collection[str] = (),
) -> tuple[Found, ...]:
    """Every sentence of a draft. It must be in what it cites; what cites nothing, in anything cited. Sections
    `by_models` may say it in other words."""
    known = {each.id: each for each in passages}
    sources = _Sources(citations, known)
    given = tuple(written)
    dates = {each.text for each in given if each.kind == "item" and _DAY_LABEL.fullmatch(each.label)}
    titles = _titles(edition, outline, citations, known.values())
    noted = _noted_at_the_end(edition, outline, given, known)
    phrases = _phrases(edition, titles | {each.rstrip(".።") for each in dates | noted})
    found: list[Found] = []
    for piece in given:
        if piece.kind in ("heading", "line"):
            continue
        if piece.text in dates:
            told = is_announced(piece.text, piece.label, edition.language, sources.texts(piece.cited))
            found.append(Found(piece, piece.text, "source" if told else ""))
        elif piece.cited:
            found += [_judged(piece, text, numbers, sources, by_models) for text, numbers in piece.spans]
        else:
            found += _uncited(piece, phrases, titles, sources, by_models)
    return tuple(found)


def _noted_at_the_end(
    edition: Edition, outline: Sequence[Section], written: Sequence[Piece], passages: Mapping[str, Passage]
) -> set[str]:
    """What the closing words may note a date of, also if no section lists dates, and after the day has passed."""
    days = [] if not written or written[-1].cited else [*days_in(written[-1].text)[:2]]
    return {
        entry.text
        for day in days
        for entry in dates_ahead(replace(edition, today=day - timedelta(days=1)), outline, passages)
        if entry.announcement.first == day
    }


def _uncited(
    piece: Piece, phrases: re.Pattern[str], titles: frozenset[str], sources: _Sources, by_models: Collection[str]
) -> list[Found]:
    """What cites nothing may be ours: phrases, and lists of titles."""
    found = [Found(piece, match[0], "ours") for match in phrases.finditer(piece.text)]
    rest = phrases.sub(" ", piece.text).strip() if found else piece.text
    if not rest:
        return found
    if piece.kind == "item" and all(part.strip() in titles for part in rest.split(";")):
        return [*found, Found(piece, rest, "ours")]
    return found + [_judged(piece, each.text, (), sources, by_models) for each in sentences(rest)]


def _judged(piece: Piece, text: str, numbers: tuple[int, ...], sources: _Sources, by_models: Collection[str]) -> Found:
    if sources.have(text, numbers):
        return Found(piece, text, "source")
    other = piece.section in by_models and sources.tell(text, numbers)
    return Found(piece, text, "other words" if other else "")


class _Sources:
    """What the sources say, folded: by number, with and without brackets."""

    def __init__(self, citations: Sequence[Citation], passages: dict[str, Passage]) -> None:
        self._written: dict[int, str] = {}
        self._texts: dict[int, str] = {}
        self._facts: dict[int, Facts] = {}
        self._about: dict[int, tuple[str, ...]] = {}
        self._acronyms_of: dict[int, Mapping[str, str]] = {}
        acronyms = acronyms_in(passages.values())
        for each in citations:
            passage = passages.get(each.chunk_id)
            text = f"{each.quote}\n{passage.text if passage else ''}"
            self._written[each.n] = text
            self._acronyms_of[each.n] = acronyms.get(each.source_id, {})
            both = f"{text}\n{_BRACKETS.sub('', text)}"
            self._texts[each.n] = _folded(spelled_out(both, self._acronyms_of[each.n]))
            self._about[each.n] = (each.title, each.publisher, each.date or "", passage.heading if passage else "")
        self._sentences: frozenset[str] | None = None

    def texts(self, numbers: Iterable[int]) -> list[str]:
        """The texts behind some numbers, as they are."""
        return [self._written[number] for number in numbers if number in self._written]

    def have(self, sentence: str, numbers: tuple[int, ...]) -> bool:
        """Whether a sentence is in one of the sources that it cites; if it cites none, in any."""
        if not fold(sentence).strip():
            return True
        if not numbers:
            return _folded(sentence) in self._all_sentences()
        return any(
            _folded(spelled_out(sentence, self._acronyms_of[number])) in self._texts[number]
            for number in numbers
            if number in self._texts
        )

    def tell(self, sentence: str, numbers: tuple[int, ...]) -> bool:
        """Whether what a sentence claims is in the sources that it cites, though in other words."""
        known = [number for number in numbers if number in self._texts]
        if not known:
            return False
        facts = self._known(known[0])
        for number in known[1:]:
            facts |= self._known(number)
        if unknown_figures(sentence, facts) or unknown_names(sentence, facts) or unknown_quotes(sentence, facts):
            return False
        words = frozenset(terms(sentence))
        shared = words & frozenset(term for number in known for term in terms(self._written[number]))
        return len(shared) >= _SHARED * len(words)

    def _known(self, number: int) -> Facts:
        if number not in self._facts:
            self._facts[number] = facts_of(self._written[number], *self._about[number])
        return self._facts[number]

    def _all_sentences(self) -> frozenset[str]:
        """The sentences of all sources, as they may be printed."""
        if self._sentences is None:
            every = {
                text
                for number, written in self._written.items()
                for bare in (written, _BRACKETS.sub("", written))
                for each in sentences(bare)
                for said in (each.text, without_connective(each.text))
                for text in (said, spelled_out(said, self._acronyms_of[number]))
            }
            self._sentences = frozenset(map(_folded, every))
        return self._sentences


def _folded(text: str) -> str:
    return "\n".join(f" {fold(line)} " for line in text.splitlines())


def _titles(
    edition: Edition, outline: Sequence[Section], citations: Sequence[Citation], passages: Iterable[Passage]
) -> frozenset[str]:
    stories = [story.title for each in outline for story in each.stories]
    own = (edition.title, *(each.name for each in outline), *stories, *(each.title for each in citations))
    return frozenset(each.strip() for each in (*own, *(each.heading for each in passages)) if each.strip())


def _phrases(edition: Edition, titles: Iterable[str]) -> re.Pattern[str]:
    """The phrases of the edition's language, each with what may fill its slots."""
    named = {name for each in titles for name in (each, each.rstrip(".። ")) if name}
    title = "|".join(sorted(map(re.escape, named), key=len, reverse=True)) or r"(?!)"
    days = rf"{_DAY}(?: – {_DAY})?"
    slots = {**dict.fromkeys(("stories", "sources"), r"\d+"), **dict.fromkeys(("first", "last", "day"), days)}

    def slot(match: re.Match[str]) -> str:
        mark = f"(?:{match[2]}|(?<=[!?…؟፧]))" if match[2] else ""
        return f"(?:{slots.get(match[1], title)}){mark}"

    known = sorted(set(book(edition.language).all_phrases), key=len, reverse=True)
    return re.compile("|".join(f"(?:{_SLOT.sub(slot, re.escape(each))})" for each in known))
