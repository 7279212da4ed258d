"""RestoreTableFromBackup and RestoreTableToPointInTime: a new table, filled from a file in the background."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import orjson

from partita.dynamo.errors import (
    InvalidRestoreTimeError,
    TableExistsError,
    TableNotFoundError,
    ValidationError,
)
from partita.engine import backups, catalog, definitions, history, rows, schema
from partita.engine.catalog import Catalog
from partita.engine.database import damaged, translated
from partita.engine.definitions import Table
from partita.engine.describe import describe_table
from partita.engine.place import Place
from partita.engine.table_settings import encryption
from partita.engine.tables import create_rows, drop
from partita.engine.writer import Transaction

_CHUNK = 500
Request = Mapping[str, Any]
Response = dict[str, Any]


def from_backup(transaction: Transaction, request: Request, place: Place) -> Response:
    """RestoreTableFromBackup."""
    arn = place.check_arn_of("backup", request["BackupArn"])
    stored = backups.stored_backup(transaction.connection, arn)
    source = definitions.from_json(stored["table"])
    summary = {"SourceBackupArn": arn, "RestoreDateTime": transaction.now}
    return begin(transaction, request, source, stored["file"], summary, place)


def source_name(request: Request, place: Place) -> str:
    """The table that a restore to a moment names, by name or ARN."""
    name, arn = request.get("SourceTableName"), request.get("SourceTableArn")
    if (name is None) == (arn is None):
        raise ValidationError("Specify either SourceTableName or SourceTableArn")
    if (request.get("RestoreDateTime") is None) == (not request.get("UseLatestRestorableTime")):
        raise ValidationError("Specify either RestoreDateTime or UseLatestRestorableTime")
    return place.table_name(name or arn or "")


def check_target(tables: Catalog, request: Request, place: Place) -> str:
    """The name of the new table, if no table has it."""
    name = place.table_name(request["TargetTableName"])
    if name in tables.tables:
        raise TableExistsError(f"Table already exists: {name}")
    return name


def copy_moment(source: Path, target: Path, name: str, moment: float | None, now: float) -> tuple[Table, int]:
    """Copy a table's items, as they were at the end of a second, into a new file; without one, of the last possible."""
    with backups.new_copy(source, target) as connection:
        table = backups.copied_table(connection, name)
        history.check_kept(table)
        earliest, latest = history.window(connection, table, now)
        second = latest if moment is None else int(moment)
        if not earliest <= second <= latest:
            asked = earliest if moment is None else second
            raise InvalidRestoreTimeError(history.outside(asked, earliest, latest, "restore a backup"))
        history.copy_as_of(connection, table, second)
        connection.execute("DROP TABLE undone")
    return table, second


def to_moment(
    transaction: Transaction, request: Request, source: Table, second: int, file: str, place: Place
) -> Response:
    """RestoreTableToPointInTime, when the items are in a file."""
    if source.name not in transaction.catalog.tables:
        raise TableNotFoundError(f"Table not found: {source.name}")
    return begin(transaction, request, source, file, {"RestoreDateTime": float(second)}, place)


