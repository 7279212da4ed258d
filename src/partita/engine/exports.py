"""ExportTableToPointInTime: a table as DynamoDB exports it to S3, into a bucket that is a folder.

The table is copied while the request waits, so that the export is of one moment; the files are written from the copy
afterwards. Written again after a crash they are the same files.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import orjson

from partita.dynamo.errors import ExportConflictError, ExportNotFoundError, InvalidExportTimeError, ValidationError
from partita.engine import backups, keys, rows, transfers
from partita.engine.buckets import Buckets
from partita.engine.catalog import Catalog
from partita.engine.database import translated
from partita.engine.definitions import Table
from partita.engine.place import Place
from partita.engine.transfers import Stored
from partita.engine.writer import Transaction

FOLDER = "exports"
_CONFLICT = "The client token was used for another export within the last eight hours. Use a new one."
_LEVEL = 6
_OPTIONS = ("S3BucketOwner", "S3Prefix", "S3SseAlgorithm", "S3SseKmsKeyId", "ClientToken")
_SUMMARY = ("ExportArn", "ExportStatus", "ExportType")
Request = Mapping[str, Any]
Response = dict[str, Any]


def check(request: Request, buckets: Buckets, now: float) -> None:
    """Refuse what this engine cannot export."""
    buckets.folder(request["S3Bucket"])
    buckets.check_prefix(request.get("S3Prefix") or "")
    if request.get("ExportFormat") == "ION":
        raise ValidationError("ExportFormat ION is not written here. Use DYNAMODB_JSON.")
    if request.get("ExportType") == "INCREMENTAL_EXPORT" or request.get("IncrementalExportSpecification"):
        raise ValidationError("Only a FULL_EXPORT is written here. Leave out IncrementalExportSpecification.")
    moment = request.get("ExportTime")
    if moment is not None and not now - 1 <= moment <= now + 1:
        raise InvalidExportTimeError("A table is exported as it is now. Leave out ExportTime.")


def copy(source: Path, target: Path, name: str) -> tuple[Table, int, int]:
    """Copy a table as it is now into a new file, and count its items and bytes."""
    with backups.new_copy(source, target) as connection:
        table = backups.copied_table(connection, name)
        return table, *backups.copy_items(connection, table)


def known(connection: apsw.Connection, request: Request, now: float) -> Response | None:
    """The answer to a request that came before with the same token."""
    stored = transfers.repeated(connection, "export", request, now, ExportConflictError(_CONFLICT))
    return None if stored is None else {"ExportDescription": stored["description"]}


def register(
    transaction: Transaction, request: Request, table: Table, copied: tuple[str, int, int], place: Place
) -> Response:
    """Begin an export from a copy: its file's name, its items and its bytes."""
    before = known(transaction.connection, request, transaction.now)
    if before is not None:
        return before
    file, items, size = copied
    arn = transfers.new_arn("export", table.name, transaction.now, place)
    description = {
        "ExportArn": arn,
        "ExportStatus": "IN_PROGRESS",
        "StartTime": transaction.now,
        "TableArn": place.table_arn(table.name),
        "TableId": table.uuid,
        "ExportTime": transaction.now,
        "S3Bucket": request["S3Bucket"],
        "ExportFormat": "DYNAMODB_JSON",
        "ExportType": "FULL_EXPORT",
        **{name: request[name] for name in _OPTIONS if request.get(name) is not None},
    }
    stored = {"description": description, "request": dict(request), "file": file, "items": items, "bytes": size}
    transfers.add(transaction, "export", arn, table.name, stored)
    return {"ExportDescription": description}


def describe(connection: apsw.Connection, _tables: Catalog, request: Request, _place: Place) -> Response:
    """DescribeExport."""
    arn = request["ExportArn"]
    missing = ExportNotFoundError(f"Export not found: {arn}")
    return {"ExportDescription": transfers.find(connection, "export", arn, missing)["description"]}


