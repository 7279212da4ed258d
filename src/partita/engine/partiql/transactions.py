"""ExecuteTransaction: TransactGetItems and TransactWriteItems in statements."""

from __future__ import annotations

from typing import Any

import apsw
import orjson

from partita.dynamo.errors import DuplicateItemError, ResourceNotFoundError, TransactionCanceledError, ValidationError
from partita.dynamo.partiql.requests import ReadTransaction, WriteTransaction, in_transaction
from partita.dynamo.partiql.statements import DeleteOne, Exists, Insert, Select, UpdateOne, Write
from partita.dynamo.requests import (
    ConditionCheck,
    DeleteItem,
    FailureReturn,
    GetItem,
    PutItem,
    TransactAction,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from partita.engine import rows
from partita.engine import transactions as core
from partita.engine.catalog import Catalog
from partita.engine.definitions import Table
from partita.engine.partiql import writing
from partita.engine.partiql.plan import plan
from partita.engine.partiql.reading import columns
from partita.engine.partiql.single import One, one
from partita.engine.reads import Load, Response
from partita.engine.writer import Transaction

_UNKEYED = "Select statements within ExecuteTransaction must specify the primary key in the where clause."
UNCONDITIONAL = "EXISTS() must contain a single item read with additional condition"
_NONE: dict[str, Any] = {"Code": "None"}


def read(connection: apsw.Connection, catalog: Catalog, request: ReadTransaction, load: Load) -> Response:
    """ExecuteTransaction of SELECTs, each of one item by its key."""
    tables = _tables(catalog, [select.source.table for select in request.selects])
    found: list[One | None] = []
    for position, (table, select) in enumerate(zip(tables, request.selects, strict=True)):
        found.append(None if table is None else _read_key(position, table, select))
    _check_tables(tables)
    gets = []
    reasons = []
    for table, each in zip(tables, found, strict=True):
        assert table is not None  # they have been checked
        assert each is not None
        gets.append(GetItem(table=table.name, key=each.key, consistent=True))
        reasons.append(_key_reason(table, each))
    _check_reasons(reasons)
    plain = all(select.projection is None for select in request.selects)
    whole = TransactGetItems(gets=tuple(gets), capacity=request.capacity)
    response = core.transact_get(connection, catalog, whole, load if plain else orjson.loads)
    for answer, select in zip(response["Responses"], request.selects, strict=True):
        if select.projection is not None and "Item" in answer:
            answer["Item"] = columns(select.projection.paths, answer["Item"])
    return response


def _read_key(position: int, table: Table, select: Select) -> One:
    if select.source.index is not None:
        raise in_transaction(position, "Reads on indices are not supported within transactions.")
    found = one(table, select.where, choices=True)
    if found.is_whole(table) and not found.rest and not select.order:
        return found
    try:
        plan(table, select)
    except ValidationError as fault:
        raise in_transaction(position, fault.message) from None
    raise in_transaction(position, _UNKEYED)


def write(transaction: Transaction, request: WriteTransaction, load: Load) -> Response:
    """ExecuteTransaction of writes and checks."""
    tables = _tables(transaction.catalog, [each.source.table for each in request.writes])
    for position, (table, each) in enumerate(zip(tables, request.writes, strict=True)):
        if table is not None:
            _check_write(position, table, each)
    _check_tables(tables)
    reasons = []
    actions: list[TransactAction] = []
    for table, each, on_failure in zip(tables, request.writes, request.on_failure, strict=True):
        assert table is not None  # they have been checked
        action, reason = _action(table, each, on_failure)
        actions.append(action)
        reasons.append(reason)
    _check_reasons(reasons)
    whole = TransactWriteItems(actions=tuple(actions), token=request.token, capacity=request.capacity)
    try:
        response = core.transact_write(transaction, whole, load)
    except TransactionCanceledError as canceled:
        raise TransactionCanceledError(
            [_told(each, reason) for each, reason in zip(request.writes, canceled.reasons, strict=True)]
        ) from None
    return {"Responses": [], **response}


def _check_write(position: int, table: Table, write: Write | Exists) -> None:
    if isinstance(write, Exists):
        if write.source.index is not None:
            raise in_transaction(position, "Operations on indices are not supported in transactions")
        found = one(table, write.select.where)
        if not found.is_whole(table) or not found.rest or write.select.order:
            raise in_transaction(position, UNCONDITIONAL)
        return
    try:
        writing.check_table_only(write)
    except ValidationError as fault:
        raise in_transaction(position, fault.message) from None
    if isinstance(write, UpdateOne | DeleteOne) and write.returning is not None:
        raise in_transaction(position, "RETURNING clause is not supported in ExecuteTransaction.")


def _action(table: Table, write: Write | Exists, on_failure: FailureReturn) -> tuple[TransactAction, dict[str, Any]]:
    """The action of a statement, and the reason why it cannot be done, if there is one."""
    if isinstance(write, Insert):
        put = PutItem(table=table.name, item=write.item, condition=writing.missing(table), on_failure=on_failure)
        try:
            rows.key_of_item(table, write.item)
        except rows.EmptyKeyError:
            raise
        except ValidationError as fault:
            return put, _invalid(fault.message)
        return put, _NONE
    found = one(table, write.select.where if isinstance(write, Exists) else write.where)
    members: dict[str, Any] = {"table": table.name, "key": found.key, "on_failure": on_failure}
    reason = _key_reason(table, found, exists=isinstance(write, Exists))
    match write:
        case UpdateOne(_, update):
            return UpdateItem(update=update, condition=writing.existing(table, found.rest), **members), reason
        case DeleteOne():
            return DeleteItem(condition=writing.absent_or(table, found.rest), **members), reason
        case Exists():
            return ConditionCheck(condition=writing.existing(table, found.rest), **members), reason


def _key_reason(table: Table, found: One, *, exists: bool = False) -> dict[str, Any]:
    """A key that is not one of the table cancels the transaction; of EXISTS, the first of two values counts."""
    if found.twice is not None and not exists:
        return _invalid(rows.NO_KEY)
    try:
        rows.key_of_key(table, found.key)
    except rows.EmptyKeyError:
        raise
    except ValidationError as fault:
        return _invalid(fault.message)
    return _NONE


def _told(write: Write | Exists, reason: dict[str, Any]) -> dict[str, Any]:
    """An INSERT fails because its item is there."""
    if isinstance(write, Insert) and reason["Code"] == "ConditionalCheckFailed":
        item = {"Item": reason["Item"]} if "Item" in reason else {}
        return {"Code": "DuplicateItem", "Message": DuplicateItemError().message, **item}
    return reason


def _invalid(message: str) -> dict[str, Any]:
    return {"Code": "ValidationError", "Message": message}


def _tables(catalog: Catalog, names: list[str]) -> list[Table | None]:
    found: list[Table | None] = []
    for name in names:
        try:
            found.append(catalog.table(name))
        except ResourceNotFoundError:
            found.append(None)
    return found


def _check_tables(tables: list[Table | None]) -> None:
    """A missing table is told by itself, as of TransactWriteItems, after what is wrong with the statements."""
    if None in tables:
        raise ResourceNotFoundError("Requested resource not found")


def _check_reasons(reasons: list[dict[str, Any]]) -> None:
    if any(reason["Code"] != "None" for reason in reasons):
        raise TransactionCanceledError(reasons)
