"""The report of an import: what became of every row. The latest rows are in the job's checkpoint, earlier ones in a
file, so that no checkpoint is large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import orjson

from partita.kit.files.content import TEXT
from partita.kit.kit import Kit
from partita.kit.spreadsheets import line

FOLDER = "fus/imports"
KEPT_SECONDS = 16 * 86_400
"""A little longer than jobs are kept."""
_LONGEST = 300
"""How much of an address and of a reason a report repeats."""
_MOST_BYTES = 20_000
"""How much of a report a checkpoint holds before it goes into the file."""

Outcome = Literal["added", "there", "refused"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
BatchOutcome = Literal["changed", "deleted", "same", "refused"]
"""The outcomes of a change of many sites, whose report is kept in the same way."""
_COLUMNS = ("row", "url", "outcome", "reason", "siteId")


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """The outcome of one row."""

    row: int
    url: str
    outcome: Outcome | BatchOutcome
    reason: str = ""
    site_id: str | None = None

    @classmethod
    def of(
        cls, row: int, url: str, outcome: Outcome | BatchOutcome, reason: str = "", site_id: str | None = None
    ) -> ImportedRow:
        """A row as a report has it: what a file says is cut, and on one line."""
        return cls(row, _short(url), outcome, _short(reason), site_id)


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of an import, or of its rows so far."""

    rows: tuple[ImportedRow, ...]

    @property
    def added(self) -> int:
        return self.count("added")

    @property
    def there(self) -> int:
        return self.count("there")

    @property
    def refused(self) -> int:
        return self.count("refused")

    def count(self, outcome: Outcome | BatchOutcome) -> int:
        return sum(row.outcome == outcome for row in self.rows)

    def of(self, outcome: Outcome | BatchOutcome) -> tuple[ImportedRow, ...]:
        """The rows with an outcome."""
        return tuple(row for row in self.rows if row.outcome == outcome)

    @property
    def counts(self) -> dict[str, int]:
        return {outcome: self.count(outcome) for outcome in OUTCOMES}

    @property
    def csv(self) -> str:
        """All rows as a spreadsheet, which runs nothing of it as a formula."""
        lines = ((str(row.row), row.url, row.outcome, row.reason, row.site_id or "") for row in self.rows)
        return "".join(map(line, (_COLUMNS, *lines)))


@dataclass(slots=True)
class Journal:
    """The report while it is written."""

    kit: Kit
    done: int = 0
    """How many rows are done."""
    ended_at: str | None = None
    rows: list[ImportedRow] = field(default_factory=list)
    """All of them."""
    file: str | None = None
    """What holds the first rows."""
    in_file: int = 0
    _bytes: int = 0

    @classmethod
    async def load(cls, kit: Kit, saved: dict[str, Any] | None) -> Journal:
        """As a checkpoint has it."""
        journal = cls(kit)
        if saved is not None:
            journal.done, journal.ended_at, journal.file = saved["done"], saved["endedAt"], saved["file"]
            if journal.file is not None:
                journal.rows = _rows(orjson.loads((await kit.files.load(journal.file)).data))
            journal.in_file = len(journal.rows)
            for row in _rows(saved["rows"]):
                journal.add(row)
        return journal

    @property
    def checkpoint(self) -> dict[str, Any]:
        """What a job saves: how far it is, and the rows that are in no file yet."""
        latest = [_plain(row) for row in self.rows[self.in_file :]]
        return {"done": self.done, "endedAt": self.ended_at, "file": self.file, "rows": latest}

    @property
    def report(self) -> Report:
        return Report(tuple(self.rows))

    @property
    def is_full(self) -> bool:
        """Whether the rows should go into the file."""
        return self._bytes > _MOST_BYTES

    def add(self, row: ImportedRow) -> None:
        self.rows.append(row)
        self._bytes += len(orjson.dumps(_plain(row)))

    def take_back(self) -> None:
        """Forget the last row, which was not written."""
        self._bytes -= len(orjson.dumps(_plain(self.rows.pop())))

    async def move_to_file(self) -> str | None:
        """Put all rows into a new file; the name of the old one, to be deleted when a checkpoint names the new one. A
        file that no checkpoint names, since the process was killed, expires like the others."""
        old = self.file
        content = orjson.dumps([_plain(row) for row in self.rows])
        self.file = await self.kit.uploads.keep(FOLDER, content, TEXT, seconds=KEPT_SECONDS)
        self.in_file, self._bytes = len(self.rows), 0
        return old


def _plain(row: ImportedRow) -> list[Any]:
    return [row.row, row.url, row.outcome, row.reason, row.site_id]


def _rows(values: Sequence[Sequence[Any]]) -> list[ImportedRow]:
    return [ImportedRow(*value) for value in values]


def _short(text: str) -> str:
    """On one line and without half characters, so that its size is bounded."""
    plain = "".join(each if each.isprintable() else " " for each in text[: _LONGEST + 1]).strip()
    return plain if len(text) <= _LONGEST else f"{plain[:_LONGEST]}…"
