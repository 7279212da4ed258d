"""What a pattern sends and costs, without running it."""

from __future__ import annotations

import json
import re
from typing import Any

from partita.dynamo.capacity import read_units
from partita.dynamo.requests import GetItem
from partita.dynamo.wire import render
from partita.table.patterns import Pattern
from partita.table.queries import Get, Query

_ITEM_BYTES = 1024
_PAGE = 25


def explain(pattern: Pattern, *, items: int = _PAGE, item_bytes: int = _ITEM_BYTES) -> str:
    """A pattern's request, index, key condition, cost and warnings, as text."""
    request = pattern.request()
    operation, wire = render(request.request())
    lines = [
        f"{pattern.label}{_readable(pattern)}",
        f"  {pattern.name}" + ("" if pattern.documented else "   (not in the document: it solves a problem there)"),
        f"  {operation} on {pattern.table.name}" + (f", index {wire['IndexName']}" if "IndexName" in wire else ""),
    ]
    if "KeyConditionExpression" in wire:
        lines.append(f"  where {filled(wire, 'KeyConditionExpression')}")
    if "FilterExpression" in wire:
        lines.append(f"  keeping {filled(wire, 'FilterExpression')}")
    lines.append(f"  costs {cost(request, items, item_bytes)}")
    lines += [f"  warning: {warning}" for warning in warnings(request)]
    lines += ["", *("    " + line for line in json.dumps(wire, indent=2, ensure_ascii=False).splitlines())]
    return "\n".join(lines)


def _readable(pattern: Pattern) -> str:
    """The signature as people write it: without the names of modules, and without the quotes of late annotations."""
    unquoted = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(pattern.signature))
    return re.sub(r"\b(?:[a-z_]\w*\.)+", "", unquoted)


def filled(wire: dict[str, Any], member: str) -> str:
    """An expression with its placeholders filled in, for people."""
    text: str = wire[member]
    for alias, name in sorted(wire.get("ExpressionAttributeNames", {}).items(), reverse=True):
        text = text.replace(alias, name)
    for alias, value in sorted(wire.get("ExpressionAttributeValues", {}).items(), reverse=True):
        text = text.replace(alias, repr(next(iter(value.values()))))
    return text


def cost(request: Get[Any] | Query[Any], items: int, item_bytes: int) -> str:
    """Read units for so many items of such a size."""
    sent = request.request()
    if isinstance(sent, GetItem):
        return f"{read_units(item_bytes, consistent=sent.consistent):g} read units for an item of {item_bytes:,} bytes"
    units = read_units(items * item_bytes, consistent=sent.consistent)
    assert isinstance(request, Query)  # what is no get is a query
    more = f", {request.shards} queries, one per shard" if request.shards > 1 else ""
    return f"{units:g} read units for a page of {items} items of {item_bytes:,} bytes{more}"


def warnings(request: Get[Any] | Query[Any]) -> list[str]:
    """What a reader of the request should know."""
    found: list[str] = []
    if not isinstance(request, Query):
        return found
    if request.filter is not None:
        found.append("the filter drops rows after they are read and paid for")
    if request.index is not None and request.index.projection == "KEYS_ONLY":
        found.append(f"{request.index.name} holds keys only: the items take a second read")
    names = {item_type.__name__ for item_type in request.item_types}
    if request.index is None and request.sort is None and not request.leading and request.table.sk is not None:
        others = [
            kind.__name__
            for kind in request.table.item_types
            if kind.__name__ not in names
            and any(kind.__layout__.pk.may_meet(mine.__layout__.pk) for mine in request.item_types)
        ]
        if others:
            found.append(f"reads past rows of {', '.join(others)} in the same partition")
    return found
