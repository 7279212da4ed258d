"""The shape of a phrase book."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_SLOT = re.compile(r"\{(\w+)\}([.!።]?)")
"""A slot, and the mark that ends the sentence behind it."""
_ENDS = ("!", "?", "…", "؟", "፧")


def filled(phrase: str, values: Mapping[str, object]) -> str:
    """A phrase with its slots filled. A title that ends its sentence itself, as `What’s new?` does, gets no second
    mark."""

    def slot(match: re.Match[str]) -> str:
        value, mark = str(values[match[1]]), match[2]
        if not mark:
            return value
        value = value.rstrip(".። ") or value
        return value if value.endswith(_ENDS) else value + mark

    return _SLOT.sub(slot, phrase)


@dataclass(frozen=True, slots=True)
class Phrases:
    """What one register says. Slots: {title}, {issue}, {stories}, {sources}, {headline}, {first}, {last}, {day}."""

    greeting: str
    overview: str
    overview_of_one: str
    """For an edition with one story or one source."""
    span: str
    """From when to when the sources are."""
    highlight: str
    contents: str
    deadline: str
    thanks: str
    numbers: str
    """What the numbers in brackets are."""
    farewell: str

    @property
    def all(self) -> tuple[str, ...]:
        """Every phrase."""
        return tuple(getattr(self, name) for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class Book:
    """A language's phrases and names."""

    months: tuple[str, ...]
    names: Mapping[str, str]
    """What sections and stories of our own are called: introduction, welcome, conclusion, closing, dates; and topics by
    their ids."""
    full_stop: str
    in_figures: str
    who: str
    how_much: str
    by_when: str
    when: str
    where: str
    said: str
    """Before the name of who says a quote."""
    too_few: str
    friendly: Phrases
    neutral: Phrases
    formal: Phrases

    def phrases(self, register: str) -> Phrases:
        """Those of a register."""
        return {"friendly": self.friendly, "formal": self.formal}.get(register, self.neutral)

    @property
    def labels(self) -> tuple[str, ...]:
        """What stands before parts of stories."""
        return (self.in_figures, self.who, self.how_much, self.by_when, self.when, self.where)

    @property
    def all_phrases(self) -> tuple[str, ...]:
        """Every phrase of every register."""
        return (*self.friendly.all, *self.neutral.all, *self.formal.all, self.too_few)
