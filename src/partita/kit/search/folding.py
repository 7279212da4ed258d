"""Words as the index knows them: without case, accents and variants of letters; and the stems of English words."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from typing import Any

import apsw

from partita.kit.short_memory import remembered_if_short

STEM = "¤"
"""Stands before a stem in the index. It is no letter, so no word can begin with it."""

_VARIANTS = {
    **dict.fromkeys("ٱ", "ا"),
    **dict.fromkeys("ىی", "ي"),
    **dict.fromkeys("ة", "ه"),
    **dict.fromkeys("ک", "ك"),
    "ـ": "",  # tatweel only makes a word wider
}
"""Arabic letters that are written for one another; those with hamza and with vowel signs fall together by Unicode."""

_HOMOPHONES = (("ሐ", "ሀ", 7), ("ኀ", "ሀ", 7), ("ሠ", "ሰ", 8), ("ዐ", "አ", 7), ("ፀ", "ጸ", 7))
"""Series of Ethiopic letters that sound alike in Amharic: from, to, how many of the series."""
_ALIKE = {"ሃ": "ሀ", "ኣ": "አ"}

_IGNORED = frozenset("\u00ad\u200c\u200d\u2060\ufeff")
"""Hyphens and joiners that cannot be seen: they stand inside words."""


def tokens(text: str) -> list[str]:
    """The words of a text, folded, in order."""
    if text.isascii():
        return text.translate(_FOLDED).split()
    found = unicodedata.normalize("NFC", text).translate(_FOLDED).split()
    return [each if each.isascii() else unicodedata.normalize("NFC", each) for each in found]


def fold(text: str) -> str:
    """A text as its folded words: two texts that differ in case and variants of letters only are equal."""
    return " ".join(tokens(text))


def places(text: str) -> Iterator[tuple[int, int, str]]:
    """Where the words of a text begin and end, and what they are folded; the text must be in NFC."""
    if text.isascii():
        for match in _ASCII_WORD.finditer(text):
            yield match.start(), match.end(), match.group().lower()
        return
    start, word = 0, ""
    for place, character in enumerate(text):
        # ½ ends a word with 1 and begins one with 2, and ㈀ is a word of its own.
        pieces: list[str] = _FOLDED[ord(character)].split(" ")
        for number, piece in enumerate(pieces):
            if number and word:
                yield start, place + bool(pieces[number - 1]), unicodedata.normalize("NFC", word)
                word = ""
            if piece and not word:
                start = place
            word += piece
    if word:
        yield start, len(text), unicodedata.normalize("NFC", word)


def one_for_one(text: str) -> str:
    """A text folded as far as places stay what they are: a space for whatever is not in words."""
    return text.translate(_ALIKE_PLACES)


def stem(word: str) -> str | None:
    """The stem of a folded word by Porter's rules for English; None for words that cannot be English."""
    return _stem(word) if word.isascii() and word.isalpha() else None


def stemmed(words: list[str]) -> str:
    """What the index keeps of some words: the words, then their stems."""
    stems = [STEM + each for each in map(stem, words) if each is not None]
    return " ".join((*words, *stems))


@remembered_if_short(most=32_768, longest=40)
def _stem(word: str) -> str:
    with _stemming:
        found: Any = _porter(word.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False)
    return str(found[0][0])


class _Folding(dict[int, str]):
    """What a character becomes: a space if it stands between words, nothing if it only colours a letter."""

    def __missing__(self, code: int) -> str:
        plain = chr(code)
        for _ in range(4):  # until nothing changes any more, which law and experience say is after two
            again = unicodedata.normalize("NFC", "".join(map(_plain, plain)))
            if again == plain:
                break
            plain = again
        known = self[code] = plain
        return known


class _OneForOne(dict[int, str]):
    def __missing__(self, code: int) -> str:
        folded = _FOLDED[code]
        known = self[code] = folded[:1] or "\0"
        return known


def _plain(character: str) -> str:
    if character in _SERIES:
        return _SERIES[character]
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(map(_letter, apart))


def _letter(character: str) -> str:
    if character in _IGNORED or unicodedata.combining(character):
        return ""
    variant = _SERIES.get(character)
    if variant is not None:
        return variant
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    in_word = character.isalnum() or unicodedata.category(character).startswith("M")
    return character if in_word else " "


def _series() -> dict[str, str]:
    letters = dict(_VARIANTS)
    for old, new, count in _HOMOPHONES:
        letters |= {chr(ord(old) + number): chr(ord(new) + number) for number in range(count)}
    return {old: _ALIKE.get(new, new) for old, new in letters.items()} | _ALIKE


_SERIES = _series()
_FOLDED = _Folding()
_ALIKE_PLACES = _OneForOne()
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_porter = apsw.Connection(":memory:").fts5_tokenizer("porter", ["ascii"])
_stemming = threading.Lock()
