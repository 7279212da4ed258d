"""Highlighting: safe HTML with matching words in `<mark>`; a long text is cut to the part around the first match."""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup, escape

from partita.kit.search.words import words

_WHOLE_CHARACTERS = 240
_BEFORE, _AROUND = 60, 200


def marked(text: str, query: str) -> Markup:
    """A text with the words of a search highlighted."""
    text = unicodedata.normalize("NFC", text)
    pattern = _pattern(query)
    folded = text.lower() if text.isascii() else text.translate(_FOLDED)
    match = None if pattern is None else pattern.search(folded)
    start, end = _window(text, 0 if match is None else match.start())
    pieces = [Markup("… ") if start else Markup("")]
    place = start
    while match is not None and match.end() <= end:
        pieces += [escape(text[place : match.start()]), Markup("<mark>")]
        pieces += [escape(text[match.start() : match.end()]), Markup("</mark>")]
        place = match.end()
        match = match.re.search(folded, place)
    pieces += [escape(text[place:end]), Markup(" …") if end < len(text) else Markup("")]
    return Markup("").join(pieces)


def _pattern(query: str) -> re.Pattern[str] | None:
    """Matches the words, and words that start with the last one."""
    folded = [re.escape(word.translate(_FOLDED)) for word in words(query)]
    if not folded:
        return None
    return re.compile(rf"(?<![^\W_])(?:(?:{'|'.join(folded)})(?![^\W_])|{folded[-1]}[^\W_]*)")


class _Folding(dict[int, str]):
    """Characters without case and accents, as in the index; one for one, so that positions stay the same."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        apart = unicodedata.normalize("NFKD", character).casefold()
        plain = "".join(each for each in apart if not unicodedata.combining(each))
        folded = self[code] = plain if len(plain) == 1 else character
        return folded


_FOLDED = _Folding()


def _window(text: str, first: int) -> tuple[int, int]:
    """Where to cut a long text, between words: a little before the first match, and some more after it."""
    if len(text) <= _WHOLE_CHARACTERS:
        return 0, len(text)
    start = max(0, first - _BEFORE)
    if start:
        start = text.find(" ", start, first) + 1 or first
    end = start + _AROUND
    if end >= len(text):
        return start, len(text)
    return start, max(text.rfind(" ", start, end), first + 1) if " " in text[first:end] else end
