"""A document whose numbers lead to sources: one entry for each, with its pages or sections, in the order of first use.

A draft numbers passages, so that each sentence leads to the words it was taken from. Who reads an edition wants to know
which documents it rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from partita.apps.newsletter.service.documents.model import (
    Block,
    Cite,
    Document,
    Heading,
    ListBlock,
    Paragraph,
    Pieces,
    Quote,
    Source,
    Span,
    Table,
    cited_numbers,
)
from partita.apps.newsletter.service.documents.normal import normal_pieces
from partita.apps.newsletter.service.documents.phrases import phrases
from partita.kit.search.folding import fold

_MOST_SECTIONS = 3


def by_source(document: Document, keys: Mapping[int, str]) -> Document:
    """The document with a number for each source; `keys` says which source each citation is of."""
    known = {each.number: each for each in document.sources}
    order: dict[str, list[int]] = {}
    lost: list[int] = []
    for number in dict.fromkeys(cited_numbers(document.blocks)):
        if number in known:
            order.setdefault(keys.get(number) or f"#{number}", []).append(number)
        else:
            lost.append(number)
    numbers = {old: new for new, olds in enumerate(order.values(), 1) for old in olds}
    free = len(order)
    for number in lost:  # what leads nowhere leads nowhere still
        free = max(free + 1, number)
        numbers[number] = free
    semicolon = phrases(document.language).semicolon
    sources = tuple(_merged(new, [known[old] for old in olds], semicolon) for new, olds in enumerate(order.values(), 1))
    blocks = tuple(_with(block, lambda pieces: _renumbered(pieces, numbers)) for block in document.blocks)
    return replace(document, blocks=blocks, sources=sources)


def _merged(number: int, entries: Sequence[Source], semicolon: str) -> Source:
    pages = sorted({int(each.page) for each in entries if each.page.isdecimal()})
    title = fold(entries[0].title)
    sections = list(dict.fromkeys(each.sections for each in entries if each.sections and fold(each.sections) != title))
    told = semicolon.join(sections[:_MOST_SECTIONS]) + (" (…)" if len(sections) > _MOST_SECTIONS else "")
    page = _ranges(pages) if pages else entries[0].page
    return replace(entries[0], number=number, page=page, sections="" if page else told)


def _ranges(pages: Sequence[int]) -> str:
    """`1, 3–5`."""
    found: list[list[int]] = []
    for page in pages:
        if found and page == found[-1][-1] + 1:
            found[-1].append(page)
        else:
            found.append([page])
    return ", ".join(str(each[0]) if len(each) == 1 else f"{each[0]}–{each[-1]}" for each in found)


def _renumbered(pieces: Pieces, numbers: Mapping[int, int]) -> Pieces:
    """The same with other numbers; of citations of one source that follow each other the last stays."""
    made = [Cite(numbers[each.number]) if isinstance(each, Cite) else each for each in pieces]
    cites = [place for place, each in enumerate(made) if isinstance(each, Cite)]
    again = {one for one, other in pairwise(cites) if made[one] == made[other]}
    kept: list[Span | Cite | object] = []
    for place, each in enumerate(made):
        if place in again:
            # Its space goes with it.
            if kept and isinstance(last := kept[-1], Span) and last == Span(last.text):
                kept[-1] = Span(last.text.rstrip(" "))
            continue
        kept.append(each)
    return normal_pieces(kept) if again else tuple(made)  # type: ignore[arg-type]


def _with(block: Block, change: Callable[[Pieces], Pieces]) -> Block:
    match block:
        case Heading() | Paragraph():
            return replace(block, pieces=change(block.pieces))
        case ListBlock():
            items = tuple(tuple(_with(each, change) for each in item) for item in block.items)
            return replace(block, items=items)
        case Quote():
            return replace(block, blocks=tuple(_with(each, change) for each in block.blocks))
        case Table():
            return replace(
                block,
                head=tuple(map(change, block.head)),
                rows=tuple(tuple(map(change, row)) for row in block.rows),
                caption=change(block.caption),
            )
        case _:
            return block
