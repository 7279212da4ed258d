"""Which parts of a document lead elsewhere and say nothing themselves: reference lists, contents, acknowledgements."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"^(?:(?:\d{1,2}|[ivxIVX]{1,5}|[A-Z])(?:\.\d{1,2})*[.):]?\s+)?")
_HEADINGS = frozenset(
    (
        *("references", "reference list", "references cited", "bibliography", "works cited", "literature"),
        *("literature cited", "sources cited", "further reading", "endnotes", "footnotes", "notes and references"),
        *("contents", "table of contents", "list of tables", "list of figures", "list of contents"),
        *("list of abbreviations", "list of acronyms", "abbreviations", "acronyms", "index"),
        *("acknowledgements", "acknowledgments", "acknowledgement", "acknowledgment"),
        *("références", "bibliographie", "sommaire", "table des matières", "remerciements"),
        *("ማጣቀሻ", "ማጣቀሻዎች", "ዋቢ", "ዋቢዎች", "ዋቢ መጻሕፍት", "ማውጫ", "ይዘት", "የይዘት ማውጫ", "ምስጋና"),
        *("المراجع", "المصادر", "قائمة المراجع", "المصادر والمراجع", "المراجع والمصادر"),
        *("المحتويات", "جدول المحتويات", "قائمة المحتويات", "الفهرس", "شكر وتقدير", "الشكر والتقدير"),
    )
)
_LEADERS = re.compile(r"(?:\.\s?){4,}\s*(?:\d{1,4}|[ivx]{1,5})\s*$|(?:…\s?){2,}\s*\d{1,4}\s*$")
_CITED = re.compile(
    r"^\s*(?:[-•]\s+)?(?:\[\d{1,3}\]|\d{1,3}\.)?\s*[^\W\d_][\w'’.-]+,?\s+(?:[A-Z]\.[\s,&-]*)+.{0,200}?\(?\b(?:19|20)\d\d[a-z]?\b\)?"
    r"|\bdoi(?:\.org/|:\s?)10\.\d{4}"
)
_SHARE = 0.6
_FEWEST = 3


def is_reference_heading(heading: str) -> bool:
    """Whether what is under a heading of these words is kept but not searched."""
    words = _NUMBER.sub("", heading.strip(), count=1).strip(" .:–-").casefold()
    return words in _HEADINGS


def looks_like_references(lines: Sequence[str]) -> bool:
    """Whether lines are those of a contents page or a reference list, though no heading says so."""
    if len(lines) < _FEWEST:
        return False
    found = sum(1 for line in lines if _LEADERS.search(line[-200:]) or _CITED.search(line[:400]))
    return found >= _FEWEST and found / len(lines) >= _SHARE
