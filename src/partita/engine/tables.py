"""CreateTable, DescribeTable, DeleteTable, ListTables, and the account's limits."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import apsw

from partita.dynamo.errors import ResourceInUseError, ValidationError
from partita.engine import billing, catalog, history, policy_rules, resource_policies, schema, streams
from partita.engine.catalog import Catalog, missing_table
from partita.engine.definitions import Index, Table
from partita.engine.describe import describe_deleted, describe_table
from partita.engine.place import Place
from partita.engine.table_settings import check_class, encryption, new_stream, stream_view
from partita.engine.tags import checked_tags
from partita.engine.writer import Transaction

_INVALID = "One or more parameter values were invalid: "
Request = Mapping[str, Any]
Response = dict[str, Any]


def create(transaction: Transaction, request: Request, place: Place) -> Response:
    """CreateTable."""
    if request.get("TableName") is None:
        raise ValidationError("The parameter 'TableName' is required but was not present in the request")
    name = place.table_name(request["TableName"])
    if name in transaction.catalog.tables:
        raise ResourceInUseError(f"Table already exists: {name}")
    policy = request.get("ResourcePolicy")
    if policy is not None:
        policy_rules.check(policy, place.table_arn(name))
    table = new_table(transaction, request, name)
    if policy is not None:
        table = replace(table, policies={"": resource_policies.revision(policy)})
    create_rows(transaction, table)
    catalog.save(transaction.connection, table)
    transaction.reload()
    return {"TableDescription": describe_table(transaction.connection, table, place, status="CREATING")}


def new_table(transaction: Transaction, request: Request, name: str) -> Table:
    """The definition of a table as CreateTable asks for it; it is not stored yet."""

    def identify() -> int:
        return catalog.next_id(transaction.connection)

    types = schema.attribute_types(request["AttributeDefinitions"])
    hash_key, range_key = schema.table_key(request["KeySchema"], types)
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if request.get(member) == []:
            raise ValidationError(f"{_INVALID}List of {member} is empty")
    schema.check_all_used(types, request)
    mode, throughput = billing.created_billing(request)
    indexes = [
        schema.local_index(index, types, lambda: 0, hash_key[0], table_has_range=range_key is not None)
        for index in request.get("LocalSecondaryIndexes") or ()
    ]
    for member in request.get("GlobalSecondaryIndexes") or ():
        indexes.append(schema.global_index(member, types, lambda: 0))
        billing.check_created_index(indexes[-1], mode)
    schema.check_indexes(indexes)
    tags = checked_tags(request.get("Tags") or ())
    view = stream_view(request.get("StreamSpecification"))
    # Ids are taken last: a refused request changes nothing in the file.
    return Table(
        id=identify(),
        uuid=str(uuid.uuid4()),
        name=name,
        hash=hash_key,
        range=range_key,
        created=transaction.now,
        attributes=tuple(types.items()),
        billing=mode,
        throughput=throughput,
        indexes=tuple(replace(index, id=identify()) for index in indexes),
        streams=() if view is None else (new_stream(transaction, view, ()),),
        tags=tags,
        deletion_protection=bool(request.get("DeletionProtectionEnabled")),
        table_class=check_class(request.get("TableClass")),
        encryption=encryption(request.get("SSESpecification")),
        on_demand_since=transaction.now if mode == "PAY_PER_REQUEST" else None,
        on_demand=request.get("OnDemandThroughput"),
        spread="md5",
    )


def create_rows(transaction: Transaction, table: Table) -> None:
    """The tables of the file that hold a table's items, index entries and stream records."""
    transaction.execute(
        f"CREATE TABLE {table.rows} (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, size INTEGER NOT NULL,"
        " expires INTEGER, crc INTEGER NOT NULL, body BLOB NOT NULL)"
    )
    _create_counter(transaction, table.id)
    for index in table.indexes:
        create_index_rows(transaction, index)
    for stream in table.streams:
        streams.create_rows(transaction, stream)


def create_index_rows(transaction: Transaction, index: Index) -> None:
    """Create the table of an index: keys and the ids of their items."""
    transaction.execute(f"CREATE TABLE {index.rows} (key BLOB PRIMARY KEY, item INTEGER NOT NULL) WITHOUT ROWID")
    _create_counter(transaction, index.id)


def _create_counter(transaction: Transaction, owner: int) -> None:
    transaction.execute("INSERT INTO counters (owner, items, bytes) VALUES (?, 0, 0)", (owner,))


def drop_index(transaction: Transaction, index: Index) -> None:
    """Delete the table of an index."""
    transaction.execute(f"DROP TABLE {index.rows}")
    transaction.execute("DELETE FROM counters WHERE owner = ?", (index.id,))
    transaction.execute("DELETE FROM contributors WHERE owner = ?", (index.id,))


def describe(connection: apsw.Connection, tables: Catalog, request: Request, place: Place) -> Response:
    """DescribeTable."""
    name = place.table_name(request["TableName"])
    table = tables.tables.get(name)
    if table is None:
        raise missing_table(name)
    return {"Table": describe_table(connection, table, place)}


def list_tables(_connection: apsw.Connection, tables: Catalog, request: Request, _place: Place) -> Response:
    """ListTables."""
    start = request.get("ExclusiveStartTableName") or ""
    limit = request.get("Limit") or 100
    names = sorted(name for name in tables.tables if name > start)
    response: Response = {"TableNames": names[:limit]}
    if len(names) > limit:
        response["LastEvaluatedTableName"] = names[limit - 1]
    return response


def delete(transaction: Transaction, request: Request, place: Place) -> Response:
    """DeleteTable; its stream stays readable for a day."""
    name = place.table_name(request["TableName"])
    table = transaction.catalog.tables.get(name)
    if table is None:
        raise missing_table(name)
    if table.deletion_protection:
        raise ValidationError(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    if any(index.status != "ACTIVE" for index in table.indexes) or table.restoring is not None:
        raise ResourceInUseError(
            "Attempt to change a resource which is still in use: Cannot delete table while indexes are being "
            "created, updated, or deleted."
        )
    description = describe_deleted(transaction.connection, table, place)
    drop(transaction, table)
    return {"TableDescription": description}


def drop(transaction: Transaction, table: Table) -> None:
    """Delete a table and everything of it but the records of its stream."""
    transaction.execute(f"DROP TABLE {table.rows}")
    transaction.execute("DELETE FROM counters WHERE owner = ?", (table.id,))
    transaction.execute("DELETE FROM contributors WHERE owner = ?", (table.id,))
    for index in table.indexes:
        drop_index(transaction, index)
    for stream in table.streams:
        streams.close(transaction, table, stream)
    if table.recovery_days is not None:
        history.drop_rows(transaction, table)
    catalog.remove(transaction.connection, table)
    transaction.reload()


def describe_limits(_connection: apsw.Connection, _tables: Catalog, _request: Request, _place: Place) -> Response:
    """DescribeLimits: the defaults of an account."""
    return {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }


def describe_endpoints(_connection: apsw.Connection, _tables: Catalog, _request: Request, place: Place) -> Response:
    """DescribeEndpoints."""
    return {"Endpoints": [{"Address": place.endpoint, "CachePeriodInMinutes": 1440}]}
