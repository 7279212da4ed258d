"""What a document says: blocks of text in order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["heading", "paragraph", "item"]
MOST_BLOCKS = 5_000
MOST_CHARACTERS = 2_000_000


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, a paragraph, or an entry of a list."""

    kind: BlockKind
    text: str
    level: int = 1
    """Of a heading 1 to 6; of an entry, how deep its list lies in others; of a paragraph 1."""


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
        else:
            written.append(block.text)
        before = block.kind
    return "".join(written)


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
