"""Passages: what is found and cited. Each is a piece of the source's text, word for word.

The text of a source is its blocks, parted by empty lines (entries of a list by line breaks). A chunk is a slice of it
that never goes across a heading, ends with a sentence, and repeats the last sentence of the chunk before it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from partita.apps.newsletter.service.reading.bylines import bylines
from partita.apps.newsletter.service.reading.references import is_reference_heading, looks_like_references
from partita.apps.newsletter.service.reading.sentences import sentences, word_count
from partita.kit.previews.blocks import Block

ChunkKind = Literal["text", "table", "references"]
FEWEST_WORDS = 120
MOST_WORDS = 220
MOST_CHARACTERS = 20_000
_PIECE_WORDS = 100
_PIECE_CHARACTERS = 4_000
_MOST_ABOVE = 20


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a source, small enough to be found and cited."""

    chunk_id: str
    position: int
    text: str
    heading: str
    """The heading that it is under, or nothing."""
    page: int | None
    kind: ChunkKind
    start: int
    """Where it begins in the source's text."""
    words: int
    above: tuple[tuple[int, str], ...] = ()
    """Headings (level, text) between the chunk before and this one."""
    turns: tuple[tuple[int, int], ...] = ()
    """Where pages begin within it: character of its text, page."""


def page_at(page: int | None, turns: Iterable[tuple[int, int]], place: int) -> int | None:
    """The page on which a character of a chunk is, of one that begins on `page`."""
    for start, number in turns:
        if start <= place:
            page = number
    return page


def source_text(blocks: Iterable[Block]) -> str:
    """The text of a source, of which chunks are pieces."""
    return "".join(text for text, _ in _placed(blocks))


def chunks_of(source_id: str, blocks: Sequence[Block]) -> tuple[Passage, ...]:
    """The chunks of a source. The same text under the same source keeps its id, wherever it moves."""
    placed = _placed(blocks)
    chunking = _Chunking(source_id, "".join(text for text, _ in placed))
    told = [block for _, block in placed if block is not None]
    about = {id(told[number]) for number in bylines(told)}
    position = 0
    for written, block in placed:
        if block is not None and id(block) in about:
            chunking.take_byline(block, position, written)
        elif block is not None:
            chunking.take(block, position, written)
        position += len(written)
    return chunking.finished()


class _Chunking:
    """Takes block after block, and closes a section at each heading and table."""

    def __init__(self, source_id: str, whole: str) -> None:
        self._source_id = source_id
        self._whole = whole
        self._made: list[Passage] = []
        self._seen: Counter[str] = Counter()
        self._heading = ""
        self._above: list[tuple[int, str]] = []
        self._references_from = 0
        """The level of the heading under which references are, or 0."""
        self._section: list[_Piece] = []
        self._lines: list[str] = []
        self._bare: tuple[str, int, int | None] | None = None
        """A heading under which there is nothing so far."""

    def take(self, block: Block, start: int, written: str) -> None:
        if block.kind == "heading":
            self._close()
            if block.level <= self._references_from:
                self._references_from = 0
            if not self._references_from and is_reference_heading(block.text):
                self._references_from = block.level
            if len(self._above) >= _MOST_ABOVE:
                self._close_bare()
            self._heading = block.text
            self._above.append((block.level, block.text))
            self._bare = (block.text, start, block.page)
            return
        self._bare = None
        if block.kind == "table":
            begin, page = self._take_caption() or (start, block.page)
            self._close()
            for text, at in _table_pieces(self._whole[begin : start + len(written)], begin):
                self._add(text, at, page, "table")
        else:
            self._section.extend(_pieces(written, start, block))
            self._lines.append(block.text)

    def _take_caption(self) -> tuple[int, int | None] | None:
        """Where the caption just before a table begins, and on which page; it is no text of its own then."""
        first = len(self._section)
        while first and self._section[first - 1].caption:
            first -= 1
        if first and first == len(self._section) and _is_caption(self._section[-1]):
            first -= 1
        taken = self._section[first:]
        del self._section[first:]
        return (taken[0].start, taken[0].page) if taken else None

    def take_byline(self, block: Block, start: int, written: str) -> None:
        """Who wrote it, and when: kept, and nothing that anybody looks for. Headings stay with the text below it."""
        self._close()
        above, self._above = self._above, []
        self._add(written, start, block.page, "references")
        self._above = above

    def finished(self) -> tuple[Passage, ...]:
        self._close()
        self._close_bare()
        return tuple(self._made)

    def _close_bare(self) -> None:
        """A heading under which nothing is at all is text too."""
        if self._bare is not None:
            text, start, page = self._bare
            self._bare = None
            self._above.pop()
            self._add(text[:MOST_CHARACTERS], start, page, "text")

    def _close(self) -> None:
        section, self._section = self._section, []
        kind: ChunkKind = "references" if looks_like_references(self._lines) else "text"
        self._lines.clear()
        for text, start, page, turns in _filled(section, self._whole):
            self._add(text, start, page, kind, turns)

    def _add(
        self, text: str, start: int, page: int | None, kind: ChunkKind, turns: tuple[tuple[int, int], ...] = ()
    ) -> None:
        chunk_id = _id(self._source_id, text, self._seen[text])
        self._seen[text] += 1
        kind = "references" if self._references_from else kind
        position = len(self._made)
        above = tuple(self._above)
        self._above.clear()
        self._made.append(
            Passage(chunk_id, position, text, self._heading, page, kind, start, word_count(text), above, turns)
        )


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, or as much of an endless one as a chunk may have."""

    text: str
    start: int
    end: int
    words: int
    page: int | None
    alone: bool = False
    """Whether it is a paragraph of its own."""
    caption: bool = False
    """Whether the document says that it belongs to the table behind it."""


def _placed(blocks: Iterable[Block]) -> list[tuple[str, Block | None]]:
    """The texts of the blocks with what is between them."""
    placed: list[tuple[str, Block | None]] = []
    before = ""
    for block in blocks:
        text = f"{'  ' * (block.level - 1)}- {block.text}" if block.kind == "item" else block.text
        if not text.strip():
            continue
        if placed:
            placed.append(("\n" if before == block.kind == "item" else "\n\n", None))
        placed.append((text, block))
        before = block.kind
    return placed


def _pieces(written: str, start: int, block: Block) -> list[_Piece]:
    """A block's sentences with all that is between them, endless ones cut."""
    found = sentences(written)
    # What is before a sentence (the mark of a list entry) belongs to it.
    bounds = [0, *(sentence.end for sentence in found[:-1]), len(written)] if found else [0, len(written)]
    pieces: list[_Piece] = []
    for begin, end in pairwise(bounds):
        text = written[begin:end]
        inset = len(text) - len(text.lstrip()) if begin else 0
        for low, high in _cut(text[inset:]):
            words = text[inset + low : inset + high]
            at = start + begin + inset
            alone, caption = len(bounds) == 2, block.kind == "caption"
            pieces.append(_Piece(words, at + low, at + high, word_count(words), block.page, alone, caption))
    return pieces


