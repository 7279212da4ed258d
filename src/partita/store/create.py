"""A table's declaration as a CreateTable request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from partita.table.tables import Index, KeyName, Table


def create_request(table: Table) -> dict[str, Any]:
    """What makes the table: on demand, with its indexes and its stream."""
    names = dict.fromkeys((*table.keys, *(key for index in table.indexes for key in index.key_names)))
    request: dict[str, Any] = {
        "TableName": table.name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": key_schema(table.keys[:1], table.keys[1:]),
        "AttributeDefinitions": [{"AttributeName": key.name, "AttributeType": key.type} for key in names],
    }
    for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
        indexes = [_index(index) for index in table.indexes if index.local == local]
        if indexes:
            request[member] = indexes
    if table.stream is not None:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": table.stream}
    return request


def key_schema(pk: Sequence[KeyName], sk: Sequence[KeyName]) -> list[dict[str, str]]:
    """KeySchema of a table or an index."""
    return [{"AttributeName": key.name, "KeyType": "HASH"} for key in pk] + [
        {"AttributeName": key.name, "KeyType": "RANGE"} for key in sk
    ]


def projection(index: Index) -> dict[str, Any]:
    """Projection of an index."""
    found: dict[str, Any] = {"ProjectionType": index.projection}
    if index.include:
        found["NonKeyAttributes"] = list(index.include)
    return found


def _index(index: Index) -> dict[str, Any]:
    return {"IndexName": index.name, "KeySchema": key_schema(index.pk, index.sk), "Projection": projection(index)}
