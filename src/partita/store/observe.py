"""Observing calls: what was asked of which table and index, what it cost and how long it took."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from partita.dynamo.errors import DynamoError
from partita.dynamo.requests import (
    BatchGetItem,
    BatchWriteItem,
    GetItem,
    ItemRequest,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
)
from partita.table.effects import Unreadable


@dataclass(frozen=True, slots=True)
class Observation:
    """One call."""

    operation: str
    tables: tuple[str, ...]
    index: str | None
    items: int
    """How many were read or written."""
    units: float
    seconds: float
    error: str | None = None
    """DynamoDB's name of the error, or the exception's."""

    @property
    def is_write(self) -> bool:
        return self.operation in _WRITES


Observer = Callable[[Observation], None]
UnreadableObserver = Callable[[Unreadable], None]
_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
_log = logging.getLogger("partita.store")


def log_unreadable(row: Unreadable) -> None:
    """Say in the log which row was passed over, and why; what is stored in it stays out."""
    why = "; ".join(f"{field}: {reason}" for field, reason in row.wrong)
    _log.warning(
        "%s in %s under %s cannot be read and was passed over: %s. `partita doctor` finds all such rows.",
        row.item_type,
        row.table,
        row.key,
        why,
        extra={"table": row.table, "item_type": row.item_type, "key": row.key},
    )


def measured(request: ItemRequest) -> ItemRequest:
    """The same request, asking what it costs."""
    return replace(request, capacity="INDEXES") if request.capacity == "NONE" else request


def observation(request: ItemRequest, response: dict[str, Any], seconds: float, error: str | None) -> Observation:
    """What there is to say of a call."""
    consumed = response.get("ConsumedCapacity") or []
    entries = consumed if isinstance(consumed, list) else [consumed]
    return Observation(
        operation=type(request).__name__,
        tables=tables_of(request),
        index=getattr(request, "index", None),
        items=_items(request, response) if error is None else 0,
        units=sum(entry["CapacityUnits"] for entry in entries),
        seconds=seconds,
        error=error,
    )


def error_name(failed: BaseException) -> str:
    """How an observation names what went wrong."""
    return failed.code if isinstance(failed, DynamoError) else type(failed).__name__


def tables_of(request: ItemRequest) -> tuple[str, ...]:
    """The tables a request is about."""
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
    match request:
        case GetItem():
            return int("Item" in response)
        case Query() | Scan():
            return int(response["Count"])
        case BatchGetItem():
            return sum(map(len, response["Responses"].values()))
        case BatchWriteItem(tables=tables):
            left = response.get("UnprocessedItems") or {}
            return sum(map(len, tables.values())) - sum(map(len, left.values()))
        case TransactGetItems():
            return sum("Item" in found for found in response["Responses"])
        case TransactWriteItems(actions=actions):
            return len(actions)
        case _:
            return 1
