"""What an export is written from: a file with a table's items as of one moment, or with what changed in a period."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import apsw
import orjson

from partita.dynamo.errors import InvalidExportTimeError, ValidationError
from partita.dynamo.frozen import dataclass
from partita.dynamo.size import item_size
from partita.engine import backups, history, rows
from partita.engine.database import translated
from partita.engine.definitions import Table

FULL, INCREMENTAL = "FULL_EXPORT", "INCREMENTAL_EXPORT"
_BOTH_IMAGES = "NEW_AND_OLD_IMAGES"
_PERIOD = "IncrementalExportSpecification"
_SHORTEST, _LONGEST = 15 * 60, 24 * 3600
Request = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy, and of when it is: for the description of the export."""

    table: Table
    file: str
    items: int
    bytes: int
    times: Mapping[str, Any]


def check(request: Request) -> None:
    """Refuse a request whose times do not go together."""
    period = request.get(_PERIOD)
    if request.get("ExportType") != INCREMENTAL:
        if period is not None:
            raise ValidationError(f"{_PERIOD} is for ExportType {INCREMENTAL} only")
        return
    if request.get("ExportTime") is not None:
        raise ValidationError(f"ExportTime is for ExportType {FULL} only. Use {_PERIOD}.")
    if period is None or period.get("ExportFromTime") is None:
        raise ValidationError(f"ExportType {INCREMENTAL} needs {_PERIOD} with ExportFromTime")


def copy(source: Path, target: Path, name: str, request: Request, now: float) -> Copied:
    """Copy what is to be exported into a new file: a table as it is now or was, or what changed."""
    period, moment = request.get(_PERIOD), request.get("ExportTime")
    with backups.new_copy(source, target) as connection:
        table = backups.copied_table(connection, name)
        if period is not None:
            begin, end = _period(connection, table, period, now)
            counts = _copy_changes(connection, table, begin, end)
            view = period.get("ExportViewType") or _BOTH_IMAGES
            named = {"ExportFromTime": float(begin), "ExportToTime": float(end), "ExportViewType": view}
            times: dict[str, Any] = {_PERIOD: named}
        elif moment is not None:
            second = int(moment)
            _check_kept(connection, table, second, now)
            counts = _copy_moment(connection, table, second)
            times = {"ExportTime": float(second)}
        else:
            counts = backups.copy_items(connection, table)
            times = {"ExportTime": now}
        return Copied(table, target.name, *counts, times)


def _check_kept(connection: apsw.Connection, table: Table, second: int, now: float) -> None:
    """Refuse a second that is not kept; the one that runs is now."""
    history.check_kept(table)
    earliest, _ = history.window(connection, table, now)
    if not earliest <= second <= int(now):
        raise InvalidExportTimeError(history.outside(second, earliest, int(now), "export the table as it is now"))


def _period(connection: apsw.Connection, table: Table, period: Mapping[str, Any], now: float) -> tuple[int, int]:
    """The first second of a period, and the one after its last, which is over."""
    last = period.get("ExportToTime")
    begin, end = int(period["ExportFromTime"]), int(now if last is None else last)
    if begin >= end:
        raise ValidationError(
            "Incremental export period from time should not be greater or equal to incremental export period to time"
        )
    for second in (begin, end):
        _check_kept(connection, table, second, now)
    if not _SHORTEST <= end - begin <= _LONGEST:
        raise ValidationError(
            "The period of an incremental export is at least 15 minutes and at most 24 hours long;"
            f" this one has {end - begin} seconds"
        )
    return begin, end


def _copy_moment(connection: apsw.Connection, table: Table, second: int) -> tuple[int, int]:
    """Copy the items of the end of a second; how many there are, and their bytes."""
    history.copy_as_of(connection, table, second)
    items = connection.execute("SELECT count(*) FROM items").get
    unchanged = f"SELECT coalesce(sum(size), 0) FROM source.{table.rows} WHERE key NOT IN (SELECT key FROM undone)"
    size = connection.execute(unchanged).get
    for crc, old in connection.execute("SELECT crc, old FROM undone WHERE old IS NOT NULL"):
        size += item_size(orjson.loads(rows.sound(old, crc)))
    connection.execute("DROP TABLE undone")
    return items, size


def _copy_changes(connection: apsw.Connection, table: Table, begin: int, end: int) -> tuple[int, int]:
    """Copy what the items that were written in a period were before and after it; how many, and the bytes of both.

    The first change of a key in the period says what it was before, the first one after the period what it became.
    An item that was neither there before nor after is left out, as DynamoDB does.
    """
    before, last = (history.last_number(connection, second - 1) for second in (begin, end))
    connection.execute(
        "CREATE TABLE main.written (key BLOB PRIMARY KEY, number INTEGER NOT NULL, crc INTEGER NOT NULL, old BLOB)"
    )
    connection.execute(
        "INSERT INTO main.written (key, number, crc, old)"
        f" SELECT key, number, crc, old FROM source.{table.history} WHERE number > ? AND number <= ? ORDER BY seq"
        " ON CONFLICT (key) DO UPDATE SET number = excluded.number",
        (before, last),
    )
    history.undo_into(connection, table, last, "source")
    connection.execute(
        "CREATE TABLE main.changes AS SELECT w.key AS key, m.second AS second, w.crc AS old_crc, w.old AS old,"
        " iif(u.key IS NULL, r.crc, u.crc) AS new_crc, iif(u.key IS NULL, r.body, u.old) AS new"
        " FROM main.written w JOIN source.moments m ON m.number = w.number"
        f" LEFT JOIN main.undone u ON u.key = w.key LEFT JOIN source.{table.rows} r ON r.key = w.key"
    )
    connection.execute("DELETE FROM main.changes WHERE old IS NULL AND new IS NULL")
    connection.execute("DROP TABLE main.written")
    connection.execute("DROP TABLE main.undone")
    counted = "SELECT count(*), coalesce(sum(coalesce(length(old), 0) + coalesce(length(new), 0)), 0) FROM changes"
    items, size = next(connection.execute(counted))
    return items, size


def lines(file: Path, stored: Mapping[str, Any]) -> Generator[tuple[bytes, bytes]]:
    """The key of each record of an export, and its line."""
    period = stored["description"].get(_PERIOD)
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        with translated():
            if period is None:
                for key, crc, body in connection.execute("SELECT key, crc, body FROM items ORDER BY key"):
                    yield key, b'{"Item":%b}\n' % rows.sound(body, crc)
                return
            both = period["ExportViewType"] == _BOTH_IMAGES
            columns = "key, second, old_crc, old, new_crc, new"
            for key, second, old_crc, old, new_crc, new in connection.execute(
                f"SELECT {columns} FROM changes ORDER BY key"
            ):
                old = None if old is None else rows.sound(old, old_crc)
                new = None if new is None else rows.sound(new, new_crc)
                yield key, _changed_line(stored["keys"], second, old, new, both=both)
    finally:
        connection.close()


def _changed_line(names: list[str], second: int, old: bytes | None, new: bytes | None, *, both: bool) -> bytes:
    item = orjson.loads(new or old or b"{}")
    record: dict[str, Any] = {
        "Metadata": {"WriteTimestampMicros": {"N": str(second * 1_000_000)}},
        "Keys": {name: item[name] for name in names},
    }
    if old is not None and both:
        record["OldImage"] = orjson.Fragment(old)
    if new is not None:
        record["NewImage"] = orjson.Fragment(new)
    return orjson.dumps(record) + b"\n"
