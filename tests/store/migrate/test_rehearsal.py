"""A dry run does everything and writes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from partita.dynamo.requests import BatchGetItem, ItemRequest, Scan, TransactGetItems
from partita.engine import Engine, FaultPlan
from partita.store import EmbeddedStore, Store
from partita.store.embedded import EmbeddedTransport
from partita.store.migrate import Tally, migrate, rehearse
from partita.store.migrate.rehearsal import Rehearsal
from partita.table import Delete, Put, Table, Transaction, Update
from partita.table.migrations import Decision, Move, Plan, Row, TargetItems, Writes
from tests.store.migrate.library import CARDS, LIBRARY, LIBRARY_CARDS, Loan, Reader, everything, filled


class ReadOnlyTransport(EmbeddedTransport):
    """Lets nobody write."""

    def send(self, request: ItemRequest) -> dict[str, Any]:
        assert isinstance(request, Scan | BatchGetItem), f"{request} is not for a rehearsal"
        return super().send(request)

    def create(self, table: Table) -> None:
        raise AssertionError(f"a rehearsal made {table}")


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.temporary(background=False) as engine:
        yield engine


def test_a_dry_run_writes_nothing_and_makes_no_table(engine: Engine) -> None:
    store = filled(engine)
    before = everything(engine, CARDS)
    rehearse(Store(ReadOnlyTransport(engine), store.cursors, retries=store.retries), LIBRARY_CARDS)
    assert engine.call("ListTables", {})["TableNames"] == [CARDS.name]
    assert everything(engine, CARDS) == before


def test_it_tells_exactly_what_the_run_will_do(engine: Engine) -> None:
    store = filled(engine)
    told = rehearse(store, LIBRARY_CARDS)
    done = migrate(store, LIBRARY_CARDS)
    assert told.tally == done.tally
    assert told.findings == done.findings
    assert told.examples.keys() == done.examples.keys()


def test_it_sees_what_the_target_holds_already(engine: Engine) -> None:
    store = filled(engine)
    migrate(store, LIBRARY_CARDS)
    before = everything(engine, LIBRARY)
    report = rehearse(store, LIBRARY_CARDS)
    assert (report.run, report.tally.already, report.tally.moved) == (1, 21, 30)
    assert everything(engine, LIBRARY) == before


def test_it_sees_a_target_that_another_program_began(engine: Engine) -> None:
    store = filled(engine)
    store.create(LIBRARY)
    store.write(Put(Reader(reader="nobody", name="Nobody")))
    report = rehearse(store, LIBRARY_CARDS)
    assert 'id="card-lost"' not in {finding.row for finding in report.problems}
    assert report.tally.written["Loan"] == 18
    reader = store.get(Reader.get(Reader.reader("nobody")))
    assert reader is not None
    assert reader.loans == 0


def test_faults_change_nothing_of_what_it_tells() -> None:
    expected = Tally(moved=51, skipped=1, problems=4)
    plan = FaultPlan(seed=5, throttle=0.3, partial_batch=0.9)
    with Engine.temporary(background=False) as clear:
        filled(clear).create(LIBRARY)
        with Engine(clear.database.folder, durability="off", background=False, faults=plan) as stormy:
            tally = rehearse(EmbeddedStore(stormy), LIBRARY_CARDS, page=40).tally
    assert replace(tally, written=expected.written) == expected


def test_what_a_plan_deletes_is_gone_for_the_rehearsal_and_still_there(engine: Engine) -> None:
    store = filled(engine, [{"id": "ada", "kind": "leaves"}, {"id": "ben", "kind": "leaves"}])
    store.create(LIBRARY)
    store.batch_write(Put(Reader(reader=name, name=name)) for name in ("ada", "ben"))

    def leaving(row: Row) -> Plan:
        key = Reader.key(Reader.reader(row["id"]["S"]))

        def decide(found: TargetItems) -> Decision:
            return Writes(Delete(key).if_there())

        return Move(reads=(key,), decide=decide)

    twice = replace(LIBRARY_CARDS, plan=leaving, turns=("once",))
    assert rehearse(store, twice).tally.moved == 2
    assert len(everything(engine, LIBRARY)) == 2
    assert migrate(store, twice).tally.moved == 2
    assert everything(engine, LIBRARY) == []


def test_every_kind_of_request_sees_the_rehearsals_own_writes(engine: Engine) -> None:
    real = EmbeddedStore(engine)
    real.create(LIBRARY)
    ada, ben = Reader(reader="ada", name="Ada"), Reader(reader="ben", name="Ben")
    real.write(Put(ada))
    real.write(Put(ben))
    with Rehearsal.of(real.transport, LIBRARY_CARDS) as transport:
        store = Store(transport, real.cursors, retries=real.retries)
        store.create(LIBRARY)
        store.write(Update(ada.own_key, Reader.loans.add(1)))
        store.transact(
            Transaction(Put(Loan(reader="ada", book="b", card="c", since="1")), Delete(ben.own_key).if_there())
        )
        both = TransactGetItems(
            gets=(Reader.get(Reader.reader("ada")).request(), Reader.get(Reader.reader("ben")).request())
        )
        assert transport.send(both)["Responses"][1] == {}
        assert asyncio.run(store.asynchronous.get(Reader.get(Reader.reader("ada")))) == ada.model_copy(
            update={"loans": 1}
        )
        assert store.batch_get([ada.own_key, ben.own_key])[1] is None
        assert store.get(Loan.get(Loan.reader("ada"), Loan.book("b"))) is not None
    assert real.batch_get([ada.own_key, ben.own_key]) == [ada, ben]
