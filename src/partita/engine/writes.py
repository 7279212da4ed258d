"""PutItem, UpdateItem, DeleteItem and BatchWriteItem inside the writer's transaction."""

from __future__ import annotations

from typing import Any

from partita.dynamo.capacity import Capacity
from partita.dynamo.errors import ConditionalCheckFailedError, ValidationError
from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.expressions.paths import project
from partita.dynamo.expressions.sections import in_sections
from partita.dynamo.expressions.tree import Condition
from partita.dynamo.expressions.update import apply
from partita.dynamo.requests import BatchWriteItem, DeleteItem, PutItem, UpdateItem
from partita.dynamo.values import Item
from partita.engine import rows
from partita.engine.definitions import Table
from partita.engine.item_collections import collection_metrics
from partita.engine.reads import Load, Response
from partita.engine.rows import Change, Row
from partita.engine.writer import Transaction


def put(transaction: Transaction, request: PutItem, load: Load) -> Response:
    """PutItem."""
    table = transaction.catalog.table(request.table)
    key = rows.key_of_item(table, request.item)
    row = rows.find(transaction.connection, table, key)
    old = _item(row) if _needs_old(table) else None
    # An invalid item is refused before anything is read, whatever the condition.
    change = rows.plan(table, key, row, old, request.item)
    check_condition(request.condition, row, request.on_failure, load)
    response = _perform(transaction, request, change)
    if request.returns == "ALL_OLD" and row is not None:
        response["Attributes"] = load(row.body)
    return response


def delete(transaction: Transaction, request: DeleteItem, load: Load) -> Response:
    """DeleteItem."""
    table = transaction.catalog.table(request.table)
    key = rows.key_of_key(table, request.key)
    row = rows.find(transaction.connection, table, key)
    check_condition(request.condition, row, request.on_failure, load)
    old = _item(row) if _needs_old(table) else None
    response = _perform(transaction, request, rows.plan(table, key, row, old, None))
    if request.returns == "ALL_OLD" and row is not None:
        response["Attributes"] = load(row.body)
    return response


def update(transaction: Transaction, request: UpdateItem, load: Load) -> Response:
    """UpdateItem."""
    table = transaction.catalog.table(request.table)
    key = rows.key_of_key(table, request.key)
    check_update_keys(table, request)
    row = rows.find(transaction.connection, table, key)
    check_condition(request.condition, row, request.on_failure, load)
    old = _item(row)
    new = updated(request, old)
    response = _perform(transaction, request, rows.plan(table, key, row, old, new, updating=True))
    attributes = _returned(request, old, new)
    if attributes is not None:
        response["Attributes"] = attributes
    return response


def updated(request: UpdateItem, old: Item | None) -> Item:
    """The item after an update; a new one starts with its key."""
    base = dict(request.key) if old is None else old
    return base if request.update is None else apply(request.update, base)


def check_update_keys(table: Table, request: UpdateItem) -> None:
    """Refuse an update of a key attribute: an item cannot move."""
    if request.update is None:
        return
    names = [name for name, _ in table.keys]
    for action in request.update.actions:
        if action.path.parts[0] in names:
            written = (each.path.parts[0] for each in in_sections(request.update).actions)
            raise ValidationError(
                "One or more parameter values were invalid: Cannot update attribute "
                f"{next(name for name in written if name in names)}. This attribute is part of the key"
            )


def _returned(request: UpdateItem, old: Item | None, new: Item) -> Item | None:
    paths = () if request.update is None else tuple(action.path for action in request.update.actions)
    match request.returns:
        case "ALL_OLD":
            return old
        case "ALL_NEW":
            return new
        case "UPDATED_OLD":
            return (None if old is None else project(paths, old)) or None
        case "UPDATED_NEW":
            return project(paths, new) or None
    return None


def check_condition(condition: Condition | None, row: Row | None, on_failure: str, load: Load) -> None:
    """Refuse the write if its condition does not hold."""
    if condition is not None and not holds(condition, _item(row) or {}):
        item = load(row.body) if row is not None and on_failure == "ALL_OLD" else None
        raise ConditionalCheckFailedError(item=item)


def _item(row: Row | None) -> Item | None:
    return None if row is None else row.item


def _needs_old(table: Table) -> bool:
    return bool(table.indexes) or table.stream is not None


def _perform(transaction: Transaction, request: PutItem | UpdateItem | DeleteItem, change: Change) -> Response:
    response: Response = {}
    capacity = Capacity(change.table.name, "write") if request.capacity != "NONE" else None
    rows.perform(transaction, change, capacity)
    if capacity is not None:
        response["ConsumedCapacity"] = capacity.wire(request.capacity)
    if request.metrics == "SIZE":
        key = request.item if isinstance(request, PutItem) else request.key
        metrics = collection_metrics(transaction.connection, change.table, key)
        if metrics is not None:
            response["ItemCollectionMetrics"] = metrics
    return response


def batch_write(transaction: Transaction, request: BatchWriteItem, _load: Load) -> Response:
    """BatchWriteItem: every item is checked before the first is written."""
    changes: list[tuple[PutItem | DeleteItem, Change]] = []
    for name, entries in request.tables.items():
        table = transaction.catalog.table(name)
        seen: set[bytes] = set()
        for entry in entries:
            if isinstance(entry, PutItem):
                key, new = rows.key_of_item(table, entry.item), entry.item
            else:
                key, new = rows.key_of_key(table, entry.key), None
            if key in seen:
                raise ValidationError("Provided list of item keys contains duplicates")
            seen.add(key)
            row = rows.find(transaction.connection, table, key)
            old = _item(row) if _needs_old(table) else None
            changes.append((entry, rows.plan(table, key, row, old, new)))
    capacities: dict[str, Capacity] = {}
    metrics: dict[str, list[Any]] = {}
    for entry, change in changes:
        name = change.table.name
        rows.perform(transaction, change, capacities.setdefault(name, Capacity(name, "write")))
        if request.metrics == "SIZE":
            key_item = entry.item if isinstance(entry, PutItem) else entry.key
            found = collection_metrics(transaction.connection, change.table, key_item)
            if found is not None:
                metrics.setdefault(name, []).append(found)
    response: Response = {"UnprocessedItems": {}}
    if request.capacity != "NONE":
        response["ConsumedCapacity"] = [capacity.wire(request.capacity) for capacity in capacities.values()]
    if metrics:
        response["ItemCollectionMetrics"] = metrics
    return response
