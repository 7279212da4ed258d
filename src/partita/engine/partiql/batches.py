"""BatchExecuteStatement: every statement for itself, its answer or its fault in its place."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import apsw
import orjson

from partita.dynamo.capacity import Capacity, Reported, write_units
from partita.dynamo.errors import (
    ConditionalCheckFailedError,
    DuplicateItemError,
    DynamoError,
    ResourceNotFoundError,
    ValidationError,
)
from partita.dynamo.expressions.tree import Condition
from partita.dynamo.partiql.requests import ReadBatch, ReadStatement, WriteBatch, WriteStatement
from partita.dynamo.partiql.statements import Insert
from partita.dynamo.requests import DeleteItem, GetItem, PutItem, UpdateItem
from partita.dynamo.size import item_size
from partita.dynamo.values import Item
from partita.engine import reads, rows
from partita.engine.catalog import Catalog
from partita.engine.definitions import Table
from partita.engine.partiql import writing
from partita.engine.partiql.plan import plan
from partita.engine.partiql.reading import columns
from partita.engine.partiql.single import check_key_types, one
from partita.engine.reads import Load, Response
from partita.engine.writer import Transaction

_UNKEYED = "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
_CODES: dict[type[DynamoError], str] = {
    ConditionalCheckFailedError: "ConditionalCheckFailed",
    DuplicateItemError: "DuplicateItem",
    ResourceNotFoundError: "ResourceNotFound",
    ValidationError: "ValidationError",
}
_FAULTS = tuple(_CODES)
_UNMET = (ConditionalCheckFailedError, DuplicateItemError)


def read(connection: apsw.Connection, catalog: Catalog, request: ReadBatch, load: Load) -> Response:
    """BatchExecuteStatement of SELECTs, each of one item by its key."""
    _check_distinct(catalog, [(each.tables[0], each.select.where) for each in _ran(request.entries, ReadStatement)])
    responses: list[Any] = []
    spent: dict[str, Capacity] = {}
    for entry in request.entries:
        try:
            if isinstance(entry, ValidationError):
                raise entry
            responses.append(_read_one(connection, catalog, entry, load, spent))
        except _FAULTS as fault:
            responses.append({"Error": _error(fault)})
    return {"Responses": responses, **_capacities(spent, request.capacity)}


def _read_one(
    connection: apsw.Connection, catalog: Catalog, entry: ReadStatement, load: Load, spent: dict[str, Capacity]
) -> Response:
    table = catalog.table(entry.tables[0])
    plan(table, entry.select, consistent=entry.consistent)  # refused as it would be by itself
    found = one(table, entry.select.where, choices=True)
    if entry.select.source.index is not None or found.rest or not found.is_whole(table) or entry.select.order:
        raise ValidationError(_UNKEYED)
    check_key_types(table, found.key)
    get = GetItem(table=table.name, key=found.key, consistent=entry.consistent, capacity="INDEXES")
    projection = entry.select.projection
    answer = reads.get(connection, catalog, get, load if projection is None else orjson.loads)
    _spend(spent, "read", answer["ConsumedCapacity"])
    response: Response = {"TableName": table.name}
    if "Item" in answer:
        response["Item"] = answer["Item"] if projection is None else columns(projection.paths, answer["Item"])
    return response


def write(transaction: Transaction, request: WriteBatch, load: Load) -> Response:
    """BatchExecuteStatement of writes; one that is refused leaves the others as they are."""
    catalog = transaction.catalog
    entries = _ran(request.entries, WriteStatement)
    inserted = [each.write for each in entries if isinstance(each.write, Insert)]
    _check_distinct(
        catalog,
        [(each.tables[0], each.write.where) for each in entries if not isinstance(each.write, Insert)],
        [(insert.source.table, insert.item) for insert in inserted],
    )
    responses: list[Any] = []
    spent: dict[str, Capacity] = {}
    for entry in request.entries:
        name: str | None = None
        try:
            if isinstance(entry, ValidationError):
                raise entry
            table = catalog.table(entry.tables[0])
            core = writing.item_write(table, entry.write)  # a fault of the statement names no table
            name = table.name
            alone = WriteStatement(write=entry.write, on_failure=entry.on_failure, capacity="INDEXES")
            answer = writing.execute(transaction, alone, load)
        except _FAULTS as fault:
            response: Response = {"Error": _error(fault)}
            if name is not None and isinstance(fault, _UNMET):
                _spend(spent, "write", _refused_units(transaction, table, core).wire("INDEXES"))
        else:
            _spend(spent, "write", answer["ConsumedCapacity"])
            response = {"Item": answer["Items"][0]} if answer["Items"] else {}
        responses.append(response if name is None else {**response, "TableName": name})
    return {"Responses": responses, **_capacities(spent, request.capacity)}


def _ran(entries: tuple[Any, ...], kind: type[Any]) -> list[Any]:
    return [entry for entry in entries if isinstance(entry, kind)]


def _error(fault: DynamoError) -> Response:
    code = next(code for kind, code in _CODES.items() if isinstance(fault, kind))
    return {"Code": code, "Message": fault.message, **fault.members()}


def _refused_units(transaction: Transaction, table: Table, core: PutItem | UpdateItem | DeleteItem) -> Capacity:
    """What a write costs whose condition did not hold: as much as writing the larger of the item that is there and the
    one to put, but no index."""
    if isinstance(core, PutItem):
        key, size = rows.key_of_item(table, core.item), item_size(core.item)
    else:
        key, size = rows.key_of_key(table, core.key), 0
    row = rows.find(transaction.connection, table, key)
    if row is not None:
        size = max(size, row.size)
    return Capacity(table.name, "write", write_units(size))


def _check_distinct(
    catalog: Catalog, wheres: list[tuple[str, Condition | None]], items: list[tuple[str, Item]] | None = None
) -> None:
    """Each item once in a batch; a statement whose key cannot be told fails by itself."""
    seen: set[tuple[int, bytes]] = set()
    keys: list[tuple[Table, Item]] = []
    for name, where in wheres:
        with suppress(DynamoError):
            table = catalog.table(name)
            keys.append((table, one(table, where, choices=True).key))
    for name, item in items or []:
        with suppress(DynamoError):
            table = catalog.table(name)
            keys.append((table, {key: item[key] for key, _ in table.keys if key in item}))
    for table, key in keys:
        try:
            mark = (table.id, rows.key_of_key(table, key))
        except ValidationError:
            continue
        if mark in seen:
            raise ValidationError("Provided list of item keys contains duplicates")
        seen.add(mark)


def _spend(spent: dict[str, Capacity], kind: Any, wire: dict[str, Any]) -> None:
    capacity = spent.setdefault(wire["TableName"], Capacity(wire["TableName"], kind))
    capacity.base += wire["Table"]["CapacityUnits"]
    for name, units in wire.get("GlobalSecondaryIndexes", {}).items():
        capacity.add_index(name, units["CapacityUnits"], local=False)
    for name, units in wire.get("LocalSecondaryIndexes", {}).items():
        capacity.add_index(name, units["CapacityUnits"], local=True)


def _capacities(spent: dict[str, Capacity], reported: Reported) -> Response:
    if reported == "NONE":
        return {}
    return {"ConsumedCapacity": [capacity.wire(reported) for capacity in spent.values()]}
