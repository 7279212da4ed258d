"""On-demand backups: each is a file, copied from a snapshot while writes go on."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw
import orjson

from partita.dynamo.errors import (
    BackupInUseError,
    BackupNotFoundError,
    TableInUseError,
    TableNotFoundError,
    ValidationError,
)
from partita.engine import catalog, definitions
from partita.engine.catalog import Catalog
from partita.engine.database import Patience
from partita.engine.definitions import Table
from partita.engine.describe import index_projection, key_schema
from partita.engine.place import Place
from partita.engine.writer import Transaction
from partita.private_files import private_file, private_folder

FOLDER = "backups"
_ABANDONED_SECONDS = 3600
_log = logging.getLogger(__name__)
Request = Mapping[str, Any]
Response = dict[str, Any]


@contextmanager
def new_copy(source: Path, target: Path) -> Iterator[apsw.Connection]:
    """A new file with an empty table of items, beside the tables as of one moment, as `source`."""
    private_folder(target.parent)
    private_file(target)
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(str(target.absolute()), flags=flags)
    try:
        connection.set_busy_handler(Patience())
        # With less, a power cut may bring back the journal after the commit, and that would undo the copy.
        connection.execute("PRAGMA synchronous=extra")
        # Without this mode SQLite would make a new file where ours was deleted, and remove the log beside it.
        connection.execute("ATTACH ? AS source", (f"{source.absolute().as_uri()}?mode=rw",))
        connection.execute("BEGIN")
        connection.execute(
            "CREATE TABLE items (id INTEGER PRIMARY KEY, key BLOB NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL)"
        )
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        target.unlink(missing_ok=True)
        raise
    connection.close()


def copied_table(connection: apsw.Connection, name: str) -> Table:
    """The definition of a table in the `source` of a copy."""
    found = list(connection.execute("SELECT definition FROM source.tables WHERE name = ?", (name,)))
    if not found:
        raise TableNotFoundError(f"Table not found: {name}")
    table = definitions.from_json(orjson.loads(found[0][0]))
    if table.restoring is not None:
        raise TableInUseError(f"Table is being created: {name}")
    return table


def copy_items(connection: apsw.Connection, table: Table) -> tuple[int, int]:
    """Copy all items of a table; how many there are, and their bytes."""
    connection.execute(f"INSERT INTO items SELECT id, key, crc, body FROM source.{table.rows}")
    items, size = next(connection.execute(f"SELECT count(*), coalesce(sum(size), 0) FROM source.{table.rows}"))
    return int(items), int(size)


def copy(source: Path, target: Path, table_name: str, backup_name: str, now: float, place: Place) -> str:
    """Copy a table's items into a new file, which says itself what it is; the entry for the list of backups."""
    with new_copy(source, target) as connection:
        table = copied_table(connection, table_name)
        items, size = copy_items(connection, table)
        arn = f"{place.table_arn(table.name)}/backup/{int(now * 1000):014d}-{uuid.uuid4().hex[:8]}"
        details = {
            "BackupArn": arn,
            "BackupName": backup_name,
            "BackupStatus": "AVAILABLE",
            "BackupType": "USER",
            "BackupSizeBytes": size,
            "BackupCreationDateTime": now,
        }
        stored = {"details": details, "items": items, "file": target.name, "table": table}
        entry = orjson.dumps(stored).decode()
        connection.execute("CREATE TABLE entry (definition TEXT NOT NULL)")
        connection.execute("INSERT INTO entry VALUES (?)", (entry,))
    return entry


def register(connection: apsw.Connection, entry: str) -> Response:
    """Add a finished copy to the list of backups."""
    stored = orjson.loads(entry)
    details: Response = stored["details"]
    connection.execute(
        "INSERT INTO backups (id, arn, table_name, definition) VALUES (?, ?, ?, ?)",
        (catalog.next_id(connection), details["BackupArn"], stored["table"]["name"], entry),
    )
    return {"BackupDetails": details}


