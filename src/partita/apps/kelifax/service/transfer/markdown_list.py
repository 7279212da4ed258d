"""Lists in Markdown: `- [Name](address) - What it is for`, below headings that name a category or become a tag.

Many lists end an entry with links to its source code and with its licence, as `([Source Code](…)) `MIT` `Python``:
the licence is read, the rest is no purpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from partita.apps.kelifax.formats import Licence, category_name, slug_of
from partita.apps.kelifax.schema import CATEGORIES, Category
from partita.kit.fetcher.charsets import text_of

NOT_UNDERSTOOD = "Write the line as - [Name](https://example.org) - What it is for."
TOO_LONG = "This line is too long."

_LONGEST_LINE = 4_000
_MOST_TAG = 30
_MOST_CODES = 8
_LONGEST_CODE = 82
_POINT = r"\s*(?:[-*+]|\d{1,5}[.)])\s"
_ENTRY = re.compile(
    _POINT
    + r"\s*(\*\*|__)?\[((?:[^\]\\]|\\.){1,300})\]\(\s*<?([^\s)>]{1,2000})>?[^)]*\)(?(1)\1)\s*(?:[-–—:]+\s*)?(.*)\Z"
)
_LIKE_ENTRY = re.compile(_POINT + r"[^\n]*?(?:\]\((?!#)|https?://)")
_HEADING = re.compile(r"(#{1,6})\s+(.*)\Z")
_PICTURE = re.compile(r"!\[[^\[\]]*\]\([^)]{0,2000}\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^)]{0,2000}\)")
_MARK = re.compile(r"\\([\\\[\]*_`<>])|[*`]")
_LAST_CODE = re.compile(r"(?<!\\)`([^`]{1,80})`\Z")
_LAST_LINKS = re.compile(r"\((?:\[[^\]]{1,80}\]\([^\s()]{1,2000}\)(?:\s*[,/|]\s*)?){1,8}\)\s*\Z")
_OPEN_SOURCE = re.compile(
    r"(?:0BSD|AFL|A?GPL|LGPL|Apache|Artistic|BlueOak|BSD|BSL|CC0|CC-BY(?:-SA)?|CDDL|CECILL|CPAL|ECL|EPL|EUPL|ISC|MIT"
    r"|MPL|MS-PL|MulanPSL|NCSA|ODbL|OFL|OSL|PostgreSQL|Public[- ]Domain|Unlicense|UPL|W3C|WTFPL|X11|ZPL|Zlib)"
    r"(?:-(?:\d[\w.]*\+?|only|or|later|Clause|Patent|LBNL|Clear))*\+?\Z",
    re.IGNORECASE,
)
_SOURCE_AVAILABLE = re.compile(r"(?:BUSL|Elastic|FSL|PolyForm|SSPL)(?:-[\w.]+)*\Z", re.IGNORECASE)
_PROPRIETARY = re.compile(r"(?:⊘\s*)?Proprietary\Z", re.IGNORECASE)
_SEVERAL = re.compile(r"\s*/\s*|\s+(?:or|and)\s+", re.IGNORECASE)


def from_markdown(data: bytes) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    """The entries with their lines; a line that looks like one and cannot be read comes with the reason."""
    heading: dict[str, Any] = {}
    category_level = 0
    for number, text in enumerate(text_of(data).splitlines(), 1):
        if len(text) > _LONGEST_LINE:
            if _LIKE_ENTRY.match(text[:_LONGEST_LINE]):
                yield number, TOO_LONG
        elif title := _HEADING.match(text):
            level, words = len(title[1]), _plain(title[2].rstrip().rstrip("#"))
            if category := _category_of(words):
                heading, category_level = {"category": category}, level
                continue
            if level <= category_level or not category_level:  # a category holds for the headings below its own
                heading, category_level = {}, 0
            heading = {name: value for name, value in heading.items() if name == "category"} | _tag_of(words, level)
        elif entry := _ENTRY.match(text):
            if not entry[3].startswith("#"):  # not the table of contents
                yield number, {**heading, **_read(entry[2], entry[3], entry[4])}
        elif _LIKE_ENTRY.match(text):
            yield number, NOT_UNDERSTOOD


def _read(name: str, address: str, rest: str) -> dict[str, Any]:
    purpose, licence = _without_end(rest)
    said = {"resourceName": _plain(name), "resourceUrl": address, "usagePurpose": _plain(purpose)}
    return said if licence is None else {**said, "licence": licence}


def _without_end(text: str) -> tuple[str, Licence | None]:
    """What an entry says, without the links and words in code that lists have at its end, and its licence."""
    rest, codes = text.rstrip(), list[str]()
    while len(codes) < _MOST_CODES and (code := _LAST_CODE.search(rest, max(len(rest) - _LONGEST_CODE, 0))):
        codes.append(code[1].strip())
        rest = rest[: code.start()].rstrip()
    licence = next((found for each in reversed(codes) if (found := _licence_of(each))), None)
    links = _LAST_LINKS.search(rest)
    if licence is None and not (links and codes):  # words in code may belong to the sentence
        rest, links = text, _LAST_LINKS.search(text)
    return rest[: links.start()] if links else rest, licence


def _licence_of(text: str) -> Licence | None:
    """Of the short names of licences, of which one may stand beside another."""
    for each in _SEVERAL.split(text):
        if _OPEN_SOURCE.match(each):
            return "open-source"
        if _SOURCE_AVAILABLE.match(each):
            return "source-available"
        if _PROPRIETARY.match(each):
            return "proprietary"
    return None


def _category_of(title: str) -> Category | None:
    wanted = slug_of(title)
    return next((each for each in CATEGORIES if wanted in (each, slug_of(category_name(each)))), None)


def _tag_of(title: str, level: int) -> dict[str, Any]:
    """The first heading is the title of the whole list."""
    tag = slug_of(title)[:_MOST_TAG].strip("-") if level > 1 else ""
    return {"tags": [tag]} if tag else {}


def _plain(text: str) -> str:
    """A text of Markdown without its marks and pictures."""
    words = _LINK.sub(r"\1", _PICTURE.sub("", text))
    return " ".join(_MARK.sub(lambda mark: mark[1] or "", words).split())
