"""Migrations as values."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo import requests
from partita.dynamo.values import Item as WireItem
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Put, Table
from partita.table.migrations import Comparison, Expectation, Migration, Row, Skip, TargetItems, differing
from partita.table.scans import segment_page
from tests.table.forum import FORUM, Member, Post


def of(source: Table) -> Migration:
    def expect(_row: Row) -> Expectation:
        return Expectation(reads=(), compare=lambda _found: Comparison())

    return Migration(
        name="m", purpose="", source=source, targets=(FORUM,), plan=lambda _row: Skip("not today"), expect=expect
    )


@settings(max_examples=20, deadline=None)
@given(st.sets(st.text(min_size=1, max_size=5), max_size=40), st.integers(1, 9), st.integers(1, 10))
def test_the_stretches_of_all_segments_are_the_table_each_row_once(names: set[str], segments: int, limit: int) -> None:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(FORUM)
        store.batch_write(Put(Member(member_id=name, name="x")) for name in names)
        seen: Counter[str] = Counter()
        for segment in range(segments):
            after: WireItem | None = None
            while True:
                steps = segment_page(FORUM.name, segment=segment, segments=segments, after=after, limit=limit)
                stretch = store.run(steps)
                assert len(stretch.rows) <= limit
                seen.update(row["PK"]["S"] for row in stretch.rows)
                after = stretch.after
                if after is None:
                    break
        assert seen == Counter(f"MEMBER#{name}" for name in names)


def test_a_stretch_is_one_consistent_scan_of_a_segment() -> None:
    start = {"id": {"S": "a"}}
    steps = segment_page("old", segment=2, segments=5, after=start, limit=7)
    assert next(steps) == requests.Scan(table="old", segment=2, total_segments=5, start=start, limit=7, consistent=True)
    with pytest.raises(StopIteration) as done:
        steps.send({"Items": [{"id": {"S": "b"}}], "LastEvaluatedKey": {"id": {"S": "b"}}})
    assert (done.value.value.rows, done.value.value.after) == (({"id": {"S": "b"}},), {"id": {"S": "b"}})


@given(st.tuples(st.text(), st.text()), st.tuples(st.text(), st.text()))
def test_no_two_rows_are_called_the_same(one: tuple[str, str], other: tuple[str, str]) -> None:
    migration = of(Table("old", pk="a", sk="b"))

    def label(row: tuple[str, str]) -> str:
        return migration.label({"a": {"S": row[0]}, "b": {"S": row[1]}, "more": {"S": "x"}})

    assert (label(one) == label(other)) == (one == other)


def test_a_label_is_the_key_as_people_read_it() -> None:
    row = {"id": {"S": 'say "hi"'}, "number": {"N": "7"}}
    assert of(Table("old", pk="id")).label(row) == 'id="say \\"hi\\""'


def test_differences_are_told_attribute_by_attribute() -> None:
    one = Post(member_id="a", post_id="1", text="x", tags=frozenset({"p", "q"}), stars=3)
    assert list(differing(one, one.model_copy(update={"tags": frozenset({"q", "p"})}))) == []
    other = one.model_copy(update={"text": "y", "stars": None})
    assert list(differing(one, other)) == ["stars is not there and should be 3", "text is 'y' and should be 'x'"]
    assert list(differing(one, other, apart_from=("stars",))) == ["text is 'y' and should be 'x'"]


def test_what_was_not_asked_for_is_not_found() -> None:
    member = Member(member_id="a", name="Ann")
    found = TargetItems({member.own_key: member, Member.key(Member.member_id("b")): None})
    assert found.item(Member.key(Member.member_id("a"))) == member
    assert found.item(Member.key(Member.member_id("b"))) is None
    with pytest.raises(KeyError):
        found.item(Member.key(Member.member_id("c")))
