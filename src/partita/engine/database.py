"""The file: SQLite connections, their settings, the format's version, and what can go wrong with a disk."""

from __future__ import annotations

import errno
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import apsw
import orjson

from partita.dynamo.errors import (
    DynamoError,
    InternalServerError,
    StorageCorruptError,
    StorageFullError,
    StorageMissingError,
)
from partita.engine.openings import Opening, lock_of
from partita.engine.presence import Presence
from partita.engine.troubles import Troubles
from partita.engine.write_ahead_log import WriteAheadLog
from partita.lasting import make_folders, sync
from partita.private_files import close_to_others, private_file, tell_if_open

FILE_NAME = "partita.sqlite3"
STORAGE_ERRORS = (apsw.Error, orjson.JSONDecodeError)
"""Errors of SQLite and of stored JSON if the file is damaged."""

_MISSES = (apsw.SQLError, apsw.SchemaChangeError)
"""What SQLite raises for a table that is not there; the second if others change tables while it looks."""

APPLICATION_ID = 0x50415254  # "PART"
FORMAT_VERSION = 4
_BUSY_SECONDS = 60.0
_LEAST_BYTES = 512
_PRESENT_SECONDS = 0.01
_CACHE_BYTES = 32 * 1024 * 1024
"""What all connections of a process keep of the file together: else each of many readers would keep a copy of its own.
The system keeps the rest; to get a page from there takes about a microsecond."""

Durability = Literal["full", "normal", "off"]
"""`full`: an acknowledged write survives power loss; `normal`: a killed process; `off`: neither."""

_CREATE = """
CREATE TABLE catalog (version INTEGER NOT NULL, next_id INTEGER NOT NULL);
INSERT INTO catalog VALUES (1, 1);
CREATE TABLE tables (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL);
CREATE TABLE counters (owner INTEGER PRIMARY KEY, items INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE tokens (token TEXT PRIMARY KEY, request BLOB NOT NULL, expires REAL NOT NULL) WITHOUT ROWID;
CREATE INDEX tokens_by_expiry ON tokens (expires);
CREATE TABLE closed_streams (id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, definition TEXT NOT NULL);
CREATE TABLE backups (
    id INTEGER PRIMARY KEY, arn TEXT NOT NULL UNIQUE, table_name TEXT NOT NULL, definition TEXT NOT NULL
);
"""
_CREATE_HISTORY = """
CREATE TABLE IF NOT EXISTS histories (owner INTEGER PRIMARY KEY, since INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS moments (number INTEGER PRIMARY KEY, second INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS moments_by_second ON moments (second);
"""
CREATE_RENEWALS = "CREATE TABLE IF NOT EXISTS renewals (moment REAL NOT NULL, seconds REAL NOT NULL)"
"""When records of streams were made younger, and by how much."""
_CREATE_TRANSFERS = """
CREATE TABLE IF NOT EXISTS transfers (
    arn TEXT PRIMARY KEY, kind TEXT NOT NULL, table_name TEXT NOT NULL, token TEXT, open INTEGER NOT NULL,
    definition TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS transfers_by_token ON transfers (kind, token);
CREATE INDEX IF NOT EXISTS unfinished_transfers ON transfers (kind, arn) WHERE open = 1;
CREATE TABLE IF NOT EXISTS contributors (
    owner INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (owner, kind, key)
) WITHOUT ROWID;
"""


def _note_on_demand(connection: apsw.Connection) -> None:
    """Tables on demand say since when; what was not kept before is when the table was created."""
    for number, definition in list(connection.execute("SELECT id, definition FROM tables")):
        table = orjson.loads(definition)
        if table["billing"] == "PAY_PER_REQUEST":
            changed = orjson.dumps({**table, "on_demand_since": table["created"]}).decode()
            connection.execute("UPDATE tables SET definition = ? WHERE id = ?", (changed, number))


def _make_room_for_history(connection: apsw.Connection) -> None:
    """An earlier version would write without keeping what was there before: it must not open the file any more."""
    connection.execute(_CREATE_HISTORY)
    connection.execute(CREATE_RENEWALS)


