"""Turns what people type into an FTS5 query: any text is safe, all words must match, the last may be incomplete."""

from __future__ import annotations

import re
import unicodedata

MOST_WORDS = 12
MOST_CHARACTERS = 200

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> tuple[str, ...]:
    """The words of a text, at most a dozen."""
    plain = unicodedata.normalize("NFKC", text[:MOST_CHARACTERS])
    return tuple(_WORD.findall(plain)[:MOST_WORDS])


def match_expression(text: str) -> str | None:
    """All words in any order, the last as a prefix; None if there are no words.

    Words are quoted, so that none is an operator. A single letter is no prefix, since too much starts with it: C finds
    the language.
    """
    typed = words(text)
    if not typed:
        return None
    single_letter = len(typed) == 1 and len(typed[0]) == 1
    return " AND ".join(f'"{word}"' for word in typed) + ("" if single_letter else "*")
