"""Proof that a draft is faithful: each sentence is a source's, or a phrase of ours filled with what is stored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from partita.apps.newsletter.service.writing.candidates import acronyms_in
from partita.apps.newsletter.service.writing.phrases import book
from partita.apps.newsletter.service.writing.reading_back import Piece
from partita.apps.newsletter.service.writing.values import Citation, Edition, Passage, Section
from partita.kit.search.folding import fold

_BRACKETS = re.compile(r"\s*\([^()]*\)")
_SLOT = re.compile(r"\\\{(\w+)\\\}")


@dataclass(frozen=True, slots=True)
class Found:
    """A sentence of a draft, and whether a source or the phrase book has it."""

    piece: Piece
    text: str
    faithful: bool


def check(
    edition: Edition,
    outline: Sequence[Section],
    written: Iterable[Piece],
    citations: Sequence[Citation],
    passages: Iterable[Passage] = (),
) -> tuple[Found, ...]:
    """Every sentence of a draft. It must be in what its paragraph cites; what cites nothing, in anything cited."""
    known = {each.id: each for each in passages}
    sources = _Sources(citations, known)
    titles = _titles(edition, outline, citations, known.values())
    phrases = _phrases(edition, titles)
    found: list[Found] = []
    for piece in written:
        if piece.kind in ("heading", "line"):
            continue
        rest = piece.text
        for pattern in phrases:
            found += [Found(piece, match[0], True) for match in pattern.finditer(rest)]
            rest = pattern.sub(" ", rest)
        if not rest.strip():
            continue
        if piece.kind == "item" and all(part.strip() in titles for part in rest.split(";")):
            found.append(Found(piece, rest.strip(), True))
            continue
        left = Piece(piece.section, piece.kind, rest.strip(), piece.cited, piece.label, piece.story)
        found += [Found(piece, text, sources.have(text, piece.cited)) for text in left.sentences]
    return tuple(found)


class _Sources:
    """What the sources say, folded: by number, with and without brackets."""

    def __init__(self, citations: Sequence[Citation], passages: dict[str, Passage]) -> None:
        self._texts: dict[int, str] = {}
        self._acronyms = acronyms_in(passages.values())
        for each in citations:
            passage = passages.get(each.chunk_id)
            text = f"{each.quote}\n{passage.text if passage else ''}"
            self._texts[each.n] = "\n".join((self._fold(text), self._fold(_BRACKETS.sub("", text))))
        self._all = "\n".join(self._texts.values())

    def have(self, sentence: str, cited: tuple[int, ...]) -> bool:
        """Whether a sentence is in one of the cited sources."""
        wanted = self._fold(sentence)
        if not wanted.strip():
            return True
        where = [self._texts.get(number, "") for number in cited] or [self._all]
        return any(wanted in text for text in where)

    def _fold(self, text: str) -> str:
        for short, long in self._acronyms.items():
            text = re.sub(rf"\b{re.escape(short)}\b", long, text)
        return "\n".join(f" {fold(line)} " for line in text.splitlines())


def _titles(
    edition: Edition, outline: Sequence[Section], citations: Sequence[Citation], passages: Iterable[Passage]
) -> frozenset[str]:
    stories = [story.title for each in outline for story in each.stories]
    own = (edition.title, *(each.name for each in outline), *stories, *(each.title for each in citations))
    return frozenset(each.strip() for each in (*own, *(each.heading for each in passages)) if each.strip())


def _phrases(edition: Edition, titles: frozenset[str]) -> list[re.Pattern[str]]:
    """The phrases of the edition's language, each with what may fill its slots."""
    day = r"\d{1,2} \S+ \d{4}"
    title = "|".join(sorted(map(re.escape, titles), key=len, reverse=True)) or r"(?!)"
    slots = {**dict.fromkeys(("stories", "sources"), r"\d+"), **dict.fromkeys(("first", "last", "day"), day)}

    def slot(match: re.Match[str]) -> str:
        return f"(?:{slots.get(match[1], title)})"

    known = sorted(set(book(edition.language).all_phrases), key=len, reverse=True)
    return [re.compile(_SLOT.sub(slot, re.escape(each))) for each in known]
