"""Somebody else writes while a migration reads and decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.store.migrate import MigrationBusyError, Report, migrate, status
from partita.store.migrate.checkpoints import MIGRATIONS, Run, new_run
from partita.table import Delete, Put, Update
from partita.table.migrations import Already, Decision, Move, Plan, Problem, Row, TargetItems, Writes
from tests.store.migrate.library import LIBRARY, LIBRARY_CARDS, Loan, Reader, Visit, everything, filled, reader

ADA = Reader.key(Reader.reader("ada"))


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = filled(engine, [reader("ada")])
        store.create(LIBRARY)
        yield store


def moving(store: EmbeddedStore, decide: Callable[[TargetItems], Decision]) -> Report:
    def plan(_row: Row) -> Plan:
        return Move(reads=(ADA,), decide=decide)

    return migrate(store, replace(LIBRARY_CARDS, plan=plan, turns=("all",)), workers=1)


def test_a_row_that_appears_between_reading_and_writing_is_seen_at_the_second_look(store: EmbeddedStore) -> None:
    looks: list[Reader | None] = []

    def decide(found: TargetItems) -> Decision:
        looks.append(found.item(ADA))
        if looks[-1] is not None:
            return Already()
        store.write(Put(Reader(reader="ada", name="Faster")))
        return Writes(Put(Reader(reader="ada", name="Slower")).if_new())

    report = moving(store, decide)
    assert [look and look.name for look in looks] == [None, "Faster"]
    assert (report.tally.already, report.tally.moved) == (1, 0)


def test_a_parent_that_goes_between_reading_and_writing_is_missed_at_the_second_look(store: EmbeddedStore) -> None:
    store.write(Put(Reader(reader="ada", name="Ada")))
    loan = Loan(reader="ada", book="Emma", card="1", since="2026")

    def decide(found: TargetItems) -> Decision:
        if found.item(ADA) is None:
            return Problem("she has left")
        store.write(Delete(ADA))
        return Writes(Put(loan).if_new(), Update(ADA, Reader.loans.add(1)))

    report = moving(store, decide)
    assert [finding.reason for finding in report.problems] == ["she has left"]
    assert everything(store.engine, LIBRARY) == []


def test_what_was_changed_meanwhile_is_decided_from_what_it_is_now(store: EmbeddedStore) -> None:
    store.write(Put(Reader(reader="ada", name="Ada")))

    def decide(found: TargetItems) -> Decision:
        there = found.item(ADA)
        assert there is not None
        if there.loans == 0:
            store.write(Update(ADA, Reader.loans.set(7)))
        return Writes(Update(ADA, Reader.loans.set(there.loans * 2)).unless_changed(there, Reader.loans))

    assert moving(store, decide).tally.moved == 1
    assert store.get(Reader.get(Reader.reader("ada"))) == Reader(reader="ada", name="Ada", loans=14)


def test_what_never_holds_still_is_a_problem_in_the_end(store: EmbeddedStore) -> None:
    def decide(_found: TargetItems) -> Decision:
        return Writes(Update(ADA, Reader.loans.add(1)))

    (finding,) = moving(store, decide).problems
    assert finding.reason == "What it depends on changed 50 times while it was moved. Run the migration again."


def test_what_the_table_refuses_in_a_transaction_is_told(store: EmbeddedStore) -> None:
    row = {**ADA.wire, "name": {"S": "Ada"}, "loans": {"S": "many"}}
    store.engine.call("PutItem", {"TableName": LIBRARY.name, "Item": row})
    loan = Loan(reader="ada", book="Emma", card="1", since="2026")

    def plan(_row: Row) -> Plan:
        writes = Writes(Put(loan).if_new(), Update(ADA, Reader.loans.add(1)))
        return Move(reads=(), decide=lambda _found: writes)

    (finding,) = migrate(store, replace(LIBRARY_CARDS, plan=plan, turns=("all",))).problems
    assert "incorrect data type" in finding.reason


def test_rows_that_write_the_same_key_without_a_condition_are_written_one_after_the_other() -> None:
    def plan(row: Row) -> Plan:
        writes = Writes(Put(Visit(visit="the same", text=row["id"]["S"])))
        return Move(reads=(), decide=lambda _found: writes)

    with Engine.temporary(background=False) as engine:
        store = filled(engine, [reader("ada"), reader("ben"), reader("cat")])
        report = migrate(store, replace(LIBRARY_CARDS, plan=plan, turns=("all",)), segments=1)
        assert report.tally.written == {"Visit": 3}
        assert len(everything(engine, LIBRARY)) == 1


def test_a_row_sees_what_others_of_its_page_have_written_in_a_batch() -> None:
    seen: list[bool] = []

    def plan(row: Row) -> Plan:
        visit = Visit(visit="first")

        def decide(found: TargetItems) -> Decision:
            seen.append(found.item(visit.own_key) is not None)
            return Already() if seen[-1] else Writes(Put(visit))

        return Move(reads=(visit.own_key,), decide=decide)

    with Engine.temporary(background=False) as engine:
        migrate(filled(engine, [reader("ada"), reader("ben")]), replace(LIBRARY_CARDS, plan=plan), segments=1)
    assert seen == [False, True]


def test_a_run_begins_once(store: EmbeddedStore) -> None:
    store.create(MIGRATIONS)
    assert status(store, "m") is None
    run = Run(migration="m", number=1, source="cards", segments=1, begun_at="2026-01-01T00:00:00Z")
    new_run(store, run)
    with pytest.raises(MigrationBusyError):
        new_run(store, run)
