"""Trouble with access patterns: requests that fail, scan, discard what they read, or read more than they need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from partita.dynamo.expressions.tree import BeginsWith, Value
from partita.dynamo.requests import Scan
from partita.table.cost import cost
from partita.table.errors import ModelError
from partita.table.example_values import sample
from partita.table.examples import Examples
from partita.table.findings import Finding
from partita.table.items import Item
from partita.table.lists import needs_second_read
from partita.table.patterns import Pattern
from partita.table.queries import Query
from partita.table.tables import KeyName, Table
from partita.table.template import Template

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
                f"a page of {costs.items} costs {costs.units:g} read units: an item has {costs.item_bytes:,} bytes",
                "Keep what the list does not show in an item of its own or in the file store.",
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
    others = [kind.__name__ for kind in query.table.item_types if kind not in query.item_types and _meets(kind, query)]
    if others:
        yield _finding(
            "foreign-rows",
            pattern,
            f"reads past rows of {', '.join(others)} in the same partition",
            "Give the sort keys a prefix of their own, or the list an index that only its items are in.",
        )


def _meets(kind: type[Item], query: Query[Any]) -> bool:
    """Whether items of a type may stand in the stretch that a query reads."""
    for key, value in (*query.partition, *query.leading):
        if not _may_be(kind, key, next(iter(value.values()))):
            return False
    for key in query.sort_names()[len(query.leading) :]:
        if not kind.__layout__.makes(key.name):
            return False
    if isinstance(query.sort, BeginsWith) and isinstance(query.sort.prefix, Value):
        return _may_start(kind, query.sort_names()[len(query.leading)], query.sort.prefix.value["S"])
    return True


def _may_be(kind: type[Item], key: KeyName, text: str) -> bool:
    made = _template(kind, key)
    if made is not None:
        parts = made.parse(text)
        return parts is not None and all(sample(kind, field).fits(part) for field, part in parts.items())
    field = kind.__layout__.fields_by_name.get(key.name)
    return field is not None and sample(kind, field).fits(text)


def _may_start(kind: type[Item], key: KeyName, prefix: str) -> bool:
    """Whether a key of a type may start with a text."""
    made = _template(kind, key)
    if made is None:
        return True
    if not prefix.startswith(made.start):
        return made.start.startswith(prefix)
    rest = prefix[len(made.start) :]
    if not rest or not made.fields:
        return not rest
    first = sample(kind, made.fields[0])
    if get_origin(first.kind) is Literal:
        return any(str(choice).startswith(rest) or rest.startswith(str(choice)) for choice in get_args(first.kind))
    return rest[0].isdigit() if first.is_moment or first.is_day or first.kind is int else True


def _template(kind: type[Item], key: KeyName) -> Template | None:
    layout = kind.__layout__
    if key.name in layout.derived:
        return layout.derived[key.name]
    if key == layout.table.pk:
        return layout.pk
    return layout.sk if key == layout.table.sk else None


def _finding(code: str, pattern: Pattern, why: str, step: str) -> Finding:
    return Finding(code, pattern.label, pattern.function.__name__, why, step)
