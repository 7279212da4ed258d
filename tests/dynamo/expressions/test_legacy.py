"""Parameters from before expressions say the same as their expression counterparts."""

from __future__ import annotations

from typing import Any

import pytest

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import bind, legacy
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.expressions.tree import Update
from partita.dynamo.expressions.update import apply

N1, N2, SX = {"N": "1"}, {"N": "2"}, {"S": "x"}
_VALUES: dict[str, object] = {":a": N1, ":b": N2, ":x": SX, ":set": {"SS": ["x"]}, ":l": {"L": [SX]}}


def _condition(text: str) -> Any:
    return bind.condition(text, Placeholders({}, _VALUES))


def _comparison(operator: str, *values: Any) -> dict[str, Any]:
    return {"ComparisonOperator": operator, "AttributeValueList": list(values)}


_COUNTERPARTS = [
    (_comparison("EQ", N1), "a = :a"),
    (_comparison("NE", N1), "a <> :a"),
    (_comparison("LT", N1), "a < :a"),
    (_comparison("LE", N1), "a <= :a"),
    (_comparison("GT", N1), "a > :a"),
    (_comparison("GE", N1), "a >= :a"),
    (_comparison("BETWEEN", N1, N2), "a BETWEEN :a AND :b"),
    (_comparison("IN", N1, N2), "a IN (:a, :b)"),
    (_comparison("BEGINS_WITH", SX), "begins_with(a, :x)"),
    (_comparison("CONTAINS", SX), "contains(a, :x)"),
    ({"ComparisonOperator": "NULL"}, "attribute_not_exists(a)"),
    ({"ComparisonOperator": "NOT_NULL"}, "attribute_exists(a)"),
]


@pytest.mark.parametrize(("member", "text"), _COUNTERPARTS)
def test_a_legacy_comparison_equals_its_expression(member: dict[str, Any], text: str) -> None:
    assert legacy.expected({"a": member}, None) == _condition(text)
    assert legacy.filters({"a": member}, None) == _condition(text)


def test_a_missing_attribute_fails_an_expected_not_contains_and_passes_a_filter() -> None:
    member = _comparison("NOT_CONTAINS", SX)
    assert legacy.expected({"a": member}, None) == _condition("attribute_exists(a) AND NOT contains(a, :x)")
    assert legacy.filters({"a": member}, None) == _condition("NOT contains(a, :x)")


def test_expected_takes_a_value_or_the_absence_of_one() -> None:
    assert legacy.expected({"a": {"Value": N1}}, None) == _condition("a = :a")
    assert legacy.expected({"a": {"Value": N1, "Exists": True}}, None) == _condition("a = :a")
    assert legacy.expected({"a": {"Exists": False}}, None) == _condition("attribute_not_exists(a)")
    assert legacy.expected({"a": {"ComparisonOperator": "GT", "Value": N1}}, None) == _condition("a > :a")


def test_several_members_are_joined_by_and_unless_told_or() -> None:
    members = {"a": {"Value": N1}, "b": {"Value": N2}}
    assert legacy.expected(members, None) == legacy.expected(members, "AND") == _condition("a = :a AND b = :b")
    assert legacy.expected(members, "OR") == _condition("a = :a OR b = :b")


def test_no_member_is_no_condition() -> None:
    assert legacy.expected({}, None) is None
    with pytest.raises(ValidationError, match="ConditionalOperator cannot be used without Filter or Expected"):
        legacy.expected({}, "AND")


