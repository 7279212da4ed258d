"""Drawn covers: the face of content that has no picture of its own. SVG in the suite's colour, made of the title."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from xml.sax.saxutils import escape

from partita.apps.enablement.formats import COLOURS

WIDTH, HEIGHT = 480, 360
_COLOURS = (
    *(("#90302e", "#742120", "#aa4844"), ("#883c00", "#6d2c00", "#a15421"), ("#734d00", "#5c3b00", "#8b641a")),
    *(("#575a00", "#444600", "#6d7123"), ("#1f652f", "#105021", "#387d46"), ("#006559", "#005046", "#157c70")),
    *(("#006174", "#004c5d", "#10798c"), ("#0e5794", "#004479", "#2c6fae"), ("#464a9b", "#36387f", "#5c61b5")),
    *(("#663e8e", "#512e73", "#7e55a7"), ("#87305f", "#6d214b", "#a14876"), ("#52555c", "#3f4248", "#686c73")),
)
"""Ground, shade and light of each colour; white text on all three is AA."""
_GLYPHS = {
    "pdf": "M4 1h11l6 6v20H4zM15 1v6h6M8 13h9M8 17h9M8 21h6",
    "word": "M4 1h11l6 6v20H4zM15 1v6h6M8 12l2 10 3-8 3 8 2-10",
    "slides": "M2 4h24v15H2zM14 19v6M8 26h12M9 15l4-5 3 3 4-5",
    "sheet": "M3 3h22v22H3zM3 10h22M3 17h22M11 3v22M18 3v22",
    "picture": "M2 4h24v20H2zM2 20l8-8 6 6 4-4 6 6M19 9a2 2 0 1 0 .1 0",
    "video": "M2 5h24v18H2zM11 10v8l7-4z",
    "archive": "M3 5h8l3 3h11v16H3zM14 8v4M14 14v2M14 18v2",
    "page": "M14 2a12 12 0 1 0 .1 0M2 14h24M14 2c-7 7-7 17 0 24M14 2c7 7 7 17 0 24",
    "text": "M4 2h20v24H4zM8 8h12M8 13h12M8 18h8",
}
_LINES = 4
_PER_LINE = 17.0
"""How wide a line of the title is, in letters."""


@lru_cache(maxsize=2048)
def drawn_cover(title: str, concept: str | None, kind: str, colour: int) -> bytes:
    """The cover of a title: the glyph of its kind, the title large, the concept small."""
    ground, shade, light = _COLOURS[(colour - 1) % len(COLOURS)]
    lines = list(wrapped(title, _PER_LINE, _LINES))
    first = 320 - 38 * (len(lines) - 1) - (34 if concept else 0)
    words = "".join(
        f'<text x="28" y="{first + 38 * place}" font-size="31" font-weight="600">{escape(line)}</text>'
        for place, line in enumerate(lines)
    )
    below = next(wrapped(concept, 30.0, 1), "") if concept else ""
    small = f'<text x="28" y="328" font-size="19" fill-opacity="0.9">{escape(below)}</text>' if below else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{ground}"/>'
        f'<circle cx="410" cy="40" r="150" fill="{shade}"/><circle cx="430" cy="20" r="84" fill="{light}"/>'
        f'<g transform="translate(28 28) scale(1.9)" fill="none" stroke="#fff" stroke-width="1.6" '
        f'stroke-linecap="round" stroke-linejoin="round"><path d="{_GLYPHS.get(kind, _GLYPHS["text"])}"/></g>'
        f'<g fill="#fff" font-family="system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, sans-serif">'
        f"{words}{small}</g></svg>"
    ).encode("utf-8", "replace")


def wrapped(text: str, per_line: float, most: int) -> Iterator[str]:
    """A text in lines of about so many letters; a word that is longer is broken, and what is too much ends with `…`."""
    line, wide, lines = "", 0.0, 0
    pieces = list(_pieces(_clean(text), per_line))
    for place, piece in enumerate(pieces):
        piece_width = _width(piece)
        if line and wide + 0.6 + piece_width > per_line:
            lines += 1
            if lines == most:
                yield _shortened(line + " " + piece, per_line)
                return
            yield line
            line, wide = "", 0.0
        line, wide = (f"{line} {piece}", wide + 0.6 + piece_width) if line else (piece, piece_width)
        if place == len(pieces) - 1:
            yield line


def _clean(text: str) -> str:
    """Without what XML cannot hold."""
    return "".join(" " if unicodedata.category(character) in ("Cc", "Cs", "Cn") else character for character in text)


def _pieces(text: str, per_line: float) -> Iterator[str]:
    """Words, and parts of those that do not fit on a line."""
    for word in text.split():
        part = ""
        for character in word:
            if part and _width(part + character) > per_line:
                yield part
                part = ""
            part += character
        yield part


def _shortened(line: str, per_line: float) -> str:
    while line and _width(line) > per_line - 1:
        line = line[:-1]
    return line.rstrip() + "…"


def _width(text: str) -> float:
    """How wide a text is, in letters: wide scripts have twice the width, marks none."""
    return sum(
        0.0
        if unicodedata.combining(each)
        else 1.9
        if unicodedata.east_asian_width(each) in "WF"
        else 0.5
        if each in "iljtfrI.,:;'|!()[]"
        else 1.35
        if each in "mwMW%@"
        else 1.15
        if each.isupper()
        else 1.0
        for each in text
    )
