"""The edition as plain text, for the part of a mail that every program can show."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from partita.apps.newsletter.service.documents.edition import Edition
from partita.apps.newsletter.service.documents.html import issue_line, source_line
from partita.apps.newsletter.service.documents.model import (
    Block,
    CodeBlock,
    Figure,
    Heading,
    ListBlock,
    Paragraph,
    Quote,
    Rule,
    Span,
    Table,
    plain,
)
from partita.apps.newsletter.service.documents.phrases import phrases

_WIDTH = 76


def plain_text(edition: Edition) -> str:
    """All of it, wrapped."""
    document = edition.document
    words = phrases(document.language)
    lines = [document.title, " · ".join(issue_line(edition)), ""]
    if edition.read_online:
        lines += [f"{words.read_online}: {edition.read_online}", ""]
    lines += list(_blocks(document.blocks, _WIDTH))
    if document.cited:
        lines += ["", words.sources.upper(), ""]
        for source in document.cited:
            said = words.comma.join(source_line(source, document.language))
            text = f"[{source.number}] {source.title}{'. ' + said if said else ''}."
            lines += textwrap.wrap(text, _WIDTH, subsequent_indent="    ")
            lines += [f"    {source.url}"] if source.url else []
    lines += ["", edition.brand.sign_off, edition.brand.imprint, document.made_with]
    text = "\n".join(lines).strip()
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return f"{text}\n"


def _blocks(blocks: Sequence[Block], width: int) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading():
                text = plain(block.pieces)
                yield from ("", text.upper() if block.level == 1 else text)
                yield ""
            case Paragraph():
                yield from _wrapped(block.pieces, width)
                yield ""
            case ListBlock():
                yield from _list(block, width)
                yield ""
            case Quote():
                yield from (f"> {line}".rstrip() for line in _blocks(block.blocks, width - 2))
                yield ""
            case Table():
                yield from _table(block)
                yield ""
            case Figure():
                yield f"[{' – '.join(each for each in (block.alt, block.caption) if each)}]"
                yield ""
            case CodeBlock():
                yield from (f"    {line}" for line in block.text.split("\n"))
                yield ""
            case Rule():
                yield from ("* * *", "")


def _wrapped(pieces: Sequence[object], width: int) -> Iterator[str]:
    text = "".join(
        f"{piece.text} <{piece.link}>" if isinstance(piece, Span) and piece.link else plain((piece,))  # type: ignore[arg-type]
        for piece in pieces
    )
    for line in text.split("\n"):
        yield from textwrap.wrap(line, max(width, 20), break_long_words=False, break_on_hyphens=False) or [""]


def _list(block: ListBlock, width: int) -> Iterator[str]:
    for place, item in enumerate(block.items):
        marker = "- " if block.start is None else f"{block.start + place}. "
        lines = [line for line in _blocks(item, width - len(marker)) if line]
        for number, line in enumerate(lines):
            yield f"{marker if number == 0 else ' ' * len(marker)}{line}"


def _table(block: Table) -> Iterator[str]:
    """Each row as lines of `head: cell`, which stay readable in a proportional face and on a phone."""
    if block.caption:
        yield plain(block.caption)
    for row in block.rows:
        yield "; ".join(f"{plain(head)}: {plain(cell)}" for head, cell in zip(block.head, row, strict=True))
    if not block.rows:
        yield "; ".join(plain(cell) for cell in block.head)
