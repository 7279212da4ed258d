"""One search: from what was asked to a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from partita.kit.cursors import seal, unseal
from partita.kit.search import best_first, common_words, facets, reads
from partita.kit.search.catalog import Catalog
from partita.kit.search.common_words import without_common
from partita.kit.search.facets import Passing
from partita.kit.search.marks import Marker
from partita.kit.search.query import Joined, Query, parse, readable_text
from partita.kit.search.reads import Chosen, Ended, Matching, NamedIds, Row
from partita.kit.search.results import Hit, Named, SearchPage
from partita.kit.search.sets import Sets
from partita.kit.search.tables import made
from partita.kit.search.vocabulary import FEW, corrected
from partita.table import CursorKeys

Wanted = str | tuple[str, ...] | frozenset[str]
Match = Literal["all", "any", "relaxed"]
"""Which words must be there: all; any, those with all of them first; or all, and if nothing has them, any."""

_NO_MARKS: Named[Any] = Named()
_WORDS_SHOWN = 20_000


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything a search is asked for."""

    catalog: Catalog[Any]
    text: str
    query: Query
    chosen: tuple[Chosen, ...]
    match: Match
    sort: str | None
    """None: the best match first."""
    facets: tuple[str, ...]
    most_values: int
    suggest: bool
    limit: int
    ended: Ended | None = None
    named: NamedIds | None = None

    @staticmethod
    def of(
        catalog: Catalog[Any],
        text: str,
        filters: Mapping[str, Wanted],
        match: Match,
        sort: str | None,
        facets: tuple[str, ...],
        most_values: int,
        suggest: bool,
        limit: int,
        ended: Ended | None = None,
        named: NamedIds | None = None,
    ) -> Asked:
        """Read what people typed, and check what programs ask for."""
        catalog.check_filters((*filters, *facets))
        if sort is not None:
            catalog.check_sort(sort)
        if ended is not None:
            catalog.check_sort(ended[0])
        text = readable_text(text)
        query = parse(text, catalog.filters)
        if sort is None and not query.wanted:
            sort = catalog.order
        return Asked(
            catalog, text, query, chosen(filters), match, sort, facets, most_values, suggest, limit, ended, named
        )

    @property
    def list_name(self) -> list[Any]:
        """What a cursor belongs to; what is counted or suggested beside a list does not change it."""
        terms = [[term.words, term.phrase, term.unfinished, term.excluded] for term in self.query.terms]
        conditions = [[each.name, each.value, each.excluded] for each in self.query.conditions]
        # A number that grows with what a place is made of: whoever comes back with an earlier one begins again.
        name = ["search 2", self.catalog.name, terms, conditions, self.chosen, self.match, self.sort, self.query.blank]
        # Not the ids themselves: whoever rates something between two pages goes on with the list.
        return name if self.named is None else [*name, "among" if self.named[0] else "without"]

    def place(self, keys: CursorKeys, cursor: str) -> tuple[bool, list[Any]]:
        """The place in a cursor: whether the words were relaxed, and after what to go on."""
        relaxed, after = unseal(keys, self.list_name, cursor)
        return relaxed, after


def find(
    connection: apsw.Connection, sets: Sets, asked: Asked, keys: CursorKeys, place: tuple[bool, list[Any]] | None
) -> SearchPage:
    """A page of what was asked for. It runs in a worker thread: marking long texts takes time too."""
    with connection:  # one moment for all of it
        if asked.query.meaningless or not made(connection, asked.catalog):
            return _nothing(asked)
        relaxed = place is not None and place[0]
        matching = _relaxed(connection, asked) if relaxed else _matching(connection, asked, asked.query, asked.match)
        passing = Passing.of(connection, sets, matching, asked.facets)
        total = strict = _total(connection, matching, passing)
        if not total and asked.match == "relaxed" and place is None and len(asked.query.wanted) > 1:
            matching = _relaxed(connection, asked)
            passing = Passing.of(connection, sets, matching, asked.facets)
            total = _total(connection, matching, passing)
            relaxed = total > 0
        rows = _rows(connection, sets, asked, matching, passing, None if place is None else place[1])
        marker = Marker(asked.query.wanted)
        hits = tuple(_hit(connection, asked, marker, row) for row in rows[: asked.limit])
        sealed = None
        if len(rows) > asked.limit:
            after = _place(asked, rows[: asked.limit], None if place is None else place[1])
            sealed = seal(keys, asked.list_name, [relaxed, after])
        counted = facets.counted(connection, matching, passing, asked.facets, asked.chosen, asked.most_values)
        suggestion = None
        if asked.suggest and place is None and asked.query.wanted and strict <= FEW:
            suggestion = _suggestion(connection, sets, asked, strict)
    return SearchPage(hits, sealed, total, Named(counted), relaxed, suggestion)


