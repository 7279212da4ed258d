"""Continuous backups: infrastructure tools read the setting of every table. There is no point-in-time recovery here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import apsw

from partita.dynamo.errors import TableNotFoundError, ValidationError
from partita.engine.catalog import Catalog
from partita.engine.place import Place
from partita.engine.writer import Transaction

Request = Mapping[str, Any]
Response = dict[str, Any]


def describe(_connection: apsw.Connection, tables: Catalog, request: Request, _place: Place) -> Response:
    """DescribeContinuousBackups."""
    return _described(tables, request)


def update(transaction: Transaction, request: Request, _place: Place) -> Response:
    """UpdateContinuousBackups: point-in-time recovery stays off."""
    response = _described(transaction.catalog, request)
    if request["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]:
        raise ValidationError("This engine has no point-in-time recovery. Use CreateBackup.")
    return response


def _described(tables: Catalog, request: Request) -> Response:
    name = tables.place.table_name(request["TableName"])
    if name not in tables.tables:
        raise TableNotFoundError(f"Table not found: {name}")
    recovery = {"PointInTimeRecoveryStatus": "DISABLED"}
    described = {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}
    return {"ContinuousBackupsDescription": described}
