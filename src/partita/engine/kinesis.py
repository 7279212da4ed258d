"""Destinations in Kinesis: there are none here. Infrastructure tools ask every table for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import apsw

from partita.dynamo.errors import ValidationError
from partita.engine.catalog import Catalog
from partita.engine.place import Place
from partita.engine.writer import Transaction


def describe(
    _connection: apsw.Connection, tables: Catalog, request: Mapping[str, Any], _place: Place
) -> dict[str, Any]:
    """DescribeKinesisStreamingDestination: a table has none."""
    table = tables.table(request["TableName"])
    return {"TableName": table.name, "KinesisDataStreamDestinations": []}


def refuse(transaction: Transaction, request: Mapping[str, Any], _place: Place) -> dict[str, Any]:
    """EnableKinesisStreamingDestination and the like."""
    transaction.catalog.table(request["TableName"])
    raise ValidationError(
        "This engine does not write to Kinesis data streams. Read the table's own stream: see StreamSpecification."
    )
