"""Time to live: the setting, the expiry column of existing items, and the deletion of expired ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import apsw
import orjson

from partita.dynamo.errors import ValidationError
from partita.engine import catalog, rows
from partita.engine.catalog import Catalog, missing_table
from partita.engine.definitions import Table
from partita.engine.place import Place
from partita.engine.rows import Row
from partita.engine.writer import Transaction

_CHUNK = 500
_OTHER_ATTRIBUTE = "TimeToLive is active on a different AttributeName: current AttributeName is "
Request = Mapping[str, Any]
Response = dict[str, Any]


def update_setting(transaction: Transaction, request: Request, _place: Place) -> Response:
    """UpdateTimeToLive."""
    table = transaction.catalog.table(request["TableName"])
    wanted = request["TimeToLiveSpecification"]
    name = wanted["AttributeName"]
    if wanted["Enabled"]:
        if table.ttl_attribute is not None:
            if table.ttl_attribute != name:
                raise ValidationError(_OTHER_ATTRIBUTE + table.ttl_attribute)
            raise ValidationError("TimeToLive is already enabled")
        transaction.execute(f"CREATE INDEX expiry_{table.id} ON {table.rows} (expires) WHERE expires IS NOT NULL")
        changed = replace(table, ttl_attribute=name, ttl_filled_to=0)
    else:
        if table.ttl_attribute is None:
            raise ValidationError("TimeToLive is already disabled")
        if table.ttl_attribute != name:
            raise ValidationError(_OTHER_ATTRIBUTE + table.ttl_attribute)
        transaction.execute(f"DROP INDEX expiry_{table.id}")
        changed = replace(table, ttl_attribute=None, ttl_filled_to=None)
    catalog.save(transaction.connection, changed)
    transaction.reload()
    return {"TimeToLiveSpecification": {"Enabled": wanted["Enabled"], "AttributeName": name}}


def describe_setting(_connection: apsw.Connection, tables: Catalog, request: Request, place: Place) -> Response:
    """DescribeTimeToLive."""
    name = place.table_name(request["TableName"])
    table = tables.tables.get(name)
    if table is None:
        raise missing_table(name)
    if table.ttl_attribute is None:
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    return {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": table.ttl_attribute}}


def fill(transaction: Transaction, name: str) -> bool:
    """Fill the expiry column for one batch of existing items; True while there is more."""
    table = transaction.catalog.tables.get(name)
    if table is None or table.ttl_filled_to is None:
        return False
    statement = f"SELECT id, crc, body FROM {table.rows} WHERE id > ? ORDER BY id LIMIT ?"
    found = list(transaction.execute(statement, (table.ttl_filled_to, _CHUNK)))
    for number, crc, body in found:
        moment = rows.expiry(table, orjson.loads(rows.sound(body, crc)), transaction.now)
        transaction.execute(f"UPDATE {table.rows} SET expires = ? WHERE id = ?", (moment, number))
    position = found[-1][0] if len(found) == _CHUNK else None
    catalog.save(transaction.connection, replace(table, ttl_filled_to=position))
    transaction.reload()
    return position is not None


def due(connection: apsw.Connection, table: Table, now: float) -> bool:
    """Whether any item of a table has expired."""
    if table.ttl_attribute is None:
        return False
    statement = f"SELECT 1 FROM {table.rows} WHERE expires IS NOT NULL AND expires < ? LIMIT 1"
    return any(connection.execute(statement, (now,)))


def sweep(transaction: Transaction, name: str) -> int:
    """Delete one batch of expired items, each with a stream record that names the service."""
    table = transaction.catalog.tables.get(name)
    if table is None or table.ttl_attribute is None:
        return 0
    statement = (
        f"SELECT key, id, size, crc, body FROM {table.rows}"
        " WHERE expires IS NOT NULL AND expires < ? ORDER BY expires LIMIT ?"
    )
    found = list(transaction.execute(statement, (transaction.now, _CHUNK)))
    for key, number, size, crc, body in found:
        row = Row(number, size, rows.sound(body, crc))
        rows.perform(transaction, rows.plan(table, key, row, row.item, None), service=True)
    return len(found)
