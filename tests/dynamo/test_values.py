"""Attribute values: each type's rules, sets, nesting, and JSON of the wrong shape."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.errors import SerializationError, ValidationError
from partita.dynamo.values import checked_item, checked_value, describe, equal, order
from tests.dynamo.strategies import items, sets_wire, values


@pytest.mark.parametrize(
    "value",
    [
        {"S": ""},
        {"S": "text"},
        {"N": "1"},
        {"B": ""},
        {"B": "AAE="},
        {"BOOL": False},
        {"NULL": True},
        {"SS": ["", "a"]},
        {"NS": ["1", "2"]},
        {"BS": ["", "AA=="]},
        {"L": []},
        {"M": {}},
        {"L": [{"S": "a"}, {"N": "1"}, {"M": {"x": {"L": []}}}]},
    ],
)
def test_every_type_has_its_value_and_empty_text_binary_list_and_map_are_values_too(value: dict[str, Any]) -> None:
    assert checked_value(value) == value


@given(values)
def test_a_checked_value_is_left_as_it_is(value: dict[str, Any]) -> None:
    assert checked_value(value) == value


@given(items)
def test_a_checked_item_is_left_as_it_is(item: dict[str, Any]) -> None:
    assert checked_item(item) == item


@given(sets_wire.flatmap(lambda value: st.tuples(st.just(value), st.permutations(next(iter(value.values()))))))
def test_a_set_has_one_order_however_it_was_written(drawn: tuple[dict[str, Any], list[str]]) -> None:
    value, shuffled = drawn
    ((kind, members),) = value.items()
    assert checked_value({kind: shuffled}) == {kind: members}


def test_numbers_inside_sets_lists_and_maps_are_brought_to_one_spelling() -> None:
    given_value = {"L": [{"N": "1.0"}, {"NS": ["1e1", "2.50"]}, {"M": {"a": {"N": "+3"}}}]}
    assert checked_value(given_value) == {"L": [{"N": "1"}, {"NS": ["2.5", "10"]}, {"M": {"a": {"N": "3"}}}]}


@pytest.mark.parametrize("value", [{}, {"S": None}, {"X": "y"}, {"s": "text"}])
def test_a_value_without_a_type_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        checked_value(value)
    assert caught.value.message == (
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
    )


def test_a_value_of_two_types_is_refused() -> None:
    with pytest.raises(ValidationError) as caught:
        checked_value({"S": "a", "N": "1"})
    assert caught.value.message == (
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"SS": []}, "An string set  may not be empty"),
        ({"NS": []}, "An number set  may not be empty"),
        ({"BS": []}, "Binary sets should not be empty"),
        ({"SS": ["a", "a"]}, "Input collection [a, a] contains duplicates."),
        ({"BS": ["AA==", "AA=="]}, "Input collection [AA==, AA==]of type BS contains duplicates."),
        ({"NULL": False}, "Null attribute value types must have the value of true"),
    ],
)
def test_empty_sets_duplicates_and_a_false_null_are_refused(value: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        checked_value(value)
    assert caught.value.message == "One or more parameter values were invalid: " + message


def test_bytes_of_a_set_are_told_as_they_are_sent() -> None:
    with pytest.raises(ValidationError, match=r"Input collection \[AA==, AA==\]of type BS contains duplicates"):
        checked_value({"BS": [b"\0", b"\0"]})


def test_numbers_of_a_set_are_duplicates_by_value() -> None:
    with pytest.raises(ValidationError, match="Input collection contains duplicates"):
        checked_value({"NS": ["1", "1.0"]})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"S": 5}, "NUMBER_VALUE cannot be converted to String"),
        ({"S": True}, "TRUE_VALUE cannot be converted to String"),
        ({"S": 1.5}, "DECIMAL_VALUE cannot be converted to String"),
        ({"S": {}}, "Start of structure or map found where not expected"),
        ({"S": []}, "Start of list found where not expected"),
        ({"N": 5}, "NUMBER_VALUE cannot be converted to String"),
        ({"B": 5}, "NUMBER_VALUE cannot be converted to String"),
        ({"BOOL": "perhaps"}, "Unexpected field type"),
        ({"BOOL": ""}, "Unexpected token received from parser"),
        ({"SS": "a"}, "Unexpected field type"),
        ({"SS": [1]}, "NUMBER_VALUE cannot be converted to String"),
        ({"L": {}}, "Start of structure or map found where not expected"),
        ({"M": []}, "Start of list found where not expected"),
        ({"L": ["a"]}, "Unexpected field type"),
        ({"M": {"a": "b"}}, "Unexpected field type"),
    ],
)
def test_json_of_the_wrong_type_is_a_serialization_exception(value: dict[str, Any], message: str) -> None:
    with pytest.raises(SerializationError) as caught:
        checked_value(value)
    assert caught.value.message == message


@pytest.mark.parametrize("content", ["A", "A===", "AA", "A A=", "_-==", "é==="])
def test_binary_takes_standard_base64_only(content: str) -> None:
    with pytest.raises(SerializationError, match="Base64"):
        checked_value({"B": content})


def test_an_item_is_an_object() -> None:
    with pytest.raises(SerializationError):
        checked_item([{"S": "a"}])


def test_text_that_is_not_unicode_is_a_serialization_exception() -> None:
    for item in (
        {"a": {"S": "\ud800"}},
        {"a": {"SS": ["\ud800"]}},
        {"\ud800": {"S": "a"}},
        {"a": {"M": {"\ud800": {"N": "1"}}}},
    ):
        with pytest.raises(SerializationError):
            checked_item(item)


def test_an_attribute_name_has_at_least_one_character() -> None:
    for item in ({"": {"S": "a"}}, {"a": {"M": {"": {"N": "1"}}}}):
        with pytest.raises(ValidationError):
            checked_item(item)


def _nested(levels: int, kind: str) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "inside"}
    for _ in range(levels):
        value = {"L": [value]} if kind == "L" else {"M": {"a": value}}
    return value


@pytest.mark.parametrize("kind", ["L", "M"])
def test_lists_and_maps_nest_32_levels_deep_and_no_deeper(kind: str) -> None:
    # What is inside is a level too: 31 lists or maps around it.
    assert checked_value(_nested(31, kind)) == _nested(31, kind)
    for levels in (32, 5000):
        with pytest.raises(ValidationError, match=r"^Nesting Levels have exceeded supported limits: Attributes in"):
            checked_value(_nested(levels, kind))


def test_sets_are_equal_in_any_order_and_lists_are_not() -> None:
    assert equal({"SS": ["a", "b"]}, {"SS": ["b", "a"]})
    assert not equal({"L": [{"S": "a"}, {"S": "b"}]}, {"L": [{"S": "b"}, {"S": "a"}]})
    assert equal({"L": [{"NS": ["1", "2"]}]}, {"L": [{"NS": ["2", "1"]}]})
    assert equal({"M": {"a": {"SS": ["x", "y"]}}}, {"M": {"a": {"SS": ["y", "x"]}}})


def test_values_of_different_types_are_never_equal() -> None:
    assert not equal({"S": "1"}, {"N": "1"})
    assert not equal({"SS": ["1"]}, {"NS": ["1"]})
    assert not equal({"M": {}}, {"L": []})
    assert not equal({"SS": ["a"]}, {"SS": ["a", "b"]})
    assert not equal({"M": {"a": {"S": "x"}}}, {"M": {"b": {"S": "x"}}})


@given(values, values)
def test_equality_is_the_same_from_both_sides(left: dict[str, Any], right: dict[str, Any]) -> None:
    assert equal(left, left)
    assert equal(left, right) == equal(right, left)


def test_strings_are_ordered_by_their_utf8_bytes() -> None:
    # In UTF-16 the emoji would come first.
    assert order({"S": "\uffff"}, {"S": "\U0001f600"}) == -1
    assert order({"S": "a"}, {"S": "B"}) == 1
    assert order({"S": "a"}, {"S": "a"}) == 0


def test_binary_is_ordered_by_unsigned_bytes() -> None:
    assert order({"B": "fw=="}, {"B": "gA=="}) == -1
    assert order({"B": ""}, {"B": "AA=="}) == -1


def test_there_is_an_order_only_within_strings_numbers_and_binary() -> None:
    assert order({"N": "10"}, {"N": "9"}) == 1
    assert order({"S": "1"}, {"N": "1"}) is None
    assert order({"BOOL": True}, {"BOOL": False}) is None
    assert order({"L": []}, {"L": []}) is None


def test_messages_show_a_value_with_its_type() -> None:
    assert describe({"N": "5"}) == "{N:5}"
