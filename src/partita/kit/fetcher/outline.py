"""The structure of a page: headings, paragraphs and lists, as far as its tags tell it."""

from __future__ import annotations

from collections.abc import Callable

from partita.kit.fetcher.markup import Tag
from partita.kit.previews.blocks import MOST_BLOCKS, Block, BlockKind

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu"})
_AROUND = frozenset({"nav", "footer"})
"""What is the same on every page of a site."""
_MOST_DEEP = 9
_MOST_CHARACTERS = 100_000


class Outline:
    """Collects blocks as the pieces of a page come."""

    def __init__(self, plain: Callable[[str], str]) -> None:
        self._plain = plain
        self._content: list[Block] = []
        self._around: list[Block] = []
        self._pieces: list[str] = []
        self._heading = 0
        self._lists = 0
        self._in_item = False
        self._outside = 0
        self._characters = 0

    def text(self, written: str) -> None:
        """Text within a line."""
        self._pieces.append(written)

    def tag(self, tag: Tag) -> None:
        """A tag that ends a line."""
        self._flush()
        step = -1 if tag.end else 1
        if tag.name in _HEADINGS:
            self._heading = 0 if tag.end else _HEADINGS[tag.name]
        elif tag.name in _LISTS:
            self._lists = max(0, self._lists + step)
            self._in_item = self._in_item and self._lists > 0
        elif tag.name == "li":
            self._in_item = not tag.end
        elif tag.name in _AROUND:
            self._outside = max(0, self._outside + step)

    def blocks(self) -> tuple[Block, ...]:
        """What there is; of a page that is all navigation, that."""
        self._flush()
        return tuple(self._content or self._around)

    def _flush(self) -> None:
        if not self._pieces:
            return
        text = self._plain("".join(self._pieces))
        self._pieces.clear()
        kept = self._around if self._outside else self._content
        if not text or len(kept) >= MOST_BLOCKS or self._characters > _MOST_CHARACTERS:
            return
        self._characters += len(text)
        kind: BlockKind = "heading" if self._heading else "item" if self._in_item else "paragraph"
        level = self._heading or (min(max(self._lists, 1), _MOST_DEEP) if self._in_item else 1)
        kept.append(Block(kind, text, level))
