"""Sentences that say almost what an earlier one says, found in about linear time.

Two sets of words are alike by `overlap / sqrt(one × other)`. If that is above a limit, the rarest words of each, all
but a share of `limit²`, must have one in common: only sentences that share such a word are compared.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from partita.apps.newsletter.service.writing.terms import alike

_MOST_COMPARED = 200
"""With so many earlier sentences each is compared at most, those with the rarest words first."""


class Earlier:
    """Sets of words that came before, found again by their rarest words."""

    def __init__(self, all_sets: Iterable[frozenset[str]], limit: float) -> None:
        """`all_sets` are those that come, too: they tell which words are rare."""
        self._held = Counter(term for each in all_sets for term in each)
        self._limit = limit
        self._sets: list[frozenset[str]] = []
        self._places: dict[frozenset[str], int] = {}
        self._holders: defaultdict[str, list[int]] = defaultdict(list)

    def add(self, words: frozenset[str]) -> None:
        """The next one."""
        place = len(self._sets)
        self._sets.append(words)
        if words and words not in self._places:
            self._places[words] = place
            for term in self._rarest(words):
                if self._held[term] > 1:
                    self._holders[term].append(place)

    def alike(self, words: frozenset[str]) -> int | None:
        """The place of one that is more alike than the limit, or None."""
        if not words or words in self._places:
            return self._places.get(words)
        compared: set[int] = set()
        for term in self._rarest(words):
            for other in self._holders.get(term, ()):
                if other not in compared:
                    if alike(words, self._sets[other]) > self._limit:
                        return other
                    compared.add(other)
                    if len(compared) >= _MOST_COMPARED:
                        return None
        return None

    def _rarest(self, words: frozenset[str]) -> list[str]:
        rare = sorted(words, key=lambda term: (self._held[term], term))
        return rare[: len(rare) - math.ceil(self._limit * self._limit * len(rare)) + 1]


def alike_before(sets: Sequence[frozenset[str]], limit: float) -> list[int | None]:
    """For each set the place of an earlier one that is more alike than the limit, or None."""
    earlier = Earlier(sets, limit)
    found: list[int | None] = []
    for words in sets:
        found.append(earlier.alike(words))
        earlier.add(words)
    return found