def test_legacy_names_are_taken_as_they_are() -> None:
    condition = legacy.filters({"date.x": {"ComparisonOperator": "NOT_NULL"}}, None)
    assert condition is not None
    assert holds(condition, {"date.x": N1})


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ({"Exists": True}, "Value must be provided when Exists is true for Attribute: a"),
        ({}, "Value must be provided when Exists is null for Attribute: a"),
        ({"Exists": False, "Value": N1}, "Value cannot be used when Exists is false for Attribute: a"),
        (
            {"AttributeValueList": [N1]},
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
        ),
        (
            {"ComparisonOperator": "EQ", "Exists": True},
            "Exists and ComparisonOperator cannot be used together for Attribute: a",
        ),
        (
            {"ComparisonOperator": "EQ", "Value": N1, "AttributeValueList": [N1]},
            "Value and AttributeValueList cannot be used together for Attribute: a",
        ),
        (
            {"ComparisonOperator": "EQ"},
            "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a",
        ),
        (_comparison("EQ", N1, N2), "Invalid number of argument(s) for the EQ ComparisonOperator"),
        (_comparison("BETWEEN", N1), "Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
        (_comparison("NULL", N1), "Invalid number of argument(s) for the NULL ComparisonOperator"),
        (_comparison("IN"), "Invalid number of argument(s) for the IN ComparisonOperator"),
        (_comparison("LT", {"BOOL": True}), "ComparisonOperator LT is not valid for BOOL AttributeValue type"),
        (_comparison("BEGINS_WITH", N1), "ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type"),
        (_comparison("CONTAINS", {"SS": ["a"]}), "ComparisonOperator CONTAINS is not valid for SS AttributeValue type"),
        (_comparison("IN", N1, SX), "AttributeValues inside AttributeValueList must be of same type"),
    ],
)
def test_a_legacy_condition_that_makes_no_sense_is_refused(member: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        legacy.expected({"a": member}, None)
    assert caught.value.message == "One or more parameter values were invalid: " + message


def test_legacy_bounds_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ValidationError, match="lower bound is greater than the upper bound"):
        legacy.filters({"a": _comparison("BETWEEN", N2, N1)}, None)


def test_key_conditions_equal_their_expression() -> None:
    members = {"pk": _comparison("EQ", SX), "sk": _comparison("BETWEEN", N1, N2)}
    assert legacy.key_conditions(members, of_index=False) == _condition("pk = :x AND sk BETWEEN :a AND :b")


def test_key_conditions_are_one_or_two_and_of_an_index_perhaps_more() -> None:
    with pytest.raises(ValidationError, match="Conditions can be of length 1 or 2 only"):
        legacy.key_conditions({}, of_index=True)
    three = {name: _comparison("EQ", SX) for name in "abc"}
    assert legacy.key_conditions(three, of_index=True) == _condition("a = :x AND b = :x AND c = :x")
    with pytest.raises(ValidationError, match="Conditions can be of length 1 or 2 only"):
        legacy.key_conditions(three, of_index=False)


def test_attributes_to_get_equal_a_projection_and_name_nothing_twice() -> None:
    assert legacy.attributes_to_get(["a", "b"]) == bind.projection("a, b", Placeholders())
    with pytest.raises(ValidationError, match="Duplicate value in attribute name: a"):
        legacy.attributes_to_get(["a", "b", "a"])


@pytest.mark.parametrize(
    ("member", "text"),
    [
        ({"Value": N1}, "SET a = :a"),
        ({"Value": N1, "Action": None}, "SET a = :a"),
        ({"Value": N1, "Action": "PUT"}, "SET a = :a"),
        ({"Value": N1, "Action": "ADD"}, "ADD a :a"),
        ({"Value": {"SS": ["x"]}, "Action": "ADD"}, "ADD a :set"),
        ({"Value": {"SS": ["x"]}, "Action": "DELETE"}, "DELETE a :set"),
        ({"Action": "DELETE"}, "REMOVE a"),
    ],
)
def test_attribute_updates_equal_their_expression(member: dict[str, Any], text: str) -> None:
    assert legacy.attribute_updates({"a": member}).actions == bind.update(text, Placeholders({}, _VALUES)).actions


def test_a_legacy_add_of_a_list_appends() -> None:
    update: Update = legacy.attribute_updates({"a": {"Value": {"L": [SX]}, "Action": "ADD"}})
    assert apply(update, {"a": {"L": [N1]}}) == {"a": {"L": [N1, SX]}}
    assert apply(update, {}) == {"a": {"L": [SX]}}


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ({"Action": "PUT"}, "Only DELETE action is allowed when no attribute value is specified"),
        ({"Action": "ADD", "Value": SX}, "ADD action is not supported for the type S"),
        ({"Action": "DELETE", "Value": N1}, "DELETE action with value is not supported for the type N"),
    ],
)
def test_a_legacy_update_that_makes_no_sense_is_refused(member: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        legacy.attribute_updates({"a": member})
