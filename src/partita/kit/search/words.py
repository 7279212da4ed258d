"""What people type, as a query the index understands: any text is safe, all words count, the last may be unfinished."""

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
    """All words in any order, and what starts with the last one; None where there are no words.

    Each word stands in quotes, so that nothing in it is an operator. A letter alone starts too much: it is looked for
    as a word, so that C finds the language.
    """
    found = words(text)
    if not found:
        return None
    alone = len(found) == 1 and len(found[0]) == 1
    return " AND ".join(f'"{word}"' for word in found) + ("" if alone else "*")