def _nothing(asked: Asked) -> SearchPage:
    return SearchPage((), None, 0, Named(facets.with_chosen({name: [] for name in asked.facets}, asked.chosen)))


def _total(connection: apsw.Connection, matching: Matching, passing: Passing | None) -> int:
    return reads.count(connection, matching) if passing is None else passing.total


def _matching(connection: apsw.Connection, asked: Asked, query: Query, match: Match) -> Matching:
    restrictions = reads.restrictions(connection, asked.catalog, asked.chosen, query.conditions)
    joined: Joined = "OR" if match == "any" else "AND"
    name = asked.catalog.name_field
    return Matching(
        asked.catalog,
        query.expression(joined),
        query.excluded,
        restrictions,
        asked.ended,
        asked.named,
        in_names=query.expression(joined, name),
        best=query.expression(joined, scored=True),
        best_in_names=query.expression(joined, name, scored=True),
    )


def _relaxed(connection: apsw.Connection, asked: Asked) -> Matching:
    """Any of the words; the common ones only if nothing has the others."""
    some = without_common(connection, asked.catalog, asked.query)
    matching = _matching(connection, asked, some, "any")
    if some is asked.query or common_words.more_than(connection, matching, 0):
        return matching
    return _matching(connection, asked, asked.query, "any")


def _rows(
    connection: apsw.Connection,
    sets: Sets,
    asked: Asked,
    matching: Matching,
    passing: Passing | None,
    after: Sequence[Any] | None,
) -> list[Row]:
    limit = asked.limit + 1  # one more, so that the end is known when it is reached
    members = None if passing is None else passing.members
    if asked.sort is not None:
        return reads.by_sort(connection, matching, members, asked.sort, after, limit)
    first = asked.query.expression("AND") if asked.match == "any" and len(asked.query.wanted) > 1 else None
    if first is None and common_words.apply_to(connection, matching, after):
        return common_words.rows(connection, sets, matching, members, after, limit)
    return best_first.rows(connection, matching, first, members, after, limit)


def _place(asked: Asked, page: Sequence[Row], after: Sequence[Any] | None) -> list[Any]:
    """Where the next page begins, in words that are the same for every index of the same documents."""
    if asked.sort is not None:
        return list(page[-1][:-1])
    return best_first.place_after(after, page, common_words.SCORED)


def _hit(connection: apsw.Connection, asked: Asked, marker: Marker, row: Row) -> Hit:
    identity = row[-2]
    if not asked.query.wanted:
        return Hit(identity, 0.0, _NO_MARKS)
    texts = reads.texts_of(connection, asked.catalog, row)
    score = -row[1] if asked.sort is None and row[0] in common_words.SCORED else 0.0
    return Hit(identity, score, {name: marker.mark(text) for name, text in texts.items()})


def _suggestion(connection: apsw.Connection, sets: Sets, asked: Asked, found: int) -> str | None:
    def sample(text: str) -> tuple[int, str | None]:
        query = parse(text, asked.catalog.filters)
        matching = _matching(connection, asked, query, "all")
        total = reads.count(connection, matching) if query.wanted else 0
        if not total:
            return 0, None
        if common_words.apply_to(connection, matching, None):
            best = common_words.rows(connection, sets, matching, None, None, 1)
        else:
            best = reads.best_matches(connection, matching, 1)
        words = " ".join(each[:_WORDS_SHOWN] for each in reads.texts_of(connection, asked.catalog, best[0]).values())
        return total, words

    return corrected(connection, asked.catalog, asked.text, asked.query, found, sample)


def chosen(filters: Mapping[str, Wanted]) -> tuple[Chosen, ...]:
    """What programs narrow a list by."""
    return tuple(_chosen(name, wanted) for name, wanted in sorted(filters.items()))


def _chosen(name: str, wanted: Wanted) -> Chosen:
    if isinstance(wanted, str):
        return name, "AND", (readable_text(wanted),)
    return name, "OR" if isinstance(wanted, frozenset) else "AND", tuple(sorted(map(readable_text, wanted)))
