"""Change streams: one shard per stream, records in the order of commits, kept for a day."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from hashlib import md5
from math import ceil
from typing import Any

import apsw
import orjson

from partita.dynamo.errors import (
    ExpiredIteratorError,
    ResourceNotFoundError,
    TrimmedDataAccessError,
    ValidationError,
)
from partita.dynamo.limits import ITERATOR_SECONDS, PAGE_BYTES, STREAM_RECORDS, STREAM_SECONDS
from partita.engine import rows
from partita.engine.catalog import Catalog
from partita.engine.definitions import Stream, Table
from partita.engine.describe import key_schema
from partita.engine.place import Place
from partita.engine.writer import Transaction

_HIGHEST_NUMBER = 2**63 - 1
"""The highest that the database counts to."""
Request = Mapping[str, Any]
Response = dict[str, Any]


def label(moment: float) -> str:
    """A stream's label: the moment it was made."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]


def create_rows(transaction: Transaction, stream: Stream) -> None:
    """The records; AUTOINCREMENT so that a number never comes back, even after everything was trimmed. A stream begins
    with the microsecond it is made in, behind every other one: whoever has seen a change of an earlier stream knows by
    the number that one of this stream is later."""
    transaction.execute(
        f"CREATE TABLE {stream.rows} (seq INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, event TEXT NOT NULL,"
        " keys BLOB NOT NULL, old BLOB, new BLOB, crc INTEGER NOT NULL, size INTEGER NOT NULL,"
        " service INTEGER NOT NULL)"
    )
    transaction.execute(
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?, max(?, coalesce(max(seq), 0)) FROM sqlite_sequence",
        (stream.rows, int(transaction.now * 1_000_000)),
    )


def close(transaction: Transaction, table: Table, stream: Stream) -> None:
    """Keep a deleted table's stream as long as it has records."""
    stored = {
        "stream": asdict(replace(stream, enabled=False)),
        "closed": transaction.now,
        "keys": key_schema((table.hash,), () if table.range is None else (table.range,)),
    }
    transaction.execute(
        "INSERT INTO closed_streams (id, table_name, definition) VALUES (?, ?, ?)",
        (stream.id, table.name, orjson.dumps(stored).decode()),
    )


def trim(transaction: Transaction) -> None:
    """Delete records older than a day, and closed streams that have none left."""
    horizon = transaction.now - STREAM_SECONDS
    for table in transaction.catalog.tables.values():
        for stream in table.streams:
            _trim_rows(transaction, stream, horizon)
    for number, definition in list(transaction.execute("SELECT id, definition FROM closed_streams")):
        if orjson.loads(definition)["closed"] < horizon:
            transaction.execute(f"DROP TABLE stream_{number}")
            transaction.execute("DELETE FROM closed_streams WHERE id = ?", (number,))


def _trim_rows(transaction: Transaction, stream: Stream, horizon: float) -> None:
    """Delete the records before the first one that is young enough. Those behind it are not looked at: a stream holds a
    day of images, and reading all of them would fill SQLite's memory with what nobody asked for."""
    young = f"SELECT seq FROM {stream.rows} WHERE at >= ? ORDER BY seq LIMIT 1"
    first = transaction.execute(young, (horizon,)).get
    if first is None:
        transaction.execute(f"DELETE FROM {stream.rows}")
    else:
        transaction.execute(f"DELETE FROM {stream.rows} WHERE seq < ?", (first,))


def _all_streams(connection: apsw.Connection, tables: Catalog) -> Iterator[tuple[str, Stream, list[dict[str, str]]]]:
    """All streams, each with its table's name and key schema."""
    for table in tables.tables.values():
        keys = key_schema((table.hash,), () if table.range is None else (table.range,))
        for stream in table.streams:
            yield table.name, stream, keys
    for name, definition in connection.execute("SELECT table_name, definition FROM closed_streams"):
        stored = orjson.loads(definition)
        yield name, Stream(**stored["stream"]), stored["keys"]


def _find(
    connection: apsw.Connection, tables: Catalog, arn: str, place: Place
) -> tuple[str, Stream, list[dict[str, str]]]:
    name, label = place.stream_of(arn)
    for table, stream, keys in _all_streams(connection, tables):
        if table == name and stream.label == label:
            return table, stream, keys
    raise ResourceNotFoundError(f"Requested resource not found: Stream: {arn} not found")


