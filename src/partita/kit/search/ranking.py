"""Documents that have any of many words, by how rare those words are: for programs that rank what they get themselves.

People's searches want all words and count what they find. Here twenty words may be asked for, almost every document has
one of them, and only the best matter. So the words that most documents have choose nothing: they are left to whoever
ranks the rest. It runs in a worker thread, on that thread's connection.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw

from partita.kit.search import reads
from partita.kit.search.catalog import Catalog
from partita.kit.search.folding import STEM, stem
from partita.kit.search.reads import Chosen, Matching
from partita.kit.search.tables import made, vocabulary
from partita.table.recent import Recent

MOST_WORDS = 40
_COUNTS_SECONDS = 300.0
_COUNTS_BYTES = 2_000_000
"""How much memory counts may take: words come from whoever asks."""
_COUNT_BYTES = 300
"""How long it is remembered how many documents hold a word: it only weighs, and changes slowly."""
_SHARE = 0.02
"""The share of all documents that the words which choose may be in, together; the rarest ones first."""
_FEWEST = 2_000
"""So many may be looked at in any case."""
_FUSED = 60
"""How little the first places of a list count more than the next ones."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Documents with some of the words, best first, and what is known of the words."""

    ids: tuple[str, ...]
    total: int
    """How many documents there are."""
    held_by: Mapping[str, int] = field(default_factory=dict)
    """Word → how many of them hold it, or another form of it."""

    def __hash__(self) -> int:
        return hash((self.ids, self.total))


class Counts:
    """How many documents hold a word, remembered for a while."""

    def __init__(self, clock: Any = time.monotonic) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._known: Recent[tuple[str, str], tuple[float, int]] = Recent(_COUNTS_BYTES)

    def of(self, connection: apsw.Connection, catalog: Catalog[Any], terms: Iterable[str]) -> dict[str, int]:
        """The counts of some terms, and under the empty one of all documents."""
        now = self._clock()
        counts: dict[str, int] = {}
        for term in ("", *terms):
            key = (catalog.name, term)
            with self._guard:
                known = self._known.get(key)
            if known is None or known[0] < now:
                known = (now + _COUNTS_SECONDS, _count(connection, catalog, term))
                with self._guard:
                    self._known.add(key, known, len(term) + _COUNT_BYTES)
            counts[term] = known[1]
        return counts


def rank(
    connection: apsw.Connection,
    counts: Counts,
    catalog: Catalog[Any],
    words: Sequence[str],
    chosen: Sequence[Chosen],
    limit: int,
) -> Ranked:
    """The documents that have most of the rarest words, in any form."""
    with connection:  # one moment for all of it
        if not made(connection, catalog):
            return Ranked((), 0)
        terms = {word: _term(word) for word in tuple(dict.fromkeys(words))[:MOST_WORDS]}
        held = counts.of(connection, catalog, terms.values())
        asked = [term for term in dict.fromkeys(terms.values()) if held[term]]
        if not asked:
            return Ranked((), held[""], dict.fromkeys(terms, 0))
        expression = " OR ".join(f'"{term}"' for term in _choosing(asked, held))
        restrictions = reads.restrictions(connection, catalog, chosen, ())
        matching = Matching(catalog, expression, None, restrictions)
        rows = reads.best_matches(connection, matching, limit)
    return Ranked(tuple(row[-2] for row in rows), held[""], {word: held[term] for word, term in terms.items()})


def fused(*lists: Sequence[str]) -> list[str]:
    """Lists of ids, each best first, as one: by the sum of their reciprocal ranks, so that what stands high in two
    lists comes before what stands high in one."""
    scores: dict[str, float] = {}
    for each in lists:
        for place, identity in enumerate(each):
            scores[identity] = scores.get(identity, 0.0) + 1 / (_FUSED + place)
    return sorted(scores, key=lambda identity: -scores[identity])


def _choosing(terms: Sequence[str], held: Mapping[str, int]) -> list[str]:
    """The rarest terms, as many as together are in not too many documents; at least two."""
    rarest = sorted(terms, key=lambda term: held[term])
    most = max(_FEWEST, int(held[""] * _SHARE))
    kept: list[str] = []
    total = 0
    for term in rarest:
        total += held[term]
        if total > most and len(kept) >= 2:
            break
        kept.append(term)
    return kept


def _term(word: str) -> str:
    """A folded word as the index is asked for it: by its stem, if it can have one."""
    found = stem(word)
    return word if found is None else f"{STEM}{found}"


def _count(connection: apsw.Connection, catalog: Catalog[Any], term: str) -> int:
    if not term:
        return int(connection.execute(f"SELECT count(*) FROM documents_{catalog.slug} WHERE live").get)
    words = vocabulary(connection, catalog, "row")
    return int(connection.execute(f"SELECT doc FROM {words} WHERE term = ?", (term,)).get or 0)
