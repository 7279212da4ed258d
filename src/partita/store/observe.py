"""Observing calls: what was asked of which table and index, what it cost and how long it took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from partita.dynamo.requests import BatchGetItem, BatchWriteItem, ItemRequest, TransactGetItems, TransactWriteItems


@dataclass(frozen=True, slots=True)
class Observation:
    """One call."""

    operation: str
    tables: tuple[str, ...]
    index: str | None
    items: int
    units: float
    seconds: float
    error: str | None = None


Observer = Callable[[Observation], None]


def measured(request: ItemRequest) -> ItemRequest:
    """The same request, asking what it costs."""
    return replace(request, capacity="INDEXES") if request.capacity == "NONE" else request


def observation(request: ItemRequest, response: dict[str, Any], seconds: float, error: str | None) -> Observation:
    """What there is to say of a call."""
    consumed = response.get("ConsumedCapacity") or []
    entries = consumed if isinstance(consumed, list) else [consumed]
    return Observation(
        operation=type(request).__name__,
        tables=_tables(request),
        index=getattr(request, "index", None),
        items=_items(request, response),
        units=sum(entry["CapacityUnits"] for entry in entries),
        seconds=seconds,
        error=error,
    )


def _tables(request: ItemRequest) -> tuple[str, ...]:
    match request:
        case BatchGetItem(tables=tables) | BatchWriteItem(tables=tables):
            return tuple(tables)
        case TransactGetItems(gets=gets):
            return tuple(dict.fromkeys(get.table for get in gets))
        case TransactWriteItems(actions=actions):
            return tuple(dict.fromkeys(action.table for action in actions))
        case _:
            return (request.table,)


def _items(request: ItemRequest, response: dict[str, Any]) -> int:
    if "Count" in response:
        return int(response["Count"])
    match request:
        case BatchGetItem():
            return sum(map(len, response.get("Responses", {}).values()))
        case BatchWriteItem(tables=tables):
            return sum(map(len, tables.values()))
        case TransactGetItems(gets=gets):
            return len(gets)
        case TransactWriteItems(actions=actions):
            return len(actions)
        case _:
            return 1 if "Item" in response or "Attributes" in response or not response else 0
