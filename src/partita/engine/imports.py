"""ImportTable: a new table out of the objects of a bucket. It is usable when it is whole, and resumes after a crash."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import apsw

from partita.dynamo.errors import (
    IdempotentParameterMismatchError,
    ImportNotFoundError,
    ResourceInUseError,
    ValidationError,
)
from partita.dynamo.values import Item
from partita.engine import catalog, import_formats, rows, tables, transfers
from partita.engine.buckets import Buckets
from partita.engine.catalog import Catalog
from partita.engine.definitions import Table
from partita.engine.import_formats import Record
from partita.engine.place import Place
from partita.engine.table_shapes import IMPORTED_TABLE
from partita.engine.writer import Transaction

_log = logging.getLogger(__name__)
_MISMATCH = "The client token was used for another import within the last eight hours. Use a new one."
_ASKED = ("InputFormat", "InputFormatOptions", "InputCompressionType", "TableCreationParameters", "ClientToken")
_LOOKUP = transfers.Lookup(
    kind="import",
    arn="ImportArn",
    description="ImportTableDescription",
    summaries="ImportSummaryList",
    limit="PageSize",
    summary=("ImportArn", "ImportStatus", "TableArn", "S3BucketSource", "InputFormat", "StartTime", "EndTime"),
    missing=ImportNotFoundError,
)
_MOST_TOLD = 20
Request = Mapping[str, Any]
Response = dict[str, Any]


def check(request: Request, buckets: Buckets) -> None:
    """Refuse what this engine cannot import."""
    source = request["S3BucketSource"]
    buckets.folder(source["S3Bucket"])
    buckets.check_prefix(source.get("S3KeyPrefix") or "")
    import_formats.check(request)


def begin(transaction: Transaction, request: Request, place: Place) -> Response:
    """ImportTable: the table is there at once, and is filled afterwards."""
    mismatch = IdempotentParameterMismatchError(_MISMATCH)
    before = transfers.repeated(transaction.connection, "import", request, transaction.now, mismatch)
    if before is not None:
        return {"ImportTableDescription": before["description"]}
    parameters = request["TableCreationParameters"]
    name = place.table_name(parameters["TableName"])
    if name in transaction.catalog.tables:
        raise ResourceInUseError(f"Table already exists: {name}")
    # Of a table's settings only those that an import may give: others have not been checked.
    settings = {member: parameters[member] for member in IMPORTED_TABLE.members if member in parameters}
    table = replace(tables.new_table(transaction, settings, name), restoring=0)
    tables.create_rows(transaction, table)
    catalog.save(transaction.connection, table)
    transaction.reload()
    arn = transfers.new_arn("import", name, transaction.now, place)
    description = {
        "ImportArn": arn,
        "ImportStatus": "IN_PROGRESS",
        "TableArn": place.table_arn(name),
        "TableId": table.uuid,
        "S3BucketSource": request["S3BucketSource"],
        "StartTime": transaction.now,
        "ErrorCount": 0,
        "ProcessedSizeBytes": 0,
        "ProcessedItemCount": 0,
        "ImportedItemCount": 0,
        **{name: request[name] for name in _ASKED if request.get(name) is not None},
    }
    transfers.add(transaction, "import", arn, name, {"description": description, "request": dict(request)})
    return {"ImportTableDescription": description}


def describe(connection: apsw.Connection, _tables: Catalog, request: Request, place: Place) -> Response:
    """DescribeImport."""
    return _LOOKUP.describe(connection, request, place)


def list_imports(connection: apsw.Connection, _tables: Catalog, request: Request, place: Place) -> Response:
    """ListImports."""
    return _LOOKUP.page(connection, request, place)


def fill(transaction: Transaction, arn: str, position: int, chunk: Sequence[Record]) -> bool:
    """Write the records after a position; False if it has come elsewhere meanwhile, by another process."""
    stored = transfers.find(transaction.connection, "import", arn, ImportNotFoundError(arn))
    description = stored["description"]
    table = _filling(transaction, description)
    if table is None or description["ProcessedItemCount"] != position:
        return False
    for record in chunk:
        fault = record.fault if record.item is None else _write(transaction, table, record.item)
        if not fault:
            description["ImportedItemCount"] += 1
            continue
        description["ErrorCount"] += 1
        stored.setdefault("first_fault", f"{record.where}: {fault}")
        if description["ErrorCount"] <= _MOST_TOLD:
            _log.warning("import into %s: %s: %s", table.name, record.where, fault)
    description["ProcessedItemCount"] += len(chunk)
    description["ProcessedSizeBytes"] += sum(record.size for record in chunk)
    transfers.save(transaction, arn, stored)
    return True


def _write(transaction: Transaction, table: Table, item: Item) -> str:
    """Put an item; what is wrong with it, if it does not fit the table."""
    try:
        key = rows.key_of_item(table, item)
        row = rows.find(transaction.connection, table, key)
        change = rows.plan(table, key, row, None if row is None else row.item, item)
    except ValidationError as error:
        return error.message
    rows.perform(transaction, change)
    return ""


def finish(transaction: Transaction, arn: str, position: int) -> None:
    """Everything is read: the table can be used, with what could be imported."""
    stored = transfers.find(transaction.connection, "import", arn, ImportNotFoundError(arn))
    description = stored["description"]
    table = _filling(transaction, description)
    if table is None or description["ProcessedItemCount"] != position:
        return
    catalog.save(transaction.connection, replace(table, restoring=None))
    transaction.reload()
    description |= {"ImportStatus": "COMPLETED", "EndTime": transaction.now}
    if errors := description["ErrorCount"]:
        description |= {
            "ImportStatus": "FAILED",
            "FailureCode": "ItemValidationError",
            "FailureMessage": f"{errors} of {position} records are no items of this table, and were not imported."
            f" The log has the first {_MOST_TOLD}. The very first is {stored['first_fault']}",
        }
    transfers.save(transaction, arn, stored)


def fail(transaction: Transaction, arn: str, code: str, reason: str) -> None:
    """There is nothing to read, or it cannot be read: the unfinished table goes again."""
    stored = transfers.find(transaction.connection, "import", arn, ImportNotFoundError(arn))
    description = stored["description"]
    table = _filling(transaction, description)
    if table is not None:
        tables.drop(transaction, table)
    description |= {
        "ImportStatus": "FAILED",
        "EndTime": transaction.now,
        "FailureCode": code,
        "FailureMessage": reason,
    }
    transfers.save(transaction, arn, stored)


def _filling(transaction: Transaction, description: Mapping[str, Any]) -> Table | None:
    """The table of an import that is not done."""
    name = description["TableCreationParameters"]["TableName"]
    table = transaction.catalog.tables.get(transaction.catalog.place.table_name(name))
    if description["ImportStatus"] != "IN_PROGRESS" or table is None or table.uuid != description["TableId"]:
        return None
    return table
