"""Descriptions of tables, indexes and streams, as DescribeTable returns them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from partita.engine.definitions import Index, KeyAttribute, Table
from partita.engine.place import Place


def describe_table(
    connection: apsw.Connection, table: Table, place: Place, status: str | None = None
) -> dict[str, Any]:
    """TableDescription."""
    items, size = counts(connection, table.id)
    description: dict[str, Any] = {
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in table.attributes],
        "TableName": table.name,
        "KeySchema": key_schema((table.hash,), () if table.range is None else (table.range,)),
        "TableStatus": status or _status(table),
        "CreationDateTime": table.created,
        "ProvisionedThroughput": _throughput(table.throughput),
        "TableSizeBytes": size,
        "ItemCount": items,
        "TableArn": place.table_arn(table.name),
        "TableId": table.uuid,
        "DeletionProtectionEnabled": table.deletion_protection,
    }
    description |= _billing_summary(table)
    for member, local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
        indexes = [_index(connection, table, index, place) for index in table.indexes if index.local == local]
        if indexes:
            description[member] = indexes
    newest = table.stream
    if newest is not None:
        description["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": newest.view}
    last = newest or (table.streams[-1] if table.streams else None)
    if last is not None:
        description["LatestStreamLabel"] = last.label
        description["LatestStreamArn"] = place.stream_arn(table.name, last)
    if table.table_class is not None:
        description["TableClassSummary"] = {"TableClass": table.table_class}
    if table.encryption is not None:
        description["SSEDescription"] = table.encryption
    if table.restored_from is not None:
        description["RestoreSummary"] = {**table.restored_from, "RestoreInProgress": table.restoring is not None}
    return description


def describe_deleted(connection: apsw.Connection, table: Table, place: Place) -> dict[str, Any]:
    """TableDescription of a table that is being deleted: short."""
    whole = describe_table(connection, table, place, status="DELETING")
    return {name: whole[name] for name in _OF_DELETED if name in whole}


_OF_DELETED = (
    "TableName",
    "TableStatus",
    "ProvisionedThroughput",
    "TableSizeBytes",
    "ItemCount",
    "TableArn",
    "TableId",
    "BillingModeSummary",
    "DeletionProtectionEnabled",
)


def _billing_summary(table: Table) -> dict[str, Any]:
    """BillingModeSummary of a table that is or ever was on demand."""
    if table.on_demand_since is None:
        return {}
    summary = {"BillingMode": table.billing, "LastUpdateToPayPerRequestDateTime": table.on_demand_since}
    described: dict[str, Any] = {"BillingModeSummary": summary}
    if table.on_demand is not None:
        described["OnDemandThroughput"] = dict(table.on_demand)
    return described


def counts(connection: apsw.Connection, owner: int) -> tuple[int, int]:
    """Items and bytes of a table or an index."""
    for items, size in connection.execute("SELECT items, bytes FROM counters WHERE owner = ?", (owner,)):
        return int(items), int(size)
    return 0, 0


def key_schema(hash_keys: Sequence[KeyAttribute], range_keys: Sequence[KeyAttribute]) -> list[dict[str, str]]:
    """KeySchema."""
    return [{"AttributeName": name, "KeyType": "HASH"} for name, _ in hash_keys] + [
        {"AttributeName": name, "KeyType": "RANGE"} for name, _ in range_keys
    ]


def index_projection(index: Index) -> dict[str, Any]:
    """Projection."""
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.projection == "INCLUDE":
        projection["NonKeyAttributes"] = list(index.included)
    return projection


def _status(table: Table) -> str:
    if table.restoring is not None:
        return "CREATING"
    return "UPDATING" if any(index.status != "ACTIVE" for index in table.indexes) else "ACTIVE"


def _throughput(throughput: Any) -> dict[str, Any]:
    units = throughput or {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    return {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": units["ReadCapacityUnits"],
        "WriteCapacityUnits": units["WriteCapacityUnits"],
    }


def _index(connection: apsw.Connection, table: Table, index: Index, place: Place) -> dict[str, Any]:
    items, size = counts(connection, index.id)
    description: dict[str, Any] = {
        "IndexName": index.name,
        "KeySchema": key_schema(index.hash, index.range),
        "Projection": index_projection(index),
        "IndexSizeBytes": size,
        "ItemCount": items,
        "IndexArn": f"{place.table_arn(table.name)}/index/{index.name}",
    }
    if not index.local:
        description["IndexStatus"] = index.status
        description["ProvisionedThroughput"] = _throughput(index.throughput)
        if index.on_demand is not None:
            description["OnDemandThroughput"] = dict(index.on_demand)
        if index.status == "CREATING":
            description["Backfilling"] = True
    return description