def _add_transfers(connection: apsw.Connection) -> None:
    """Exports, imports and counted keys."""
    connection.execute(_CREATE_TRANSFERS)


UPGRADES: dict[int, Callable[[apsw.Connection], None]] = {
    1: _note_on_demand,
    2: _make_room_for_history,
    3: _add_transfers,
}
"""From format version N to N + 1; run in order, in one transaction, when an older file is opened."""


class FormatError(DynamoError):
    """The file is not ours, or was written by a newer Partita."""

    code = "FormatError"
    status = 500


class Connection(apsw.Connection):
    """A connection with cursors of its own: to make one for each statement would take a tenth of a read."""

    def __init__(self, path: Path, flags: int) -> None:
        super().__init__(str(path), flags=flags, statementcachesize=300)
        self._single = self.cursor().execute
        cursor = self.cursor()
        self.write = cursor.execute
        """`execute` for a statement that returns nothing."""
        self.write_many = cursor.executemany

    def one(self, statement: str, bindings: tuple[bytes]) -> Any:
        """The row, or None; the statement is over then, and holds no snapshot."""
        return self._single(statement, bindings).get


class Database:
    """One file and the connections to it: one that writes, and as many as needed that read."""

    def __init__(
        self,
        folder: Path,
        *,
        durability: Durability = "full",
        max_bytes: int | None = None,
        background: bool = True,
        on_create: Callable[[apsw.Connection], None] = lambda _connection: None,
    ) -> None:
        """`on_create` adds to a new file, in the transaction that makes it. In the `background` threads may work."""
        self.folder = folder
        self.path = folder / FILE_NAME
        self._durability = durability
        self._on_create = on_create
        self._idle: list[apsw.Connection] = []
        self._open: list[apsw.Connection] = []
        self._watch: apsw.Connection | None = None
        self._closing: list[Callable[[], None]] = []
        self._watching = threading.Lock()
        self._present_until = 0.0
        self.closed = False
        self.troubles = Troubles(self.path)
        if apsw.soft_heap_limit(-1) == 0:  # else somebody has chosen one for this process
            apsw.soft_heap_limit(_CACHE_BYTES)
        try:
            make_folders(folder)
            tell_if_open(folder)
        except OSError as error:
            raise _full() if error.errno in _NO_SPACE_LEFT else _unusable(error) from error
        self._opening = Opening(self.path)
        with self._opening.begin():
            self._begin(max_bytes)
        real = os.path.realpath(self.path)  # SQLite follows links, and keeps the others beside the file itself
        self._presence = Presence([file for end in ("", "-wal", "-shm") if os.path.exists(file := f"{real}{end}")])
        close_to_others(*map(Path, self._presence.files), lock_of(self.path))
        self.log = WriteAheadLog(self.writer, f"{real}-wal", self.reader, room=durability == "full", beside=background)
        self._closing += (self.log.close, self._presence.close)

    def _begin(self, max_bytes: int | None) -> None:
        """Open the file, and make it if there is none."""
        try:
            if not self.path.exists():
                private_file(self.path)
        except OSError as error:
            raise _full() if error.errno in _NO_SPACE_LEFT else _unusable(error) from error
        if self.path.exists() and 0 < self.path.stat().st_size < _LEAST_BYTES:
            raise damaged(f"{self.path} is too short to be a database")  # SQLite would treat it as empty
        try:
            with translated():
                self.writer = self._connect()
                self._prepare(max_bytes)
                self.writer.execute("SELECT version FROM catalog").fetchall()  # the files beside it are there now
        except BaseException:
            self.close()  # nobody else will have anything to close
            raise

    def _connect(self) -> Connection:
        # SQLite's default would make a new file where ours was deleted.
        connection = Connection(self.path, apsw.SQLITE_OPEN_READWRITE)
        self._open.append(connection)
        connection.set_busy_handler(Patience())
        for pragma in (
            f"synchronous={self._durability}",
            "fullfsync=1",
            f"cache_size=-{_CACHE_BYTES // 1024}",
            "temp_store=memory",
            "secure_delete=1",  # else what was deleted is in the file, and in backups, until its place is used again
        ):
            connection.execute("PRAGMA " + pragma)
        return connection

    def _prepare(self, max_bytes: int | None) -> None:
        writer = self.writer
        # First check that the file is ours: a foreign one is not touched.
        version = self._checked_version()
        self._use_wal()
        if max_bytes is not None:
            page = int(next(writer.execute("PRAGMA page_size"))[0])
            writer.execute(f"PRAGMA max_page_count={max(1, max_bytes // page)}")
        if version == FORMAT_VERSION:
            return
        writer.execute("BEGIN IMMEDIATE")
        try:
            self._create_or_upgrade()
            writer.execute("COMMIT")
        except BaseException:
            writer.execute("ROLLBACK")
            raise

    def _use_wal(self) -> None:
        """Switch the journal mode; SQLite calls no busy handler for this, so wait here if several processes do it."""
        patience, tries = Patience(), 0
        while True:
            try:
                self.writer.execute("PRAGMA journal_mode=wal")
            except apsw.BusyError:
                if not patience(tries):
                    raise
                tries += 1
            else:
                return

    def _checked_version(self) -> int:
        """The format's version, 0 for a new file; refuses a foreign file and a newer format."""
        writer = self.writer
        # One statement, to read all three at once: another process may be creating the file right now.
        used, version, owner = next(
            writer.execute(
                "SELECT (SELECT count(*) FROM sqlite_schema), (SELECT user_version FROM pragma_user_version),"
                " (SELECT application_id FROM pragma_application_id)"
            )
        )
        if used and owner != APPLICATION_ID:
            raise FormatError(f"{self.path} is a SQLite file of something else. Choose another data folder.")
        if version > FORMAT_VERSION:
            raise FormatError(
                f"{self.path} has format {version}; this Partita knows up to {FORMAT_VERSION}. "
                "Install a newer Partita to open it."
            )
        return int(version)

    def _create_or_upgrade(self) -> None:
        writer = self.writer
        version = self._checked_version()  # again: another process may have upgraded it
        if version == 0:
            writer.execute(_CREATE)
            writer.execute(f"PRAGMA application_id={APPLICATION_ID}")
        for step in range(max(version, 1), FORMAT_VERSION):
            UPGRADES[step](writer)
        if version == 0:
            self._on_create(writer)
        writer.execute(f"PRAGMA user_version={FORMAT_VERSION}")

    @contextmanager
    def reader(self) -> Iterator[apsw.Connection]:
        """A reading connection; every statement, or everything between BEGIN and COMMIT, sees one snapshot."""
        connection = self.take()
        try:
            yield connection
        finally:
            self.give_back(connection)

    def take(self) -> apsw.Connection:
        """A reading connection to keep until it is given back."""
        try:
            return self._idle.pop()
        except IndexError:
            pass
        self._check_open()
        self.check_present()
        try:
            connection = self._connect()
            connection.execute("PRAGMA query_only=1")
        except apsw.Error as error:
            raise (closed() if self.closed else self.failure(error)) from error
        try:
            self._check_open()
        except InternalServerError:
            connection.close()
            raise
        return connection

    def _check_open(self) -> None:
        if self.closed:
            raise closed()

    def check_present(self) -> None:
        """Refuse to go on if the file, or one of those beside it, was deleted, moved or replaced: what is written to it
        now would be in no file when the last process that has it open ends."""
        file = self._presence.missing()
        if file is None:
            return
        if self.closed:
            raise closed()
        name = os.path.basename(file)
        remedy = "Put it back, or restore a backup."
        if file != self._presence.files[0]:  # those who have it open write it into the data file when they close
            remedy = "Stop all processes that use it, and start them again; nothing is lost."
        error = StorageMissingError(f"{name} was deleted or replaced while it is in use; nothing is written. {remedy}")
        self.troubles.tell(error)
        raise error

    def check_before_commit(self) -> None:
        """The same; without full durability at most every hundredth of a second, since asking would cost a third of a
        write. What was written in between shares the fate of what was in the file."""
        if self._durability != "full":
            now = time.monotonic()
            if now < self._present_until:
                return
            self._present_until = now + _PRESENT_SECONDS
        self.check_present()

    def settle(self) -> None:
        """Put what was committed on the disk: before a file is deleted that the tables do not name any more. With full
        durability it is there."""
        if self._durability == "normal":
            log = Path(f"{os.path.realpath(self.path)}-wal")
            with suppress(FileNotFoundError):  # the engine is closed, and everything is in the file
                sync(log)
            sync(log.parent)

    def give_back(self, connection: apsw.Connection) -> None:
        """Return a connection that was taken."""
        if self.closed:
            connection.close()
        else:
            self._idle.append(connection)

    def state(self) -> int | None:
        """A number that differs after every commit, of this process or another; None if it cannot be told now.

        A connection of its own asks, since SQLite does not tell one of its own commits, and it waits for nobody.
        """
        with self._watching, translated():
            if self._watch is None:
                self._watch = self.take()
                self._watch.set_busy_handler(None)
            try:
                return int(self._watch.execute("PRAGMA data_version").get)
            except apsw.BusyError:
                return None

    def failure(self, error: apsw.Error | orjson.JSONDecodeError) -> DynamoError:
        """The error for the caller; the log is told as well."""
        answer = storage_error(error)
        if not isinstance(error, apsw.ConnectionClosedError | apsw.CursorClosedError):
            self.troubles.tell(answer)
        return answer

    def close(self) -> None:
        """Close every connection; the last one of all processes leaves a single file behind."""
        for close in self._closing:
            close()
        self.closed = True
        self._idle.clear()
        with self._opening.end():
            while self._open:
                try:
                    self._open.pop().close()
                except apsw.ThreadingViolationError:
                    continue  # a read is still running; returning the connection closes it


