"""Bounds on the sort key keep to the stretch that the query is about."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import Attribute, Item, KeyPartError, Put, Query, Table, key_part

SHEDS = Table("sheds", pk="PK", sk="SK")


class Loan(Item, table=SHEDS, pk="TOOL#{tool_id}", sk="LOAN#{year}#{member}"):
    tool_id: Attribute[str] = key_part()
    year: Attribute[str] = key_part()
    member: Attribute[str] = key_part()


class Note(Item, table=SHEDS, pk="TOOL#{tool_id}", sk="NOTE#{number}"):
    tool_id: Attribute[str] = key_part()
    number: Attribute[int] = key_part()


MEMBERS = ["a", "ab", "abc", "b", "b\0", "ba", "\ue000", "\ue001", "\ud7ff", "\U0010fffe", "é"]
LOANS_2025 = Loan.query(tool_id="saw", year="2025")


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(SHEDS)
        for year in ("2024", "2025", "2026"):
            store.batch_write(Put(Loan(tool_id="saw", year=year, member=member)) for member in MEMBERS)
        store.write(Put(Note(tool_id="saw", number=1)))
        yield store


@settings(deadline=None)
@given(bound=st.sampled_from(MEMBERS) | st.text(st.characters(codec="utf-8", exclude_characters="#"), min_size=1))
def test_each_bound_selects_what_compares_so_and_nothing_of_another_year(store: EmbeddedStore, bound: str) -> None:
    def members(query: Query[Loan]) -> set[tuple[str, str]]:
        return {(loan.year, loan.member) for loan in store.stream(query)}

    parts = {"year": "2025", "member": bound}
    assert members(LOANS_2025.at_least(**parts)) == {("2025", each) for each in MEMBERS if each >= bound}
    assert members(LOANS_2025.after(**parts)) == {("2025", each) for each in MEMBERS if each > bound}
    assert members(LOANS_2025.at_most(**parts)) == {("2025", each) for each in MEMBERS if each <= bound}
    assert members(LOANS_2025.before(**parts)) == {("2025", each) for each in MEMBERS if each < bound}


def test_a_bound_reads_no_rows_of_other_types(store: EmbeddedStore) -> None:
    seen: list[int] = []
    store.observe(lambda call: seen.append(call.items))
    assert len(list(store.stream(Loan.query(tool_id="saw").at_least(year="2026")))) == len(MEMBERS)
    assert seen == [len(MEMBERS)]


@pytest.mark.parametrize("parts", [{"year": "2025"}, {"year": "2026", "member": "a"}])
def test_a_bound_outside_of_what_the_query_is_about_is_refused(parts: dict[str, str]) -> None:
    with pytest.raises(KeyPartError, match=r"does not lie inside 'LOAN#2025#', which the query is about"):
        LOANS_2025.before(**parts)
