"""All tables at one moment: the whole file is copied while others write to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import apsw
import orjson

from partita.dynamo.frozen import dataclass
from partita.engine import definitions
from partita.engine.backups import files_in_use
from partita.engine.database import (
    APPLICATION_ID,
    CREATE_RENEWALS,
    FORMAT_VERSION,
    FormatError,
    Patience,
    damaged,
    translated,
)
from partita.engine.openings import Opening
from partita.private_files import private_file

_PAGES = 2000
"""Copied at a time; between two steps the progress is told."""


@dataclass(frozen=True, slots=True)
class TableCount:
    """A table and what was in it."""

    name: str
    items: int
    bytes: int


class Snapshot:
    """A read transaction: it sees what was committed when it began, and nothing that came later.

    While it is open, SQLite's log cannot be emptied and grows with every write.
    """

    def __init__(self, path: Path) -> None:
        self._opening = Opening(path)
        with self._opening.begin(reads=True), translated():
            self._connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                self._connection.set_busy_handler(Patience())
                self._connection.execute("PRAGMA query_only=1; BEGIN")
                self._check(path)
            except BaseException:
                self._connection.close()
                raise
        self.moment = time.time()
        """Everything that was acknowledged before is in."""

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *_: object) -> None:
        with self._opening.end():
            self._connection.close()

    @property
    def size(self) -> int:
        """The bytes of the copy."""
        with translated():
            pages, page = (int(self._connection.execute(f"PRAGMA {name}").get) for name in ("page_count", "page_size"))
            return pages * page

    def tables(self) -> tuple[TableCount, ...]:
        """Every table, counted."""
        with translated():
            stored = [each for (each,) in self._connection.execute("SELECT definition FROM tables ORDER BY name")]
            tables = [definitions.from_json(orjson.loads(each)) for each in stored]
            counted = [
                next(self._connection.execute(f"SELECT count(*), coalesce(sum(size), 0) FROM {table.rows}"))
                for table in tables
            ]
        return tuple(
            TableCount(table.name, int(items), int(size)) for table, (items, size) in zip(tables, counted, strict=True)
        )

    def backups(self) -> tuple[str, ...]:
        """The files of the backups that `CreateBackup` has made, and of restores that are not done."""
        with translated():
            return tuple(sorted(files_in_use(self._connection)))

    def copy(self, target: Path, progress: Callable[[int, int], None] = lambda _done, _total: None) -> None:
        """Copy the file page by page, and check the copy: what is damaged is told now rather than when it is needed."""
        private_file(target)
        with translated():
            copy = apsw.Connection(str(target))
            try:
                copy.execute("PRAGMA synchronous=full")
                with copy.backup("main", self._connection, "main") as running:
                    while not running.done:
                        running.step(_PAGES)
                        progress(running.page_count - running.remaining, running.page_count)
                # Else a copy that is only looked at would need files beside it.
                copy.execute("PRAGMA journal_mode=delete")
                found = str(copy.execute("PRAGMA quick_check(1)").get)
            finally:
                copy.close()
        if found != "ok":
            raise damaged(found)

    def _check(self, path: Path) -> None:
        """The first read: it begins the snapshot."""
        owner, version = next(
            self._connection.execute(
                "SELECT (SELECT application_id FROM pragma_application_id),"
                " (SELECT user_version FROM pragma_user_version), (SELECT version FROM catalog)"
            )
        )[:2]
        if owner != APPLICATION_ID:
            raise FormatError(f"{path} is a SQLite file of something else. Choose another data folder.")
        if version > FORMAT_VERSION:
            raise FormatError(
                f"{path} has format {version}; this Partita knows up to {FORMAT_VERSION}. "
                "Use the Partita that serves it."
            )


def renew_records(path: Path, moment: float, now: float) -> None:
    """Make the records of all streams as young as they were at a moment: those that no handler had seen then are not
    trimmed before the handlers come to them."""
    seconds = max(0.0, now - moment)
    with translated():
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.execute("BEGIN IMMEDIATE")
            streams = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'stream_[0-9]*'"
            for (name,) in list(connection.execute(streams)):
                connection.execute(f"UPDATE {name} SET at = at + ?", (seconds,))
            connection.execute(CREATE_RENEWALS)  # the file may be of an earlier version
            connection.execute("INSERT INTO renewals VALUES (?, ?)", (moment, seconds))
            connection.execute("COMMIT")
        finally:
            connection.close()


def renewed(connection: apsw.Connection, moment: float) -> float:
    """The time that records of a moment bear now."""
    for renewal, seconds in connection.execute("SELECT moment, seconds FROM renewals ORDER BY rowid"):
        if moment < renewal + seconds:
            moment = min(moment, renewal) + seconds
    return moment
