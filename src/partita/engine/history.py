"""Point in time: what items were before each change, kept so that a table can go back to the end of any second.

A number counts the seconds in which something was written, in the order of commits; `moments` says which second each
of them was. Going back to a second means to undo everything with a higher number than the last one of that second.
So all tables go back to the same commit, and a clock that is set back takes nothing out of order.
"""

from __future__ import annotations

from datetime import UTC, datetime
from zlib import crc32

import apsw

from partita.dynamo.errors import RecoveryUnavailableError
from partita.engine.catalog import Catalog
from partita.engine.definitions import Table
from partita.engine.writer import Transaction

DAY_SECONDS = 86_400
_CHUNK = 2000
_MOMENTS = 20_000
_NEVER = 2**48


def create_rows(transaction: Transaction, table: Table) -> None:
    """Begin a table's history: from now on every change is kept."""
    transaction.execute(
        f"CREATE TABLE {table.history} (seq INTEGER PRIMARY KEY, number INTEGER NOT NULL, key BLOB NOT NULL,"
        " crc INTEGER NOT NULL, old BLOB)"
    )
    transaction.execute("INSERT INTO histories (owner, since) VALUES (?, ?)", (table.id, int(transaction.now)))


def drop_rows(transaction: Transaction, table: Table) -> None:
    """Forget a table's history."""
    transaction.execute(f"DROP TABLE {table.history}")
    transaction.execute("DELETE FROM histories WHERE owner = ?", (table.id,))


def keep(transaction: Transaction, table: Table, key: bytes, old: bytes | None) -> None:
    """Keep what an item was before a change; None if there was none."""
    number = transaction.moment or _moment(transaction)
    transaction.execute(
        f"INSERT INTO {table.history} (number, key, crc, old) VALUES (?, ?, ?, ?)",
        (number, key, 0 if old is None else crc32(old), old),
    )


def _moment(transaction: Transaction) -> int:
    """The number of this second."""
    second = int(transaction.now)
    for number, last in transaction.execute("SELECT number, second FROM moments ORDER BY number DESC LIMIT 1"):
        if last == second:
            transaction.moment = int(number)
            return transaction.moment
    transaction.execute("INSERT INTO moments (second) VALUES (?)", (second,))
    transaction.moment = transaction.connection.last_insert_rowid()
    return transaction.moment


def since(connection: apsw.Connection, table: Table) -> int:
    """The first second that a table can go back to; none at all if somebody has just switched recovery off."""
    second = connection.execute("SELECT since FROM histories WHERE owner = ?", (table.id,)).get
    return _NEVER if second is None else int(second)


def window(connection: apsw.Connection, table: Table, now: float) -> tuple[int, int]:
    """The first and the last second that a table can go back to; the last one that is over, if there is any yet."""
    assert table.recovery_days is not None  # the caller has looked
    earliest = max(since(connection, table), int(now) - table.recovery_days * DAY_SECONDS)
    return earliest, int(now) - 1


def check_kept(table: Table) -> None:
    """Refuse a table that cannot go back."""
    if table.recovery_days is None:
        raise RecoveryUnavailableError(
            f"Point in time recovery is not enabled for table '{table.name}'."
            " Switch it on with UpdateContinuousBackups."
        )


def outside(second: int, earliest: int, latest: int, instead: str) -> str:
    """Why a table cannot go back to a second, and what is possible from when; `instead` is the other way out."""
    asked, begin = clock_time(second), clock_time(earliest)
    if latest < earliest:
        early = f"{asked} is too early. For it, {instead}. " if second < earliest else ""
        return (
            f"{early}What the table held is kept since {begin}: that is the first moment to go back to,"
            f" from {clock_time(earliest + 1)} on."
        )
    if second < earliest:
        why = f"{asked} is too early: what the table held is kept since {begin}."
    else:
        why = f"{asked} is too late: that second is not over yet."
    return f"{why} Choose a moment between {begin} and {clock_time(latest)}, or {instead}."


def last_number(connection: apsw.Connection, second: int) -> int:
    """The number of the last commit that was made by the end of a second."""
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM moments WHERE second <= ?", (second,)).get)


def trim(transaction: Transaction) -> bool:
    """Forget one batch of what is older than the tables' recovery periods; True while there is more."""
    kept = kept_tables(transaction.catalog)
    if any(_trim_table(transaction, table) for table in kept):
        return True
    oldest = min((_horizon(transaction, table) for table in kept), default=int(transaction.now))
    # The last one stays: the next gets a higher number.
    transaction.execute(
        "DELETE FROM moments WHERE number <= ? AND number < (SELECT max(number) FROM moments)"
        " AND number IN (SELECT number FROM moments ORDER BY number LIMIT ?)",
        (last_number(transaction.connection, oldest - 1), _MOMENTS),
    )
    return transaction.connection.changes() == _MOMENTS


def _trim_table(transaction: Transaction, table: Table) -> bool:
    """Forget a batch of one table's changes; first of all, that it can go back so far."""
    horizon = _horizon(transaction, table)
    number = last_number(transaction.connection, horizon - 1)
    oldest = f"SELECT seq, number FROM {table.history} ORDER BY seq LIMIT {_CHUNK}"
    last = transaction.execute(f"SELECT max(seq) FROM ({oldest}) WHERE number <= ?", (number,)).get
    if last is None:
        return False
    transaction.execute("UPDATE histories SET since = max(since, ?) WHERE owner = ?", (horizon, table.id))
    transaction.execute(f"DELETE FROM {table.history} WHERE seq <= ?", (last,))
    return True


def _horizon(transaction: Transaction, table: Table) -> int:
    assert table.recovery_days is not None  # the caller has looked
    return int(transaction.now) - table.recovery_days * DAY_SECONDS


def undo_into(connection: apsw.Connection, table: Table, number: int, schema: str = "main") -> None:
    """Fill `undone` with what has to be put back, by key, to undo everything after a number; NULL is to be deleted.

    The first change of a key after the number says what it was then. All of it is on disk, however much it is.
    """
    connection.execute(
        "CREATE TABLE main.undone (seq INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, crc INTEGER NOT NULL, old BLOB)"
    )
    connection.execute(
        "INSERT OR IGNORE INTO main.undone (key, crc, old)"
        f" SELECT key, crc, old FROM {schema}.{table.history} WHERE number > ? ORDER BY seq",
        (number,),
    )


def copy_as_of(connection: apsw.Connection, table: Table, second: int) -> None:
    """Fill the items of a new copy with what they were at the end of a second. `undone` stays beside them."""
    undo_into(connection, table, last_number(connection, second), "source")
    connection.execute(
        f"INSERT INTO items SELECT id, key, crc, body FROM source.{table.rows}"
        " WHERE key NOT IN (SELECT key FROM undone)"
    )
    connection.execute("INSERT INTO items (key, crc, body) SELECT key, crc, old FROM undone WHERE old IS NOT NULL")


def clock_time(second: int) -> str:
    """A second for people."""
    try:
        return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return str(second)


def kept_tables(tables: Catalog) -> list[Table]:
    """The tables with a history."""
    return [table for table in tables.tables.values() if table.recovery_days is not None]
