"""On-demand backups: each is a file, copied from a snapshot while writes go on."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import orjson

from partita.dynamo.errors import (
    BackupInUseError,
    BackupNotFoundError,
    TableExistsError,
    TableInUseError,
    TableNotFoundError,
    ValidationError,
)
from partita.engine import catalog, definitions, rows, schema
from partita.engine.catalog import Catalog
from partita.engine.database import Patience, translated
from partita.engine.definitions import Table
from partita.engine.describe import describe_table, index_projection, key_schema
from partita.engine.place import Place
from partita.engine.tables import create_rows
from partita.engine.writer import Transaction
from partita.private_files import private_file, private_folder

FOLDER = "backups"
_CHUNK = 500
_ABANDONED_SECONDS = 3600
Request = Mapping[str, Any]
Response = dict[str, Any]


def copy(source: Path, target: Path, name: str) -> tuple[Table, int, int]:
    """Copy a table's definition and items into a new file, and count its items and bytes."""
    private_folder(target.parent)
    private_file(target)
    connection = apsw.Connection(str(target))
    try:
        connection.set_busy_handler(Patience())
        connection.execute("PRAGMA synchronous=full")
        connection.execute("ATTACH ? AS source", (str(source),))
        connection.execute("BEGIN")
        found = list(connection.execute("SELECT definition FROM source.tables WHERE name = ?", (name,)))
        if not found:
            raise TableNotFoundError(f"Table not found: {name}")
        table = definitions.from_json(orjson.loads(found[0][0]))
        if table.restoring is not None:
            raise TableInUseError(f"Table is being created: {name}")
        connection.execute(
            "CREATE TABLE items (id INTEGER PRIMARY KEY, key BLOB NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL)"
        )
        connection.execute(f"INSERT INTO items SELECT id, key, crc, body FROM source.{table.rows}")
        items, size = next(connection.execute(f"SELECT count(*), coalesce(sum(size), 0) FROM source.{table.rows}"))
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        target.unlink(missing_ok=True)
        raise
    connection.close()
    return table, int(items), int(size)


def register(
    transaction: Transaction, table: Table, name: str, file: str, counts: tuple[int, int], place: Place
) -> Response:
    """Add a finished copy to the list of backups."""
    arn = f"{place.table_arn(table.name)}/backup/{int(transaction.now * 1000):014d}-{uuid.uuid4().hex[:8]}"
    details = {
        "BackupArn": arn,
        "BackupName": name,
        "BackupStatus": "AVAILABLE",
        "BackupType": "USER",
        "BackupSizeBytes": counts[1],
        "BackupCreationDateTime": transaction.now,
    }
    stored = {"details": details, "items": counts[0], "file": file, "table": definitions.to_json(table)}
    transaction.execute(
        "INSERT INTO backups (id, arn, table_name, definition) VALUES (?, ?, ?, ?)",
        (catalog.next_id(transaction.connection), arn, table.name, orjson.dumps(stored).decode()),
    )
    return {"BackupDetails": details}


def _stored(connection: apsw.Connection, arn: str) -> dict[str, Any]:
    for (definition,) in connection.execute("SELECT definition FROM backups WHERE arn = ?", (arn,)):
        stored: dict[str, Any] = orjson.loads(definition)
        return stored
    raise BackupNotFoundError(f"Backup not found: {arn}")


