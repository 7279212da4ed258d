"""A request in a line, for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from partita.dynamo.requests import Scan
from partita.dynamo.wire import render
from partita.table.errors import SchemaError
from partita.table.lists import needs_second_read
from partita.table.queries import BatchGet, Get, Query
from partita.table.writes import Check, Delete, Put, Transaction, Update

_PLACEHOLDER = re.compile(r"[#:]\w+")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a request does: the operation, on which index, on which condition, and what else there is to say."""

    operation: str
    index: str | None = None
    condition: str = ""
    more: tuple[str, ...] = ()
    change: str = ""
    """What an update does."""

    def __str__(self) -> str:
        return ", ".join((self.operation + (f" on {self.index}" if self.index else ""), *self.more))

    def markdown(self) -> str:
        """As a cell of a table."""
        clauses = " WHERE ".join(filter(None, (self.change, self.condition))).replace("|", "\\|")
        return f"{self}: `{clauses}`" if clauses else str(self)


def summary(request: Any) -> Summary:
    """A request in short."""
    if isinstance(request, Scan):
        return Summary("Scan", request.index)
    if not isinstance(request, Get | Query | BatchGet | Put | Update | Delete | Check | Transaction):
        raise SchemaError(f"{request!r} is no request: return a Get, a Query, a BatchGet or a write")
    sent: Any = request.request()
    operation, wire = render(sent)
    match request:
        case Query():
            return Summary(
                operation, wire.get("IndexName"), filled(wire, "KeyConditionExpression"), tuple(_more(request))
            )
        case BatchGet(keys=keys):
            return Summary(f"{operation} of {len(keys)} keys")
        case Transaction(writes=writes):
            return Summary(f"{operation} of {len(writes)} writes")
    if "Key" not in wire:
        return Summary(operation, condition=filled(wire, "ConditionExpression"))
    key = " AND ".join(f"{name} = {_literal(value)}" for name, value in wire["Key"].items())
    return Summary(operation, condition=key, change=filled(wire, "UpdateExpression"))


def _more(query: Query[Any]) -> Iterator[str]:
    if not query.forward:
        yield "backwards"
    if query.filter is not None:
        yield "filtered"
    if query.shards > 1:
        yield f"merged from {query.shards} shards"
    if needs_second_read(query):
        yield "then BatchGetItem"


def filled(wire: dict[str, Any], member: str) -> str:
    """An expression with its placeholders filled in; nothing if the request has none."""
    names, values = wire.get("ExpressionAttributeNames", {}), wire.get("ExpressionAttributeValues", {})

    def meant(match: re.Match[str]) -> str:
        alias = match[0]
        return str(names[alias]) if alias in names else _literal(values[alias]) if alias in values else alias

    return _PLACEHOLDER.sub(meant, wire.get(member, ""))


def cell(text: str) -> str:
    """Text as it is in a cell of a Markdown table."""
    return re.sub(r"([|<*_])", r"\\\1", text.replace("\n", " "))


def _literal(value: dict[str, Any]) -> str:
    ((kind, content),) = value.items()
    if kind == "N":
        return str(content)
    if kind == "L":
        return "[" + ", ".join(map(_literal, content)) + "]"
    return repr(content)
