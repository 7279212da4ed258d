"""DOCX: headings, paragraphs and lists of a Word document. Run in a process of its own (`in_child`)."""

from __future__ import annotations

import re

from partita.kit.previews.package import MOST_CHARACTERS, Reader, opened, plain, read, value

_HEADING = re.compile(r"(?:heading|title)\s*([1-9])?", re.IGNORECASE)
_LISTED = re.compile(r"list (?:bullet|number)(?: ([2-5]))?", re.IGNORECASE)


def docx_text(data: bytes) -> tuple[str, list[tuple[str, str, int]], bool]:
    """The title, the blocks (kind, text, level), and whether this is all of it."""
    with opened(data) as archive:
        names = archive.namelist()
        styles = _Styles()
        if "word/styles.xml" in names:
            read(archive, "word/styles.xml", styles)
        body = _Body(styles)
        read(archive, "word/document.xml", body)
        core = _Core()
        if "docProps/core.xml" in names:
            read(archive, "docProps/core.xml", core)
    return plain(core.title)[:300], body.blocks, not body.cut


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
    """The title in the document's properties."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self._within = False

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self._within = name == "title"

    def finish(self, name: str) -> None:
        self._within = False

    def text(self, text: str) -> None:
        if self._within and len(self.title) < 1_000:
            self.title += text


class _Body(Reader):
    """Paragraph by paragraph."""

    def __init__(self, styles: _Styles) -> None:
        super().__init__()
        self.blocks: list[tuple[str, str, int]] = []
        self._styles = styles
        self._pieces: list[str] = []
        self._kind, self._level = "paragraph", 1
        self._within = False
        self._characters = 0

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "p":
            self._flush()  # a text box holds paragraphs within a paragraph
        elif name == "t":
            self._within = True
        elif name in ("tab", "br", "cr"):
            self._pieces.append(" ")
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

    def finish(self, name: str) -> None:
        if name == "t":
            self._within = False
        elif name == "p":
            self._flush()

    def text(self, text: str) -> None:
        if self._within:
            self._pieces.append(text)
            self._characters += len(text)
            self.cut = self._characters > MOST_CHARACTERS

    def _flush(self) -> None:
        text = plain("".join(self._pieces))
        if text:
            self.blocks.append((self._kind, text, self._level))
        self._pieces.clear()
        self._kind, self._level = "paragraph", 1


def _built_in(style: str) -> int:
    """The level of a heading by the id that Word gives its own styles, if the package has no list of styles."""
    found = _HEADING.fullmatch(style.strip())
    return min(6, int(found[1] or 1)) if found else 0