def closed() -> InternalServerError:
    """The error for using a closed engine."""
    return InternalServerError("The engine is closed. Open it again before using it.")


def _full() -> StorageFullError:
    return StorageFullError("The disk or the quota is full; nothing was written. Free some space and try again.")


def _unusable(error: Exception) -> InternalServerError:
    return InternalServerError(f"The data folder cannot be used ({error}). Check that it exists and is writable.")


def damaged(what: object) -> StorageCorruptError:
    """The error for a damaged file."""
    return StorageCorruptError(
        f"The data file is damaged ({what}). Stop writing, copy the folder, and restore from a backup."
    )


class Patience:
    """Waits for another process's write, with growing pauses of up to a few milliseconds, for a minute in total."""

    def __init__(self) -> None:
        self._since = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._since = now
        if now - self._since > _BUSY_SECONDS:
            return False
        time.sleep(random.uniform(0.0001, min(0.0005 * (tries + 1), 0.004)))
        return True


@contextmanager
def translated() -> Iterator[None]:
    """SQLite's errors as errors with a next step."""
    try:
        yield
    except STORAGE_ERRORS as error:
        raise storage_error(error) from error


_NO_SPACE_LEFT = (errno.ENOSPC, errno.EDQUOT)
_NO_SPACE = (apsw.SQLITE_IOERR_SHMSIZE,)
"""SQLite's message if a full disk first shows in the shared-memory file."""


def misses_table(error: Exception) -> bool:
    """Whether a table of the file is not there (any more): another process may have deleted it."""
    return isinstance(error, _MISSES) and str(error).startswith("no such table")


def storage_error(error: apsw.Error | orjson.JSONDecodeError) -> DynamoError:
    """The error for the caller; unreadable JSON means that the file is damaged."""
    if isinstance(error, apsw.ConnectionClosedError | apsw.CursorClosedError):
        return closed()
    if isinstance(error, apsw.FullError) or getattr(error, "extendedresult", 0) in _NO_SPACE:
        return _full()
    if isinstance(error, apsw.CorruptError | apsw.NotADBError | orjson.JSONDecodeError):
        return damaged(error)
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return InternalServerError("Another process has held the data file for a minute. Try again.")
    if isinstance(error, apsw.IOError):
        return InternalServerError(f"The data file could not be read or written ({error}). Check the disk.")
    if isinstance(error, apsw.CantOpenError | apsw.ReadOnlyError | apsw.PermissionsError):
        return _unusable(error)
    return InternalServerError(f"The data file failed: {error}")
