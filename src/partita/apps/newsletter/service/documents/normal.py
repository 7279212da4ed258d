"""The normal form of the model: what looks the same is the same, so that every format can be read back and compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeGuard
from urllib.parse import urlsplit

from partita.apps.newsletter.service.documents.model import (
    Block,
    Break,
    Cite,
    CodeBlock,
    Figure,
    Heading,
    ListBlock,
    Paragraph,
    Piece,
    Pieces,
    Quote,
    Rule,
    Span,
    Table,
    plain,
    texts,
)
from partita.apps.newsletter.service.documents.scripts import language_of

CAPTION = "Table: "
"""What a paragraph below a table begins with when it is the table's caption."""
DEEPEST = 6
"""Lists and quotes within each other; what lies deeper is read as if it were here."""
_SPACES = re.compile(r"[ \t\n\r]+")
_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u2028\u2029\ufdd0-\ufdef]")
_UNSAFE = re.compile(r"[\x00-\x20<>\"\\^`{|}\x7f]")
_SCHEMES = ("http", "https", "mailto")
_LONGEST_LINK = 2_000


def clean(text: str) -> str:
    """Without the characters that no format can hold: control characters and halves of others."""
    return _ODD.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def safe_link(address: str) -> str:
    """The address of a link, or nothing if it is not one of the web or of mail."""
    address = _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), address.strip())
    if len(address) > _LONGEST_LINK:
        return ""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    if parts.scheme.lower() not in _SCHEMES:
        return ""
    return address if parts.scheme.lower() == "mailto" or parts.netloc else ""


def normal_pieces(pieces: Iterable[Piece], *, breaks: bool = True) -> Pieces:
    """Pieces with equal neighbours joined, single spaces, and none that is styled without need or at an end."""
    flat = _joined(_spaced(_split(pieces, breaks=breaks)))
    trimmed = list(_without_edges(flat))
    return tuple(_joined(_unstyled_edges(trimmed)))


def normal_blocks(blocks: Iterable[Block], language: str, depth: int = 0) -> tuple[Block, ...]:
    """Blocks without empty ones, captions with their tables, each with its language."""
    found: list[Block] = []
    for block in blocks:
        found.extend(_normal(block, language, depth))
    joined: list[Block] = []
    above = 0
    for block in found:
        last = joined[-1] if joined else None
        if isinstance(block, Heading):  # none leaves out a level: whoever listens to a page goes by them
            above = min(block.level, above + 1)
            joined.append(replace(block, level=above))
            continue
        if isinstance(last, Table) and not last.caption and isinstance(block, Paragraph):
            caption = _caption_in(block.pieces)
            if caption:
                joined[-1] = replace(last, caption=caption)
                continue
        joined.append(block)
    return tuple(joined)


def _normal(block: Block, language: str, depth: int) -> Iterator[Block]:
    match block:
        case Heading():
            pieces = normal_pieces(block.pieces, breaks=False)
            if pieces and depth:  # within a list or a quote it heads nothing
                bold = normal_pieces(replace(each, bold=True) if _is_text(each) else each for each in pieces)
                yield Paragraph(bold, language_of(plain(bold), language))
            elif pieces:
                yield Heading(min(max(block.level, 1), 3), pieces, language_of(plain(pieces), language))
        case Paragraph():
            pieces = normal_pieces(block.pieces)
            if pieces:
                yield Paragraph(pieces, language_of(plain(pieces), language))
        case ListBlock():
            yield from _normal_list(block, language, depth)
        case Quote():
            inner = normal_blocks(block.blocks, language, depth + 1)
            if depth >= DEEPEST:
                yield from inner
            elif inner:
                yield Quote(inner, _language_within(inner, language))
        case Table():
            yield from _normal_table(block, language)
        case Figure():
            source, alt, caption = (_one_line(each) for each in (block.source, block.alt, block.caption))
            source = _UNSAFE.sub("", source)
            if source:
                yield Figure(source, alt, caption, language_of(caption or alt, language))
        case CodeBlock():
            lines = clean(block.text).expandtabs(4).split("\n")
            text = "\n".join(line.rstrip() for line in lines).strip("\n")
            if text:
                name = re.sub(r"[^\w+#.-]", "", clean(block.name).split()[0] if block.name.split() else "")
                yield CodeBlock(text, name)
        case Rule():
            yield block


def _normal_list(block: ListBlock, language: str, depth: int) -> Iterator[Block]:
    items = tuple(item for each in block.items if (item := normal_blocks(each, language, depth + 1)))
    if depth >= DEEPEST:
        for item in items:
            yield from item
    elif items:
        start = None if block.start is None else min(max(block.start, 0), 999_999)
        yield ListBlock(items, start, _language_within([inner for item in items for inner in item], language))


