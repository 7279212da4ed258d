"""How much each sentence says: what it claims, match, position, figures, region and audience; a little LexRank.

The weights were measured on the demo's texts and on texts of other subjects (docs/decisions/0035-writing-offline.md).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from partita.apps.newsletter.service.writing.candidates import Candidate
from partita.apps.newsletter.service.writing.retrieval import audience_terms, region_terms
from partita.apps.newsletter.service.writing.terms import Vector, terms, vectors
from partita.apps.newsletter.service.writing.values import Edition

_ALIKE, _DAMPING, _ROUNDS = 0.1, 0.85, 30
_CENTRAL, _MATCH, _POSITION, _FIGURES, _READERS = 0.05, 0.30, 0.15, 0.14, 0.10
_CLAIM = 0.15
"""What a figure gains that is compared with another, or said to have changed."""
_BRIEF, _LONG = 0.10, 35
"""What a sentence gains by being short, and from how many words on it gains nothing."""
_LENGTH = 0.18
_PLAIN = 0.2
"""What figures lose below a middling technical tone."""
_VOICE = 0.2
"""What a quote gains, where the tone allows quotes."""
_COMPARES = re.compile(
    r"\b(more|less|fewer|higher|lower|larger|smaller|longer|shorter|earlier|later|rose|fell|grew|shrank|increased"
    r"|decreased|raised|cut|halved|doubled|lost|gained|up from|down from|compared with|against|instead of|only|twice"
    r"|half|third|quarter|first|never|ever|survived|percent|per cent)\b|%|\bfrom [\d,.]+ (?:\w+ )?to [\d,.]+"
    r"|በመቶ|ጨመረ|ቀነሰ|በልጧል|አድጓል|في المئة|أكثر|أقل|زاد|انخفض|ارتفع",
    re.IGNORECASE,
)


def compares(each: Candidate) -> bool:
    """Whether a sentence has a figure that it compares, or says to have changed."""
    return bool(each.figures and _COMPARES.search(each.text))


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
            + (_FIGURES * technical**1.5 - _PLAIN * max(0.0, 1 - technical)) * figures
            + _READERS * named
            + _CLAIM * min(1.0, technical) * compares(each)
            + _BRIEF * (1 - min(1.0, each.words / _LONG))
            + _LENGTH * (technical - 1) * min(1.0, each.words / 30)
            + _VOICE * each.quote
        )
    return found
