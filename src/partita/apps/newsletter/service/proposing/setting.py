"""The text of a section as Markdown: sentences in paragraphs, lists and tables, each with the number of its source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from partita.apps.newsletter.service.proposing.assigning import Told
from partita.apps.newsletter.service.proposing.frames import ProposalSection
from partita.apps.newsletter.service.proposing.kinds import kinds_in, kinds_of
from partita.apps.newsletter.service.proposing.units import Piece, Unit
from partita.apps.newsletter.service.writing.shapes import Numbering
from partita.apps.newsletter.service.writing.values import SoFar

_PARAGRAPH = 5


def set_text(found: Iterable[Told], so_far: SoFar) -> tuple[str, SoFar]:
    """Sentences and lists of a section; empty if there are none."""
    numbering = Numbering({each.chunk_id: each for each in so_far.citations})
    units = [unit for each in found if not each.is_table for unit in each.units]
    blocks: list[str] = []
    paragraph: list[Piece] = []
    for unit in units:
        if unit.shape == "list":
            blocks += [*_paragraph(paragraph, numbering), *_list(unit, numbering)]
            paragraph = []
            continue
        # A paragraph ends with its heading, and is never parted before what leans on it.
        full = len(paragraph) >= _PARAGRAPH and not unit.follows
        if paragraph and (full or _place(paragraph[-1]) != _place(unit.pieces[0])):
            blocks += _paragraph(paragraph, numbering)
            paragraph = []
        paragraph += unit.pieces
    blocks += _paragraph(paragraph, numbering)
    sentences = (*so_far.sentences, *(piece.text for unit in units for piece in unit.pieces))
    return "\n\n".join(blocks), SoFar(tuple(numbering.citations.values()), sentences, 0, so_far.acronyms)


def set_tables(found: Iterable[Told], so_far: SoFar, section: ProposalSection) -> tuple[str, SoFar]:
    """The tables of a section, each with its caption and number. One without a caption has that of its heading; if that
    is about something else, it is called what the section is."""
    numbering = Numbering({each.chunk_id: each for each in so_far.citations})
    blocks: list[str] = []
    for unit in (each.units[0] for each in found if each.is_table):
        head, *rows = unit.rows
        lines = [_row(head), _row(["---"] * len(head)), *map(_row, rows)]
        number = numbering.number(unit.passage, *filter(None, unit.pieces[0].source_text.split("\n")))
        blocks += ["\n".join(lines), f"Table: {_caption(unit, section)} [{number}]"]
    return "\n\n".join(blocks), SoFar(tuple(numbering.citations.values()), so_far.sentences, 0, so_far.acronyms)


def _place(piece: Piece) -> tuple[str, str]:
    return piece.passage.source_id, piece.passage.heading


def _paragraph(pieces: Sequence[Piece], numbering: Numbering) -> list[str]:
    """Sentences with a number behind each run from one passage."""
    words: list[str] = []
    for place, each in enumerate(pieces):
        words.append(each.text)
        number = numbering.number(each.passage, each.source_text)
        if place + 1 == len(pieces) or pieces[place + 1].passage.id != each.passage.id:
            words.append(f"[{number}]")
    return [" ".join(words)] if words else []


def _list(unit: Unit, numbering: Numbering) -> list[str]:
    first, *entries = unit.pieces
    lead_in = [first.text] if first.text.endswith((":", "：", "፦")) else []
    lines = [
        f"- {each.text} [{numbering.number(each.passage, each.source_text)}]"
        for each in (entries if lead_in else unit.pieces)
    ]
    return [*lead_in, "\n".join(lines)]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "/").replace("[", "\\[").split()) for cell in cells) + " |"


def _caption(unit: Unit, section: ProposalSection) -> str:
    """The table's own caption without its number, which is the source's."""
    heading = unit.passage.heading
    if unit.caption in (heading, unit.passage.title) and set(kinds_in(heading)).isdisjoint(kinds_of(section)):
        return section.title.replace("[", "\\[")
    head, parted, rest = unit.caption.partition(". ")
    numbered = parted and rest and any(each.isdigit() for each in head) and len(head.split()) <= 2
    return (rest if numbered else unit.caption).strip().rstrip(".").replace("[", "\\[")
