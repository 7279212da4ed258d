"""Words that very many documents have, such as "the". To score all of these documents takes long and tells nothing.

A list of so many documents begins with those that have the words in the field that counts most, a title or a name. As
long as they are not too many themselves, the best match comes first among them. All others follow in the order of lists
without words. If some of several words are enough, the common ones are left out as long as there are others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import apsw

from partita.kit.search import best_first
from partita.kit.search.catalog import Catalog
from partita.kit.search.query import Query, Term
from partita.kit.search.reads import Matching, Row
from partita.kit.search.sets import Sets

MOST_SCORED = 10_000
"""So many documents are scored. Whatever more documents have is common."""

_NAMED_BEST, _NAMED, _OTHERS = 3, 4, 5
"""The tiers of such a list, after those that `best_first` has: the first thing in a row, and in a cursor."""
SCORED = frozenset({0, 1, _NAMED_BEST})
"""The tiers, of any list, whose order is that of scores: the second thing in a row is one."""


def apply_to(connection: apsw.Connection, matching: Matching, after: Sequence[Any] | None) -> bool:
    """Whether so many documents have the words, whatever the list is narrowed by, that they are not scored. A list that
    was begun in an order goes on in it."""
    if after is not None:
        return bool(after[0] >= _NAMED_BEST)
    return more_than(connection, Matching(matching.catalog, matching.expression, None, ()), MOST_SCORED)


def rows(
    connection: apsw.Connection,
    sets: Sets,
    matching: Matching,
    members: int | None,
    after: Sequence[Any] | None,
    limit: int,
) -> list[Row]:
    """The first of such a list: tier, score or value, id, number. `members` is the set of what matches, if known."""
    assert matching.in_names is not None  # without words there is nothing to score
    named = replace(matching, expression=matching.in_names, best=matching.best_in_names)
    others = replace(matching, expression=f"({matching.expression}) NOT ({matching.in_names})")
    named_members = other_members = None
    if members is not None:
        with_name = sets.with_words(connection, matching.catalog, matching.in_names)
        named_members, other_members = members & with_name, members & ~with_name
    found: list[Row] = []
    if after is None or after[0] < _OTHERS:
        found = _named(connection, named, named_members, after, limit)
        after = None
    if len(found) < limit:
        room = limit - len(found)
        found += best_first.in_order(connection, others, other_members, _OTHERS, after, frozenset(), room)
    return found


def _named(
    connection: apsw.Connection, matching: Matching, members: int | None, after: Sequence[Any] | None, limit: int
) -> list[Row]:
    if members == 0:
        return []
    if after is not None:
        scored = after[0] == _NAMED_BEST
    elif members is not None:
        scored = members.bit_count() <= MOST_SCORED
    else:
        scored = not more_than(connection, matching, MOST_SCORED)
    if not scored:
        shown = best_first.shown_before(after)
        return best_first.in_order(connection, matching, members, _NAMED, after, shown, limit)
    best = best_first.rows(connection, matching, None, members, after, limit, rest=_NAMED)
    return [(_NAMED_BEST, *row[1:]) if row[0] == 0 else row for row in best]


def without_common(connection: apsw.Connection, catalog: Catalog[Any], query: Query) -> Query:
    """A query of which any word is enough, without its common words; as it is if it has no others."""
    common = {term for term in query.wanted if _is_common(connection, catalog, term)}
    if len(common) == len(query.wanted):
        return query
    return replace(query, terms=tuple(term for term in query.terms if term not in common))


def _is_common(connection: apsw.Connection, catalog: Catalog[Any], term: Term) -> bool:
    return more_than(connection, Matching(catalog, term.expression(), None, ()), MOST_SCORED)


def more_than(connection: apsw.Connection, matching: Matching, most: int) -> bool:
    """Whether there are more documents; no more than that are read."""
    where, parameters = matching.where()
    read = f"SELECT 1 FROM {matching.source(documents=False)} WHERE {where} LIMIT ?"
    counted = connection.execute(f"SELECT count(*) FROM ({read})", (*parameters, most + 1)).get
    return int(counted) > most