def list_streams(connection: apsw.Connection, tables: Catalog, request: Request, place: Place) -> Response:
    """ListStreams."""
    only = request.get("TableName")
    only = None if only is None else place.table_name(only)
    listed = sorted(
        (place.stream_arn(name, stream), name, stream.label)
        for name, stream, _ in _all_streams(connection, tables)
        if only is None or name == only
    )
    start = request.get("ExclusiveStartStreamArn") or ""
    if start:
        place.stream_of(start)
    limit = request.get("Limit") or 100
    rest = [entry for entry in listed if entry[0] > start]
    response: Response = {
        "Streams": [{"StreamArn": arn, "TableName": name, "StreamLabel": stamp} for arn, name, stamp in rest[:limit]]
    }
    if len(rest) > limit:
        response["LastEvaluatedStreamArn"] = rest[limit - 1][0]
    return response


def _shard(stream: Stream) -> str:
    return f"shardId-{int(stream.created * 1000):020d}-{stream.id:08x}"


def _sequence(number: int) -> str:
    return f"{number:021d}"


def describe_stream(connection: apsw.Connection, tables: Catalog, request: Request, place: Place) -> Response:
    """DescribeStream."""
    name, stream, keys = _find(connection, tables, request["StreamArn"], place)
    first, last = next(connection.execute(f"SELECT min(seq), max(seq) FROM {stream.rows}"))
    if first is None:
        first = last = _highest(connection, stream) + 1
    bounds: dict[str, str] = {"StartingSequenceNumber": _sequence(first)}
    if not stream.enabled:
        bounds["EndingSequenceNumber"] = _sequence(last)
    shard = {"ShardId": _shard(stream), "SequenceNumberRange": bounds}
    # The starting id is a position, not a name; and the one shard of a stream has no children.
    shown = request.get("ShardFilter") is None and _shard(stream) > (request.get("ExclusiveStartShardId") or "")
    return {
        "StreamDescription": {
            "StreamArn": place.stream_arn(name, stream),
            "StreamLabel": stream.label,
            "StreamStatus": "ENABLED" if stream.enabled else "DISABLED",
            "StreamViewType": stream.view,
            "CreationRequestDateTime": stream.created,
            "TableName": name,
            "KeySchema": keys,
            "Shards": [shard] if shown else [],
        }
    }


def shard_iterator(
    connection: apsw.Connection, tables: Catalog, request: Request, place: Place, now: float
) -> Response:
    """GetShardIterator."""
    name, stream, _ = _find(connection, tables, request["StreamArn"], place)
    if request["ShardId"] != _shard(stream):
        raise ResourceNotFoundError(
            f"Requested resource not found: Shard: {request['ShardId']} in stream: {request['StreamArn']} not found"
        )
    kind, number, moment = request["ShardIteratorType"], request.get("SequenceNumber"), request.get("Timestamp")
    exact = kind != "TRIM_HORIZON"
    if moment is not None and kind != "AT_TIMESTAMP":
        raise ValidationError(f"Timestamp must not be given for the shard iterator type {kind}")
    first, last = next(connection.execute(f"SELECT min(seq), max(seq) FROM {stream.rows}"))
    newest = last if last is not None else _highest(connection, stream)
    if kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        if number is None:
            raise ValidationError(f"SequenceNumber is required for the shard iterator type {kind}")
        position = _number(number) + (kind == "AFTER_SEQUENCE_NUMBER")
        if position < (first if first is not None else newest + 1):
            raise TrimmedDataAccessError(
                f"The sequence number {number} is before the oldest record kept. Start from TRIM_HORIZON."
            )
    elif number is not None:
        raise ValidationError(f"SequenceNumber must not be given for the shard iterator type {kind}")
    elif kind == "AT_TIMESTAMP":
        found = _first_since(connection, stream, moment, now)
        position = newest + 1 if found is None else found
        exact = position != first  # the oldest record is where TRIM_HORIZON begins
    else:
        position = newest + 1 if kind == "LATEST" else 1
    return {"ShardIterator": _iterator(place.stream_arn(name, stream), position, now, exact=exact)}


def _first_since(connection: apsw.Connection, stream: Stream, moment: float | None, now: float) -> int | None:
    """The number of the first record that is of a moment or later: of the second that the record tells."""
    if moment is None:
        raise ValidationError("Timestamp is required for the shard iterator type AT_TIMESTAMP")
    if moment > now:
        raise ValidationError(f"Timestamp is in the future: {moment}")
    statement = f"SELECT seq FROM {stream.rows} WHERE at >= ? ORDER BY seq LIMIT 1"
    found: int | None = connection.execute(statement, (ceil(moment),)).get
    return found


