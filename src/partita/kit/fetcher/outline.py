"""The structure of a page: headings, paragraphs, lists and tables, as far as its tags tell it.

What a page is about is in `main` or `article`; in a page without, it is in the element that has the most text in it
that is no link.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from partita.kit.fetcher.markup import Tag
from partita.kit.previews.blocks import MOST_BLOCKS, Block, BlockKind, table_text
from partita.kit.previews.line_kinds import is_title

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu"})
_AROUND = frozenset({"nav", "footer"})
"""What is the same on every page of a site."""
_MAIN = frozenset({"main", "article"})
_BOXES = frozenset({"div", "section", "td", "center", "form"})
_CELLS = frozenset({"td", "th"})
_MOST_DEEP = 9
_BOLD_LEVEL = 4
"""Of titles that are set in bold instead of as headings: below those that are."""
_MOST_BOXES = 200
_MOST_CHARACTERS = 100_000
_LONG = 60
"""A paragraph of so many characters is prose, not a label."""
_ENOUGH = 0.6
"""An element that has this share of a page's prose is what the page is about."""


@dataclass(frozen=True, slots=True)
class _Found:
    block: Block
    boxes: tuple[int, ...]
    around: bool
    main: bool
    linked: bool


class Outline:
    """Collects blocks as the pieces of a page come."""

    def __init__(
        self, plain: Callable[[str], str], most_characters: int = _MOST_CHARACTERS, most_blocks: int = MOST_BLOCKS
    ) -> None:
        self._plain = plain
        self._most_characters = most_characters
        self._most_blocks = most_blocks
        self._found: list[_Found] = []
        self._pieces: list[str] = []
        self._linked_pieces = 0
        self._in_link = False
        self._in_bold = False
        self._plain_pieces = 0
        self._heading = 0
        self._lists = 0
        self._in_item = False
        self._outside = 0
        self._main = 0
        self._boxes: list[int] = []
        self._last_box = 0
        self._tables = 0
        self._rows: list[list[str]] = []
        self._cell: list[str] | None = None
        self._caption: list[str] = []
        self._in_caption = False
        self._characters = 0
        self._kept = {True: 0, False: 0}

    def text(self, written: str) -> None:
        """Text within a line."""
        self._pieces.append(written)
        if self._in_link:
            self._linked_pieces += len(written)
        if not self._in_bold:
            self._plain_pieces += len(written.strip())

    def link(self, begins: bool) -> None:
        """A link begins or ends."""
        self._in_link = begins

    def bold(self, begins: bool) -> None:
        """Bold type begins or ends."""
        self._in_bold = begins

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
        elif tag.name in _MAIN:
            self._main = max(0, self._main + step)
        elif tag.name in ("table", "caption", "tr") or tag.name in _CELLS:
            self._table_tag(tag)
        if tag.name in _BOXES:
            self._box(tag)

    def blocks(self) -> tuple[Block, ...]:
        """What the page is about; of a page that is all navigation, that."""
        self._flush()
        self._end_table()
        content = [found for found in self._found if not found.around]
        main = [found for found in content if found.main]
        if any(found.block.kind != "heading" for found in main):
            content = main
        else:
            content = _densest(content)
        return tuple(found.block for found in content or self._found)

    def _box(self, tag: Tag) -> None:
        if not tag.end:
            self._last_box += 1
            if len(self._boxes) < _MOST_BOXES:
                self._boxes.append(self._last_box)
        elif self._boxes:
            self._boxes.pop()

    def _table_tag(self, tag: Tag) -> None:
        if self._tables <= 1:
            self._in_caption = self._tables == 1 and tag.name == "caption" and not tag.end
        if tag.name == "table":
            if tag.end:
                self._tables = max(0, self._tables - 1)
                if not self._tables:
                    self._end_table()
            else:
                self._tables += 1
        elif self._tables == 1:
            if self._cell is not None:
                if not self._rows:
                    self._rows.append([])
                self._rows[-1].append(" ".join(self._cell))
                self._cell = None
            if not tag.end and tag.name == "tr":
                self._rows.append([])
            elif not tag.end and tag.name in _CELLS:
                self._cell = []

    def _end_table(self) -> None:
        """A table of one column or row, or with whole paragraphs in it, is how a page is laid out."""
        if self._cell is not None:
            self._rows = self._rows or [[]]
            self._rows[-1].append(" ".join(self._cell))
            self._cell = None
        rows = [row for row in self._rows if any(row)]
        caption, self._rows, self._caption, self._in_caption = self._caption, [], [], False
        if len(rows) > 1 and max(map(len, rows)) > 1 and max(len(cell) for row in rows for cell in row) <= 500:
            if caption:
                self._keep(Block("caption", table_text([[" ".join(caption)]])), linked=False)
            self._keep(Block("table", table_text(rows)), linked=False)
        else:
            for text in (*caption, *(cell for row in rows for cell in row if cell)):
                self._keep(Block("paragraph", text), linked=False)

    def _flush(self) -> None:
        if not self._pieces:
            return
        text = self._plain("".join(self._pieces))
        linked = self._linked_pieces * 2 > sum(map(len, self._pieces))
        self._pieces.clear()
        bold, self._linked_pieces, self._plain_pieces = not self._plain_pieces, 0, 0
        self._in_bold = False
        if not text:
            return
        if self._in_caption:
            self._caption.append(text)
            return
        if self._cell is not None and not self._heading:
            self._cell.append(text)
            return
        kind: BlockKind = "heading" if self._heading else "item" if self._in_item else "paragraph"
        level = self._heading or (min(max(self._lists, 1), _MOST_DEEP) if self._in_item else 1)
        if kind == "paragraph" and bold and not linked and is_title(text):
            kind, level = "heading", _BOLD_LEVEL
        self._keep(Block(kind, text, level), linked)

    def _keep(self, block: Block, linked: bool) -> None:
        around = self._outside > 0
        if self._kept[around] >= self._most_blocks or self._characters > self._most_characters:
            return
        self._kept[around] += 1
        self._characters += len(block.text)
        self._found.append(_Found(block, tuple(self._boxes), around, self._main > 0, linked))


def _densest(content: list[_Found]) -> list[_Found]:
    """The smallest element that has most of the prose; all of the page if there is none."""
    prose: Counter[int] = Counter()
    whole = 0
    for found in content:
        if not found.linked and found.block.kind != "heading" and len(found.block.text) >= _LONG:
            whole += len(found.block.text)
            prose.update(dict.fromkeys(found.boxes, len(found.block.text)))
    if not whole:
        return content
    depth = {box: number for found in content for number, box in enumerate(found.boxes)}
    dense = [box for box, characters in prose.items() if characters >= _ENOUGH * whole]
    if not dense:
        return content
    best = max(dense, key=lambda box: depth[box])
    # Its title is often just above it.
    first = next(number for number, found in enumerate(content) if best in found.boxes)
    titled = next((number for number in range(first) if _is_title(content[number])), first)
    return [
        found
        for number, (found, after) in enumerate(zip(content, (*content[1:], content[-1]), strict=True))
        if best in found.boxes
        or number == titled
        or (_is_prose(after if found.block.kind == "caption" else found) and not found.linked)
    ]


def _is_title(found: _Found) -> bool:
    return found.block.kind == "heading" and found.block.level == 1


def _is_prose(found: _Found) -> bool:
    """Whether a block outside the densest element is kept: prose is never dropped, labels and menus are."""
    return found.block.kind in ("paragraph", "table") and len(found.block.text) >= _LONG
