"""DOCX: headings, paragraphs, lists and tables of a Word document. Run in a process of its own (`in_child`)."""

from __future__ import annotations

import re

from partita.kit.previews.blocks import Written, table_text
from partita.kit.previews.line_kinds import is_title
from partita.kit.previews.package import MOST_CHARACTERS, Reader, opened, plain, read, value

_HEADING = re.compile(r"(?:heading|title)\s*([1-9])?", re.IGNORECASE)
_BOLD_LEVEL = 4
"""Of titles that are set in bold instead of as headings: below those that are."""
_LISTED = re.compile(r"list (?:bullet|number)(?: ([2-5]))?", re.IGNORECASE)

_OF_A_TEMPLATE = "2013-12-23T23:15:00Z"
"""Documents that programs make with python-docx have the moment of its template, unless they say another one."""


def docx_text(data: bytes) -> tuple[str, list[Written], bool]:
    """The title, the blocks, and whether this is all of it."""
    title, _, blocks, complete = docx_blocks(data)
    return title, blocks, complete


def docx_blocks(data: bytes, most_characters: int = MOST_CHARACTERS) -> tuple[str, str, list[Written], bool]:
    """The title, when it was made as its properties say, the blocks, and whether this is all of it."""
    with opened(data) as archive:
        names = archive.namelist()
        styles = _Styles()
        if "word/styles.xml" in names:
            read(archive, "word/styles.xml", styles)
        body = _Body(styles, most_characters)
        read(archive, "word/document.xml", body)
        core = _Core()
        if "docProps/core.xml" in names:
            read(archive, "docProps/core.xml", core)
    made = plain(core.told["created"])[:40]
    return plain(core.told["title"])[:300], "" if made == _OF_A_TEMPLATE else made, body.finished(), not body.cut


class _Styles(Reader):
    """Which styles are headings or lists, and of which level: ids differ with the language of Word, names do not."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: dict[str, int] = {}
        self.lists: dict[str, int] = {}
        self._style = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "style":
            self._style = value(attributes, "styleId")
        elif name == "name" and self._style:
            called = value(attributes).strip()
            if found := _HEADING.fullmatch(called):
                self.headings[self._style] = min(6, int(found[1] or 1))
            elif found := _LISTED.fullmatch(called):
                self.lists[self._style] = int(found[1] or 1)


class _Core(Reader):
    """What the document's properties tell."""

    def __init__(self) -> None:
        super().__init__()
        self.told = {"title": "", "created": ""}
        self._within = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self._within = name if name in self.told else ""

    def finish(self, name: str) -> None:
        self._within = ""

    def text(self, text: str) -> None:
        if self._within and len(self.told[self._within]) < 1_000:
            self.told[self._within] += text


class _Body(Reader):
    """Paragraph by paragraph, table by table. A table within a table is text of its cell."""

    def __init__(self, styles: _Styles, most_characters: int) -> None:
        super().__init__()
        self._blocks: list[Written] = []
        self._styles = styles
        self._most = most_characters
        self._pieces: list[str] = []
        self._kind, self._level = "paragraph", 1
        self._within = False
        self._bold = False
        self._plain_characters = 0
        self._characters = 0
        self._page = 1
        self._paged = False
        self._tables = 0
        self._table_page = 1
        self._rows: list[list[str]] = []
        self._cell: list[str] = []

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "p":
            self._flush()  # a text box holds paragraphs within a paragraph
        elif name == "r":
            self._bold = False
        elif name == "b":
            self._bold = value(attributes) not in ("0", "false", "off")
        elif name == "t":
            self._within = True
        elif name in ("tab", "br", "cr"):
            self._pieces.append(" ")
        elif name == "lastRenderedPageBreak":
            self._page += 1
            self._paged = True
        elif name == "noBreakHyphen":
            self._pieces.append("-")
        elif name == "pStyle" and self._kind == "paragraph":
            style = value(attributes)
            if heading := self._styles.headings.get(style) or _built_in(style):
                self._kind, self._level = "heading", heading
            elif style in self._styles.lists:
                self._kind, self._level = "item", self._styles.lists[style]
        elif name == "numPr" and self._kind == "paragraph":
            self._kind = "item"
        elif name == "ilvl" and self._kind == "item":
            depth = value(attributes)
            self._level = min(9, int(depth) + 1) if depth.isdecimal() and len(depth) < 3 else 1
        elif name == "tbl":
            self._flush()
            self._tables += 1
            if self._tables == 1:
                self._rows, self._table_page = [], self._page
        elif name == "tr" and self._tables == 1:
            self._rows.append([])

    def finish(self, name: str) -> None:
        if name == "t":
            self._within = False
        elif name == "p":
            self._flush()
        elif name == "tc" and self._tables == 1 and self._rows:
            self._rows[-1].append(" ".join(self._cell))
            self._cell.clear()
        elif name == "tbl" and self._tables:
            self._tables -= 1
            if not self._tables:
                self._close_table()

    def text(self, text: str) -> None:
        if self._within:
            self._pieces.append(text)
            self._characters += len(text)
            self._plain_characters += 0 if self._bold else len(text.strip())
            self.cut = self._characters > self._most

    def finished(self) -> list[Written]:
        """The blocks; Word says where pages begin only in documents that it has laid out."""
        self._flush()
        if self._tables:
            self._close_table()
        return [(kind, text, level, page if self._paged else None) for kind, text, level, page in self._blocks]

    def _flush(self) -> None:
        text = plain("".join(self._pieces))
        if text and self._tables:
            self._cell.append(text)
        elif text:
            if self._kind == "paragraph" and not self._plain_characters and is_title(text):
                self._kind, self._level = "heading", _BOLD_LEVEL
            self._blocks.append((self._kind, text, self._level, self._page))
        self._pieces.clear()
        self._plain_characters = 0
        self._kind, self._level = "paragraph", 1

    def _close_table(self) -> None:
        """A table of one column or row is a box around text."""
        if self._cell and self._rows:
            self._rows[-1].append(" ".join(self._cell))
            self._cell.clear()
        rows = [row for row in self._rows if any(row)]
        if len(rows) > 1 and max(map(len, rows)) > 1:
            self._blocks.append(("table", table_text(rows), 1, self._table_page))
        else:
            found = [("paragraph", cell, 1, self._table_page) for row in rows for cell in row if cell]
            self._blocks.extend(found)
        self._rows = []


def _built_in(style: str) -> int:
    """The level of a heading by the id that Word gives its own styles, if the package has no list of styles."""
    found = _HEADING.fullmatch(style.strip())
    return min(6, int(found[1] or 1)) if found else 0