def begin(
    transaction: Transaction, request: Request, source: Table, file: str, summary: Mapping[str, Any], place: Place
) -> Response:
    """Make the new table: it exists at once and is usable when it is filled. Streams, expiry, tags, protection and
    recovery are set up by hand, as on AWS."""
    name = check_target(transaction.catalog, request, place)
    indexes = _overridden(source, request)
    used = {name for name, _ in source.keys}.union(*(index.key_names for index in indexes))
    billing = request.get("BillingModeOverride") or source.billing
    throughput = request.get("ProvisionedThroughputOverride") or source.throughput
    _check_throughput(request, billing, throughput)
    on_demand = request.get("OnDemandThroughputOverride")
    _check_on_demand(on_demand, request.get("BillingModeOverride"))
    encrypted = request.get("SSESpecificationOverride")
    table = replace(
        source,
        id=catalog.next_id(transaction.connection),
        uuid=str(uuid.uuid4()),
        name=name,
        created=transaction.now,
        billing=billing,
        throughput=None if billing == "PAY_PER_REQUEST" else throughput,
        attributes=tuple(attribute for attribute in source.attributes if attribute[0] in used),
        indexes=tuple(
            replace(
                index,
                id=catalog.next_id(transaction.connection),
                throughput=None if billing == "PAY_PER_REQUEST" else index.throughput,
                on_demand=None if billing == "PROVISIONED" else index.on_demand,
            )
            for index in indexes
        ),
        streams=(),
        ttl_attribute=None,
        ttl_filled_to=None,
        tags={},
        policies={},
        insights={},
        deletion_protection=False,
        recovery_days=None,
        restored_from={**summary, "SourceTableArn": place.table_arn(source.name)},
        restoring=0,
        restoring_from=file,
        on_demand_since=transaction.now if billing == "PAY_PER_REQUEST" else None,
        on_demand=None if billing == "PROVISIONED" else on_demand or source.on_demand,
        encryption=source.encryption if encrypted is None else encryption(encrypted),
    )
    create_rows(transaction, table)
    catalog.save(transaction.connection, table)
    transaction.reload()
    return {"TableDescription": describe_table(transaction.connection, table, place)}


def _check_throughput(request: Request, billing: str, throughput: Mapping[str, int] | None) -> None:
    if billing == "PROVISIONED" and throughput is None:
        raise ValidationError(
            "Invalid Request: Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED"
        )
    if billing == "PAY_PER_REQUEST" and request.get("ProvisionedThroughputOverride") is not None:
        when = "unless BillingMode is PROVISIONED"
        if request.get("BillingModeOverride") is not None:
            when = "if BillingMode is overridden to PAY_PER_REQUEST"
        raise ValidationError(f"Invalid Request: Cannot override ProvisionedThroughput {when}")


def _check_on_demand(limits: Mapping[str, int] | None, billing: str | None) -> None:
    for name, units in (limits or {}).items():
        if name not in ("MaxReadRequestUnits", "MaxWriteRequestUnits") or units is None:
            continue
        if billing != "PAY_PER_REQUEST":
            raise ValidationError(
                f"Invalid Request: Cannot override {name} for OnDemandThroughput unless BillingModeOverride is "
                "PAY_PER_REQUEST"
            )
        if units < 1:
            raise ValidationError(f"Invalid Request: Requested {name} for OnDemandThroughput is outside of valid range")


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
                raise ValidationError(f"The source has no index {entry['IndexName']}; an override can only leave out")
            wanted = match if local else schema.global_index(entry, types, lambda: 0)
            if (wanted.hash, wanted.range, wanted.projection) != (match.hash, match.range, match.projection):
                raise ValidationError(f"The override of {entry['IndexName']} differs from the index of the source")
            kept.append(
                replace(
                    match,
                    throughput=wanted.throughput or match.throughput,
                    on_demand=wanted.on_demand or match.on_demand,
                )
            )
    return kept


def source_file(connection: apsw.Connection, table: Table) -> str:
    """The file a table is being restored from; earlier versions named only the backup."""
    if table.restoring_from is not None:
        return table.restoring_from
    assert table.restored_from is not None  # it is being restored
    return str(backups.stored_backup(connection, table.restored_from["SourceBackupArn"])["file"])


def read_chunk(file: Path, position: int) -> list[tuple[int, bytes, bytes]]:
    """The next batch of a copy's items."""
    if not file.exists():
        raise damaged(f"{file.name} is gone")
    with translated():
        connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            statement = "SELECT id, key, crc, body FROM items WHERE id > ? ORDER BY id LIMIT ?"
            found = connection.execute(statement, (position, _CHUNK))
            return [(int(number), key, rows.sound(body, crc)) for number, key, crc, body in found]
        finally:
            connection.close()


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
    file = table.restoring_from if more else None
    catalog.save(transaction.connection, replace(table, restoring=chunk[-1][0] if more else None, restoring_from=file))
    transaction.reload()
    return more


def give_up(transaction: Transaction, name: str) -> None:
    """The copy cannot be read: the unfinished table goes again."""
    table = transaction.catalog.tables.get(name)
    if table is not None and table.restoring is not None:
        drop(transaction, table)
