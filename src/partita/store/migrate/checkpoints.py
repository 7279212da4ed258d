"""How far each migration is, in a small table of its own: a run that was killed goes on where it stopped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Literal

import orjson

from partita.dynamo.errors import ConditionalCheckFailedError, ResourceNotFoundError
from partita.dynamo.values import Item as WireItem
from partita.store.migrate.errors import MigrationBusyError
from partita.store.store import Store
from partita.table import (
    Attribute,
    Item,
    Put,
    Query,
    Table,
    Update,
    access_pattern,
    attribute,
    key_part,
)
from partita.table.migrations import Problem, Skip
from partita.table.types import Timestamp, timestamp

MIGRATIONS = Table(
    "partita-migrations", pk="PK", sk="SK", stream=None, purpose="How far each migration is, and what it left behind."
)
_LONGEST_REASON = 2000


class Run(Item, table=MIGRATIONS, pk="MIGRATION#{migration}", sk="RUN#{number:06}"):
    """One run of a migration, from its first row to its last, however often it was interrupted."""

    migration: Attribute[str] = key_part()
    number: Attribute[int] = key_part(ge=1)
    source: Attribute[str]
    segments: Attribute[int] = attribute(ge=1)
    begun_at: Attribute[Timestamp]
    finished_at: Attribute[Timestamp | None] = attribute(default=None)


class Place(Item, table=MIGRATIONS, pk="MIGRATION#{migration}", sk="PLACE#{number:06}#{turn:02}#{segment:06}"):
    """How far a segment is in a turn of a run, and what became of its rows so far."""

    migration: Attribute[str] = key_part()
    number: Attribute[int] = key_part(ge=1)
    turn: Attribute[int] = key_part(ge=1)
    segment: Attribute[int] = key_part(ge=0)
    after: Attribute[str | None] = attribute(default=None)
    """The last key of the source that is done, as JSON."""
    done: Attribute[bool] = attribute(default=False)
    version: Attribute[int] = attribute(default=0)
    rows: Attribute[int] = attribute(default=0)
    moved: Attribute[int] = attribute(default=0)
    already: Attribute[int] = attribute(default=0)
    skipped: Attribute[int] = attribute(default=0)
    problems: Attribute[int] = attribute(default=0)
    written: Attribute[dict[str, int]] = attribute("made", default={})
    saved_at: Attribute[Timestamp | None] = attribute(default=None)

    @property
    def start(self) -> WireItem | None:
        """Where the scan goes on."""
        return None if self.after is None else orjson.loads(self.after)

    @property
    def tally(self) -> Tally:
        return Tally(self.moved, self.already, self.skipped, self.problems, Counter(self.written))


class Finding(Item, table=MIGRATIONS, pk="MIGRATION#{migration}", sk="FINDING#{number:06}#{digest}"):
    """A row that a run left behind, and why. Its key is made of the row: found twice, it is one finding."""

    migration: Attribute[str] = key_part()
    number: Attribute[int] = key_part(ge=1)
    digest: Attribute[str] = key_part()
    kind: Attribute[Literal["problem", "skip"]]
    row: Attribute[str]
    reason: Attribute[str]


@access_pattern("Runs of a migration, newest first", MIGRATIONS, documented=False, migration="worthwatch-by-id")
def runs_of(migration: str) -> Query[Run]:
    return Run.query(Run.migration(migration)).newest_first()


@access_pattern("How far a run is", MIGRATIONS, documented=False, migration="worthwatch-by-id", number=1)
def places_of(migration: str, number: int) -> Query[Place]:
    return Place.query(Place.migration(migration), Place.number(number))


@access_pattern("What a run left behind", MIGRATIONS, documented=False, migration="worthwatch-by-id", number=1)
def findings_of(migration: str, number: int) -> Query[Finding]:
    return Finding.query(Finding.migration(migration), Finding.number(number))


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of rows: moved, moved before, skipped, problems; and how many items of which type were made."""

    moved: int = 0
    already: int = 0
    skipped: int = 0
    problems: int = 0
    written: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.moved + other.moved,
            self.already + other.already,
            self.skipped + other.skipped,
            self.problems + other.problems,
            self.written + other.written,
        )


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The places and findings of one run."""

    store: Store
    run: Run
    now: Callable[[], datetime]

    def places(self) -> dict[tuple[int, int], Place]:
        """Every place that was saved, by turn and segment."""
        query = places_of(self.run.migration, self.run.number).consistently()
        return {(place.turn, place.segment): place for place in self.store.stream(query)}

    def begin(self, turn: int, segment: int) -> Place:
        """The start of a segment."""
        return Place(migration=self.run.migration, number=self.run.number, turn=turn, segment=segment)

    def save(self, place: Place, after: WireItem | None, rows: int, tally: Tally) -> Place:
        """So many more rows are done. Whoever finds that the place has moved meanwhile is not alone, and stops."""
        total = place.tally + tally
        saved = place.model_copy(
            update={
                "after": None if after is None else orjson.dumps(after).decode(),
                "done": after is None,
                "version": place.version + 1,
                "rows": place.rows + rows,
                "moved": total.moved,
                "already": total.already,
                "skipped": total.skipped,
                "problems": total.problems,
                "written": dict(total.written),
                "saved_at": timestamp(self.now()),
            }
        )
        put = Put(saved)
        try:
            self.store.write(put.when(Place.version.equals(place.version)) if place.version else put.if_new())
        except ConditionalCheckFailedError:
            raise MigrationBusyError(self.run.migration) from None
        return saved

    def note(self, left_behind: Iterable[tuple[str, Problem | Skip]]) -> None:
        """Rows that are left behind."""
        self.store.batch_write(Put(self._finding(label, why)) for label, why in left_behind)

    def findings(self) -> tuple[Finding, ...]:
        """Every row that was left behind."""
        return tuple(self.store.stream(findings_of(self.run.migration, self.run.number).consistently()))

    def finish(self) -> None:
        """The last row is done."""
        key = self.run.own_key
        self.store.write(Update(key, Run.finished_at.set(timestamp(self.now()))))

    def _finding(self, label: str, why: Problem | Skip) -> Finding:
        return Finding(
            migration=self.run.migration,
            number=self.run.number,
            digest=sha256(label.encode()).hexdigest()[:32],
            kind="problem" if isinstance(why, Problem) else "skip",
            row=label,
            reason=why.reason[:_LONGEST_REASON],
        )


def newest_run(store: Store, migration: str) -> Run | None:
    """The last run of a migration, finished or not."""
    return next(iter(store.page(runs_of(migration).consistently(), limit=1)), None)


def new_run(store: Store, run: Run) -> Run:
    """Begin a run; its number must be free."""
    try:
        store.write(Put(run).if_new())
    except ConditionalCheckFailedError:
        raise MigrationBusyError(run.migration) from None
    return run


@dataclass(frozen=True, slots=True)
class Status:
    """The newest run of a migration: how far it is, what it did, what it left behind."""

    run: Run
    places: tuple[Place, ...]
    findings: tuple[Finding, ...]

    @property
    def tally(self) -> Tally:
        return sum((place.tally for place in self.places), Tally())

    @property
    def saved_at(self) -> str | None:
        """When it last saved its place."""
        return max((place.saved_at for place in self.places if place.saved_at is not None), default=None)


def status(store: Store, migration: str) -> Status | None:
    """The newest run, or None if there was none."""
    try:
        run = newest_run(store, migration)
    except ResourceNotFoundError:
        return None
    if run is None:
        return None
    checkpoints = Checkpoints(store, run, datetime.now)
    return Status(run, tuple(checkpoints.places().values()), checkpoints.findings())
