"""Running a migration: from its first row to its last, or from where it was interrupted; or as a rehearsal."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime

from partita.store.migrate.checkpoints import MIGRATIONS, Checkpoints, Place, Run, Tally, new_run, newest_run
from partita.store.migrate.claims import Claims
from partita.store.migrate.errors import UnfinishedRunError
from partita.store.migrate.moving import Mover
from partita.store.migrate.pace import Pace, at_pace
from partita.store.migrate.rehearsal import Rehearsal
from partita.store.migrate.report import Example, Progress, Report, Tell, silence
from partita.store.migrate.segments import Segments, check_source
from partita.store.migrate.survey import survey
from partita.store.store import Store
from partita.table.migrations import Migration
from partita.table.types import timestamp

SEGMENTS = 4
PAGE = 100


def _now() -> datetime:
    return datetime.now(UTC)


def migrate(
    store: Store,
    migration: Migration,
    *,
    source: str | None = None,
    segments: int | None = None,
    workers: int | None = None,
    page: int = PAGE,
    pace: Pace | None = None,
    again: bool = False,
    tell: Tell = silence,
    now: Callable[[], datetime] = _now,
) -> Report:
    """Move every row. An unfinished run goes on, in its own segments; `again` begins anew; both are harmless."""
    pace = pace or Pace()
    paced = at_pace(store, pace)
    name = source or migration.source.name
    check_source(paced, name)
    paced.create(MIGRATIONS, *migration.targets)
    run, resumed = _run(paced, migration, name, segments or SEGMENTS, again=again, now=now)
    parts = Segments(paced, name, run.segments, workers or run.segments, page, pace.stop)
    with closing(Claims()) as claims:
        total = survey(parts, migration, claims, tell)
        moves = _Moves(
            parts=parts,
            mover=Mover(paced, migration, claims),
            checkpoints=Checkpoints(paced, run, now),
            total=total,
            tell=tell,
        )
        for turn, doing in enumerate(migration.turns, 1):
            moves.turn(turn, doing)
    moves.checkpoints.finish()
    places = moves.checkpoints.places().values()
    return Report(
        run=run.number,
        resumed=resumed,
        segments=run.segments,
        rows=total,
        tally=sum((place.tally for place in places), Tally()),
        findings=moves.checkpoints.findings(),
        examples=moves.examples,
    )


def rehearse(
    store: Store,
    migration: Migration,
    *,
    source: str | None = None,
    segments: int | None = None,
    workers: int | None = None,
    page: int = PAGE,
    pace: Pace | None = None,
    tell: Tell = silence,
) -> Report:
    """A dry run: the same run on the same rows, but what it writes goes to a scratch database and is thrown away."""
    pace = pace or Pace()
    with Rehearsal.of(at_pace(store, pace).transport, migration) as scratch:
        return migrate(
            Store(scratch, store.cursors, retries=store.retries),
            migration,
            source=source,
            segments=segments,
            workers=workers,
            page=page,
            pace=Pace(stop=pace.stop),  # what happens in the scratch database costs nothing
            tell=tell,
        )


def _run(
    store: Store, migration: Migration, source: str, segments: int, *, again: bool, now: Callable[[], datetime]
) -> tuple[Run, bool]:
    last = newest_run(store, migration.name)
    if last is not None and last.finished_at is None and not again:
        if last.source != source:
            raise UnfinishedRunError(last.migration, last.number, last.source)
        return last, True
    number = 1 if last is None else last.number + 1
    run = Run(migration=migration.name, number=number, source=source, segments=segments, begun_at=timestamp(now()))
    return new_run(store, run), False


@dataclass(slots=True, kw_only=True)
class _Moves:
    """A run at work."""

    parts: Segments
    mover: Mover
    checkpoints: Checkpoints
    total: int
    tell: Tell
    examples: dict[str, Example] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def turn(self, turn: int, doing: str) -> None:
        """Every segment, each from its place. A turn begins when the one before it has ended everywhere."""
        saved = self.checkpoints.places()
        places = {number: saved.get((turn, number)) for number in range(self.parts.count)}
        rows = sum(place.rows for place in places.values() if place is not None)

        def segment(number: int) -> None:
            nonlocal rows
            place: Place = places[number] or self.checkpoints.begin(turn, number)
            if place.done:
                return
            for page in self.parts.pages(number, place.start):
                moved = self.mover.move(turn, page.rows)
                # What is left behind is written down before the place: a crash in between finds it a second time.
                self.checkpoints.note(moved.left_behind)
                place = self.checkpoints.save(place, page.after, len(page.rows), moved.tally)
                with self._lock:
                    self.examples = {**moved.examples, **self.examples}
                    rows += len(page.rows)
                    self.tell(Progress(doing, rows, self.total))

        self.parts.side_by_side(segment)
