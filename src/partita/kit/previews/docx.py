"""DOCX: headings, paragraphs and lists of a Word document. Run in a process of its own (`in_child`).

A package is a ZIP archive of XML. It is read as a stream with limits of our own: what an archive says of its sizes
counts for nothing, and a document type (where entities that unfold come from) is refused.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from io import BytesIO
from typing import Any
from xml.parsers import expat

from partita.kit.previews.refusals import PreviewRefused

_MOST_ENTRIES = 5_000
_MOST_XML = 60_000_000
_MOST_DEPTH = 200
_MOST_CHARACTERS = 2_000_000
_CHUNK = 256 * 1024
_HEADING = re.compile(r"(?:heading|title)\s*([1-9])?", re.IGNORECASE)
_LISTED = re.compile(r"list (?:bullet|number)(?: ([2-5]))?", re.IGNORECASE)
_UNBOUND = re.compile(r"[\x00-\x1f\x7f]")


def docx_text(data: bytes) -> tuple[str, list[tuple[str, str, int]], bool]:
    """The title, the blocks (kind, text, level), and whether this is all of it."""
    try:
        archive = zipfile.ZipFile(BytesIO(data))
        names = archive.namelist()
        if len(names) > _MOST_ENTRIES:
            raise PreviewRefused("This document has more parts than any document needs.")
        styles = _Styles()
        if "word/styles.xml" in names:
            _read(archive, "word/styles.xml", styles)
        body = _Body(styles)
        _read(archive, "word/document.xml", body)
        core = _Core()
        if "docProps/core.xml" in names:
            _read(archive, "docProps/core.xml", core)
    except (zipfile.BadZipFile, KeyError, NotImplementedError, EOFError, OSError, ValueError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "password" in str(error):
            raise PreviewRefused("This document is protected by a password.") from None
        raise _damaged() from None
    return _plain(core.title)[:300], body.blocks, not body.cut


def _read(archive: zipfile.ZipFile, name: str, reader: _Reader) -> None:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    left = _MOST_XML
    try:
        with archive.open(name) as part:
            while chunk := part.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise PreviewRefused(f"This document unpacks to more than {_MOST_XML // 1_000_000} MB.")
                parser.Parse(chunk, False)
                if reader.cut:
                    return
            parser.Parse(b"", True)
    except (expat.ExpatError, zlib.error):
        raise _damaged() from None


def _refuse_doctype(*_: Any) -> None:
    raise PreviewRefused("This document holds what no Word document may hold: a document type.")


def _damaged() -> PreviewRefused:
    return PreviewRefused("This document is damaged. Save it again and try once more.")


def _plain(text: str) -> str:
    return " ".join(_UNBOUND.sub(" ", text).split())


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _value(attributes: dict[str, str], wanted: str = "val") -> str:
    return next((value for name, value in attributes.items() if _local(name) == wanted), "")


class _Reader:
    """What all parts have in common: how deep we are."""

    cut = False

    def __init__(self) -> None:
        self._depth = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise PreviewRefused("This document is nested deeper than any document needs.")
        self.begin(_local(name), attributes)

    def end(self, name: str) -> None:
        self._depth -= 1
        self.finish(_local(name))

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def finish(self, name: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """Text between tags."""


class _Styles(_Reader):
    """Which styles are headings or lists, and of which level: ids differ with the language of Word, names do not."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: dict[str, int] = {}
        self.lists: dict[str, int] = {}
        self._style = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == "style":
            self._style = _value(attributes, "styleId")
        elif name == "name" and self._style:
            called = _value(attributes).strip()
            if found := _HEADING.fullmatch(called):
                self.headings[self._style] = min(6, int(found[1] or 1))
            elif found := _LISTED.fullmatch(called):
                self.lists[self._style] = int(found[1] or 1)


class _Core(_Reader):
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


class _Body(_Reader):
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
            style = _value(attributes)
            if heading := self._styles.headings.get(style) or _built_in(style):
                self._kind, self._level = "heading", heading
            elif style in self._styles.lists:
                self._kind, self._level = "item", self._styles.lists[style]
        elif name == "numPr" and self._kind == "paragraph":
            self._kind = "item"
        elif name == "ilvl" and self._kind == "item":
            depth = _value(attributes)
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
            self.cut = self._characters > _MOST_CHARACTERS

    def _flush(self) -> None:
        text = _plain("".join(self._pieces))
        if text:
            self.blocks.append((self._kind, text, self._level))
        self._pieces.clear()
        self._kind, self._level = "paragraph", 1


def _built_in(style: str) -> int:
    """The level of a heading by the id that Word gives its own styles, if the package has no list of styles."""
    found = _HEADING.fullmatch(style.strip())
    return min(6, int(found[1] or 1)) if found else 0
