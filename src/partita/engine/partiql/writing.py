"""INSERT, UPDATE and DELETE: each is the write of one item, under a condition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from partita.dynamo.errors import ConditionalCheckFailedError, DuplicateItemError, ValidationError
from partita.dynamo.expressions.tree import And, AttributeExists, AttributeNotExists, Condition, Or, Path
from partita.dynamo.partiql.requests import WriteStatement
from partita.dynamo.partiql.statements import DeleteOne, Insert, UpdateOne, Write
from partita.dynamo.partiql.tree import Returned
from partita.dynamo.requests import DeleteItem, PutItem, UpdateItem, UpdateReturn, WriteReturn
from partita.engine import writes
from partita.engine.definitions import Table
from partita.engine.partiql.single import check_key_types, one
from partita.engine.reads import Load, Response
from partita.engine.writer import Transaction

_RETURNS: dict[Returned | None, UpdateReturn] = {
    None: "NONE",
    "ALL OLD": "ALL_OLD",
    "ALL NEW": "ALL_NEW",
    "MODIFIED OLD": "UPDATED_OLD",
    "MODIFIED NEW": "UPDATED_NEW",
}


def execute(transaction: Transaction, request: WriteStatement, load: Load) -> Response:
    """ExecuteStatement of a write: what RETURNING asks for is its item."""
    table = transaction.catalog.table(request.write.source.table)
    core = item_write(table, request.write)
    try:
        response = _RUN[type(core)](transaction, _with_options(core, request), load)
    except ConditionalCheckFailedError:
        if isinstance(core, PutItem):
            raise DuplicateItemError from None
        raise
    attributes = response.pop("Attributes", None)
    return {"Items": [] if attributes is None else [attributes], **response}


def item_write(table: Table, write: Write) -> PutItem | UpdateItem | DeleteItem:
    """The same write as an operation on an item."""
    check_table_only(write)
    match write:
        case Insert(_, item):
            check_key_types(table, item)
            return PutItem(table=table.name, item=item, condition=missing(table))
        case UpdateOne(_, update, where, returning):
            found = one(table, where)
            key = found.checked_key(table)
            returns = _RETURNS[returning]
            condition = existing(table, found.rest)
            return UpdateItem(table=table.name, key=key, update=update, condition=condition, returns=returns)
        case DeleteOne(_, where, returning):
            found = one(table, where)
            key = found.checked_key(table)
            old: WriteReturn = "NONE" if returning is None else "ALL_OLD"
            return DeleteItem(table=table.name, key=key, condition=absent_or(table, found.rest), returns=old)


def check_table_only(write: Write) -> None:
    """Nothing is written to an index."""
    if write.source.index is not None:
        raise ValidationError("This operation is not supported on an index")


def missing(table: Table) -> Condition:
    """An INSERT writes nothing over an item."""
    return AttributeNotExists(Path((table.hash[0],)))


def existing(table: Table, rest: tuple[Condition, ...]) -> Condition:
    """An UPDATE makes no item."""
    exists = AttributeExists(Path((table.hash[0],)))
    return And((exists, *rest)) if rest else exists


def absent_or(table: Table, rest: tuple[Condition, ...]) -> Condition | None:
    """A DELETE of nothing succeeds, whatever else it asks; of an item, all of that has to hold."""
    if not rest:
        return None
    return Or((missing(table), rest[0] if len(rest) == 1 else And(rest)))


def _with_options(
    core: PutItem | UpdateItem | DeleteItem, request: WriteStatement
) -> PutItem | UpdateItem | DeleteItem:
    return replace(core, on_failure=request.on_failure, capacity=request.capacity)


_RUN: dict[type, Callable[[Transaction, Any, Load], Response]] = {
    PutItem: writes.put,
    UpdateItem: writes.update,
    DeleteItem: writes.delete,
}
