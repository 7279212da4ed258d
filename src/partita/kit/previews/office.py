"""XLSX and PPTX: the texts of sheets and slides. Run in a process of its own (`in_child`)."""

from __future__ import annotations

import re

from partita.kit.previews.package import MOST_CHARACTERS, Reader, opened, plain, read

_SLIDE = re.compile(r"ppt/slides/slide(\d{1,5})\.xml")
_SHEET = re.compile(r"xl/worksheets/sheet(\d{1,5})\.xml")
_SHARED = "xl/sharedStrings.xml"


def slides_text(data: bytes) -> tuple[list[str], int, bool]:
    """The paragraphs of all slides in their order, how many slides there are, and whether this is all of it."""
    with opened(data) as archive:
        slides = _numbered(archive.namelist(), _SLIDE)
        reader = _Paragraphs("p")
        for name in slides:
            read(archive, name, reader)
            if reader.cut:
                break
    return reader.paragraphs, len(slides), not reader.cut


def sheets_text(data: bytes) -> tuple[list[str], int, bool]:
    """The texts of all cells, how many sheets there are, and whether this is all of it; numbers are left out."""
    with opened(data) as archive:
        names = archive.namelist()
        sheets = _numbered(names, _SHEET)
        reader = _Paragraphs("si")
        if _SHARED in names:
            read(archive, _SHARED, reader)
        inline = _Paragraphs("is")
        inline.cut = reader.cut
        for name in sheets:
            if inline.cut:
                break
            read(archive, name, inline)
    return reader.paragraphs + inline.paragraphs, len(sheets), not inline.cut


def _numbered(names: list[str], pattern: re.Pattern[str]) -> list[str]:
    """The parts of one kind, by their numbers."""
    found = [(int(match[1]), name) for name in names if (match := pattern.fullmatch(name))]
    return [name for _, name in sorted(found)]


class _Paragraphs(Reader):
    """The text within each element of a name."""

    def __init__(self, element: str) -> None:
        super().__init__()
        self.paragraphs: list[str] = []
        self._element = element
        self._pieces: list[str] = []
        self._within = False
        self._text = False
        self._characters = 0

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if name == self._element:
            self._within = True
        elif name == "t":
            self._text = True
        elif name in ("br", "tab"):
            self._pieces.append(" ")

    def finish(self, name: str) -> None:
        if name == "t":
            self._text = False
        elif name == self._element:
            self._within = False
            if text := plain("".join(self._pieces)):
                self.paragraphs.append(text)
            self._pieces.clear()

    def text(self, text: str) -> None:
        if self._within and self._text:
            self._pieces.append(text)
            self._characters += len(text)
            self.cut = self._characters > MOST_CHARACTERS
