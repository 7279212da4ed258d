"""CreateTable, DescribeTable, UpdateTable, DeleteTable, ListTables, tags, and the account's limits."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import apsw
import orjson

from partita.dynamo.errors import (
    LimitExceededError,
    ResourceInUseError,
    ResourceNotFoundError,
    ValidationError,
)
from partita.dynamo.limits import TAGS
from partita.dynamo.parse import table_name
from partita.engine import catalog, schema, streams
from partita.engine.catalog import Catalog, missing_table
from partita.engine.definitions import Index, Stream, Table
from partita.engine.describe import Place, describe_table
from partita.engine.writer import Transaction

_INVALID = "One or more parameter values were invalid: "
Request = Mapping[str, Any]
Response = dict[str, Any]


def create(transaction: Transaction, request: Request, place: Place) -> Response:
    """CreateTable."""
    name = table_name(request["TableName"])
    if not re.fullmatch(r"[a-zA-Z0-9_.-]+", name):
        raise ValidationError(
            f"1 validation error detected: Value '{name}' at 'tableName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
        )
    if name in transaction.catalog.tables:
        raise ResourceInUseError(f"Table already exists: {name}")
    table = _new_table(transaction, request, name)
    create_rows(transaction, table)
    catalog.save(transaction.connection, table)
    transaction.reload()
    return {"TableDescription": describe_table(transaction.connection, table, place, status="CREATING")}


def _new_table(transaction: Transaction, request: Request, name: str) -> Table:
    def identify() -> int:
        return catalog.next_id(transaction.connection)

    types = schema.attribute_types(request["AttributeDefinitions"])
    billing, throughput = _billing(request, "PROVISIONED", None)
    hash_key, range_key = schema.table_key(request["KeySchema"], types)
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if request.get(member) == []:
            raise ValidationError(f"{_INVALID}List of {member} is empty")
    indexes = [
        schema.local_index(index, types, lambda: 0, hash_key[0], table_has_range=range_key is not None)
        for index in request.get("LocalSecondaryIndexes") or ()
    ]
    for member in request.get("GlobalSecondaryIndexes") or ():
        indexes.append(schema.global_index(member, types, lambda: 0))
        _check_index_throughput(indexes[-1], billing)
    schema.check_indexes(indexes)
    used = [hash_key[0], *([range_key[0]] if range_key else [])]
    schema.check_all_used(types, [*used, *(key for index in indexes for key in index.key_names)])
    tags = _tags(request.get("Tags") or ())
    view = _stream_view(request.get("StreamSpecification"))
    # Ids are taken last: a refused request changes nothing in the file.
    return Table(
        id=identify(),
        uuid=str(uuid.uuid4()),
        name=name,
        hash=hash_key,
        range=range_key,
        created=transaction.now,
        attributes=tuple(types.items()),
        billing=billing,
        throughput=throughput,
        indexes=tuple(replace(index, id=identify()) for index in indexes),
        streams=() if view is None else (_new_stream(transaction, view, ()),),
        tags=tags,
        deletion_protection=bool(request.get("DeletionProtectionEnabled")),
        table_class=request.get("TableClass"),
        encryption=_encryption(request.get("SSESpecification")),
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


def _drop_index(transaction: Transaction, index: Index) -> None:
    transaction.execute(f"DROP TABLE {index.rows}")
    transaction.execute("DELETE FROM counters WHERE owner = ?", (index.id,))


def describe(connection: apsw.Connection, tables: Catalog, request: Request, place: Place) -> Response:
    """DescribeTable."""
    name = table_name(request["TableName"])
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
    name = table_name(request["TableName"])
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
    description = describe_table(transaction.connection, table, place, status="DELETING")
    transaction.execute(f"DROP TABLE {table.rows}")
    transaction.execute("DELETE FROM counters WHERE owner = ?", (table.id,))
    for index in table.indexes:
        _drop_index(transaction, index)
    for stream in table.streams:
        streams.close(transaction, table, stream)
    catalog.remove(transaction.connection, table)
    transaction.reload()
    return {"TableDescription": description}


_CHANGES = (
    "ProvisionedThroughput",
    "BillingMode",
    "StreamSpecification",
    "GlobalSecondaryIndexUpdates",
    "SSESpecification",
    "TableClass",
    "DeletionProtectionEnabled",
)


def update(transaction: Transaction, request: Request, place: Place) -> Response:
    """UpdateTable: settings at once, a new index filled in the background."""
    table = transaction.catalog.table(table_name(request["TableName"]))
    if all(request.get(member) is None for member in _CHANGES):
        raise ValidationError(
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates or "
            "SSESpecification or ReplicaUpdates is required"
        )
    billing, throughput = _billing(request, table.billing, table.throughput)
    changed = replace(table, billing=billing, throughput=throughput)
    if request.get("DeletionProtectionEnabled") is not None:
        changed = replace(changed, deletion_protection=request["DeletionProtectionEnabled"])
    if request.get("TableClass") is not None:
        changed = replace(changed, table_class=request["TableClass"])
    if request.get("SSESpecification") is not None:
        changed = replace(changed, encryption=_encryption(request["SSESpecification"]))
    created, dropped = None, None
    if request.get("GlobalSecondaryIndexUpdates"):
        changed, created, dropped = _update_indexes(changed, request)
    view = _stream_change(changed, request.get("StreamSpecification"))
    # Everything has been checked: from here on the file changes.
    if created is not None:
        index = replace(created, id=catalog.next_id(transaction.connection))
        create_index_rows(transaction, index)
        changed = replace(changed, indexes=(*changed.indexes, index))
    if dropped is not None:
        _drop_index(transaction, dropped)
    if view == "":
        changed = replace(changed, streams=tuple(replace(stream, enabled=False) for stream in changed.streams))
    elif view is not None:
        stream = _new_stream(transaction, view, changed.streams)
        streams.create_rows(transaction, stream)
        changed = replace(changed, streams=(*changed.streams, stream))
    catalog.save(transaction.connection, changed)
    transaction.reload()
    return {"TableDescription": describe_table(transaction.connection, changed, place, status="UPDATING")}


def _update_indexes(table: Table, request: Request) -> tuple[Table, Index | None, Index | None]:
    """The table without a dropped index, and the index to create or to drop."""
    updates = request["GlobalSecondaryIndexUpdates"]
    structural = [update for update in updates if update.get("Create") or update.get("Delete")]
    # While an index is being filled, only that index can be deleted.
    going = {(update.get("Delete") or {}).get("IndexName") for update in structural}
    busy = [index.name for index in table.indexes if index.status != "ACTIVE" and index.name not in going]
    if len(structural) > 1 or (structural and busy):
        raise LimitExceededError(
            "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"
        )
    types = dict(table.attributes) | schema.attribute_types(request.get("AttributeDefinitions") or ())
    created = dropped = None
    for member in updates:
        present = [action for action in ("Create", "Update", "Delete") if member.get(action)]
        if len(present) != 1:
            raise ValidationError(
                f"{_INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"
            )
        action = member[present[0]]
        existing = table.index(action["IndexName"])
        if present[0] == "Create":
            if existing is not None:
                raise ValidationError(f"{_INVALID}Index already exists: {action['IndexName']}")
            created = replace(schema.global_index(action, types, lambda: 0), status="CREATING")
            _check_index_throughput(created, table.billing)
            schema.check_indexes([*table.indexes, created])
            continue
        if existing is None or existing.local:
            raise ResourceNotFoundError("Requested resource not found")
        if present[0] == "Delete":
            dropped = existing
            table = replace(table, indexes=tuple(index for index in table.indexes if index.name != existing.name))
        else:
            updated = replace(existing, throughput=action["ProvisionedThroughput"])
            table = replace(
                table, indexes=tuple(updated if index.name == existing.name else index for index in table.indexes)
            )
    used = {name for name, _ in table.keys}.union(*(index.key_names for index in table.indexes))
    if created is not None:
        used.update(created.key_names)
    for name, kind in table.attributes:
        if name in used and types[name] != kind:
            raise ValidationError(
                f"{_INVALID}Attributes cannot be redefined. Please check that your attribute has the same type as "
                f"previously defined. Attribute: {name}, type: {kind}"
            )
    attributes = tuple((name, kind) for name, kind in types.items() if name in used)
    return replace(table, attributes=attributes), created, dropped


def _stream_view(specification: Request | None) -> Any:
    if specification is None:
        return None
    view = specification.get("StreamViewType")
    if not specification["StreamEnabled"]:
        if view is not None:
            raise ValidationError(
                f"{_INVALID}Table is being created with a stream disabled, UpdateViewType should not be specified"
            )
        return None
    if view is None:
        raise ValidationError(f"{_INVALID}StreamViewType must be specified when a stream is enabled")
    return view


def _stream_change(table: Table, specification: Request | None) -> Any:
    """The view of a stream to switch on, an empty text to switch it off, None to leave it."""
    if specification is None:
        return None
    if specification["StreamEnabled"]:
        if table.stream is not None:
            raise ValidationError(f"Table already has an enabled stream: TableName: {table.name}")
        return _stream_view(specification)
    if table.stream is None:
        raise ValidationError(f"Table has no stream to disable: TableName: {table.name}")
    return ""


def _new_stream(transaction: Transaction, view: Any, existing: tuple[Stream, ...]) -> Stream:
    closed = transaction.execute("SELECT definition FROM closed_streams")
    labels = {stream.label for stream in existing}.union(orjson.loads(row[0])["stream"]["label"] for row in closed)
    moment = transaction.now
    while (label := streams.label(moment)) in labels:
        moment += 0.001
    return Stream(id=catalog.next_id(transaction.connection), label=label, view=view, created=transaction.now)


def _billing(request: Request, billing: Any, throughput: Any) -> tuple[Any, Any]:
    billing = request.get("BillingMode") or billing
    given = request.get("ProvisionedThroughput")
    if billing == "PAY_PER_REQUEST":
        if given is not None:
            raise ValidationError(
                f"{_INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
                "PAY_PER_REQUEST"
            )
        return billing, None
    if given is None and throughput is None:
        raise ValidationError(
            f"{_INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"
        )
    return billing, given or throughput


def _check_index_throughput(index: Index, billing: str) -> None:
    if billing == "PROVISIONED" and index.throughput is None:
        raise ValidationError(f"{_INVALID}ProvisionedThroughput must be specified for index: {index.name}")
    if billing == "PAY_PER_REQUEST" and index.throughput is not None:
        raise ValidationError(
            f"{_INVALID}ProvisionedThroughput should not be specified for index: {index.name} when BillingMode is "
            "PAY_PER_REQUEST"
        )


def _encryption(specification: Request | None) -> dict[str, Any] | None:
    if specification is None or not specification.get("Enabled"):
        return None
    kind = specification.get("SSEType") or "KMS"
    described: dict[str, Any] = {"Status": "ENABLED", "SSEType": kind}
    if specification.get("KMSMasterKeyId"):
        described["KMSMasterKeyArn"] = specification["KMSMasterKeyId"]
    return described


def _tags(tags: Any) -> dict[str, str]:
    found = {tag["Key"]: tag["Value"] for tag in tags}
    if len(found) > TAGS:
        raise LimitExceededError(f"A table has at most {TAGS} tags.")
    return found


def _tagged(tables: Catalog, arn: str) -> Table:
    name = arn.partition(":table/")[2].partition("/")[0]
    table = tables.tables.get(name)
    if table is None:
        raise ResourceNotFoundError(f"Requested resource not found: ResourcArn: {arn} not found")
    return table


def tag(transaction: Transaction, request: Request, _place: Place) -> Response:
    """TagResource."""
    table = _tagged(transaction.catalog, request["ResourceArn"])
    tags = {**table.tags, **_tags(request["Tags"])}
    if len(tags) > TAGS:
        raise LimitExceededError(f"A table has at most {TAGS} tags.")
    _save(transaction, replace(table, tags=tags))
    return {}


def untag(transaction: Transaction, request: Request, _place: Place) -> Response:
    """UntagResource."""
    table = _tagged(transaction.catalog, request["ResourceArn"])
    gone = set(request["TagKeys"])
    _save(transaction, replace(table, tags={key: value for key, value in table.tags.items() if key not in gone}))
    return {}


def _save(transaction: Transaction, table: Table) -> None:
    catalog.save(transaction.connection, table)
    transaction.reload()


def list_tags(_connection: apsw.Connection, tables: Catalog, request: Request, _place: Place) -> Response:
    """ListTagsOfResource."""
    table = _tagged(tables, request["ResourceArn"])
    return {"Tags": [{"Key": key, "Value": value} for key, value in table.tags.items()]}


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
