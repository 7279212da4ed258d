"""Who has what only one row can have: decided before the first is moved, so that the order of reading is no matter."""

from __future__ import annotations

import threading
from collections.abc import Iterable

import apsw

from partita.table.migrations import Claim, Move, Problem, Skip


class Claims:
    """Every claim and the row it belongs to: the one of the lowest rank. Kept in a file that goes when it is closed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._file = apsw.Connection("")  # SQLite's own temporary file: a million claims need no memory
        self._file.execute("CREATE TABLE claim (what TEXT PRIMARY KEY, rank TEXT, holder TEXT) WITHOUT ROWID")

    def add(self, moves: Iterable[tuple[str, Move]]) -> None:
        """What these rows claim."""
        claimed = [(claim.what, move.rank, label) for label, move in moves for claim in move.claims]
        with self._lock, self._file:
            self._file.executemany(
                "INSERT INTO claim VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET rank = excluded.rank, "
                "holder = excluded.holder WHERE (excluded.rank, excluded.holder) < (rank, holder)",
                claimed,
            )

    def lost(self, label: str, move: Move) -> Problem | Skip | None:
        """What becomes of a row that claims what belongs to another; None if all it claims is its own."""
        for claim in move.claims:
            holder = self._holder(claim)
            if holder is not None and holder != label:
                kind = Problem if claim.losing == "problem" else Skip
                return kind(f"{claim.what} belongs to the row {holder}")
        return None

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _holder(self, claim: Claim) -> str | None:
        with self._lock:
            row = self._file.execute("SELECT holder FROM claim WHERE what = ?", (claim.what,)).fetchone()
        return None if row is None else str(row[0])
