"""Python's values and DynamoDB's: there and back without loss."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.errors import ValidationError
from partita.dynamo.python_values import from_python, item_from_python, item_to_python, to_python
from partita.dynamo.values import checked_value, equal
from tests.dynamo.strategies import decimals, names, values

_python_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.text(max_size=10),
        st.integers(-(10**37), 10**37),
        decimals(),
        st.binary(max_size=10),
        st.booleans(),
        st.none(),
        st.sets(st.text(max_size=5), min_size=1, max_size=3),
        st.sets(decimals(), min_size=1, max_size=3),
        st.sets(st.binary(max_size=5), min_size=1, max_size=3),
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@given(_python_values)
def test_a_python_value_comes_back_equal(value: Any) -> None:
    assert to_python(from_python(value)) == value


@given(_python_values)
def test_what_python_values_become_is_valid_on_the_wire(value: Any) -> None:
    wire = from_python(value)
    assert checked_value(wire) == wire


@given(values)
def test_a_wire_value_comes_back_equal(value: dict[str, Any]) -> None:
    assert equal(from_python(to_python(value)), value)


def test_whole_numbers_come_back_as_int_and_others_as_decimal() -> None:
    assert to_python({"N": "5"}) == 5
    assert type(to_python({"N": "5"})) is int
    assert type(to_python({"N": "5.5"})) is Decimal
    assert to_python({"NS": ["1", "2.5"]}) == {1, Decimal("2.5")}


def test_true_is_a_boolean_and_not_the_number_one() -> None:
    assert from_python(True) == {"BOOL": True}
    assert from_python([True, 1]) == {"L": [{"BOOL": True}, {"N": "1"}]}


def test_tuples_are_lists_and_bytearrays_are_binary() -> None:
    assert from_python((1, "a")) == {"L": [{"N": "1"}, {"S": "a"}]}
    assert from_python(bytearray(b"\x00")) == {"B": "AA=="}
    assert from_python(frozenset({"a"})) == {"SS": ["a"]}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.5, "1.5 is a float"),
        ([0.1], "0.1 is a float"),
        (set(), "DynamoDB has no empty set"),
        ({"a", 1}, "only text, only numbers or only binary"),
        ({True}, "only text, only numbers or only binary"),
        (object(), "object has no DynamoDB type"),
        ({1: "a"}, "Attribute names are text; 1 is int"),
        (Decimal("NaN"), "cannot be converted to a numeric value"),
        (Decimal("Infinity"), "cannot be converted to a numeric value"),
        (10**126, "Number overflow"),
        (Decimal("1" * 39), "38 significant digits"),
    ],
)
def test_what_has_no_exact_meaning_is_refused(value: object, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        from_python(value)


def test_a_type_dynamodb_does_not_know_is_refused_on_the_way_back() -> None:
    with pytest.raises(ValidationError, match="'X' is not a DynamoDB type"):
        to_python({"X": "y"})


def test_items_convert_whole() -> None:
    item = {"name": "x", "tags": {"a"}, "deep": {"list": [1, None, b"\x01"]}}
    assert item_to_python(item_from_python(item)) == item