def register_existing(connection: apsw.Connection, folder: Path) -> None:
    """List the backups in the folder of a new data file: each is whole by itself. A file that is none is left alone."""
    for file in sorted(folder.glob("*.sqlite3")):
        try:
            entry = _entry_in(file)
            register(connection, orjson.dumps({**orjson.loads(entry), "file": file.name}).decode())
        except (apsw.Error, orjson.JSONDecodeError, KeyError):
            aside = file.with_suffix(".unknown")
            _log.warning("%s is no whole backup of a table; it is now %s", file, aside.name)
            file.rename(aside)
        else:
            _log.warning("%s is a backup of a table that the new data file did not know; it is listed now", file)


def _entry_in(file: Path) -> str:
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return str(next(connection.execute("SELECT definition FROM entry"))[0])
    except StopIteration:
        raise apsw.CorruptError(f"{file} has no entry") from None
    finally:
        connection.close()


def stored_backup(connection: apsw.Connection, arn: str) -> dict[str, Any]:
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
    return _described(stored_backup(connection, place.check_arn_of("backup", request["BackupArn"])), place)


def list_backups(connection: apsw.Connection, _tables: Catalog, request: Request, place: Place) -> Response:
    """ListBackups."""
    only = request.get("TableName")
    only = None if only is None else place.table_name(only)
    start = request.get("ExclusiveStartBackupArn") or ""
    limit = request.get("Limit") or 100
    wanted = request.get("BackupType") in (None, "USER", "ALL")
    lower, upper = request.get("TimeRangeLowerBound"), request.get("TimeRangeUpperBound")
    if lower is not None and upper is not None and lower > upper:
        raise ValidationError(
            "One or more parameter values were invalid: Time range lower bound must be less than or equal to upper "
            "bound"
        )
    listed = (
        orjson.loads(definition)
        for arn, name, definition in connection.execute("SELECT arn, table_name, definition FROM backups ORDER BY arn")
        if wanted and arn > start and (only is None or name == only)
    )
    found = [stored for stored in listed if _made_within(stored["details"], lower, upper)]
    response: Response = {"BackupSummaries": [_summary(stored, place) for stored in found[:limit]]}
    if len(found) > limit:
        response["LastEvaluatedBackupArn"] = found[limit - 1]["details"]["BackupArn"]
    return response


def _made_within(details: Mapping[str, Any], lower: float | None, upper: float | None) -> bool:
    """Whether a backup was made from one moment on and before another."""
    made = details["BackupCreationDateTime"]
    return (lower is None or made >= lower) and (upper is None or made < upper)


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
    arn = place.check_arn_of("backup", request["BackupArn"])
    stored = stored_backup(transaction.connection, arn)
    for table in transaction.catalog.tables.values():
        if table.restoring is not None and table.restored_from and table.restored_from.get("SourceBackupArn") == arn:
            raise BackupInUseError(f"The backup is being restored to {table.name}: {arn}")
    transaction.execute("DELETE FROM backups WHERE arn = ?", (arn,))
    stored["details"]["BackupStatus"] = "DELETED"
    return _described(stored, place), stored["file"]


def files_in_use(connection: apsw.Connection) -> set[str]:
    """The files of all backups, and those that tables are being filled from."""
    listed = connection.execute("SELECT definition FROM backups")
    tables = connection.execute("SELECT definition FROM tables")
    owned = {orjson.loads(definition)["file"] for (definition,) in listed}
    owned.update(orjson.loads(definition).get("restoring_from") for (definition,) in tables)
    return owned - {None}


def remove_abandoned(connection: apsw.Connection, folder: Path, now: float) -> None:
    """Remove files that a crash left behind before they were listed, or after they were deleted from the list."""
    remove_unowned(folder, files_in_use(connection), now)


def remove_unowned(folder: Path, owned: set[str], now: float) -> None:
    """Remove the copies of tables that nobody owns and that are not being made."""
    for file in folder.glob("*.sqlite3*"):
        name = file.name.removesuffix("-journal")
        with suppress(FileNotFoundError):
            if name not in owned and now - file.stat().st_mtime > _ABANDONED_SECONDS:
                file.unlink()