def _cut(text: str) -> list[tuple[int, int]]:
    """Slices of a text that are no longer than a piece may be, between words where there are words."""
    if len(text) <= _PIECE_CHARACTERS and word_count(text) <= _PIECE_WORDS:
        return [(0, len(text))]
    slices: list[tuple[int, int]] = []
    begin = 0
    while begin < len(text):
        end = _cut_at(text, begin)
        if text[begin:end].strip():
            slices.append((begin, end))
        begin = end
    return slices


def _cut_at(text: str, begin: int) -> int:
    limit = min(len(text), begin + _PIECE_CHARACTERS)
    words = 0
    at = begin
    while at < limit:
        after = at
        while after < limit and not _parts(text[after]):
            after += 1
        if any(map(str.isalnum, text[at:after])):
            words += 1
            if words > _PIECE_WORDS:
                return at
        while after < limit and _parts(text[after]):
            after += 1
        if after == limit and limit < len(text) and at > begin:
            return at
        at = after
    return limit


def _parts(character: str) -> bool:
    return character.isspace() or character == "\u1361"


def _filled(section: Sequence[_Piece], whole: str) -> list[tuple[str, int, int | None, tuple[tuple[int, int], ...]]]:
    """Chunks of a section: text, start, page, where pages turn."""
    made: list[tuple[str, int, int | None, tuple[tuple[int, int], ...]]] = []
    left = sum(piece.words for piece in section)
    at = 0
    overlap: _Piece | None = None
    while at < len(section):
        held = overlap.words if overlap else 0
        target = _target(left + held)
        first = at
        characters = (overlap.end - overlap.start) if overlap else 0
        while at < len(section):
            piece = section[at]
            length = piece.end - piece.start
            too_long = held + piece.words > MOST_WORDS or characters + length > MOST_CHARACTERS - 100
            if at > first and (too_long or (held >= FEWEST_WORDS and held + piece.words / 2 > target)):
                break
            held += piece.words
            characters += length + 2
            left -= piece.words
            at += 1
        begin = overlap or section[first]
        pieces = [*((overlap,) if overlap else ()), *section[first:at]]
        text = whole[begin.start : section[at - 1].end]
        made.append((text, begin.start, begin.page, _turns(pieces)))
        overlap = section[at - 1]
    return made


def _turns(pieces: Sequence[_Piece]) -> tuple[tuple[int, int], ...]:
    return tuple(
        (piece.start - pieces[0].start, piece.page)
        for before, piece in pairwise(pieces)
        if piece.page is not None and piece.page != before.page
    )


def _target(words: int) -> float:
    """How many words the next chunk should have, so that the last one is no splinter."""
    if words <= MOST_WORDS:
        return MOST_WORDS
    return max(FEWEST_WORDS, words / -(-words // 190))


def _is_caption(piece: _Piece) -> bool:
    text = piece.text.lstrip()
    return piece.alone and text.lower().startswith(("table", "tab.", "annex", "ሠንጠረዥ", "ሰንጠረዥ", "جدول", "الجدول"))


def _table_pieces(text: str, start: int) -> list[tuple[str, int]]:
    """A table is one chunk unless it is longer than a chunk may be; then it is cut between rows."""
    pieces: list[tuple[str, int]] = []
    begin = 0
    while len(text) - begin > MOST_CHARACTERS:
        end = text.rfind("\n", begin + 1, begin + MOST_CHARACTERS) + 1
        end = end if end > begin else begin + MOST_CHARACTERS
        pieces.append((text[begin:end].rstrip("\n"), start + begin))
        begin = end
    if text[begin:].strip():
        pieces.append((text[begin:], start + begin))
    return pieces


def _id(source_id: str, text: str, occurrence: int) -> str:
    """A hash of source and text; the second chunk with the same text has another."""
    again = f"\0{occurrence}" if occurrence else ""
    return "chunk-" + hashlib.sha256(f"{source_id}\0{text}{again}".encode()).hexdigest()[:20]
