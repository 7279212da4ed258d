"""Running a migration: from the first row to the last, however often it is interrupted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.engine import Engine, FaultPlan
from partita.store import EmbeddedStore
from partita.store.migrate import (
    MIGRATIONS,
    MigrationBusyError,
    NoSourceError,
    Progress,
    Tally,
    UnfinishedRunError,
    migrate,
    status,
)
from partita.table import Item, Put, Table
from partita.table.migrations import Plan, Row
from tests.store.migrate.library import (
    CARDS,
    CARDS_AT_HAND,
    LIBRARY,
    LIBRARY_CARDS,
    Loan,
    Reader,
    Visit,
    everything,
    filled,
    loan,
    reader,
)
from tests.store.migrate.mortal import Killed, mortal_store

MADE = Counter({"Visit": 30, "Loan": 17, "Reader": 4})


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.temporary(background=False) as engine:
        yield engine


def reasons(store: EmbeddedStore) -> dict[str, tuple[str, str]]:
    found = status(store, LIBRARY_CARDS.name)
    assert found is not None
    return {finding.row: (finding.kind, finding.reason) for finding in found.findings}


def library_after(engine: Engine, **how: Any) -> list[dict[str, Any]]:
    migrate(filled(engine), LIBRARY_CARDS, **how)
    return everything(engine, LIBRARY)


def test_every_row_is_moved_skipped_or_told_as_a_problem(engine: Engine) -> None:
    store = filled(engine)
    report = migrate(store, LIBRARY_CARDS)
    assert report.tally == Tally(moved=51, skipped=1, problems=4, written=MADE)
    assert report.rows == len(CARDS_AT_HAND) == 56
    assert (report.run, report.resumed) == (1, False)
    found = {finding.row: finding.reason for finding in report.problems}
    assert found.pop('id="nameless"').startswith("1 validation error for Reader")
    assert found == {
        'id="card-late"': 'the book Emma belongs to the row id="card-early"',
        'id="card-lost"': "there is no reader nobody",
        'id="strange"': "a card of the kind 'photograph'",
    }
    ada = store.get(Reader.get(Reader.reader("ada")))
    assert ada is not None
    assert ada.loans == 9 == store.count(Loan.query(Loan.reader("ada")))


@pytest.mark.parametrize(("segments", "workers", "page"), [(1, 1, 100), (1, 1, 1), (4, 1, 3), (7, 7, 2), (16, 4, 50)])
def test_segments_threads_and_pages_make_no_difference(segments: int, workers: int, page: int) -> None:
    with Engine.temporary(background=False) as one, Engine.temporary(background=False) as other:
        assert library_after(one) == library_after(other, segments=segments, workers=workers, page=page)


def test_running_it_again_changes_nothing(engine: Engine) -> None:
    before = library_after(engine)
    report = migrate(EmbeddedStore(engine), LIBRARY_CARDS)
    assert (report.run, report.tally.moved, report.tally.already) == (2, 30, 21)  # visits have no condition
    assert everything(engine, LIBRARY) == before
    assert len(report.problems) == 4


def test_what_is_newer_in_the_target_stays(engine: Engine) -> None:
    store = filled(engine)
    store.create(LIBRARY)
    newer = Reader(reader="ada", name="Ada Lovelace", loans=0)
    store.write(Put(newer))
    migrate(store, LIBRARY_CARDS)
    assert store.get(Reader.get(Reader.reader("ada"))) == newer.model_copy(update={"loans": 9})


def test_rows_that_come_later_are_moved_by_another_run(engine: Engine) -> None:
    library_after(engine)
    filled(engine, [reader("eve"), loan("card-eve", "eve", "Ulysses")])
    store = EmbeddedStore(engine)
    assert migrate(store, LIBRARY_CARDS).tally.written["Loan"] == 1
    assert store.get(Loan.get(Loan.reader("eve"), Loan.book("Ulysses"))) is not None


@pytest.mark.parametrize("answered", [True, False])
def test_killed_at_any_request_it_goes_on_and_ends_the_same(answered: bool) -> None:
    how: dict[str, Any] = {"segments": 3, "workers": 1, "page": 10}
    with Engine.temporary(background=False) as whole:
        expected = library_after(whole, **how)
        told = reasons(EmbeddedStore(whole))
    requests = 0 if answered else 1
    while True:
        with Engine.temporary(background=False) as engine:
            store = filled(engine)
            try:
                migrate(mortal_store(engine, requests, answered=answered), LIBRARY_CARDS, **how)
            except Killed:
                report = migrate(store, LIBRARY_CARDS, **how)
                assert everything(engine, LIBRARY) == expected
                assert reasons(store) == told
                assert report.tally.moved + report.tally.already == 51
                assert report.tally.skipped + report.tally.problems == 5
            else:
                break
        requests += 6
    assert requests > 70


ROWS = st.lists(
    st.one_of(
        st.sampled_from(["ada", "ben", "cat"]).map(reader),
        st.builds(
            loan,
            st.from_regex(r"card[0-9]{1,2}", fullmatch=True),
            st.sampled_from(["ada", "ben", "cat", "nobody"]),
            st.sampled_from(["Emma", "Persuasion", "Ulysses"]),
            st.sampled_from(["2026-01-01", "2026-02-02"]),
        ),
        st.from_regex(r"visit[0-9]", fullmatch=True).map(lambda name: {"id": name, "kind": "visit"}),
        st.from_regex(r"odd[0-9]", fullmatch=True).map(lambda name: {"id": name, "kind": "blank"}),
    ),
    unique_by=lambda row: str(row["id"]),
    max_size=25,
)


@settings(max_examples=15, deadline=None)
@given(ROWS, st.lists(st.tuples(st.integers(0, 60), st.booleans()), min_size=1, max_size=3), st.integers(1, 5))
def test_whatever_the_rows_and_however_often_it_is_killed_the_result_is_the_same(
    rows: list[dict[str, Any]], deaths: list[tuple[int, bool]], segments: int
) -> None:
    with Engine.temporary(background=False) as whole, Engine.temporary(background=False) as engine:
        migrate(filled(whole, rows), LIBRARY_CARDS)
        store = filled(engine, rows)
        for requests, answered in deaths:
            try:
                dying = mortal_store(engine, requests, answered=answered)
                migrate(dying, LIBRARY_CARDS, segments=segments, workers=1, page=3)
            except Killed:
                continue
        migrate(store, LIBRARY_CARDS, segments=segments, workers=1, page=3)
        assert everything(engine, LIBRARY) == everything(whole, LIBRARY)
        assert reasons(store) == reasons(EmbeddedStore(whole))


def test_a_killed_thread_stops_the_others_and_loses_nothing() -> None:
    with Engine.temporary(background=False) as whole, Engine.temporary(background=False) as engine:
        expected = library_after(whole)
        store = filled(engine)
        with pytest.raises(Killed):
            migrate(mortal_store(engine, 40), LIBRARY_CARDS, segments=4, page=2)
        report = migrate(store, LIBRARY_CARDS, segments=9, page=2)
        assert (report.run, report.resumed, report.segments) == (1, True, 4)
        assert everything(engine, LIBRARY) == expected


def test_a_resumed_run_reads_only_what_is_left(engine: Engine) -> None:
    store = filled(engine)
    how: dict[str, Any] = {"segments": 1, "workers": 1, "page": 5}
    with pytest.raises(Killed):
        migrate(mortal_store(engine, 30), LIBRARY_CARDS, **how)
    stopped = status(store, LIBRARY_CARDS.name)
    assert stopped is not None
    (place,) = stopped.places
    assert 0 < place.rows < 56
    seen: list[Progress] = []
    migrate(store, LIBRARY_CARDS, **how, tell=seen.append)
    assert next(each for each in seen if each.doing == "readers").rows == place.rows + 5
    assert seen[-1] == Progress("loans", 56, 56)


def test_faults_of_the_table_change_nothing(engine: Engine) -> None:
    expected = library_after(engine)
    plan = FaultPlan(seed=11, throttle=0.2, conflict=0.2, partial_batch=0.6)
    with Engine.temporary(background=False) as clear:
        filled(clear)
        with Engine(clear.database.folder, durability="off", background=False, faults=plan) as stormy:
            report = migrate(EmbeddedStore(stormy), LIBRARY_CARDS, segments=3, page=10)
        assert everything(clear, LIBRARY) == expected
        assert report.tally == Tally(moved=51, skipped=1, problems=4, written=MADE)


def test_two_that_run_at_once_notice_and_one_stops(engine: Engine) -> None:
    store = filled(engine)
    raced = False

    def race(progress: Progress) -> None:
        nonlocal raced
        if progress.doing == "readers" and not raced:
            raced = True
            migrate(store, LIBRARY_CARDS, workers=1, page=10)

    with pytest.raises(MigrationBusyError, match="Another process runs library-cards"):
        migrate(store, LIBRARY_CARDS, workers=1, page=10, tell=race)
    migrate(store, LIBRARY_CARDS)
    with Engine.temporary(background=False) as whole:
        assert everything(engine, LIBRARY) == library_after(whole)


def test_an_unfinished_run_keeps_its_source_unless_one_begins_anew(engine: Engine) -> None:
    store = filled(engine)
    with pytest.raises(Killed):
        migrate(mortal_store(engine, 30), LIBRARY_CARDS, workers=1)
    filled(engine, [reader("eve")], Table("other-cards", pk="id", stream=None))
    with pytest.raises(UnfinishedRunError, match="is not finished and reads cards"):
        migrate(store, LIBRARY_CARDS, source="other-cards")
    report = migrate(store, LIBRARY_CARDS, source="other-cards", again=True)
    assert (report.run, report.rows, report.tally.moved) == (2, 1, 1)


def test_a_source_that_is_not_there_is_said_before_anything_is_made(engine: Engine) -> None:
    store = EmbeddedStore(engine)
    with pytest.raises(NoSourceError, match="There is no table cards"):
        migrate(store, LIBRARY_CARDS)
    assert engine.call("ListTables", {})["TableNames"] == []
    assert status(store, LIBRARY_CARDS.name) is None


def test_a_stored_item_that_does_not_fit_its_type_is_the_problem_of_its_row_alone(engine: Engine) -> None:
    store = filled(engine)
    store.create(LIBRARY)
    key = {"PK": {"S": "READER#ada"}, "SK": {"S": "PROFILE"}}
    engine.call("PutItem", {"TableName": LIBRARY.name, "Item": {**key, "name": {"N": "7"}}})
    report = migrate(store, LIBRARY_CARDS)
    broken = [finding.row for finding in report.problems if "does not fit its type" in finding.reason]
    assert 'id="ada"' in broken
    assert len(broken) == 1 + 9  # and her loans, which could not be counted
    assert report.tally.written["Reader"] == 3


def test_what_the_table_refuses_is_the_problem_of_its_row(engine: Engine) -> None:
    long = "x" * 1100  # a sort key has 1,024 bytes
    visits = [{"id": "y" * 2045, "kind": "visit"}, {"id": "fine", "kind": "visit"}]
    report = migrate(filled(engine, [reader("ada"), loan("card", "ada", long), *visits]), LIBRARY_CARDS)
    found = {finding.row: finding.reason for finding in report.problems}
    assert len(found) == 2
    assert "over 1,024 bytes" in found['id="card"']
    assert [row["SK"]["S"] for row in everything(engine, LIBRARY)] == ["PROFILE", "VISIT"]


def test_a_mistake_in_a_plan_names_the_row_and_stops_the_run(engine: Engine) -> None:
    def mistaken(row: Row) -> Plan:
        raise KeyError("genre")

    with pytest.raises(KeyError) as raised:
        migrate(filled(engine, [reader("ada")]), replace(LIBRARY_CARDS, plan=mistaken))
    assert raised.value.__notes__ == ['This happened while library-cards planned the row id="ada".']


def test_the_examples_show_a_row_before_and_after(engine: Engine) -> None:
    examples = migrate(filled(engine), LIBRARY_CARDS).examples
    assert examples.keys() == MADE.keys()
    example = examples["Visit"]
    name = example.before["id"]["S"]
    kept: Item | None = EmbeddedStore(engine).get(Visit.get(Visit.visit(name)))
    assert kept is not None
    assert example.after == (kept.to_row(),)


def test_progress_counts_rows_of_each_stage_up_to_all(engine: Engine) -> None:
    seen: list[Progress] = []
    migrate(filled(engine), LIBRARY_CARDS, page=10, tell=seen.append)
    for doing, total in (("looking at every row", None), ("readers", 56), ("loans", 56)):
        rows = [progress.rows for progress in seen if progress.doing == doing]
        assert rows == sorted(rows)
        assert rows[-1] == 56
        assert {progress.total for progress in seen if progress.doing == doing} == {total}


def test_the_notes_are_kept_in_a_table_of_their_own(engine: Engine) -> None:
    migrate(filled(engine), LIBRARY_CARDS, segments=3)
    kinds = Counter(row["SK"]["S"].partition("#")[0] for row in everything(engine, MIGRATIONS))
    assert kinds == {"RUN": 1, "PLACE": 6, "FINDING": 5}
    assert CARDS.name in engine.call("ListTables", {})["TableNames"]
