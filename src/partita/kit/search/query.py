"""What people type, as a query: words, "exact phrases" in quotes of any kind, `tag:value`, and what is left out with a
minus.

Any text is a query. What cannot be read as anything else is words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from partita.kit.search.folding import STEM, fold, stem, tokens

MOST_WORDS = 12
MOST_CONDITIONS = 12
MOST_CHARACTERS = 200

Joined = Literal["AND", "OR"]


@dataclass(frozen=True, slots=True)
class Term:
    """A word, a phrase, or several words that stand together where they are left out."""

    words: tuple[str, ...]
    """Folded."""
    phrase: bool = False
    unfinished: bool = False
    """Whether words that begin like it count too."""
    excluded: bool = False
    span: tuple[int, int] = (0, 0)
    """Where it was typed."""

    def expression(self, *, scored: bool = False) -> str:
        """As the index is asked. Words stand in quotes, so that nothing in them is an operator. Whatever has a word has
        its stem as well: the word itself is asked for only if it counts more."""
        exact = f'"{" ".join(self.words)}"'
        if self.phrase or len(self.words) > 1:
            return exact
        word_stem = stem(self.words[0])
        star = "*" if self.unfinished else ""
        if word_stem is None:
            return f"{exact}{star}"
        alike = f'"{STEM}{word_stem}"'
        return f"({exact}{star} OR {alike})" if scored or star else alike


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter that was typed, its value folded."""

    name: str
    value: str
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody looks for."""

    terms: tuple[Term, ...] = ()
    conditions: tuple[Condition, ...] = ()
    blank: bool = True
    """Whether nothing was typed at all: such a query lists everything."""

    @property
    def wanted(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if not term.excluded)

    @property
    def meaningless(self) -> bool:
        """Whether something was typed, and nothing in it can be looked for: such a query finds nothing."""
        return not self.blank and not self.terms and not self.conditions

    def expression(self, joined: Joined, field: str | None = None, *, scored: bool = False) -> str | None:
        """All or any of the words, without those that are excluded, in any field or in one; None if no words are
        wanted. For scores, words count more than their stems."""
        if not self.wanted:
            return None
        wanted = f" {joined} ".join(term.expression(scored=scored) for term in self.wanted)
        if field is not None:
            wanted = f'"{field}" : ({wanted})'
        return wanted if self.excluded is None else f"({wanted}) NOT ({self.excluded})"

    @property
    def excluded(self) -> str | None:
        """Any of the words that must not be there."""
        return " OR ".join(term.expression() for term in self.terms if term.excluded) or None


# Phones, word processors and other languages type these; each stands for one straight quote, so places stay the same.
_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"'))
_CHUNK = re.compile(
    r"(?<!\S)(?P<minus>-(?=\S))?(?:(?P<name>[A-Za-z][A-Za-z0-9_]*):(?=[^\s:]))?"
    r'(?:"(?P<quoted>[^"]*)"(?!\S)|(?P<plain>\S+))'
)


def parse(text: str, filters: Sequence[str] = ()) -> Query:
    """Read what somebody typed; `filters` are the names that may stand before a colon."""
    readable = readable_text(text[:MOST_CHARACTERS]).translate(_QUOTES)
    terms: list[Term] = []
    conditions: list[Condition] = []
    room = MOST_WORDS
    for part in _parts(readable, filters):
        if isinstance(part, Condition):
            if len(conditions) < MOST_CONDITIONS:
                conditions.append(part)
        elif room >= len(part.words):
            room -= len(part.words)
            terms.append(part)
    if terms and not terms[-1].phrase and not terms[-1].excluded and terms[-1].span[1] == len(readable.rstrip()):
        last = terms[-1]
        # A letter alone starts too much: it is looked for as a word, so that C finds the language.
        unfinished = len(terms) > 1 or len(last.words[0]) > 1
        terms[-1] = Term(last.words, unfinished=unfinished, span=last.span)
    return Query(tuple(terms), tuple(conditions), blank=not text.strip())


def readable_text(text: str) -> str:
    """The text without halves of characters, which no database takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _parts(text: str, filters: Sequence[str]) -> Iterator[Term | Condition]:
    for match in _CHUNK.finditer(text):
        excluded = match["minus"] is not None
        name = (match["name"] or "").lower()
        quoted = match["quoted"] is not None
        value = fold(match["quoted"] if quoted else match["plain"])
        if name in filters and value:
            yield Condition(name, value, excluded)
            continue
        words = tokens(match.group())
        if (quoted and not name) or excluded:
            if words:
                yield Term(tuple(words), phrase=quoted, excluded=excluded, span=match.span())
        else:
            for word in words:  # each by itself; a correction replaces all that was typed together
                yield Term((word,), span=match.span())
