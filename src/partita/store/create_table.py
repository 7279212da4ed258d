"""A table's declaration as a CreateTable request."""

from __future__ import annotations

from typing import Any

from partita.table.export import attribute_names, index_definition, key_schema
from partita.table.tables import Table


def create_request(table: Table) -> dict[str, Any]:
    """What makes the table: on demand, with its indexes and its stream."""
    request: dict[str, Any] = {
        "TableName": table.name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": key_schema(table.keys[:1], table.keys[1:]),
        "AttributeDefinitions": [
            {"AttributeName": key.name, "AttributeType": key.type} for key in attribute_names(table)
        ],
    }
    for member, local in (("GlobalSecondaryIndexes", False), ("LocalSecondaryIndexes", True)):
        indexes = [index_definition(index) for index in table.indexes if index.local == local]
        if indexes:
            request[member] = indexes
    if table.stream is not None:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": table.stream}
    return request
