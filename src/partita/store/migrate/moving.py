"""Moving some rows: read what their plans need, decide, write; and decide again if somebody else was faster."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import ValidationError as PydanticError

from partita.dynamo.errors import (
    ConditionalCheckFailedError,
    TransactionCanceledError,
    ValidationError,
)
from partita.store.migrate.checkpoints import Tally
from partita.store.migrate.claims import Claims
from partita.store.migrate.report import Example
from partita.store.store import Store
from partita.table import Check, Delete, Item, Key, ModelError, Put, Transaction
from partita.table.errors import ChangedMeanwhileError
from partita.table.migrations import (
    Already,
    Decision,
    Migration,
    Move,
    Plan,
    Problem,
    Row,
    Skip,
    TargetItems,
    Writes,
)
from partita.table.queries import Query

_TRIES = 50


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of some rows."""

    tally: Tally
    left_behind: tuple[tuple[str, Problem | Skip], ...]
    examples: dict[str, Example]


def plan_of(migration: Migration, row: Row) -> Plan:
    """The plan for a row; a row that no item can be made of is a problem, a mistake in the plan is an error."""
    try:
        return migration.plan(row)
    except (ModelError, PydanticError) as error:
        return Problem(str(error))
    except Exception as error:
        error.add_note(f"This happened while {migration.name} planned the row {migration.label(row)}.")
        raise


def read_target(store: Store, reads: Iterable[Key[Item]], lists: Iterable[Query[Item]] = ()) -> TargetItems:
    """What the target holds, as of now."""
    keys = tuple(dict.fromkeys(reads))
    items = store.batch_get(keys, consistent=True, strict=True) if keys else []
    return TargetItems(dict(zip(keys, items, strict=True)), tuple(tuple(store.stream(query)) for query in lists))


@dataclass(frozen=True, slots=True)
class Mover:
    """Moves rows of one migration."""

    store: Store
    migration: Migration
    claims: Claims

    def move(self, turn: int, rows: Sequence[Row]) -> Moved:
        """The rows whose turn it is. What no turn moves is told in the first one."""
        page = _Page()
        due: list[tuple[Row, Move]] = []
        for row in rows:
            plan = plan_of(self.migration, row)
            label = self.migration.label(row)
            if isinstance(plan, Move):
                if plan.turn != turn:
                    continue
                lost = self.claims.lost(label, plan)
                if lost is None:
                    due.append((row, plan))
                else:
                    page.leave_behind(label, lost)
            elif turn == 1:
                page.leave_behind(label, plan)
        target = self._read_all(plan for _, plan in due)
        for row, plan in due:
            decision = self._settle(plan, target, page)
            if isinstance(decision, Writes):
                if _in_batches(decision):
                    self._put_by(row, decision, page)
                else:
                    page.moved(row, decision)
            elif isinstance(decision, Already):
                page.already += 1
            else:
                page.leave_behind(self.migration.label(row), decision)
        self._flush(page)
        return page.result()

    def _read_all(self, plans: Iterable[Move]) -> TargetItems | None:
        """All reads of a page at once; None if one of them fails, so that each row reads alone."""
        try:
            return read_target(self.store, (key for plan in plans for key in plan.reads))
        except (ModelError, ValidationError):
            return None

    def _settle(self, plan: Move, target: TargetItems | None, page: _Page) -> Decision:
        """Decide and write. A condition that fails says that the world has changed: look and decide again."""
        for attempt in range(_TRIES):
            try:
                if target is None or attempt or any(key in page.touched for key in plan.reads):
                    self._flush(page)
                    target = read_target(self.store, plan.reads)
                decision = plan.decide(target)
                if isinstance(decision, Writes):
                    self._write(decision, page)
            except (ConditionalCheckFailedError, ChangedMeanwhileError):
                time.sleep(self.store.retries.pause(attempt + 1))
            except TransactionCanceledError as error:
                refused = _refusal(error)
                if refused is not None:
                    return Problem(refused)
                time.sleep(self.store.retries.pause(attempt + 1))
            except (ModelError, PydanticError, ValidationError) as error:
                return Problem(str(error))
            else:
                return decision
        return Problem(f"What it depends on changed {_TRIES} times while it was moved. Run the migration again.")

    def _write(self, wanted: Writes, page: _Page) -> None:
        if _in_batches(wanted):
            for write in wanted.writes:
                write.request()  # an item that can never be stored is told before the batch is sent
            return
        if len(wanted.writes) == 1 and not isinstance(wanted.writes[0], Check):
            self.store.write(wanted.writes[0])
        else:
            self.store.transact(Transaction(*wanted.writes))
        page.touched.update(write.key for write in wanted.writes)

    def _put_by(self, row: Row, wanted: Writes, page: _Page) -> None:
        keys = {write.key for write in wanted.writes}
        if any(not keys.isdisjoint(write.key for write in waiting.writes) for _, waiting in page.waiting):
            self._flush(page)  # a batch has each key once
        page.waiting.append((row, wanted))
        page.touched |= keys

    def _flush(self, page: _Page) -> None:
        """Write what waits. If the table refuses a batch, each row is written alone, to tell which one it is."""
        if not page.waiting:
            return
        waiting, page.waiting = page.waiting, []
        try:
            self.store.batch_write(_plain(waiting))
        except ValidationError:
            for row, wanted in waiting:
                try:
                    self.store.batch_write(_plain([(row, wanted)]))
                except ValidationError as error:
                    page.leave_behind(self.migration.label(row), Problem(str(error)))
                else:
                    page.moved(row, wanted)
        else:
            for row, wanted in waiting:
                page.moved(row, wanted)


@dataclass(slots=True)
class _Page:
    """What happened to the rows of a page so far."""

    already: int = 0
    rows_moved: int = 0
    left: list[tuple[str, Problem | Skip]] = field(default_factory=list)
    written: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Example] = field(default_factory=dict)
    touched: set[Key[Item]] = field(default_factory=set)
    waiting: list[tuple[Row, Writes]] = field(default_factory=list)

    def leave_behind(self, label: str, why: Problem | Skip) -> None:
        self.left.append((label, why))

    def moved(self, row: Row, decision: Writes) -> None:
        self.rows_moved += 1
        puts = [write.item for write in decision.writes if isinstance(write, Put)]
        self.written.update(type(item).__name__ for item in puts)
        if puts and type(puts[0]).__name__ not in self.examples:
            self.examples[type(puts[0]).__name__] = Example(row, tuple(item.to_row() for item in puts))

    def result(self) -> Moved:
        problems = sum(isinstance(why, Problem) for _, why in self.left)
        tally = Tally(self.rows_moved, self.already, len(self.left) - problems, problems, self.written)
        return Moved(tally, tuple(self.left), self.examples)


def _in_batches(wanted: Writes) -> bool:
    """Whether nothing of it has a condition."""
    return all(isinstance(write, Put | Delete) and write.condition is None for write in wanted.writes)


def _plain(waiting: Iterable[tuple[Row, Writes]]) -> Iterator[Put | Delete]:
    return (write for _, wanted in waiting for write in wanted.writes if isinstance(write, Put | Delete))


def _refusal(error: TransactionCanceledError) -> str | None:
    """What of a transaction DynamoDB would never take; None if only a condition failed."""
    refused = [str(reason.get("Message")) for reason in error.reasons if reason["Code"] == "ValidationError"]
    return "; ".join(refused) or None
