"""What a document says: blocks of text in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["heading", "paragraph", "item", "caption", "table"]
Written = tuple[str, str, int, int | None]
"""A block as plain values: kind, text, level, page."""
MOST_BLOCKS = 5_000
MOST_CHARACTERS = 2_000_000


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, an entry of a list, a table, or the caption of the table behind it."""

    kind: BlockKind
    text: str
    """Of a table, a line per row with ` | ` between cells; the first row is its head."""
    level: int = 1
    """Of a heading 1 to 6; of an entry, how deep its list lies in others; of a paragraph 1."""
    page: int | None = None
    """On which page it begins (the first is 1), where there are pages."""


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a document."""

    title: str
    """What the document calls itself, else its first heading; may be empty."""
    blocks: tuple[Block, ...]
    pages: int | None = None
    """How many pages it has, where it has pages."""
    complete: bool = True
    """Whether this is all of it; a very long document is cut."""

    @property
    def plain(self) -> str:
        """One text, a line between blocks."""
        return "\n\n".join(block.text for block in self.blocks)

    @property
    def markdown(self) -> str:
        """The text with its structure, as Markdown spells it."""
        return markdown_of(self.blocks)


def markdown_of(blocks: Iterable[Block]) -> str:
    """Blocks as Markdown."""
    written: list[str] = []
    before: BlockKind | None = None
    for block in blocks:
        if written:
            written.append("\n" if before == block.kind == "item" else "\n\n")
        if block.kind == "heading":
            written.append(f"{'#' * block.level} {block.text}")
        elif block.kind == "item":
            written.append(f"{'  ' * (block.level - 1)}- {block.text}")
        elif block.kind == "table":
            written.append(_markdown_table(block.text))
        else:
            written.append(block.text)
        before = block.kind
    return "".join(written)


def table_text(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells as the text of a block."""
    return "\n".join(" | ".join(cell.replace("|", "¦") for cell in row) for row in rows)


def rows_of(text: str) -> list[list[str]]:
    """The text of a table as rows of cells."""
    return [line.split(" | ") for line in text.split("\n")]


def _markdown_table(text: str) -> str:
    rows = rows_of(text)
    columns = max(len(row) for row in rows)
    lines = [f"| {' | '.join(row + [''] * (columns - len(row)))} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * columns, *lines[1:]])


def bounded(found: Iterable[Block]) -> tuple[tuple[Block, ...], bool]:
    """As many blocks as are kept, and whether those are all."""
    kept: list[Block] = []
    characters = 0
    for block in found:
        characters += len(block.text)
        if len(kept) >= MOST_BLOCKS or characters > MOST_CHARACTERS:
            return tuple(kept), False
        kept.append(block)
    return tuple(kept), True


def title_of(blocks: Iterable[Block]) -> str:
    """The first heading."""
    return next((block.text for block in blocks if block.kind == "heading"), "")
