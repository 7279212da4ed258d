"""Taking a whole copied folder back to the end of a second: every table, its indexes, streams and counters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson

from partita.dynamo.errors import InvalidRestoreTimeError, RecoveryUnavailableError
from partita.dynamo.limits import TOKEN_SECONDS
from partita.engine import history, rows, tables
from partita.engine.definitions import Table
from partita.engine.engine import Engine
from partita.engine.snapshot import renewed
from partita.engine.writer import Transaction

_CHUNK = 500


def rewind(
    folder: Path, second: int, taken: float, progress: Callable[[int, int], None] = lambda _done, _total: None
) -> tuple[str, ...]:
    """Undo what was written after a second, in a copy that nobody else uses and that was taken at a moment. Tables that
    were created later go; the history of what was before stays. Those whose changes are not kept stay as they are:
    their names are returned."""
    with Engine(folder, background=False, durability="normal") as engine:
        known = engine.refresh().tables.values()
        earlier = [table for table in known if table.created < second + 1]
        _check(engine, earlier, second, taken, first=min((table.created for table in known), default=None))
        with engine.database.reader() as connection:
            number = history.last_number(connection, second)
        for table in known:
            if table not in earlier:
                engine.writer.run(lambda tx, table=table: tables.drop(tx, table))  # type: ignore[misc]
        back = [table for table in earlier if table.recovery_days is not None]
        for position, table in enumerate(back):
            progress(position, len(back))
            _rewind_table(engine, table, number)
        progress(len(back), len(back))
        engine.writer.run(lambda tx: _forget_later(tx, back, number, second))
        return tuple(sorted(table.name for table in earlier if table not in back))


def _check(engine: Engine, earlier: list[Table], second: int, taken: float, *, first: float | None) -> None:
    if second + 1 > taken:
        raise InvalidRestoreTimeError(
            f"{history.clock_time(second)} was not over when this was copied, at {history.clock_time(int(taken))}."
            " Name an earlier moment."
        )
    if not earlier:
        since = "" if first is None else f", the first was made at {history.clock_time(int(first))}"
        raise InvalidRestoreTimeError(
            f"There was no table yet at {history.clock_time(second)}{since}. Name a later moment."
        )
    kept = [table for table in earlier if table.recovery_days is not None]
    if not kept:
        without = sorted(table.name for table in earlier)
        raise RecoveryUnavailableError(
            f"What {', '.join(without)} held at a moment is not kept. The setting recovery_days, or "
            "UpdateContinuousBackups, keeps it from now on."
        )
    with engine.database.reader() as connection:
        begin = {history.since(connection, table): table.name for table in kept}
    if second < max(begin):
        raise InvalidRestoreTimeError(
            f"{history.clock_time(second)} is too early: changes of {begin[max(begin)]} are kept since "
            f"{history.clock_time(max(begin))}. Name that moment or a later one that is over, or restore a backup."
        )


def _rewind_table(engine: Engine, table: Table, number: int) -> None:
    """Put back what each item was. A batch at a time: large tables need no more memory than small ones."""
    # Undoing is no change of its own: it goes into no stream and no history.
    silent = replace(table, streams=(), recovery_days=None)
    engine.writer.run(lambda tx: history.undo_into(tx.connection, table, number))
    position: int | None = 0
    while position is not None:
        position = engine.writer.run(lambda tx, at=position: _undo(tx, silent, at))  # type: ignore[misc]
    engine.writer.run(lambda tx: tx.execute("DROP TABLE undone"))


def _undo(transaction: Transaction, table: Table, position: int) -> int | None:
    """One batch; the position of its end, or None after the last one."""
    statement = "SELECT seq, key, crc, old FROM undone WHERE seq > ? ORDER BY seq LIMIT ?"
    found = list(transaction.execute(statement, (position, _CHUNK)))
    for _, key, crc, old in found:
        row = rows.find(transaction.connection, table, key)
        before = None if row is None else row.item
        after = None if old is None else orjson.loads(rows.sound(old, crc))
        rows.perform(transaction, rows.plan(table, key, row, before, after, restoring=True))
    return int(found[-1][0]) if len(found) == _CHUNK else None


def _forget_later(transaction: Transaction, earlier: list[Table], number: int, second: int) -> None:
    """Forget the changes that were undone: in the history, in streams, and that their requests were answered."""
    end = renewed(transaction.connection, second + 1)
    for table in earlier:
        transaction.execute(f"DELETE FROM {table.history} WHERE number > ?", (number,))
        for stream in table.streams:
            last = transaction.execute(f"SELECT max(seq) FROM {stream.rows} WHERE at < ?", (end,)).get
            first = transaction.execute(f"SELECT min(seq) FROM {stream.rows} WHERE seq > ?", (last or 0,)).get
            if first is not None:
                # Numbers go on where they were: a gap would look like records that were missed.
                transaction.execute(f"DELETE FROM {stream.rows} WHERE seq >= ?", (first,))
                transaction.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (first - 1, stream.rows))
    transaction.execute("DELETE FROM moments WHERE number > ?", (number,))
    transaction.execute("DELETE FROM tokens WHERE expires >= ?", (second + 1 + TOKEN_SECONDS,))
