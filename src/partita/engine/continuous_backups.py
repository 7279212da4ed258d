"""Continuous backups: the setting of each table, and the moments it can go back to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import apsw

from partita.dynamo.errors import ContinuousBackupsUnavailableError, TableNotFoundError, ValidationError
from partita.engine import catalog, history
from partita.engine.catalog import Catalog
from partita.engine.definitions import Table
from partita.engine.place import Place
from partita.engine.writer import Transaction

MOST_DAYS = 35
Request = Mapping[str, Any]
Response = dict[str, Any]


def describe(connection: apsw.Connection, tables: Catalog, request: Request, _place: Place, now: float) -> Response:
    """DescribeContinuousBackups."""
    return _described(connection, _table(tables, request), now)


def update(transaction: Transaction, request: Request, _place: Place) -> Response:
    """UpdateContinuousBackups. Switching recovery off forgets what was kept; a longer period brings nothing back."""
    wanted = request["PointInTimeRecoverySpecification"]
    if not wanted["PointInTimeRecoveryEnabled"] and wanted.get("RecoveryPeriodInDays") is not None:
        raise ValidationError(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."
        )
    table = _table(transaction.catalog, request)
    if table.restoring is not None:
        raise ContinuousBackupsUnavailableError(f"Table is being restored: {table.name}. Wait until it is ACTIVE.")
    days = (wanted.get("RecoveryPeriodInDays") or MOST_DAYS) if wanted["PointInTimeRecoveryEnabled"] else None
    if days == table.recovery_days:
        return _described(transaction.connection, table, transaction.now)
    changed = replace(table, recovery_days=days)
    if table.recovery_days is None:
        history.create_rows(transaction, changed)
    elif days is None:
        history.drop_rows(transaction, table)
    catalog.save(transaction.connection, changed)
    transaction.reload()
    return _described(transaction.connection, changed, transaction.now)


def _table(tables: Catalog, request: Request) -> Table:
    name = tables.place.table_name(request["TableName"])
    table = tables.tables.get(name)
    if table is None:
        raise TableNotFoundError(f"Table not found: {name}")
    return table


def _described(connection: apsw.Connection, table: Table, now: float) -> Response:
    recovery: Response = {"PointInTimeRecoveryStatus": "DISABLED"}
    if table.recovery_days is not None:
        earliest, latest = history.window(connection, table, now)
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": table.recovery_days,
            "EarliestRestorableDateTime": float(earliest),
            "LatestRestorableDateTime": float(max(earliest, latest)),  # in the first second there is none yet
        }
    described = {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}
    return {"ContinuousBackupsDescription": described}
