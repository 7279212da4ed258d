"""Capacity units by the developer guide ("Capacity unit consumption")."""

from __future__ import annotations

import pytest

from partita.dynamo.capacity import Capacity, read_units, write_units

KB = 1024


@pytest.mark.parametrize(
    ("size", "strong"), [(0, 1), (1, 1), (4 * KB, 1), (4 * KB + 1, 2), (8 * KB, 2), (400 * KB, 100)]
)
def test_a_read_takes_a_unit_per_started_4_kb_half_of_it_eventually_twice_in_a_transaction(
    size: int, strong: int
) -> None:
    assert read_units(size, consistent=True) == strong
    assert read_units(size, consistent=False) == strong / 2
    assert read_units(size, consistent=True, transactional=True) == strong * 2


@pytest.mark.parametrize(("size", "units"), [(0, 1), (1, 1), (KB, 1), (KB + 1, 2), (400 * KB, 400)])
def test_a_write_takes_a_unit_per_started_kb_twice_in_a_transaction(size: int, units: int) -> None:
    assert write_units(size) == units
    assert write_units(size, transactional=True) == units * 2


def test_the_total_is_the_table_and_all_indexes() -> None:
    capacity = Capacity("tab", "write", 1.0)
    capacity.add_index("g", 2.0, local=False)
    capacity.add_index("g", 1.0, local=False)
    capacity.add_index("l", 4.0, local=True)
    assert capacity.wire("TOTAL") == {"TableName": "tab", "CapacityUnits": 8.0}
    assert capacity.wire("INDEXES") == {
        "TableName": "tab",
        "CapacityUnits": 8.0,
        "Table": {"CapacityUnits": 1.0},
        "GlobalSecondaryIndexes": {"g": {"CapacityUnits": 3.0}},
        "LocalSecondaryIndexes": {"l": {"CapacityUnits": 4.0}},
    }


def test_transactions_say_which_kind_of_units_they_took() -> None:
    assert Capacity("tab", "read", 2.0).wire("TOTAL", split=True) == {
        "TableName": "tab",
        "CapacityUnits": 2.0,
        "ReadCapacityUnits": 2.0,
    }
    assert Capacity("tab", "write", 2.0).wire("INDEXES", split=True)["Table"] == {
        "CapacityUnits": 2.0,
        "WriteCapacityUnits": 2.0,
    }


def test_capacities_of_one_table_add_up() -> None:
    one, two = (
        Capacity("tab", "write", 1.0, {"g": 1.0}, {"l": 1.0}),
        Capacity("tab", "write", 2.0, {"g": 3.0}, {"m": 5.0}),
    )
    one.merge(two)
    assert (one.base, one.global_indexes, one.local_indexes) == (3.0, {"g": 4.0}, {"l": 1.0, "m": 5.0})
