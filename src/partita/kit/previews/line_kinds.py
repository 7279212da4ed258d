"""What a line of a document is, as its words tell: a title, or a page number."""

from __future__ import annotations

import re

LONGEST_TITLE = 100
_MOST_WORDS = 14
_ENDS = re.compile("[.!?:;,።፧፤፣؟،۔…][)\\]\"'”’»]*$|፡፡$")
_PAGE_WORDS = r"(?:pages?|p\.|pg\.?|seite|ገጽ|صفحة)"
_PAGE_MARK = re.compile(
    rf"(?:[-–—|·]\s*)?(?:{_PAGE_WORDS}\s*\d{{1,4}}(?:\s*(?:/|of|von|de|ከ|من)\s*\d{{1,4}})?|\d{{1,4}}\s*(?:/|of|von)\s*\d{{1,4}}"
    rf"|[-–—]\s*\d{{1,4}}\s*[-–—])(?:\s*[-–—|·])?",
    re.IGNORECASE,
)


def is_title(text: str) -> bool:
    """Whether a line that is set apart, such as in bold, names what is below it: it is short and ends no sentence."""
    text = text.strip()
    return (
        0 < len(text) <= LONGEST_TITLE
        and len(text.split()) <= _MOST_WORDS
        and not _ENDS.search(text)
        and any(map(str.isalpha, text))
    )


def is_page_mark(text: str) -> bool:
    """Whether a line is a page number and says so: `3 / 12`, `Page 3`, `– 3 –`. A bare number may be anything."""
    return bool(_PAGE_MARK.fullmatch(text.strip()))