def _described(stored: Mapping[str, Any], place: Place) -> Response:
    table = definitions.from_json(stored["table"])
    source: dict[str, Any] = {
        "TableName": table.name,
        "TableId": table.uuid,
        "TableArn": place.table_arn(table.name),
        "TableSizeBytes": stored["details"]["BackupSizeBytes"],
        "KeySchema": key_schema((table.hash,), () if table.range is None else (table.range,)),
        "TableCreationDateTime": table.created,
        "ProvisionedThroughput": table.throughput or {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "ItemCount": stored["items"],
        "BillingMode": table.billing,
    }
    features: dict[str, Any] = {}
    for member, local in (("LocalSecondaryIndexes", True), ("GlobalSecondaryIndexes", False)):
        indexes = [
            {
                "IndexName": index.name,
                "KeySchema": key_schema(index.hash, index.range),
                "Projection": index_projection(index),
            }
            for index in table.indexes
            if index.local == local
        ]
        if indexes:
            features[member] = indexes
    return {
        "BackupDescription": {
            "BackupDetails": stored["details"],
            "SourceTableDetails": source,
            "SourceTableFeatureDetails": features,
        }
    }


def describe(connection: apsw.Connection, _tables: Catalog, request: Request, place: Place) -> Response:
    """DescribeBackup."""
    return _described(_stored(connection, request["BackupArn"]), place)


def list_backups(connection: apsw.Connection, _tables: Catalog, request: Request, place: Place) -> Response:
    """ListBackups."""
    only = request.get("TableName")
    only = None if only is None else place.table_name(only)
    start = request.get("ExclusiveStartBackupArn") or ""
    limit = request.get("Limit") or 100
    wanted = request.get("BackupType") in (None, "USER", "ALL")
    found = [
        orjson.loads(definition)
        for arn, name, definition in connection.execute("SELECT arn, table_name, definition FROM backups ORDER BY arn")
        if wanted and arn > start and (only is None or name == only)
    ]
    response: Response = {"BackupSummaries": [_summary(stored, place) for stored in found[:limit]]}
    if len(found) > limit:
        response["LastEvaluatedBackupArn"] = found[limit - 1]["details"]["BackupArn"]
    return response


def _summary(stored: Mapping[str, Any], place: Place) -> Response:
    table = stored["table"]
    return {
        "TableName": table["name"],
        "TableId": table["uuid"],
        "TableArn": place.table_arn(table["name"]),
        **stored["details"],
    }


def delete(transaction: Transaction, request: Request, place: Place) -> tuple[Response, str]:
    """DeleteBackup: the response, and the file to remove after the commit."""
    arn = request["BackupArn"]
    stored = _stored(transaction.connection, arn)
    for table in transaction.catalog.tables.values():
        if table.restoring is not None and table.restored_from and table.restored_from["SourceBackupArn"] == arn:
            raise BackupInUseError(f"The backup is being restored to {table.name}: {arn}")
    transaction.execute("DELETE FROM backups WHERE arn = ?", (arn,))
    stored["details"]["BackupStatus"] = "DELETED"
    return _described(stored, place), stored["file"]


def restore(transaction: Transaction, request: Request, place: Place) -> Response:
    """RestoreTableFromBackup: the table exists at once and is usable when it is filled."""
    arn, name = request["BackupArn"], place.table_name(request["TargetTableName"])
    stored = _stored(transaction.connection, arn)
    if name in transaction.catalog.tables:
        raise TableExistsError(f"Table already exists: {name}")
    source = definitions.from_json(stored["table"])
    indexes = _overridden(source, request)
    used = {name for name, _ in source.keys}.union(*(index.key_names for index in indexes))
    billing = request.get("BillingModeOverride") or source.billing
    throughput = request.get("ProvisionedThroughputOverride") or source.throughput
    if billing == "PROVISIONED" and throughput is None:
        raise ValidationError("ProvisionedThroughputOverride is required when the restored table is PROVISIONED")
    table = replace(
        source,
        id=catalog.next_id(transaction.connection),
        uuid=str(uuid.uuid4()),
        name=name,
        created=transaction.now,
        billing=billing,
        throughput=None if billing == "PAY_PER_REQUEST" else throughput,
        attributes=tuple(attribute for attribute in source.attributes if attribute[0] in used),
        indexes=tuple(replace(index, id=catalog.next_id(transaction.connection)) for index in indexes),
        streams=(),
        ttl_attribute=None,
        ttl_filled_to=None,
        tags={},
        policies={},
        deletion_protection=False,
        restored_from={
            "SourceBackupArn": arn,
            "SourceTableArn": place.table_arn(source.name),
            "RestoreDateTime": transaction.now,
        },
        restoring=0,
        on_demand_since=transaction.now if billing == "PAY_PER_REQUEST" else None,
    )
    create_rows(transaction, table)
    catalog.save(transaction.connection, table)
    transaction.reload()
    return {"TableDescription": describe_table(transaction.connection, table, place)}


def _overridden(source: Table, request: Request) -> list[definitions.Index]:
    """The indexes to restore: all, or those in an override, which cannot add any."""
    types = dict(source.attributes)
    kept = []
    for member, local in (("LocalSecondaryIndexOverride", True), ("GlobalSecondaryIndexOverride", False)):
        existing = [replace(i, status="ACTIVE", backfilled_to=0) for i in source.indexes if i.local == local]
        override = request.get(member)
        if override is None:
            kept.extend(existing)
            continue
        for entry in override:
            match = next((index for index in existing if index.name == entry["IndexName"]), None)
            if match is None:
                raise ValidationError(f"The backup has no index {entry['IndexName']}; an override can only leave out")
            wanted = match if local else schema.global_index(entry, types, lambda: 0)
            if (wanted.hash, wanted.range, wanted.projection) != (match.hash, match.range, match.projection):
                raise ValidationError(f"The override of {entry['IndexName']} differs from the index in the backup")
            kept.append(match)
    return kept


def backup_file(connection: apsw.Connection, table: Table) -> str | None:
    """The file a table is being restored from."""
    if table.restored_from is None:
        return None
    return str(_stored(connection, table.restored_from["SourceBackupArn"])["file"])


def read_chunk(file: Path, position: int) -> list[tuple[int, bytes, bytes]]:
    """The next batch of a backup's items."""
    with translated():
        connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            statement = "SELECT id, key, crc, body FROM items WHERE id > ? ORDER BY id LIMIT ?"
            found = connection.execute(statement, (position, _CHUNK))
            return [(int(number), key, rows.sound(body, crc)) for number, key, crc, body in found]
        finally:
            connection.close()


def remove_abandoned(connection: apsw.Connection, folder: Path, now: float) -> None:
    """Remove files that a crash left behind before they were listed, or after they were deleted from the list."""
    owned = {orjson.loads(definition)["file"] for (definition,) in connection.execute("SELECT definition FROM backups")}
    for file in folder.glob("*.sqlite3*"):
        name = file.name.removesuffix("-journal")
        with suppress(FileNotFoundError):
            if name not in owned and now - file.stat().st_mtime > _ABANDONED_SECONDS:
                file.unlink()


def fill(transaction: Transaction, name: str, position: int, chunk: list[tuple[int, bytes, bytes]]) -> bool:
    """Write one batch of a restore; True while there is more. Another process may have done it meanwhile."""
    table = transaction.catalog.tables.get(name)
    if table is None or table.restoring is None:
        return False
    if table.restoring != position:
        return True
    for _, key, body in chunk:
        rows.perform(transaction, rows.plan(table, key, None, None, orjson.loads(body), restoring=True))
    more = len(chunk) == _CHUNK
    catalog.save(transaction.connection, replace(table, restoring=chunk[-1][0] if more else None))
    transaction.reload()
    return more