def list_exports(connection: apsw.Connection, _tables: Catalog, request: Request, place: Place) -> Response:
    """ListExports."""
    arn = request.get("TableArn")
    only = None if arn is None else place.table_name(arn)
    found, after = transfers.page(connection, "export", only, request.get("MaxResults"), request.get("NextToken"))
    response: Response = {"ExportSummaries": [{name: each[name] for name in _SUMMARY} for each in found]}
    if after is not None:
        response["NextToken"] = after
    return response


def write(stored: Stored, copy: Path, buckets: Buckets, now: float) -> None:
    """Write an export's files, the manifests last; the description is changed to a completed one."""
    description = stored["description"]
    bucket, number = description["S3Bucket"], description["ExportArn"].rpartition("/")[2]
    prefix = (description.get("S3Prefix") or "").rstrip("/")
    base = f"{prefix}/AWSDynamoDB/{number}" if prefix else f"AWSDynamoDB/{number}"
    buckets.put(bucket, f"{base}/_started", b"")
    files = _write_items(copy, buckets, bucket, f"{base}/data", number)
    _put_manifest(buckets, bucket, f"{base}/manifest-files", b"".join(orjson.dumps(file) + b"\n" for file in files))
    description |= {
        "ExportStatus": "COMPLETED",
        "EndTime": now,
        "ExportManifest": f"{base}/manifest-summary.json",
        "BilledSizeBytes": stored["bytes"],
        "ItemCount": stored["items"],
    }
    summary = {
        "version": "2020-06-30",
        "exportArn": description["ExportArn"],
        "startTime": _iso(description["StartTime"]),
        "endTime": _iso(now),
        "tableArn": description["TableArn"],
        "tableId": description["TableId"],
        "exportTime": _iso(description["ExportTime"]),
        "s3Bucket": bucket,
        "s3Prefix": description.get("S3Prefix"),
        "s3SseAlgorithm": description.get("S3SseAlgorithm", "AES256"),
        "s3SseKmsKeyId": description.get("S3SseKmsKeyId"),
        "manifestFilesS3Key": f"{base}/manifest-files.json",
        "billedSizeBytes": stored["bytes"],
        "itemCount": stored["items"],
        "outputFormat": "DYNAMODB_JSON",
        "exportType": "FULL_EXPORT",
    }
    _put_manifest(buckets, bucket, f"{base}/manifest-summary", orjson.dumps(summary))


def _write_items(copy: Path, buckets: Buckets, bucket: str, folder: str, number: str) -> list[dict[str, Any]]:
    """A file for each part of the hash space, also for one that has no items, as DynamoDB does."""
    names = [f"{folder}/{_file_name(number, part)}.json.gz" for part in range(keys.PARTS)]
    counts = [0] * keys.PARTS
    connection = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        with ExitStack() as files, translated():
            outputs = []
            for name in names:
                raw = files.enter_context(buckets.writing(bucket, name))
                outputs.append(files.enter_context(gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0)))
            for key, crc, body in connection.execute("SELECT key, crc, body FROM items ORDER BY key"):
                part = keys.part_of(key)
                counts[part] += 1
                outputs[part].write(b'{"Item":%b}\n' % rows.sound(body, crc))
    finally:
        connection.close()
    written = []
    for name, count in zip(names, counts, strict=True):
        with (buckets.folder(bucket) / name).open("rb") as file:
            digest = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False))
        checksum = base64.b64encode(digest.digest()).decode()
        written.append(
            {"itemCount": count, "md5Checksum": checksum, "etag": f"{digest.hexdigest()}-1", "dataFileS3Key": name}
        )
    return written


def _file_name(number: str, part: int) -> str:
    digest = hashlib.sha256(f"{number}/{part}".encode()).digest()[:16]
    return base64.b32encode(digest).decode().rstrip("=").lower()


def _put_manifest(buckets: Buckets, bucket: str, key: str, content: bytes) -> None:
    digest = hashlib.md5(content, usedforsecurity=False).digest()
    buckets.put(bucket, f"{key}.checksum", base64.b64encode(digest))
    buckets.put(bucket, f"{key}.json", content)


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
