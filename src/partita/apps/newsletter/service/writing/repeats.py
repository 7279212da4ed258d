"""Sentences that say almost what an earlier one says, found in about linear time.

Two sets of words are alike by `overlap / sqrt(one × other)`. If that is above a limit, the rarest words of each, all
but a share of `limit²`, must have one in common: only sentences that share such a word are compared.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from partita.apps.newsletter.service.writing.terms import alike

_MOST_COMPARED = 200
"""With so many earlier sentences each is compared at most, those with the rarest words first."""


def alike_before(sets: Sequence[frozenset[str]], limit: float) -> list[int | None]:
    """For each set the place of an earlier one that is more alike than the limit, or None."""
    held = Counter(term for each in sets for term in each)
    places: dict[frozenset[str], int] = {}
    holders: defaultdict[str, list[int]] = defaultdict(list)
    found: list[int | None] = []
    for place, words in enumerate(sets):
        if not words:
            found.append(None)
            continue
        if words in places:
            found.append(places[words])
            continue
        rare = sorted(words, key=lambda term: (held[term], term))
        rare = rare[: len(rare) - math.ceil(limit * limit * len(rare)) + 1]
        found.append(_first_alike(words, rare, holders, sets, limit))
        places[words] = place
        for term in rare:
            if held[term] > 1:
                holders[term].append(place)
    return found


def _first_alike(
    words: frozenset[str],
    rare: Sequence[str],
    holders: defaultdict[str, list[int]],
    sets: Sequence[frozenset[str]],
    limit: float,
) -> int | None:
    compared: set[int] = set()
    for term in rare:
        for other in holders.get(term, ()):
            if other not in compared:
                if alike(words, sets[other]) > limit:
                    return other
                compared.add(other)
                if len(compared) >= _MOST_COMPARED:
                    return None
    return None
