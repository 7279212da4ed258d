"""Background work: filling new indexes, restores, expiry, trimming. All of it resumes after a crash."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import apsw

from partita.dynamo.errors import DynamoError, StorageCorruptError, StorageFullError, StorageMissingError
from partita.engine import backfill, backups, expiry, history, restores, streams, transfers
from partita.engine.catalog import Catalog
from partita.engine.database import Database, misses_table
from partita.engine.definitions import Table
from partita.engine.writer import Transaction, Writer
from partita.held_folders import may_change

_log = logging.getLogger(__name__)
_INTERVAL = 1.0
_TRIM_EVERY = 60


class Maintenance:
    """One pass does all work that is due; a thread runs a pass every second, or at once when poked."""

    def __init__(
        self, database: Database, writer: Writer, refresh: Callable[[], Catalog], clock: Callable[[], float]
    ) -> None:
        self._database = database
        self._writer = writer
        self._refresh = refresh
        self._clock = clock
        self._wake = threading.Event()
        self._stop = False
        self._passes = 0
        self.also: list[Callable[[], None]] = []
        """Other work that is done in every pass."""
        self.rarely: list[Callable[[float], None]] = []
        """Other work that is done once a minute."""
        self._busy = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._loop, name="partita-maintenance", daemon=True)
        self._thread.start()

    def poke(self) -> None:
        """Start a pass now."""
        self._wake.set()

    def stop(self) -> None:
        self._stop = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def _loop(self) -> None:
        while not self._stop:
            try:
                self.run()
            except Exception as error:
                self._tell(error)
            self._wake.wait(_INTERVAL)
            self._wake.clear()

    def _tell(self, error: Exception) -> None:
        if isinstance(error, StorageFullError | StorageMissingError):
            return  # the database has told the log, and the next pass tries again
        if not isinstance(error, DynamoError):
            _log.error("maintenance failed and will try again", exc_info=error)
        elif not self._stop:
            _log.error("maintenance will try again: %s", error)

    def run(self) -> None:
        """One pass over everything that is due. What fails keeps nothing else from being done."""
        with self._busy:
            failed: list[Exception] = []
            for work in self._due():
                try:
                    work()
                except Exception as error:
                    failed.append(error)
            self._passes += 1
            for other in failed[1:]:
                self._tell(other)
            if failed:
                raise failed[0]

    def _due(self) -> Iterator[Callable[[], None]]:
        for table in self._refresh().tables.values():
            for index in table.indexes:
                if index.status != "ACTIVE":
                    yield partial(self._repeat, partial(backfill.fill, table_name=table.name, index_name=index.name))
            if table.ttl_filled_to is not None:
                yield partial(self._repeat, partial(expiry.fill, name=table.name))
            if table.restoring is not None and table.restored_from is not None:
                yield partial(self._restore, table.name)
            if table.ttl_attribute is not None:
                yield partial(self._sweep, table)
        yield from self.also
        if self._passes % _TRIM_EVERY == 0:
            yield from (partial(rare, time.time()) for rare in self.rarely)
            yield self.trim
            yield partial(self._repeat, history.trim)
            yield self._remove_abandoned

    def trim(self) -> None:
        """Forget what is kept for a time only: records of streams, exports and imports that are done, tokens."""
        self._writer.run(_trim)

    def _sweep(self, table: Table) -> None:
        if self._anything_due(table):
            self._repeat(lambda tx: bool(expiry.sweep(tx, table.name)))

    def _remove_abandoned(self) -> None:
        with self._database.reader() as connection:
            backups.remove_abandoned(connection, self._database.folder / backups.FOLDER, time.time())

    def _anything_due(self, table: Table) -> bool:
        with self._database.reader() as connection:
            try:
                return expiry.due(connection, table, self._clock())
            except apsw.Error as error:
                if not misses_table(error):
                    raise
                return False  # the table was deleted since the catalog was read

    def _repeat(self, job: Callable[[Transaction], bool]) -> None:
        while not self._stop and self._writer.run(job):
            pass

    def _restore(self, name: str) -> None:
        while not self._stop:
            table = self._refresh().tables.get(name)
            if table is None or table.restoring is None:
                return
            with self._database.reader() as connection:
                file = self._database.folder / backups.FOLDER / restores.source_file(connection, table)
            position = table.restoring
            try:
                chunk = restores.read_chunk(file, position)
            except StorageCorruptError:
                _log.error("%s cannot be restored, and is deleted: %s is damaged or gone", name, file)
                self._writer.run(lambda tx: restores.give_up(tx, name))
                return
            if not self._writer.run(lambda tx, at=position, rows=chunk: restores.fill(tx, name, at, rows)):  # type: ignore[misc]
                self._remove_if_done(file)
                return

    def _remove_if_done(self, file: Path) -> None:
        """Remove a file that was made for one restore; those of backups are kept."""
        with self._database.reader() as connection:
            used = backups.files_in_use(connection)
        if file.name not in used:
            self._database.settle()
            with may_change(file.parent):
                file.unlink(missing_ok=True)


def _trim(transaction: Transaction) -> None:
    streams.trim(transaction)
    transfers.trim(transaction)
    transaction.execute("DELETE FROM tokens WHERE expires < ?", (transaction.now,))
