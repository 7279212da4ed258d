"""Trouble with access patterns: requests that fail, scan, discard what they read, or read more than they need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from partita.dynamo.requests import Scan
from partita.table.check_keys import meets
from partita.table.cost import cost
from partita.table.errors import ModelError
from partita.table.examples import Examples
from partita.table.findings import Finding
from partita.table.lists import needs_second_read
from partita.table.patterns import Pattern
from partita.table.queries import Query
from partita.table.tables import Table

_PAGE = 25
_HEAVY = 0.5
"""Read units an item: a page that costs more than this per item costs more than reading each by its key."""


def findings(table: Table, examples: Examples) -> Iterator[Finding]:
    """What there is to say about a table's access patterns."""
    second_reads: dict[str, list[str]] = {}
    for pattern in table.patterns:
        try:
            request = pattern.request(examples)
            if isinstance(request, Scan):
                yield _finding("scan", pattern, "reads the whole table, whatever it finds", "Give the list an index.")
                continue
            costs = cost(request, examples, items=_PAGE)
        except ModelError as error:
            yield _finding("pattern-fails", pattern, str(error), "Mend the function, or its example arguments.")
            continue
        if not isinstance(request, Query):
            continue
        yield from _list(pattern, request)
        if needs_second_read(request) and request.index is not None:
            second_reads.setdefault(request.index.name, []).append(pattern.function.__name__)
        elif costs.units > _HEAVY * costs.items and request.shards == 1:
            yield _finding(
                "heavy-page",
                pattern,
                f"a page of {costs.items} costs {costs.units:g} read units: an item has about "
                f"{costs.item_bytes:,} bytes, going by its limits",
                "Keep what the list does not show in an item of its own or in the file store, or give it an index that "
                "leaves it out.",
            )
    for name, patterns in second_reads.items():
        yield Finding(
            "second-read",
            f"{table.name}.{name}",
            name,
            f"it does not hold the items that {', '.join(patterns)} want: each is read a second time, by key",
            "Project what the lists need, or live with half a read unit more for each item.",
        )


def _list(pattern: Pattern, query: Query[Any]) -> Iterator[Finding]:
    if query.filter is not None:
        yield _finding(
            "discarding-filter",
            pattern,
            "the filter drops rows after they are read and paid for",
            "Give the list a sparse index of its own, which holds only what passes.",
        )
    others = [kind.__name__ for kind in query.table.item_types if kind not in query.item_types and meets(kind, query)]
    if others:
        yield _finding(
            "foreign-rows",
            pattern,
            f"reads past rows of {', '.join(others)} in the same partition",
            "Give the sort keys a prefix of their own, or the list an index that only its items are in.",
        )


def _finding(code: str, pattern: Pattern, why: str, step: str) -> Finding:
    return Finding(code, pattern.label, pattern.function.__name__, why, step)
