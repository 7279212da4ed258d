"""Scripts: which language a block is written in, so that fonts and direction follow."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LATIN_OR_FIGURES = re.compile(
    r"(?:\d[\d.,:/–-]*[ \u00a0]?)?[A-Za-zÀ-ɏ](?:[^\u0590-\u08ff]*[A-Za-zÀ-ɏ0-9)%])?|\d[\d.,:/–-]*\d(?:\s?%)?|\d+\s?%"
)
"""What keeps its own order within text from right to left: names with their units and years, numbers, percentages."""
_SCRIPT_LANGUAGE = {"ARABIC": "ar", "ETHIOPIC": "am"}


@lru_cache(maxsize=8192)
def script_of(character: str) -> str:
    """`LATIN`, `ARABIC`, `ETHIOPIC`, …; nothing for digits, marks and signs, which belong to every script."""
    if not character.isalpha():
        return ""
    return unicodedata.name(character, "").partition(" ")[0]


def language_of(text: str, language: str) -> str:
    """The language of a text in an edition of a language: by the script that most of its letters have."""
    counts: dict[str, int] = {}
    for character in text:
        script = script_of(character)
        if script:
            counts[script] = counts.get(script, 0) + 1
    if not counts:
        return language
    script = max(counts, key=lambda each: counts[each])
    if script == script_of_language(language):
        return language
    if script == "LATIN":
        return "en"
    return _SCRIPT_LANGUAGE.get(script, language)


def script_of_language(language: str) -> str:
    """The script that a language is written in."""
    return {"ar": "ARABIC", "am": "ETHIOPIC", "ti": "ETHIOPIC"}.get(language, "LATIN")
