"""An edition as every format sees it: text in pieces, blocks with their language, and the sources that are cited."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Alignment = Literal["", "left", "center", "right"]
Direction = Literal["ltr", "rtl"]


@dataclass(frozen=True, slots=True)
class Span:
    """Text of one look. Code is neither bold nor italic."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    link: str = ""


@dataclass(frozen=True, slots=True)
class Cite:
    """`[3]`: where the sentence before it comes from."""

    number: int


@dataclass(frozen=True, slots=True)
class Break:
    """A new line within a paragraph."""


Piece = Span | Cite | Break
Pieces = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """Of a section (1), of a story (2), or below (3)."""

    level: int
    pieces: Pieces
    language: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    pieces: Pieces
    language: str = ""

    @property
    def leads_on(self) -> bool:
        """Whether all of it is bold, as the day of an event or “In figures”: it stays with what is below it."""
        return bool(self.pieces) and all(isinstance(each, Span) and each.bold for each in self.pieces)


@dataclass(frozen=True, slots=True)
class ListBlock:
    """Bullets, or numbers that begin with `start`."""

    items: tuple[tuple[Block, ...], ...]
    start: int | None = None
    language: str = ""

    @property
    def of_figures(self) -> bool:
        """Whether every entry begins with a number in bold: then it is set as a box of figures. With a colon after it
        (`22 November: …`) it is a list."""
        return self.start is None and len(self.items) > 1 and all(_begins_with_figure(item) for item in self.items)


@dataclass(frozen=True, slots=True)
class Quote:
    blocks: tuple[Block, ...]
    language: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A head, rows of as many cells, and perhaps a caption."""

    head: tuple[Pieces, ...]
    rows: tuple[tuple[Pieces, ...], ...]
    alignments: tuple[Alignment, ...]
    caption: Pieces = ()
    language: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture by its name, with what to read where it cannot be seen."""

    source: str
    alt: str
    caption: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """A line between two parts."""


Block = Heading | Paragraph | ListBlock | Quote | Table | Figure | CodeBlock | Rule


@dataclass(frozen=True, slots=True)
class Source:
    """What a citation leads to."""

    number: int
    title: str
    publisher: str = ""
    date: str = ""
    page: str = ""
    """Or pages: `1, 3–5`."""
    url: str = ""
    sections: str = ""
    """Headings under which it was used, where there are no pages."""


@dataclass(frozen=True, slots=True)
class Document:
    """An edition, or a proposal."""

    title: str
    blocks: tuple[Block, ...] = ()
    sources: tuple[Source, ...] = ()
    language: str = "en"
    code: str = ""
    """`NL-20260126-A1B2`: the band of the masthead is drawn from it."""
    issue_label: str = ""
    date: str = ""
    """A day, `2026-01-26`."""
    region: str = ""
    preheader: str = ""
    """What a mail program shows beside the subject."""
    made_with: str = ""
    """How the text was made, for the foot."""
    facts: tuple[tuple[str, str], ...] = ()
    """Lines of a cover, such as the funder and the deadline of a proposal."""
    numbered: bool = False
    """Whether headings are counted: `2.1`."""

    @property
    def direction(self) -> Direction:
        return direction_of(self.language)

    @property
    def cited(self) -> tuple[Source, ...]:
        """The sources that the text cites, by number."""
        numbers = set(cited_numbers(self.blocks))
        return tuple(sorted((each for each in self.sources if each.number in numbers), key=lambda each: each.number))

    @property
    def unresolved(self) -> tuple[int, ...]:
        """Citations without a source."""
        known = {each.number for each in self.sources}
        return tuple(sorted({number for number in cited_numbers(self.blocks) if number not in known}))

    @property
    def headings(self) -> tuple[Heading, ...]:
        """All headings that stand by themselves, in order."""
        return tuple(block for block in self.blocks if isinstance(block, Heading))


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of an edition, with its size in pixels."""

    data: bytes = field(repr=False)
    kind: str
    width: int
    height: int


def direction_of(language: str) -> Direction:
    """The direction in which a language is written."""
    return "rtl" if language in ("ar", "fa", "he", "ur") else "ltr"


def plain(pieces: Pieces) -> str:
    """The text of pieces, citations as `[3]`."""
    return "".join(_plain(piece) for piece in pieces)


def _plain(piece: Piece) -> str:
    match piece:
        case Span():
            return piece.text
        case Cite():
            return f"[{piece.number}]"
        case Break():
            return "\n"


def texts(blocks: tuple[Block, ...]) -> Iterator[Pieces]:
    """The text of all blocks, in the order of reading."""
    for block in blocks:
        match block:
            case Heading() | Paragraph():
                yield block.pieces
            case ListBlock():
                for item in block.items:
                    yield from texts(item)
            case Quote():
                yield from texts(block.blocks)
            case Table():
                yield block.caption
                for row in (block.head, *block.rows):
                    yield from row
            case Figure():
                yield (Span(block.caption),) if block.caption else ()
            case CodeBlock():
                yield (Span(block.text),)
            case Rule():
                pass


def cited_numbers(blocks: tuple[Block, ...]) -> Iterator[int]:
    """The numbers of citations, in the order of reading."""
    for pieces in texts(blocks):
        for piece in pieces:
            if isinstance(piece, Cite):
                yield piece.number


def figures(blocks: tuple[Block, ...]) -> Iterator[Figure]:
    """All pictures, in the order of reading."""
    for block in blocks:
        match block:
            case Figure():
                yield block
            case ListBlock():
                for item in block.items:
                    yield from figures(item)
            case Quote():
                yield from figures(block.blocks)
            case _:
                pass


def words(blocks: tuple[Block, ...]) -> int:
    """How many words the text has; citations count for nothing."""
    return sum(
        len("".join(piece.text if isinstance(piece, Span) else " " for piece in pieces).split())
        for pieces in texts(blocks)
    )


def _begins_with_figure(item: tuple[Block, ...]) -> bool:
    match item:
        case (Paragraph(pieces=(Span(bold=True, text=text), *_)),):
            return any(character.isdigit() for character in text) and not text.endswith(":")
    return False
