"""Comparing source and target: every row is read again, and every difference told."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field

from partita.dynamo.errors import ValidationError
from partita.store.migrate.claims import Claims
from partita.store.migrate.moving import plan_of, read_target
from partita.store.migrate.pace import Pace, at_pace
from partita.store.migrate.report import Difference, Progress, Tell, Verified, silence
from partita.store.migrate.run import PAGE, SEGMENTS
from partita.store.migrate.segments import Segments, check_source
from partita.store.migrate.survey import survey
from partita.store.store import Store
from partita.table import ModelError
from partita.table.migrations import Comparison, Expectation, Migration, Move, Problem, Row, TargetItems

_COMPARING = "comparing"


def verify(
    store: Store,
    migration: Migration,
    *,
    source: str | None = None,
    segments: int | None = None,
    workers: int | None = None,
    page: int = PAGE,
    pace: Pace | None = None,
    tell: Tell = silence,
) -> Verified:
    """Compare every row of the source with what the target holds of it."""
    pace = pace or Pace()
    paced = at_pace(store, pace)
    name, count = source or migration.source.name, segments or SEGMENTS
    check_source(paced, name)
    parts = Segments(paced, name, count, workers or count, page, pace.stop)
    result = _Result()
    lock = threading.Lock()
    with closing(Claims()) as claims:
        total = survey(parts, migration, claims, tell)

        def segment(number: int) -> None:
            for page in parts.pages(number):
                compared = _compared(paced, migration, claims, page.rows)
                with lock:
                    result.add(compared)
                    tell(Progress(_COMPARING, result.rows, total))

        parts.side_by_side(segment)
    return result.verified()


@dataclass(slots=True)
class _Result:
    """What was found so far."""

    rows: int = 0
    same: int = 0
    newer: int = 0
    skipped: int = 0
    differences: list[Difference] = field(default_factory=list)

    def add(self, other: _Result) -> None:
        self.rows += other.rows
        self.same += other.same
        self.newer += other.newer
        self.skipped += other.skipped
        self.differences += other.differences

    def compared(self, label: str, comparison: Comparison) -> None:
        if comparison.differences:
            self.differences += [Difference(label, what) for what in comparison.differences]
        elif comparison.newer:
            self.newer += 1
        else:
            self.same += 1

    def verified(self) -> Verified:
        """In the rows' order, whatever order the segments came in."""
        differences = sorted(self.differences, key=lambda each: each.row)
        return Verified(self.rows, self.same, self.newer, self.skipped, tuple(differences))


def _compared(store: Store, migration: Migration, claims: Claims, rows: Sequence[Row]) -> _Result:
    result = _Result(rows=len(rows))
    moved: list[tuple[str, Expectation]] = []
    for row in rows:
        plan = plan_of(migration, row)
        label = migration.label(row)
        left = claims.lost(label, plan) if isinstance(plan, Move) else plan
        if left is None:
            moved.append((label, migration.expect(row)))
        elif isinstance(left, Problem):
            result.differences.append(Difference(label, f"not moved: {left.reason}"))
        else:
            result.skipped += 1
    target = _read_all(store, moved)
    for label, expectation in moved:
        result.compared(label, _compare(store, expectation, target))
    return result


def _read_all(store: Store, moved: Sequence[tuple[str, Expectation]]) -> TargetItems | None:
    """All items of a page at once; None if one of them cannot be read, so that each row reads alone."""
    try:
        return read_target(store, (key for _, expectation in moved for key in expectation.reads))
    except (ModelError, ValidationError):
        return None


def _compare(store: Store, expectation: Expectation, target: TargetItems | None) -> Comparison:
    try:
        if target is None or expectation.lists:
            target = read_target(store, expectation.reads, expectation.lists)
        return expectation.compare(target)
    except (ModelError, ValidationError) as error:
        return Comparison((f"cannot be read: {error}",))
