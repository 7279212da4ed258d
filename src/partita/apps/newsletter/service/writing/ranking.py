"""How much each sentence says: LexRank over a topic's sentences, match, position, figures, region and audience."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from partita.apps.newsletter.service.writing.candidates import Candidate
from partita.apps.newsletter.service.writing.retrieval import audience_terms, region_terms
from partita.apps.newsletter.service.writing.terms import Vector, terms, vectors
from partita.apps.newsletter.service.writing.values import Edition

_ALIKE, _DAMPING, _ROUNDS = 0.1, 0.85, 30
_CENTRAL, _MATCH, _POSITION, _FIGURES, _READERS = 0.35, 0.30, 0.15, 0.14, 0.10
_LENGTH = 0.12
_VOICE = 0.2
"""What a quote gains, where the tone allows quotes."""


def centrality(made: Sequence[Vector]) -> list[float]:
    """LexRank: how much a sentence says of what the others say, 0 to 1."""
    if not made:
        return []
    neighbours = _graph(made)
    total = len(made)
    rank = [1.0 / total] * total
    for _ in range(_ROUNDS):
        flow = [0.0] * total
        for place, linked in enumerate(neighbours):
            if linked:
                share = rank[place] / len(linked)
                for other in linked:
                    flow[other] += share
        after = [(1 - _DAMPING) / total + _DAMPING * each for each in flow]
        moved = sum(abs(one - other) for one, other in zip(rank, after, strict=True))
        rank = after
        if moved < 1e-6:
            break
    most = max(rank) or 1.0
    return [each / most for each in rank]


def _graph(made: Sequence[Vector]) -> list[list[int]]:
    """Which sentences are alike; each pair is compared only if they share a word."""
    holders: dict[str, list[tuple[int, float]]] = defaultdict(list)
    neighbours: list[list[int]] = [[] for _ in made]
    for place, vector in enumerate(made):
        sums: dict[int, float] = defaultdict(float)
        for term, value in vector.items():
            for other, weight in holders[term]:
                sums[other] += value * weight
            holders[term].append((place, value))
        for other, likeness in sums.items():
            if likeness >= _ALIKE:
                neighbours[place].append(other)
                neighbours[other].append(place)
    return neighbours


def central_sentences(pool: Sequence[Candidate]) -> list[float]:
    """How central each sentence is among the others."""
    return centrality(vectors([terms(each.text) for each in pool]))


def scores(
    pool: Sequence[Candidate], subject: str, edition: Edition, central: Sequence[float] | None = None
) -> list[float]:
    """The score of each sentence for a subject: a headline with the words of its topic."""
    central = central_sentences(pool) if central is None else central
    wanted = frozenset(terms(subject))
    places, readers = region_terms(edition.region), audience_terms(edition.audience)
    technical = edition.tone_technical / 50
    found: list[float] = []
    for each, centre in zip(pool, central, strict=True):
        share = len(wanted & each.terms) / min(len(wanted), 6) if wanted else 0.0
        figures = (0.0, 0.7, 0.85, 1.0)[min(each.figures, 3)]
        named = 0.6 * (not places.isdisjoint(each.terms)) + 0.4 * (not readers.isdisjoint(each.terms))
        found.append(
            _CENTRAL * centre
            + _MATCH * min(1.0, share)
            + _POSITION / (1 + 0.5 * each.place)
            + _FIGURES * technical**1.5 * figures
            + _READERS * named
            + _LENGTH * (technical - 1) * min(1.0, each.words / 30)
            + _VOICE * each.quote
        )
    return found
