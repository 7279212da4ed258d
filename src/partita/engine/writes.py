"""PutItem, UpdateItem, DeleteItem and BatchWriteItem inside the writer's transaction."""

from __future__ import annotations

from typing import Any

from partita.dynamo.capacity import Capacity
from partita.dynamo.errors import ConditionalCheckFailedError, ValidationError
from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.expressions.paths import project
from partita.dynamo.expressions.sections import in_sections
from partita.dynamo.expressions.tree import Condition, SetAction, UpdateAction
from partita.dynamo.expressions.update import apply, only_removes
from partita.dynamo.requests import BatchWriteItem, DeleteItem, PutItem, UpdateItem
from partita.dynamo.values import Item
from partita.engine import key_paths, rows
from partita.engine.definitions import Table
from partita.engine.item_collections import collection_metrics
from partita.engine.reads import Load, Response
from partita.engine.rows import Change, Row
from partita.engine.writer import Transaction


def put(transaction: Transaction, request: PutItem, load: Load) -> Response:
    """PutItem."""
    size = rows.checked_size(request.item)  # told before a missing table
    table = transaction.catalog.table(request.table)
    key_paths.check_condition(table, request.condition)
    key = rows.key_of_item(table, request.item)
    row = rows.find(transaction.connection, table, key)
    old = _item(row) if _needs_old(table) else None
    # An invalid item is refused before anything is read, whatever the condition.
    change = rows.plan(table, key, row, old, request.item, size=size)
    check_condition(request.condition, row, request.on_failure, load)
    response = _perform(transaction, request, change)
    if request.returns == "ALL_OLD" and row is not None:
        response["Attributes"] = load(row.body)
    return response


def delete(transaction: Transaction, request: DeleteItem, load: Load) -> Response:
    """DeleteItem."""
    table = transaction.catalog.table(request.table)
    key_paths.check_condition(table, request.condition)
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
    key_paths.check_condition(table, request.condition)
    key = rows.key_of_key(table, request.key)
    check_update_keys(table, request)
    key_paths.check_update(table, request.update)
    if table.indexes and request.update is not None:
        rows.check_index_literals(table, request.update)  # whatever the condition, as in a put
    row = rows.find(transaction.connection, table, key)
    check_condition(request.condition, row, request.on_failure, load)
    old = _item(row)
    new = updated(request, old)
    response = _perform(transaction, request, rows.plan(table, key, row, old, new, updating=True))
    attributes = _returned(request, old, new)
    if attributes is not None:
        response["Attributes"] = attributes
    return response


def updated(request: UpdateItem, old: Item | None) -> Item | None:
    """The item after an update; a new one starts with its key, and none is made only to remove something from it."""
    update = request.update
    if old is None:
        if update is not None and only_removes(update):
            return None
        old = dict(request.key)
    return old if update is None else apply(update, old)


def check_update_keys(table: Table, request: UpdateItem) -> None:
    """Refuse an update of a key attribute: an item cannot move."""
    if request.update is None:
        return
    names = [name for name, _ in table.keys]
    for action in request.update.actions:
        if action.path.parts[0] in names and _writes_attribute(action):
            written = (each.path.parts[0] for each in in_sections(request.update).actions if _writes_attribute(each))
            raise ValidationError(
                "One or more parameter values were invalid: Cannot update attribute "
                f"{next(name for name in written if name in names)}. This attribute is part of the key"
            )


def _writes_attribute(action: UpdateAction) -> bool:
    """Whether an action counts as one on the attribute; what else reaches inside a key has the sentence of paths."""
    return len(action.path.parts) == 1 or type(action) is SetAction


def _returned(request: UpdateItem, old: Item | None, new: Item | None) -> Item | None:
    if new is None:
        return None
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


def check_named_once(tables: list[Table]) -> None:
    """Refuse a table that is named twice in a batch, once by its name and once by its ARN."""
    if len({table.id for table in tables}) != len(tables):
        raise ValidationError("One or more parameter values were invalid: a table is named by name and by ARN")


def batch_write(transaction: Transaction, request: BatchWriteItem, _load: Load) -> Response:
    """BatchWriteItem: every item is checked before the first is written."""
    changes: list[tuple[PutItem | DeleteItem, Change]] = []
    sizes = [
        [rows.checked_size(entry.item) if isinstance(entry, PutItem) else 0 for entry in entries]
        for entries in request.tables.values()
    ]
    tables = [transaction.catalog.table(name) for name in request.tables]
    check_named_once(tables)
    for table, entries, own_sizes in zip(tables, request.tables.values(), sizes, strict=True):
        seen: set[bytes] = set()
        for entry, size in zip(entries, own_sizes, strict=True):
            if isinstance(entry, PutItem):
                if not rows.has_key(table, entry.item):
                    raise ValidationError(rows.NO_KEY)
                key, new = rows.key_of_item(table, entry.item), entry.item
            else:
                key, new = rows.key_of_key(table, entry.key), None
            if key in seen:
                raise ValidationError("Provided list of item keys contains duplicates")
            seen.add(key)
            row = rows.find(transaction.connection, table, key)
            old = _item(row) if _needs_old(table) else None
            changes.append((entry, rows.plan(table, key, row, old, new, size=size)))
    capacities: dict[str, Capacity] = {}
    metrics: dict[str, list[Any]] = {}
    capacity: Capacity | None = None
    for entry, change in changes:
        name = change.table.name
        if request.capacity != "NONE":
            capacity = capacities.setdefault(name, Capacity(name, "write"))
        rows.perform(transaction, change, capacity)
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
