"""A writer of small PDFs: text in the fonts that every reader has, and coloured areas. A section is a page."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from partita.apps.enablement.demo.documents.sections import Section

_MAKER = "Veltheim Instruments"
_PORTRAIT = (595, 842)
_WIDE = (960, 540)
_DARK, _PALE, _WHITE = "0.13 0.17 0.23", "0.93 0.94 0.95", "1 1 1"
_ACCENTS = ("0.10 0.42 0.55", "0.45 0.23 0.48", "0.16 0.42 0.30", "0.60 0.29 0.15", "0.20 0.30 0.56")
_REGULAR, _BOLD = "F1", "F2"


def pages_pdf(title: str, sections: Sequence[Section]) -> bytes:
    """A manual: one section a page, with its number in the margin."""
    accent = _accent(title)
    pages = [_page(title, accent, number, len(sections), each) for number, each in enumerate(sections, 1)]
    return _file(title, _PORTRAIT, pages)


def slides_pdf(title: str, sections: Sequence[Section]) -> bytes:
    """Slides: the first one in colour, the others with their points."""
    accent = _accent(title)
    return _file(title, _WIDE, [_slide(accent, number, len(sections), each) for number, each in enumerate(sections, 1)])


def _accent(title: str) -> str:
    """A colour of its own for each document."""
    return _ACCENTS[sum(title.encode()) % len(_ACCENTS)]


def _page(title: str, accent: str, number: int, total: int, section: Section) -> str:
    width, height = _PORTRAIT
    drawn = [_area(_PALE, 0, 0, 92, height)]
    line = height - 110
    if number == 1:
        name = textwrap.wrap(textwrap.shorten(title, 110, placeholder="..."), 26)
        drawn.append(_area(accent, 0, height - 330, width, 330))
        drawn += [_text(_BOLD, 34, _WHITE, 60, height - 120 - 42 * row, part) for row, part in enumerate(name)]
        drawn.append(_text(_REGULAR, 13, _WHITE, 60, height - 300, _MAKER))
        line = height - 400
    drawn.append(_area(accent, 0, height - 12, width, 12))
    drawn.append(_text(_BOLD, 44, accent, 22, line - 6, str(number)))
    for part in textwrap.wrap(section.heading, 26):
        drawn.append(_text(_BOLD, 28, _DARK, 120, line, part))
        line -= 36
    line -= 14
    for paragraph in section.paragraphs:
        for part in textwrap.wrap(paragraph, 46):
            drawn.append(_text(_REGULAR, 18, _DARK, 120, line, part))
            line -= 29
        line -= 14
    drawn.append(_area(_PALE, 120, 78, width - 180, 1))
    drawn.append(_text(_REGULAR, 9, accent, 120, 58, textwrap.shorten(title, 80, placeholder="...")))
    drawn.append(_text(_REGULAR, 9, accent, width - 100, 58, f"{number} / {total}"))
    return "\n".join(drawn)


def _slide(accent: str, number: int, total: int, section: Section) -> str:
    width, height = _WIDE
    first = number == 1
    ink, ground = (_WHITE, accent) if first else (_DARK, _WHITE)
    drawn = [_area(ground, 0, 0, width, height)]
    if not first:
        drawn.append(_area(accent, 0, height - 10, width, 10))
    line = height - (200 if first else 110)
    for part in textwrap.wrap(section.heading, 34):
        drawn.append(_text(_BOLD, 46, ink, 70, line, part))
        line -= 58
    line -= 14
    for point in section.paragraphs:
        for place, part in enumerate(textwrap.wrap(point.removeprefix("- "), 56)):
            if place == 0 and not first:
                drawn.append(_area(accent, 72, line + 6, 10, 10))
            drawn.append(_text(_REGULAR, 26, ink, 70 if first else 100, line, part))
            line -= 36
        line -= 8
    drawn.append(_text(_REGULAR, 13, ink if first else accent, 70, 34, f"{_MAKER}   {number} / {total}"))
    return "\n".join(drawn)


def _area(colour: str, x: int, y: int, width: int, height: int) -> str:
    return f"{colour} rg {x} {y} {width} {height} re f"


def _text(font: str, size: int, colour: str, x: int, y: int, text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /{font} {size} Tf {colour} rg {x} {y} Td ({escaped}) Tj ET"


def _file(title: str, size: tuple[int, int], pages: Sequence[str]) -> bytes:
    """The objects of a PDF 1.4 in order: catalog, tree of pages, two fonts, facts; then each page and its content."""
    kids = " ".join(f"{6 + 2 * number} 0 R" for number in range(len(pages)))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /{} /Encoding /WinAnsiEncoding >>"
    name = title.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        font.format("Helvetica").encode(),
        font.format("Helvetica-Bold").encode(),
        _encoded(f"<< /Title ({name}) /Author ({_MAKER}) >>"),
    ]
    for number, drawn in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size[0]} {size[1]}] /Contents {7 + 2 * number} 0 R "
            f"/Resources << /Font << /{_REGULAR} 3 0 R /{_BOLD} 4 0 R >> >> >>".encode()
        )
        content = _encoded(drawn)
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return _with_places(objects)


def _with_places(objects: Sequence[bytes]) -> bytes:
    """The file with the table of where each object begins."""
    file = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    file += b"".join(b"%010d 00000 n \n" % place for place in places)
    file += b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\n" % (len(objects) + 1)
    return bytes(file + b"startxref\n%d\n%%%%EOF\n" % table)


def _encoded(text: str) -> bytes:
    """In the encoding of the fonts, which has the letters of western Europe."""
    return text.encode("cp1252", "replace")