def _normal_table(block: Table, language: str) -> Iterator[Block]:
    head = tuple(normal_pieces(cell, breaks=False) for cell in block.head)
    width = len(head)
    if not width:
        return
    rows = []
    for row in block.rows:
        cells = [normal_pieces(cell, breaks=False) for cell in row][:width]
        cells += [()] * (width - len(cells))
        if any(cells):
            rows.append(tuple(cells))
    if not any(head) and not rows:
        return
    alignments = (*block.alignments[:width], *[""] * (width - len(block.alignments)))
    caption = normal_pieces(block.caption, breaks=False)
    text = " ".join(plain(cell) for row in (head, *rows) for cell in row)
    yield Table(head, tuple(rows), alignments, caption, language_of(text, language))  # type: ignore[arg-type]


def _caption_in(pieces: Pieces) -> Pieces:
    first = pieces[0]
    if not isinstance(first, Span) or first != Span(first.text) or not first.text.startswith(CAPTION):
        return ()
    return normal_pieces((Span(first.text.removeprefix(CAPTION)), *pieces[1:]), breaks=False)


def _language_within(blocks: Iterable[Block], language: str) -> str:
    """What most of the letters of some blocks are written in."""
    return language_of(" ".join(plain(pieces) for pieces in texts(tuple(blocks))), language)


def _is_text(piece: Piece) -> TypeGuard[Span]:
    return isinstance(piece, Span) and not piece.code


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", clean(text)).strip()


def _split(pieces: Iterable[Piece], *, breaks: bool) -> Iterator[Piece]:
    for piece in pieces:
        match piece:
            case Span():
                text = clean(piece.text)
                if piece.code:
                    text = _SPACES.sub(" ", text)
                    if text.strip():
                        yield Span(text.strip(), code=True, link=safe_link(piece.link))
                    elif text:
                        yield Span(" ")
                elif text:
                    yield replace(piece, text=text, link=safe_link(piece.link))
            case Cite():
                if 1 <= piece.number <= 999:
                    yield piece
                else:
                    yield Span(f"[{piece.number}]")
            case Break():
                yield piece if breaks else Span(" ")


def _spaced(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """With single spaces, also across pieces."""
    after_space = True
    for piece in pieces:
        if isinstance(piece, Span) and not piece.code:
            text = _SPACES.sub(" ", piece.text)
            if after_space:
                text = text.removeprefix(" ")
            if text:
                after_space = text.endswith(" ")
                yield replace(piece, text=text)
        else:
            after_space = isinstance(piece, Break)
            yield piece


def _without_edges(pieces: list[Piece]) -> Iterator[Piece]:
    """Without spaces and breaks at the ends, and without spaces before a break."""
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        if isinstance(piece, Break):
            lines.append([])
        else:
            lines[-1].append(piece)
    first = True
    for line in lines:
        trimmed = _trimmed(line)
        if not trimmed:
            continue  # of several breaks one stays
        if not first:
            yield Break()
        first = False
        yield from trimmed


def _trimmed(line: list[Piece]) -> list[Piece]:
    """A line without spaces of any kind at its ends."""
    kept = list(line)
    while kept and isinstance(piece := kept[0], Span):
        text = piece.text.lstrip()
        if text:
            kept[0] = replace(piece, text=text)
            break
        kept.pop(0)
    while kept and isinstance(piece := kept[-1], Span):
        text = piece.text.rstrip()
        if text:
            kept[-1] = replace(piece, text=text)
            break
        kept.pop()
    return kept


def _unstyled_edges(pieces: list[Piece]) -> Iterator[Piece]:
    """Spaces at the ends of bold and italic text are neither, since nobody sees it; nor are they links."""
    for place, piece in enumerate(pieces):
        if not isinstance(piece, Span) or piece.code or piece == Span(piece.text):
            yield piece
            continue
        before = pieces[place - 1] if place else None
        after = pieces[place + 1] if place + 1 < len(pieces) else None
        text = piece.text.strip()
        lead = piece.text[: len(piece.text) - len(piece.text.lstrip())]
        trail = piece.text[len(lead) + len(text) :]
        # Within a link the space belongs to it still.
        same_before = isinstance(before, Span) and before.link == piece.link
        same_after = isinstance(after, Span) and after.link == piece.link
        if not text:
            yield Span(piece.text, link=piece.link if same_before and same_after else "")
            continue
        if lead:
            yield Span(lead, link=piece.link if same_before else "")
        yield replace(piece, text=text)
        if trail:
            yield Span(trail, link=piece.link if same_after else "")


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """With equal neighbours as one."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if isinstance(piece, Span) and isinstance(last, Span) and replace(last, text="") == replace(piece, text=""):
            joined[-1] = replace(last, text=last.text + piece.text)
        else:
            joined.append(piece)
    return joined
