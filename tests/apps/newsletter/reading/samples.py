"""Documents made here, to be read in."""

from __future__ import annotations

import zlib

from tests.kit.previews.samples import pdf

Placed = tuple[float, float, float, str]
"""A text on a page: x, y, type size, words."""


def typeset(*pages: list[Placed], title: str = "") -> bytes:
    """A PDF with texts where they are wanted."""
    made = pdf(*(f"@page{number:04}@" for number in range(len(pages))), title=title)
    for number, texts in enumerate(pages):
        marker = b"BT /F1 24 Tf 72 600 Td (@page%04d@) Tj ET" % number
        drawn = b"".join(
            b"BT /F1 %g Tf %g %g Td (%s) Tj ET\n" % (size, x, y, _escaped(text)) for x, y, size, text in texts
        )
        made = made.replace(
            b"<< /Length %d >>\nstream\n%s\n" % (len(marker), marker),
            b"<< /Length %d >>\nstream\n%s\n" % (len(drawn), drawn),
        )
    return _repaired(made)


def packed(data: bytes) -> bytes:
    return zlib.compress(data)


def _escaped(text: str) -> bytes:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("latin-1")


def _repaired(made: bytes) -> bytes:
    """The places of objects in the table at the end, written anew."""
    body = made[: made.rindex(b"xref\n0 ")]
    count = made.count(b" 0 obj\n")
    places = [body.index(b"\n%d 0 obj\n" % number) + 1 for number in range(1, count + 1)]
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (count + 1) + b"".join(
        b"%010d 00000 n \n" % place for place in places
    )
    trailer = made[made.rindex(b"trailer") : made.rindex(b"startxref")]
    return body + table + trailer + b"startxref\n%d\n%%%%EOF\n" % len(body)


def report(pages: int) -> bytes:
    """A report of so many pages, with running titles, headings, paragraphs over page ends, a list and tables."""
    made = []
    for number in range(1, pages + 1):
        texts: list[Placed] = [(60, 800, 9, "Annual report of the institute"), (290, 30, 9, f"{number} / {pages}")]
        texts.append((60, 740, 16, f"{number}. Prices in district {number}"))
        y = 710.0
        for line in range(12):
            words = f"Line {line} of page {number} tells how maize and sorghum fared in the long rains of the year"
            texts.append((60, y, 11, words + ("." if line % 4 == 3 else "")))
            y -= 14 if line % 4 != 3 else 26
        texts.append((60, y, 11, f"Table {number}: Price of maize per bag"))
        for row in range(4):
            y -= 18
            cells = ("Market", "Price", "Change") if row == 0 else (f"Town {row}", f"{4000 + row}", f"{row} %")
            texts.extend((60 + 120 * at, y, 11, cell) for at, cell in enumerate(cells))
        y -= 30
        texts.extend([(60, y, 11, "\xb7 Buy early."), (60, y - 14, 11, "\xb7 Store dry.")])
        made.append(texts)
    return typeset(*made, title="Annual report 2026")


CALL_LINES = [
    "Applicants must be registered in a member state of the region.",
    "The proposal shall not exceed 15 pages including annexes.",
    "Proposals must include a gender analysis of the households.",
    "The deadline for proposals is 30 June 2031 at noon.",
    "Grants are at most USD 250,000 for each project.",
]


def call_for_proposals() -> bytes:
    """A call of two pages; what it demands is on the second."""
    first: list[Placed] = [
        (60, 700, 16, "Call for proposals"),
        (60, 670, 11, "The fund supports farmers of the drylands."),
    ]
    second: list[Placed] = [(60, 700 - 30 * at, 11, line) for at, line in enumerate(CALL_LINES)]
    return typeset(first, second, title="Call 2031")
