"""TransactGetItems, TransactWriteItems and BatchGetItem."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import apsw
import orjson

from partita.dynamo.capacity import Capacity, read_units
from partita.dynamo.errors import (
    ConditionalCheckFailedError,
    IdempotentParameterMismatchError,
    TransactionCanceledError,
    ValidationError,
)
from partita.dynamo.limits import BATCH_GET_BYTES, TOKEN_SECONDS, TRANSACTION_BYTES
from partita.dynamo.requests import (
    BatchGetItem,
    ConditionCheck,
    PutItem,
    TransactAction,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from partita.dynamo.wire import render
from partita.engine import key_paths, rows, writes
from partita.engine.catalog import Catalog
from partita.engine.definitions import Table
from partita.engine.item_collections import collection_metrics
from partita.engine.reads import Load, Response, projected_item
from partita.engine.rows import Change, Row
from partita.engine.writer import Transaction

_TOO_LARGE = "Transaction request size cannot exceed 4 MB"
_DUPLICATE = "Transaction request cannot include multiple operations on one item"


def batch_get(connection: apsw.Connection, catalog: Catalog, request: BatchGetItem, load: Load) -> Response:
    """BatchGetItem: at most 16 MB; keys beyond that come back as unprocessed."""
    plans = []
    for name, wanted in request.tables.items():
        table = catalog.table(name)
        key_paths.check_projection(table, wanted.projection)
        stored = [rows.key_of_key(table, key) for key in wanted.keys]
        if len(set(stored)) != len(stored):
            raise ValidationError("Provided list of item keys contains duplicates")
        plans.append((name, table, wanted, stored))
    writes.check_named_once([table for _, table, _, _ in plans])
    responses: dict[str, list[Any]] = {}
    unprocessed: dict[str, Any] = {}
    capacities = []
    total = 0
    for name, table, wanted, stored in plans:
        found = responses.setdefault(name, [])  # by name or ARN, as in the request
        capacity = Capacity(table.name, "read")
        for position, key in enumerate(stored):
            row = rows.find(connection, table, key)
            total += 0 if row is None else row.size
            if total > BATCH_GET_BYTES:
                unprocessed[name] = _rest(request, name, position)
                break
            capacity.base += read_units(0 if row is None else row.size, consistent=wanted.consistent)
            if row is not None:
                found.append(projected_item(row.body, wanted.projection, load))
        capacities.append(capacity)
    response: Response = {"Responses": responses, "UnprocessedKeys": unprocessed}
    if request.capacity != "NONE":
        response["ConsumedCapacity"] = [capacity.wire(request.capacity) for capacity in capacities]
    return response


def _rest(request: BatchGetItem, name: str, position: int) -> dict[str, Any]:
    _, wire = render(request)
    member: dict[str, Any] = wire["RequestItems"][name]
    return {**member, "Keys": member["Keys"][position:]}


def transact_get(connection: apsw.Connection, catalog: Catalog, request: TransactGetItems, load: Load) -> Response:
    """TransactGetItems: all as of one moment."""
    tables = [catalog.table(get.table) for get in request.gets]
    reasons, stored = [], []
    for table, get in zip(tables, request.gets, strict=True):
        key_paths.check_projection(table, get.projection)
        try:
            stored.append((table.id, rows.key_of_key(table, get.key)))
            reasons.append({"Code": "None"})
        except ValidationError as error:
            reasons.append({"Code": "ValidationError", "Message": error.message})
    if any(reason["Code"] != "None" for reason in reasons):
        raise TransactionCanceledError(reasons)
    if len(set(stored)) != len(stored):
        raise ValidationError(_DUPLICATE)
    capacities: dict[str, Capacity] = {}
    responses: list[Any] = []
    total = 0
    for table, get, (_, key) in zip(tables, request.gets, stored, strict=True):
        row = rows.find(connection, table, key)
        size = 0 if row is None else row.size
        total += size
        if total > TRANSACTION_BYTES:
            raise ValidationError(_TOO_LARGE)
        capacity = capacities.setdefault(table.name, Capacity(table.name, "read"))
        capacity.base += read_units(size, consistent=True, transactional=True)
        item = {} if row is None else projected_item(row.body, get.projection, load)
        responses.append({"Item": item} if item else {})  # also where there is nothing to project, unlike a GetItem
    response: Response = {"Responses": responses}
    if request.capacity != "NONE":
        response["ConsumedCapacity"] = [each.wire(request.capacity, split=True) for each in capacities.values()]
    return response


def transact_write(transaction: Transaction, request: TransactWriteItems, load: Load) -> Response:
    """TransactWriteItems: every action is checked before the first is done; if one fails, the reasons say which."""
    sizes = [rows.checked_size(action.item) if isinstance(action, PutItem) else 0 for action in request.actions]
    tables = [transaction.catalog.table(action.table) for action in request.actions]
    fingerprint = b"" if request.token is None else _fingerprint(request)
    if request.token is not None and _already_done(transaction, request.token, fingerprint):
        return _replayed(transaction, request, tables)
    checked = _checked(transaction, tables, request.actions, sizes)
    planned: list[Change | None] = []
    reasons: dict[int, dict[str, Any]] = {}
    total = 0
    for position, (table, action, (key, row, put)) in enumerate(zip(tables, request.actions, checked, strict=True)):
        try:
            if action.condition is not None:
                writes.check_condition(action.condition, row, action.on_failure, load)
            change, size = (put, put.size) if put is not None else _planned(table, action, key, row)
            total += size
            planned.append(change)
        except ConditionalCheckFailedError as error:
            reasons[position] = {"Code": "ConditionalCheckFailed", "Message": error.message}
            if error.item is not None:
                reasons[position]["Item"] = error.item
        except ValidationError as error:
            reasons[position] = {"Code": "ValidationError", "Message": error.message}
    if total > TRANSACTION_BYTES:
        raise ValidationError(_TOO_LARGE)
    if reasons:
        raise _canceled(request.actions, reasons)
    return _perform(transaction, request, tables, planned, fingerprint)


def _checked(
    transaction: Transaction, tables: list[Table], actions: tuple[TransactAction, ...], sizes: list[int]
) -> list[tuple[bytes, Row | None, Change | None]]:
    """The stored key and row of every action, and the change of a put: all that is valid whatever the item holds.

    The first invalid action is the reason, and the only one: conditions are not looked at. Two actions on one item,
    and an empty key of a table or an index, refuse the request as a whole.
    """
    checked: list[tuple[bytes, Row | None, Change | None]] = []
    touched: set[tuple[int, bytes]] = set()
    first: tuple[int, str] | None = None
    updates: list[tuple[Table, UpdateItem]] = []
    for position, (table, action, size) in enumerate(zip(tables, actions, sizes, strict=True)):
        put = None
        if action.condition is not None:
            key_paths.check_condition(table, action.condition)
        try:
            key = _key(table, action)
            if (table.id, key) in touched:
                raise _DuplicateError
            touched.add((table.id, key))
            if type(action) is UpdateItem:
                writes.check_update_keys(table, action)
                updates.append((table, action))
                if table.indexes and action.update is not None:
                    rows.check_index_literals(table, action.update)
            row = rows.find(transaction.connection, table, key)
            if type(action) is PutItem:
                put = rows.plan(table, key, row, None if row is None else row.item, action.item, size=size)
        except rows.EmptyKeyError:
            raise
        except ValidationError as error:
            first = first or (position, error.message)
        except _DuplicateError:
            raise ValidationError(_DUPLICATE) from None
        else:
            checked.append((key, row, put))
    for table, update in updates:
        key_paths.check_update(table, update.update)
    if first is not None:
        raise _canceled(actions, {first[0]: {"Code": "ValidationError", "Message": first[1]}})
    return checked


def _canceled(actions: tuple[TransactAction, ...], reasons: dict[int, dict[str, Any]]) -> TransactionCanceledError:
    return TransactionCanceledError([reasons.get(position, {"Code": "None"}) for position in range(len(actions))])


class _DuplicateError(Exception):
    """Two actions on one item."""


def _key(table: Table, action: TransactAction) -> bytes:
    return rows.key_of_item(table, action.item) if isinstance(action, PutItem) else rows.key_of_key(table, action.key)


def _planned(table: Table, action: TransactAction, key: bytes, row: Row | None) -> tuple[Change | None, int]:
    if isinstance(action, ConditionCheck):
        return None, 0 if row is None else row.size
    old = None if row is None else row.item
    if isinstance(action, UpdateItem):
        change = rows.plan(table, key, row, old, writes.updated(action, old), updating=True)
    else:
        change = rows.plan(table, key, row, old, None)
    return change, change.size


def _perform(
    transaction: Transaction,
    request: TransactWriteItems,
    tables: list[Table],
    planned: list[Change | None],
    fingerprint: bytes,
) -> Response:
    capacities: dict[str, Capacity] = {}
    metrics: dict[str, list[Any]] = {}
    capacity: Capacity | None = None
    for table, action, change in zip(tables, request.actions, planned, strict=True):
        if request.capacity != "NONE":
            capacity = capacities.setdefault(table.name, Capacity(table.name, "write"))
        if change is None:
            if capacity is not None:
                capacity.base += 2.0
            continue
        rows.perform(transaction, change, capacity, transactional=True)
        if request.metrics == "SIZE" and not isinstance(action, ConditionCheck):
            key = action.item if isinstance(action, PutItem) else action.key
            found = collection_metrics(transaction.connection, table, key)
            if found is not None:
                metrics.setdefault(table.name, []).append(found)
    if request.token is not None:
        transaction.execute(
            "INSERT OR REPLACE INTO tokens (token, request, expires) VALUES (?, ?, ?)",
            (request.token, fingerprint, transaction.now + TOKEN_SECONDS),
        )
    response: Response = {}
    if request.capacity != "NONE":
        response["ConsumedCapacity"] = [each.wire(request.capacity, split=True) for each in capacities.values()]
    if metrics:
        response["ItemCollectionMetrics"] = metrics
    return response


def _fingerprint(request: TransactWriteItems) -> bytes:
    _, wire = render(request)
    return sha256(orjson.dumps(wire["TransactItems"], option=orjson.OPT_SORT_KEYS)).digest()


def _already_done(transaction: Transaction, token: str, fingerprint: bytes) -> bool:
    """Whether the same request was done with this token within ten minutes."""
    statement = "SELECT request FROM tokens WHERE token = ? AND expires > ?"
    for (stored,) in transaction.execute(statement, (token, transaction.now)):
        if stored != fingerprint:
            raise IdempotentParameterMismatchError(
                "ClientRequestToken was used before with other parameters. Use a new token for a new request."
            )
        return True
    return False


def _replayed(transaction: Transaction, request: TransactWriteItems, tables: list[Table]) -> Response:
    """The response to a repeated request: nothing is written, and it costs as much as reading the items."""
    if request.capacity == "NONE":
        return {}
    capacities: dict[str, Capacity] = {}
    for table, action in zip(tables, request.actions, strict=True):
        row = rows.find(transaction.connection, table, _key(table, action))
        capacity = capacities.setdefault(table.name, Capacity(table.name, "read"))
        capacity.base += read_units(0 if row is None else row.size, consistent=True, transactional=True)
    return {"ConsumedCapacity": [each.wire(request.capacity, split=True) for each in capacities.values()]}
