"""The lines of a PDF's pages, with where and how large they are. Run in a process of its own (`in_child`)."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass

import pypdfium2
from pypdfium2 import raw

_CELL_GAP = 0.7
"""What is further apart than so many times the type size are two cells of a row."""
_MOST_LINES = 2_000
_MOST_SEGMENTS = 60


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it is set."""

    text: str
    page: int
    left: float
    right: float
    y: float
    """The height of its baseline over the foot of the page."""
    size: float
    bold: bool = False
    cells: tuple[tuple[float, float, str], ...] = ()
    """The cells of a row with their left and right edges, if it is one."""
    edge: bool = False
    """Whether it is in the part of the page where running titles and page numbers are."""


def page_lines(page: pypdfium2.PdfPage, number: int) -> list[Line]:
    """The lines of a page, in the order in which the file has them."""
    height = page.get_height()
    textpage = page.get_textpage()
    try:
        return _lines(textpage, number, height)
    finally:
        textpage.close()


def _lines(textpage: pypdfium2.PdfTextPage, number: int, height: float) -> list[Line]:
    count = raw.FPDFText_CountChars(textpage)
    if count <= 0:
        return []
    buffer = (ctypes.c_ushort * (count + 1))()
    length = raw.FPDFText_GetText(textpage, 0, count, buffer)
    units = bytes(buffer)[: max(0, length - 1) * 2]
    lines: list[Line] = []
    begin = 0
    for line in units.decode("utf-16-le", errors="replace").splitlines(keepends=True):
        width = len(line.encode("utf-16-le", errors="surrogatepass")) // 2
        bare = line.strip()
        if bare and len(lines) < _MOST_LINES:
            inset = len(line) - len(line.lstrip())
            first = raw.FPDFText_GetCharIndexFromTextIndex(textpage, begin + inset)
            last = raw.FPDFText_GetCharIndexFromTextIndex(
                textpage, begin + inset + len(bare.encode("utf-16-le")) // 2 - 1
            )
            if 0 <= first <= last:
                lines.append(_line(textpage, bare, number, height, first, last))
        begin += width
    return lines


def _line(textpage: pypdfium2.PdfTextPage, text: str, number: int, height: float, first: int, last: int) -> Line:
    size = _size(textpage, first)
    x, y = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(textpage, first, x, y)
    segments = _segments(textpage, first, last)
    left = min((segment[0] for segment in segments), default=x.value)
    right = max((segment[2] for segment in segments), default=x.value)
    cells = _cells(textpage, segments, size)
    edge = y.value > 0.9 * height or y.value < 0.1 * height
    return Line(text, number, left, right, y.value, size, _bold(textpage, first), cells, edge)


def _size(textpage: pypdfium2.PdfTextPage, index: int) -> float:
    """The size of the type on the page: a font's own size says nothing where the page scales it."""
    matrix = raw.FS_MATRIX()
    size: float = raw.FPDFText_GetFontSize(textpage, index)
    if not raw.FPDFText_GetMatrix(textpage, index, matrix):
        return size
    scaled = size * (math.hypot(matrix.c, matrix.d) or 1.0)
    return scaled if math.isfinite(scaled) else size


def _bold(textpage: pypdfium2.PdfTextPage, index: int) -> bool:
    name = ctypes.create_string_buffer(200)
    flags = ctypes.c_int()
    raw.FPDFText_GetFontInfo(textpage, index, name, 200, flags)
    called = name.value.lower()
    return b"bold" in called or b"black" in called or b"heavy" in called


def _segments(textpage: pypdfium2.PdfTextPage, first: int, last: int) -> list[tuple[float, float, float, float]]:
    """The rectangles of a line: left, bottom, right, top."""
    found = []
    for number in range(min(_MOST_SEGMENTS, raw.FPDFText_CountRects(textpage, first, last - first + 1))):
        left, top, right, bottom = (ctypes.c_double() for _ in range(4))
        raw.FPDFText_GetRect(textpage, number, left, top, right, bottom)
        found.append((left.value, bottom.value, right.value, top.value))
    return found


def _cells(
    textpage: pypdfium2.PdfTextPage, segments: list[tuple[float, float, float, float]], size: float
) -> tuple[tuple[float, float, str], ...]:
    if len(segments) < 2:
        return ()
    groups: list[list[float]] = []
    for left, bottom, right, top in sorted(segments):
        if groups and left - groups[-1][2] <= _CELL_GAP * size:
            last = groups[-1]
            groups[-1] = [last[0], min(last[1], bottom), max(last[2], right), max(last[3], top)]
        else:
            groups.append([left, bottom, right, top])
    if len(groups) < 2:
        return ()
    return tuple((group[0], group[2], textpage.get_text_bounded(*group, errors="ignore")) for group in groups)
