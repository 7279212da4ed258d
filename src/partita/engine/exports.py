"""ExportTableToPointInTime: a table as DynamoDB exports it to S3, into a bucket that is a folder.

The table is copied while the request waits, so that the export is of one moment; the files are written from the copy
afterwards. Written again after a crash they are the same files.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import orjson

from partita.dynamo.errors import ExportConflictError, ExportNotFoundError
from partita.engine import export_copies, ion, keys, transfers
from partita.engine.buckets import Buckets
from partita.engine.catalog import Catalog
from partita.engine.export_copies import Copied
from partita.engine.place import Place
from partita.engine.transfers import Stored
from partita.engine.writer import Transaction

FOLDER = "exports"
_CONFLICT = "The client token was used for another export within the last eight hours. Use a new one."
_LEVEL = 6
_OPTIONS = ("S3BucketOwner", "S3Prefix", "S3SseAlgorithm", "S3SseKmsKeyId", "ClientToken")
_LOOKUP = transfers.Lookup(
    kind="export",
    arn="ExportArn",
    description="ExportDescription",
    summaries="ExportSummaries",
    limit="MaxResults",
    summary=("ExportArn", "ExportStatus", "ExportType"),
    missing=ExportNotFoundError,
)
Request = Mapping[str, Any]
Response = dict[str, Any]


class StoppedError(Exception):
    """The engine is being closed, and the export is not done."""


def check(request: Request, buckets: Buckets) -> None:
    """Refuse what this engine cannot export."""
    buckets.folder(request["S3Bucket"])
    buckets.check_prefix(request.get("S3Prefix") or "")
    export_copies.check(request)


def known(connection: apsw.Connection, request: Request, now: float) -> Response | None:
    """The answer to a request that came before with the same token."""
    stored = transfers.repeated(connection, "export", request, now, ExportConflictError(_CONFLICT))
    return None if stored is None else {"ExportDescription": stored["description"]}


def register(transaction: Transaction, request: Request, copied: Copied, place: Place) -> Response:
    """Begin an export from a copy."""
    before = known(transaction.connection, request, transaction.now)
    if before is not None:
        return before
    table = copied.table
    arn = transfers.new_arn("export", table.name, transaction.now, place)
    description = {
        "ExportArn": arn,
        "ExportStatus": "IN_PROGRESS",
        "StartTime": transaction.now,
        "TableArn": place.table_arn(table.name),
        "TableId": table.uuid,
        **copied.times,
        "S3Bucket": request["S3Bucket"],
        "ExportFormat": request.get("ExportFormat") or "DYNAMODB_JSON",
        "ExportType": request.get("ExportType") or export_copies.FULL,
        **{name: request[name] for name in _OPTIONS if request.get(name) is not None},
    }
    stored = {
        "description": description,
        "request": dict(request),
        "keys": [name for name, _ in table.keys],
        "file": copied.file,
        "items": copied.items,
        "bytes": copied.bytes,
    }
    transfers.add(transaction, "export", arn, table.name, stored)
    return {"ExportDescription": description}


def describe(connection: apsw.Connection, _tables: Catalog, request: Request, place: Place) -> Response:
    """DescribeExport."""
    return _LOOKUP.describe(connection, request, place)


def list_exports(connection: apsw.Connection, _tables: Catalog, request: Request, place: Place) -> Response:
    """ListExports."""
    return _LOOKUP.page(connection, request, place)


def write(stored: Stored, copy: Path, buckets: Buckets, now: float, stops: Callable[[], bool] = lambda: False) -> None:
    """Write an export's files, the manifests last; the description is changed to a completed one. Nobody who closes the
    engine waits for it: if it `stops`, the export begins anew when somebody else comes to it."""
    description = stored["description"]
    bucket, number = description["S3Bucket"], description["ExportArn"].rpartition("/")[2]
    prefix = (description.get("S3Prefix") or "").rstrip("/")
    base = f"{prefix}/AWSDynamoDB/{number}" if prefix else f"AWSDynamoDB/{number}"
    buckets.put(bucket, f"{base}/_started", b"")
    # The files of all incremental exports are in one folder, as DynamoDB has it.
    folder = f"{base}/data" if "ExportTime" in description else f"{base.rpartition('/')[0]}/data"
    with closing(export_copies.lines(copy, stored)) as lines:
        written = _until(stops, lines)
        if description["ExportFormat"] == "ION":
            files = _write_files(_as_ion(written), buckets, bucket, folder, number, "ion")
        else:
            files = _write_files(written, buckets, bucket, folder, number, "json")
    _put_manifest(buckets, bucket, f"{base}/manifest-files", b"".join(orjson.dumps(file) + b"\n" for file in files))
    description |= {
        "ExportStatus": "COMPLETED",
        "EndTime": now,
        "ExportManifest": f"{base}/manifest-summary.json",
        "BilledSizeBytes": stored["bytes"],
        "ItemCount": stored["items"],
    }
    summary = {
        "version": "2020-06-30" if "ExportTime" in description else "2023-08-01",
        "exportArn": description["ExportArn"],
        "startTime": _iso(description["StartTime"]),
        "endTime": _iso(now),
        "tableArn": description["TableArn"],
        "tableId": description["TableId"],
        **_times(description),
        "s3Bucket": bucket,
        "s3Prefix": description.get("S3Prefix"),
        "s3SseAlgorithm": description.get("S3SseAlgorithm", "AES256"),
        "s3SseKmsKeyId": description.get("S3SseKmsKeyId"),
        "manifestFilesS3Key": f"{base}/manifest-files.json",
        "billedSizeBytes": stored["bytes"],
        "itemCount": stored["items"],
        "outputFormat": description["ExportFormat"],
        "exportType": description["ExportType"],
    }
    _put_manifest(buckets, bucket, f"{base}/manifest-summary", orjson.dumps(summary))


def _until(stops: Callable[[], bool], lines: Iterator[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    for line in lines:
        if stops():
            raise StoppedError
        yield line


def _as_ion(lines: Iterator[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    for key, line in lines:
        yield key, ion.line(line)


def _times(description: Response) -> Response:
    if "ExportTime" in description:
        return {"exportTime": _iso(description["ExportTime"])}
    period = description["IncrementalExportSpecification"]
    return {
        "exportFromTime": _iso(period["ExportFromTime"]),
        "exportToTime": _iso(period["ExportToTime"]),
        "outputView": period["ExportViewType"],
    }


def _write_files(
    lines: Iterator[tuple[bytes, bytes]], buckets: Buckets, bucket: str, folder: str, number: str, suffix: str
) -> list[dict[str, Any]]:
    """A file for each part of the hash space, also for one that has no items, as DynamoDB does."""
    names = [f"{folder}/{_file_name(number, part)}.{suffix}.gz" for part in range(keys.PARTS)]
    counts = [0] * keys.PARTS
    with ExitStack() as files:
        outputs = []
        for name in names:
            raw = files.enter_context(buckets.writing(bucket, name))
            outputs.append(files.enter_context(gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0)))
        for key, line in lines:
            part = keys.part_of(key)
            counts[part] += 1
            outputs[part].write(line)
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
