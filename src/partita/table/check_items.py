"""Trouble with items: those that could pass 400 KB, and those that never expire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

from partita.dynamo import limits
from partita.table.example_values import sample
from partita.table.examples import Examples
from partita.table.findings import Finding
from partita.table.items import Item
from partita.table.markers import large_fields
from partita.table.suggest import nearest
from partita.table.tables import Table

_LONGEST_CHARACTER = 4


def findings(table: Table, _examples: Examples) -> Iterator[Finding]:
    """What there is to say about a table's item types."""
    for kind in table.item_types:
        yield from _size(table, kind)
    if table.ttl is not None and not any(kind.__layout__.makes(table.ttl) for kind in table.item_types):
        yield Finding(
            "never-expires",
            table.name,
            table.name,
            f"no item type stores an attribute {table.ttl}: nothing ever expires",
            _expiry(table, table.ttl),
        )


def _expiry(table: Table, ttl: str) -> str:
    """What to do about an expiry that no item has: it may be spelt as in Python, or otherwise wrong."""
    stored = {field: name for kind in table.item_types for field, name in kind.__layout__.names.items()}
    meant = stored.get(ttl) or nearest(ttl, stored.values())
    if meant is not None:
        return f"Did you mean ttl={meant!r}? Attributes are named as they are stored."
    return f"Give a type that attribute, or take ttl={ttl!r} away."


def _size(table: Table, kind: type[Item]) -> Iterator[Finding]:
    unbounded: list[str] = []
    most = 0
    for field, name in kind.__layout__.names.items():
        held = sample(kind, field)
        longest = held.limits.get("max_length")
        if name in large_fields(kind):
            most += large_fields(kind)[name]
        elif _grows(held.kind) and longest is None:
            unbounded.append(name)
        elif held.kind is str and longest is not None:
            most += longest * _LONGEST_CHARACTER
    why = ""
    if unbounded:
        why = f"{', '.join(unbounded)} {'has' if len(unbounded) == 1 else 'have'} no bound"
    elif most > limits.ITEM_BYTES:
        why = f"its texts together may take {most // 1024:,} KB"
    if why:
        yield Finding(
            "large-item",
            f"{table.name}: {kind.__name__}",
            kind.__name__,
            f"{why}; DynamoDB takes items of 400 KB, and a larger one is refused when it is written",
            "Give a max_length, or let it lie in a file with attribute(large=…), or keep it in items of its own.",
        )


def _grows(kind: Any) -> bool:
    """Whether a value may hold any number of members; a list of a few words that are known does not get long."""
    if get_origin(kind) not in (dict, tuple, list, set, frozenset):
        return False
    return get_origin(get_args(kind)[0]) is not Literal
