"""Reads a page's title, description and visible text."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from itertools import islice

from partita.kit.fetcher.markup import Tag, pieces

MOST_TITLE = 300
MOST_DESCRIPTION = 2000
MOST_TEXT_BYTES = 100_000

# Ten times what long pages have; a page with more is an attack.
_MOST_PIECES = 200_000
# Elements within a line; every other one ends a word.
_INLINE = frozenset(
    (
        *(
            "a",
            "abbr",
            "acronym",
            "b",
            "bdi",
            "bdo",
            "big",
            "cite",
            "code",
            "data",
            "del",
            "dfn",
            "em",
            "font",
            "i",
            "ins",
        ),
        *(
            "kbd",
            "mark",
            "nobr",
            "q",
            "s",
            "samp",
            "small",
            "span",
            "strong",
            "sub",
            "sup",
            "time",
            "tt",
            "u",
            "var",
            "wbr",
        ),
    )
)
_DRAWN = frozenset({"svg", "math", "template"})
"""Not text of the page: a drawing may have a title of its own, and a template is not shown."""
_SHOWN_RAW = frozenset({"textarea", "xmp"})
_DESCRIPTIONS = ("description", "og:description", "twitter:description")
_TITLES = ("og:title", "twitter:title")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
# More digits than any character has; html.unescape would take them for a number and fail.
_ENDLESS = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{8,});?")


@dataclass(frozen=True, slots=True)
class Page:
    """The readable part of a page; each may be empty."""

    title: str
    description: str
    text: str


def read_page(source: str) -> Page:
    """Read any HTML, however broken."""
    title: str | None = None
    meta: dict[str, str] = {}
    text: list[str] = []
    hidden, depth = "", 0
    for piece in islice(pieces(source), _MOST_PIECES):
        if isinstance(piece, str):
            if not hidden:
                text.append(piece)
            continue
        if hidden:
            if piece.name == hidden and not piece.closes_itself:
                depth += -1 if piece.end else 1
                hidden = hidden if depth else ""
            continue
        if piece.name in _DRAWN and not piece.end and not piece.closes_itself:
            hidden, depth = piece.name, 1
        elif piece.name == "title" and title is None and not piece.end:
            title = piece.content
        elif piece.name == "meta":
            _remember(piece, meta)
        elif piece.name in _SHOWN_RAW:
            text.append(f" {piece.content} ")
        if piece.name not in _INLINE:
            text.append(" ")
    return Page(
        _cut(_plain(title or "") or _first(meta, _TITLES), MOST_TITLE),
        _cut(_first(meta, _DESCRIPTIONS), MOST_DESCRIPTION),
        _cut_bytes(_plain("".join(text)), MOST_TEXT_BYTES),
    )


def _remember(tag: Tag, meta: dict[str, str]) -> None:
    attributes = tag.attributes()
    name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
    if name in _DESCRIPTIONS or name in _TITLES:
        meta.setdefault(name, _plain(attributes.get("content", "")))


def _first(meta: dict[str, str], names: tuple[str, ...]) -> str:
    return next((meta[name] for name in names if meta.get(name)), "")


def _plain(written: str) -> str:
    """Unescaped text, without control characters, with single spaces."""
    read = html.unescape(_ENDLESS.sub("\ufffd", written))
    return " ".join(_CONTROL.sub(" ", read).split())


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    words = text[:most].rpartition(" ")[0]
    return (words if len(words) > most // 2 else text[: most - 1]) + "…"


def _cut_bytes(text: str, most: int) -> str:
    encoded = text.encode()
    return text if len(encoded) <= most else encoded[:most].decode("utf-8", "ignore").rstrip()
