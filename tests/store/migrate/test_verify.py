"""Comparing source and target finds every difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.store.migrate import NoSourceError, Progress, migrate, verify
from partita.table import Delete, Put, Update
from partita.table.migrations import Comparison, Expectation, Row
from tests.store.migrate.library import LIBRARY, LIBRARY_CARDS, Loan, Reader, Visit, expect, filled, reader

UNMOVED = {
    ('id="card-late"', 'not moved: the book Emma belongs to the row id="card-early"'),
    ('id="card-lost"', "not there"),
    ('id="strange"', "not moved: a card of the kind 'photograph'"),
}


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = filled(engine)
        migrate(store, LIBRARY_CARDS)
        yield store


def differences(store: EmbeddedStore, **how: Any) -> set[tuple[str, str]]:
    found = verify(store, LIBRARY_CARDS, **how).differences
    return {(each.row, each.what) for each in found if each.row != 'id="nameless"'}


def test_after_a_run_only_what_was_left_behind_differs(store: EmbeddedStore) -> None:
    verified = verify(store, LIBRARY_CARDS)
    assert (verified.rows, verified.same, verified.skipped, verified.newer) == (56, 51, 1, 0)
    assert differences(store) == UNMOVED
    assert differences(store, segments=1, workers=1, page=7) == UNMOVED


def test_what_is_missing_is_found(store: EmbeddedStore) -> None:
    store.write(Delete(Visit.key(Visit.visit("visit-7"))))
    assert differences(store) - UNMOVED == {('id="visit-7"', "not there")}


def test_what_was_altered_is_found_attribute_by_attribute(store: EmbeddedStore) -> None:
    loan = Loan.key(Loan.reader("ada"), Loan.book("ada's 3"))
    store.write(Update(loan, Loan.since.set("1999-09-09"), Loan.card.set("another")))
    assert differences(store) - UNMOVED == {
        ('id="card-ada-3"', "since is '1999-09-09' and should be '2026-01-01'"),
        ('id="card-ada-3"', "card is 'another' and should be 'card-ada-3'"),
    }


def test_a_count_that_is_off_is_found(store: EmbeddedStore) -> None:
    store.write(Put(Loan(reader="ben", book="planted", card="x", since="2026")))
    assert differences(store) - UNMOVED == {('id="ben"', "loans is 8 and should be 9")}


def test_what_cannot_be_read_is_found_and_hides_nothing_else(store: EmbeddedStore) -> None:
    key = Reader.key(Reader.reader("cat")).wire
    store.engine.call("PutItem", {"TableName": LIBRARY.name, "Item": {**key, "name": {"N": "7"}}})
    store.write(Delete(Visit.key(Visit.visit("visit-7"))))
    found = dict(differences(store, segments=1) - UNMOVED)
    assert found.keys() == {'id="cat"', 'id="visit-7"'}
    assert found['id="cat"'].startswith("cannot be read: The Reader stored as PK=READER#cat, SK=PROFILE does not fit")


def test_what_is_newer_in_the_target_is_counted_and_no_difference(store: EmbeddedStore) -> None:
    def lenient(row: Row) -> Expectation:
        found = expect(row)
        return replace(found, compare=lambda _found: Comparison(newer=True)) if row == ADA else found

    verified = verify(store, replace(LIBRARY_CARDS, expect=lenient))
    assert (verified.newer, verified.same) == (1, 50)


def test_progress_is_told(store: EmbeddedStore) -> None:
    seen: list[Progress] = []
    verify(store, LIBRARY_CARDS, tell=seen.append)
    assert seen[-1] == Progress("comparing", 56, 56)


def test_a_source_that_is_not_there_is_said(store: EmbeddedStore) -> None:
    with pytest.raises(NoSourceError, match="no table nowhere"):
        verify(store, LIBRARY_CARDS, source="nowhere")


ADA = {name: {"S": value} for name, value in reader("ada").items()}
