"""What of a source can be told by itself: a sentence with those that it leans on, a list with its lead-in, a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from partita.apps.newsletter.service.reading.sentences import sentences, word_count
from partita.apps.newsletter.service.writing.candidates import is_loose, unprintable, without_connective
from partita.apps.newsletter.service.writing.terms import terms
from partita.apps.newsletter.service.writing.values import Passage

_FEWEST_WORDS, _MOST_WORDS = {"en": 5}, 48
_FEWEST_ELSEWHERE = 3
_MOST_LEANING = 3
MOST_ROWS, MOST_COLUMNS = 60, 10
_MARK = re.compile(r"^\s*(?:[-*•‣▪◦–]|\d{1,2}[.)]|[a-z][.)])\s+")
_LEAD_IN = re.compile(r"[:：፦]\s*$")
_LEANS = re.compile(
    r"^(of (these|those|them|which)|among (them|these|those)|since then|by then|at that time|at the same time"
    r"|to this end|as (noted|mentioned|described|said)|in this way|for this( reason)?\b(?! (project|proposal))"
    r"|with this|the (first|second|third|remaining|rest|last) (one|two|of)|instead|in turn|both of|part of it"
    r"|half of it|a further \w+ of them|بذلك|وبذلك|ولهذا|لهذا|ومن ثم)\b"
    r"|^(\w+ ){1,4}this (?!(project|proposal|programme|grant)\b)\w+"
    r"|\b(percent|half|third|most|part|quarter|share) of (it|them|this|these|those)\b",
    re.IGNORECASE,
)
_NAMED_HERE = re.compile(
    r"(?<=.{20})[,;] (and |but |of which )?(\w+ ){0,2}of (them|these|those|it)\b.*$", re.IGNORECASE
)
"""What leans on the beginning of its own sentence."""
_STANDS = re.compile(
    r"^(some (?=\d)|there (?=(is|are|was|were) )|each (?!(of|one|costs?|has|have|had|is|was|can|will|gets?|got|takes?"
    r"|took|pays?|paid|earns?|earned|serves?|holds?) ))",
    re.IGNORECASE,
)
"""Words that often lean on something and here do not: Some 7,200 households, There are, Each group."""
_NOT_TOLD = re.compile(
    r"\b(this|the|these) (report|study|survey|assessment|document|paper|draft|questionnaires?|chapter|section|minutes"
    r"|figures?|numbers|analysis|note) (was|is|were|are|should|follows?|describes?|presents?|covers?|contains?|has been"
    r"|can be)\b|\b(annex|attached|enclosed|overleaf|appendix)\b"
    r"|\b(figure|map|chart|table|photo|picture) (below|above|overleaf|\d|on)\b"
    r"|^(source(?=:)|please|we thank|thanks to|comments? |further (details|information)|visit|contact|note that"
    r"|more research)\b|\b(subject of this|acknowledg\w+|lunch|coffee break|minutes of|annual general meeting"
    r"|audit found|more pictures|website|should be read)\b",
    re.IGNORECASE,
)
_SHOULD = re.compile(
    r"^(the|all|every|donors|governments?|it) .{0,40}\b(should|ought to|is recommended|are urged)\b", re.IGNORECASE
)
_FIRST_PERSON = re.compile(r"\b(I|[Ww]e|[Oo]ur|[Mm]y|us|me|ours|mine)\b(?!\.)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, an entry of a list, or a table's text, with where it comes from."""

    text: str
    """As it is printed."""
    source_text: str
    passage: Passage


@dataclass(frozen=True, slots=True)
class Unit:
    """What is told together or not at all."""

    pieces: tuple[Piece, ...]
    order: tuple[str, int, int]
    """Source, passage, place: the order of reading."""
    shape: str = "prose"
    """prose, list (the first piece may be its lead-in) or table."""
    follows: bool = False
    """Whether it leans on the unit right before it, and is told only behind that."""
    rows: tuple[tuple[str, ...], ...] = ()
    caption: str = ""

    @property
    def passage(self) -> Passage:
        return self.pieces[0].passage

    @property
    def text(self) -> str:
        return " ".join(each.text for each in self.pieces)

    @property
    def words(self) -> int:
        return word_count(" ".join(cell for row in self.rows for cell in row) if self.rows else self.text)

    @property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(self.text))


def units_of(passages: Iterable[Passage]) -> tuple[Unit, ...]:
    """The units of some passages, source by source in the order of reading; what passages share is there once."""
    in_order = sorted(passages, key=lambda each: (each.source_id, each.position))
    found: list[Unit] = []
    for _, some in groupby(in_order, key=lambda each: each.source_id):
        found += _Reading().read(list(some))
    return tuple(found)


