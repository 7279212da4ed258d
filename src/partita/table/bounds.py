"""Bounds inside a stretch of sort keys: DynamoDB takes one condition on the sort key, so both ends make one BETWEEN."""

from __future__ import annotations

from partita.dynamo.expressions.tree import Between, Comparator, Path, Value
from partita.table.errors import KeyPartError

_LAST = "\U0010ffff"
"""The last of all characters: no sensible key that starts with a text comes after that text and this."""


def bounded(start: str, path: Path, operator: Comparator, bound: str) -> Between:
    """Keys that start with `start` and compare with `bound` like that."""
    if not bound.startswith(start) or bound == start:
        raise KeyPartError(f"{bound!r} does not lie inside {start!r}, which the query is about: give the next part")
    low, high = start, start + _LAST
    if operator == ">=":
        low = bound
    elif operator == ">":
        low = bound + "\0"
    elif operator == "<=":
        high = bound
    else:
        high = _before(bound)
    return Between(path, Value({"S": low}), Value({"S": high}))


def _before(text: str) -> str:
    """The text right before this one."""
    last = ord(text[-1])
    if last == 0:
        return text[:-1]
    return text[:-1] + ("\ud7ff" if last == 0xE000 else chr(last - 1)) + _LAST
