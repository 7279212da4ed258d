"""Descriptions of tables, indexes and streams, as DescribeTable returns them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from partita.engine.definitions import Index, KeyAttribute, Stream, Table


@dataclass(frozen=True, slots=True)
class Place:
    """The region and account in ARNs, and the endpoint of the engine's server."""

    region: str = "us-east-1"
    account: str = "000000000000"
    endpoint: str = "127.0.0.1:8000"

    def table_arn(self, name: str) -> str:
        return f"arn:aws:dynamodb:{self.region}:{self.account}:table/{name}"

    def stream_arn(self, table: str, stream: Stream) -> str:
        return f"{self.table_arn(table)}/stream/{stream.label}"


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
    if table.billing == "PAY_PER_REQUEST":
        description["BillingModeSummary"] = {
            "BillingMode": "PAY_PER_REQUEST",
            "LastUpdateToPayPerRequestDateTime": table.created,
        }
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
        if index.status == "CREATING":
            description["Backfilling"] = True
    return description