def _number(sequence: str) -> int:
    """A sequence number, of any length that fits; a reader past the last one there can be waits for nothing."""
    if not (sequence.isascii() and sequence.isdigit()):
        raise ValidationError("Invalid SequenceNumber: it has digits only")
    return min(int(sequence), _HIGHEST_NUMBER - 1)


def _highest(connection: apsw.Connection, stream: Stream) -> int:
    """The last sequence number, even if its record has been deleted."""
    for (number,) in connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (stream.rows,)):
        return int(number)
    return 0


def _iterator(arn: str, position: int, now: float, *, exact: bool) -> str:
    """A position in a stream; `exact` if a deleted record after it means that the reader has missed it."""
    return urlsafe_b64encode(orjson.dumps([arn, position, now, exact])).decode()


def arn_of_iterator(iterator: object) -> str:
    """The ARN of the stream that an iterator is for; nothing if it is none of ours."""
    try:
        return str(orjson.loads(urlsafe_b64decode(str(iterator)))[0])
    except (binascii.Error, ValueError, TypeError, LookupError):
        return ""


def _opened(iterator: str, now: float) -> tuple[str, int, bool]:
    try:
        arn, position, issued, exact = orjson.loads(urlsafe_b64decode(iterator))
        arn, position, issued, exact = str(arn), int(position), float(issued), bool(exact)
        if not 0 <= position <= _HIGHEST_NUMBER:
            raise ValueError
    except (binascii.Error, ValueError, TypeError, OverflowError):
        raise ValidationError("Invalid ShardIterator") from None
    if now - issued > ITERATOR_SECONDS:
        raise ExpiredIteratorError(
            "The shard iterator is older than fifteen minutes. Get a new one with AFTER_SEQUENCE_NUMBER."
        )
    return arn, position, exact


def records(connection: apsw.Connection, tables: Catalog, request: Request, place: Place, now: float) -> Response:
    """GetRecords: up to 1000 records or 1 MB."""
    arn, position, exact = _opened(request["ShardIterator"], now)
    _, stream, _ = _find(connection, tables, arn, place)
    if exact:
        _check_kept(connection, stream, position)
    limit = request.get("Limit") or STREAM_RECORDS
    found: list[dict[str, Any]] = []
    total = 0
    columns = "seq, at, event, keys, old, new, size, service, crc"
    statement = f"SELECT {columns} FROM {stream.rows} WHERE seq >= ? ORDER BY seq LIMIT ?"
    for row in connection.execute(statement, (position, limit)):
        total += row[6]
        if found and total > PAGE_BYTES:
            break
        found.append(_record(stream, row, place))
        position = row[0] + 1
    response: Response = {"Records": found}
    if stream.enabled or found:
        response["NextShardIterator"] = _iterator(arn, position, now, exact=exact or bool(found))
    return response


def _check_kept(connection: apsw.Connection, stream: Stream, position: int) -> None:
    """Refuse to continue after deleted records: the reader must learn that it missed some."""
    (first,) = next(connection.execute(f"SELECT min(seq) FROM {stream.rows}"))
    if position < (first if first is not None else _highest(connection, stream) + 1):
        raise TrimmedDataAccessError(
            "Records after this position are older than a day and have been deleted. Start from TRIM_HORIZON."
        )


def _record(stream: Stream, row: tuple[Any, ...], place: Place) -> dict[str, Any]:
    sequence, at, event, keys, old, new, size, service, crc = row
    rows.sound(rows.record_bytes(keys, old, new), crc)
    change: dict[str, Any] = {
        "ApproximateCreationDateTime": int(at),
        "Keys": orjson.loads(keys),
        "SequenceNumber": _sequence(sequence),
        "SizeBytes": size,
        "StreamViewType": stream.view,
    }
    if new is not None:
        change["NewImage"] = orjson.loads(new)
    if old is not None:
        change["OldImage"] = orjson.loads(old)
    record: dict[str, Any] = {
        "eventID": md5(f"{stream.id}:{sequence}".encode(), usedforsecurity=False).hexdigest(),
        "eventName": event,
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": place.region,
        "dynamodb": change,
    }
    if service:
        record["userIdentity"] = {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}
    return record
