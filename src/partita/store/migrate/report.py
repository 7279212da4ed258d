"""What there is to say about a migration: while it runs, when it is done, and of its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from partita.dynamo.values import Item as WireItem
from partita.store.migrate.checkpoints import Finding, Tally
from partita.table.migrations import Row


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a migration is. The number of rows is known once all have been looked at for the first time."""

    doing: str
    rows: int
    total: int | None


Tell = Callable[[Progress], None]


def silence(_progress: Progress) -> None:
    """For those who do not want to hear of it."""


@dataclass(frozen=True, slots=True)
class Example:
    """One row of the source and what was made of it."""

    before: Row
    after: tuple[WireItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run did, the parts before an interruption included."""

    run: int
    resumed: bool
    segments: int
    rows: int
    tally: Tally
    findings: tuple[Finding, ...]
    examples: dict[str, Example] = field(default_factory=dict)
    """For each type of item, a row that this process made one of."""

    @property
    def problems(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.kind == "problem")


@dataclass(frozen=True, slots=True)
class Difference:
    """A row of the source that the target does not hold as it should."""

    row: str
    what: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What comparing source and target found."""

    rows: int
    same: int
    newer: int
    skipped: int
    differences: tuple[Difference, ...]