class _Reading:
    """Reads one source from its beginning on."""

    def __init__(self) -> None:
        self.found: list[Unit] = []
        self.seen: set[str] = set()
        self.before: Unit | None = None
        """The unit that ends right before the next sentence; None if what is there is told nowhere."""
        self.lead_in: Piece | None = None

    def read(self, passages: Sequence[Passage]) -> list[Unit]:
        for passage in passages:
            if passage.kind == "table":
                self._table(passage)
            elif passage.kind == "text":
                self._text(passage)
        return self.found

    def _text(self, passage: Passage) -> None:
        if self.before is not None and self.before.passage.heading != passage.heading:
            self.before = None
        place = 0
        for lines, is_list in _blocks(passage.text):
            place += 1
            if is_list:
                self._list(lines, passage, place)
                continue
            for sentence in (each for line in lines for each in sentences(line)):
                place += 1
                self._sentence(sentence.text, passage, place)

    def _sentence(self, sentence: str, passage: Passage, place: int) -> None:
        if sentence in self.seen:
            return
        self.seen.add(sentence)
        self.lead_in = None
        if _LEAD_IN.search(sentence):
            self.lead_in = Piece(sentence.strip(), sentence, passage)
            self.before = None
            return
        if not _can_be_told(sentence, passage):
            self.before = None
            return
        text = without_connective(sentence)
        order = (passage.source_id, passage.position, place)
        unit = Unit((Piece(text, sentence, passage),), order)
        if leans(text) or text != sentence.strip():
            if leans(text) and self.before is None:
                return
            unit = replace(unit, follows=leans(text))
        self.found.append(unit)
        self.before = unit

    def _list(self, lines: Sequence[str], passage: Passage, place: int) -> None:
        entries = [_MARK.sub("", line).strip() for line in lines]
        going_on = bool(entries) and f"- {entries[0]}" in self.seen
        fresh = tuple(Piece(entry, entry, passage) for entry in entries if entry and f"- {entry}" not in self.seen)
        self.seen |= {f"- {entry}" for entry in entries}
        lead_in, self.lead_in = self.lead_in, None
        if going_on and self.found and self.found[-1].shape == "list":
            self.found[-1] = replace(self.found[-1], pieces=(*self.found[-1].pieces, *fresh))
        elif fresh and (lead_in is not None or all(word_count(each.text) >= 4 for each in fresh)):
            pieces = (lead_in, *fresh) if lead_in else fresh
            if not any(_NOT_TOLD.search(each.text) for each in pieces):
                order = (passage.source_id, passage.position, place)
                self.found.append(Unit(pieces, order, "list"))
        self.before = None

    def _table(self, passage: Passage) -> None:
        lines = [line.strip() for line in passage.text.split("\n") if line.strip()]
        caption = " ".join(line for line in lines if "|" not in line)
        rows = [tuple(cell.strip() for cell in line.split("|")) for line in lines if "|" in line]
        width = max((len(row) for row in rows), default=0)
        self.before = None
        if 2 <= width <= MOST_COLUMNS and 2 <= len(rows) <= MOST_ROWS:
            even = tuple((*row, *("",) * (width - len(row))) for row in rows)
            piece = Piece(caption or passage.heading or passage.title, passage.text[:1500], passage)
            self.found.append(
                Unit((piece,), (passage.source_id, passage.position, 0), "table", rows=even, caption=piece.text)
            )


def leans(sentence: str) -> bool:
    """Whether a sentence makes sense only behind the one before it."""
    alone = _STANDS.sub("", _NAMED_HERE.sub("", sentence))
    return is_loose(alone) or bool(_LEANS.search(alone))


def together(units: Sequence[Unit]) -> Iterator[tuple[Unit, ...]]:
    """Units in runs that are told whole: one, and those behind it that lean on it."""
    run: list[Unit] = []
    for unit in units:
        if run and unit.follows and len(run) < _MOST_LEANING:
            run.append(unit)
            continue
        if run:
            yield tuple(run)
        run = [] if unit.follows else [unit]
    if run:
        yield tuple(run)


def _blocks(text: str) -> Iterator[tuple[list[str], bool]]:
    """Paragraphs and lists of a passage."""
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        for is_list, some in groupby(lines, key=lambda line: bool(_MARK.match(line))):
            yield list(some), is_list


def _can_be_told(sentence: str, passage: Passage) -> bool:
    if unprintable(sentence) or _NOT_TOLD.search(sentence) or _SHOULD.search(sentence):
        return False
    if _FIRST_PERSON.search(sentence) and not passage.own:
        return False  # their "we" is not ours
    fewest = _FEWEST_WORDS.get(passage.language, _FEWEST_ELSEWHERE)
    return fewest <= word_count(sentence) <= _MOST_WORDS
