"""Texts as the pieces of words that the model has learnt: the longest known beginning of a word, then of its rest."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping

_UNKNOWN = "[UNK]"
_LONGEST = 100
"""Longer words are addresses and the like: unknown."""
_MOST_CHARACTERS = 8_000
"""More than the model reads of a text, by far."""


def pieces(text: str, vocabulary: Mapping[str, int], most: int) -> list[int]:
    """The numbers of a text's pieces, as many as the model reads."""
    found: list[int] = []
    for word in _words(text[:_MOST_CHARACTERS]):
        found += _pieces_of(word, vocabulary)
        if len(found) >= most:
            break
    return found[:most]


def _words(text: str) -> Iterator[str]:
    """Words and signs, in small letters without accents; a sign or a Chinese character is a word of its own."""
    word = ""
    for character in unicodedata.normalize("NFD", text.lower()):
        kind = unicodedata.category(character)
        if character.isspace():
            yield word
            word = ""
        elif kind[0] == "P" or (kind[0] == "S" and character.isascii()) or "\u4e00" <= character <= "\u9fff":
            yield word
            yield character
            word = ""
        elif kind != "Mn" and kind[0] != "C":
            word += character
    yield word


def _pieces_of(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    if len(word) > _LONGEST:
        return [vocabulary[_UNKNOWN]]
    found: list[int] = []
    begin = 0
    while begin < len(word):
        mark = "##" if begin else ""
        end = next((each for each in range(len(word), begin, -1) if mark + word[begin:each] in vocabulary), None)
        if end is None:
            return [vocabulary[_UNKNOWN]]
        found.append(vocabulary[mark + word[begin:end]])
        begin = end
    return found
