"""Key conditions: equality on the whole partition key, and at most one condition per sort key attribute."""

from __future__ import annotations

from typing import Any

import pytest

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import bind
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.key_condition import KeyRange, KeyTerm, key_range, key_terms

_VALUES: dict[str, object] = {
    ":s": {"S": "x"},
    ":t": {"S": "y"},
    ":n": {"N": "1"},
    ":empty": {"S": ""},
}
S = {"S": "x"}
T = {"S": "y"}


def _range(text: str, hash_keys: str = "pk", range_keys: str = "sk") -> KeyRange:
    condition = bind.condition(text, Placeholders({}, _VALUES), "KeyConditionExpression")
    return key_range(
        key_terms(condition), [(name, "S") for name in hash_keys.split()], [(name, "S") for name in range_keys.split()]
    )


def test_the_partition_key_alone_selects_the_partition() -> None:
    assert _range("pk = :s") == KeyRange((S,), (), None)
    assert _range(":s = pk") == KeyRange((S,), (), None)


_ONE_EACH = "KeyConditionExpressions must only contain one condition per key"
_THREE = "(3) exceeds the number of key attributes defined in the schema (2)"


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("pk = :s AND sk < :t", KeyTerm("sk", "<", (T,))),
        ("sk <= :t AND pk = :s", KeyTerm("sk", "<=", (T,))),
        ("pk = :s AND :t < sk", KeyTerm("sk", ">", (T,))),
        ("(pk = :s) AND (sk >= :t)", KeyTerm("sk", ">=", (T,))),
        ("pk = :s AND sk BETWEEN :s AND :t", KeyTerm("sk", "BETWEEN", (S, T))),
        ("pk = :s AND begins_with(sk, :t)", KeyTerm("sk", "begins_with", (T,))),
    ],
)
def test_the_sort_key_takes_a_comparison_between_or_begins_with(text: str, last: KeyTerm) -> None:
    assert _range(text) == KeyRange((S,), (), last)


def test_equality_of_the_sort_key_is_exact() -> None:
    assert _range("pk = :s AND sk = :t") == KeyRange((S,), (T,), None)


_OPERATOR = "Invalid operator used in KeyConditionExpression: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sk = :s", "Query condition missed key schema element: pk"),
        ("pk = :s AND third = :s", "Query condition missed key schema element: sk"),
        ("pk > :s", "Query key condition not supported"),
        ("begins_with(pk, :s)", "Query key condition not supported"),
        ("pk = :s AND sk > :s AND sk < :t", f"Invalid KeyConditionExpression: {_ONE_EACH}"),
        ("pk = :s AND sk = :t AND third = :t", f"The number of query conditions {_THREE}"),
        ("pk = :s OR sk = :t", _OPERATOR + "OR"),
        ("NOT pk = :s", _OPERATOR + "NOT"),
        ("pk = :s AND sk <> :t", _OPERATOR + "<>"),
        ("pk = :s AND sk IN (:t)", _OPERATOR + "IN"),
        ("pk = :s AND contains(sk, :t)", _OPERATOR + "contains"),
        ("pk = :s AND attribute_exists(sk)", _OPERATOR + "attribute_exists"),
        ("pk = :s AND attribute_not_exists(sk)", _OPERATOR + "attribute_not_exists"),
        ("(pk = :s AND sk = :t) AND third = :t", f"The number of query conditions {_THREE}"),
        ("pk = :s AND sk > size(third)", "KeyConditionExpressions cannot contain nested operations"),
        (
            "pk = :s AND sk BETWEEN third AND :t",
            "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
        ),
        ("pk = :s AND size(sk) = :n", "KeyConditionExpressions cannot contain nested operations"),
        ("pk = :s AND sk.a = :t", "KeyConditionExpressions cannot have conditions on nested attributes"),
        (
            "pk = sk",
            "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
        ),
        ("pk = :s AND :s = :t", "Invalid condition in KeyConditionExpression: No key attribute specified"),
        (
            "pk = :n",
            "One or more parameter values were invalid: Condition parameter type does not match schema type",
        ),
        (
            "pk = :s AND sk > :n",
            "One or more parameter values were invalid: Condition parameter type does not match schema type",
        ),
        (
            "pk = :empty",
            (
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
                "empty string value. Key: pk"
            ),
        ),
    ],
)
def test_what_a_key_condition_cannot_say_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _range(text)
    assert caught.value.message == message


def test_a_table_without_sort_key_takes_no_second_condition() -> None:
    with pytest.raises(ValidationError, match="Query key condition not supported"):
        _range("pk = :s AND sk = :t", "pk", "")


def test_every_partition_key_attribute_of_an_index_is_given_by_equality() -> None:
    assert _range("a = :s AND b = :t", "a b", "x y") == KeyRange((S, T), (), None)
    assert _range("b = :t AND a = :s", "a b", "x y") == KeyRange((S, T), (), None)
    for text in ("a = :s", "a = :s AND b > :t"):
        with pytest.raises(ValidationError) as caught:
            _range(text, "a b", "x y")
        assert caught.value.message == "HASH key attributes b must have equality conditions specified in the query"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = :s AND x = :t", ((T,), None)),
        ("a = :s AND x > :t", ((), KeyTerm("x", ">", (T,)))),
        ("a = :s AND x = :t AND y < :s", ((T,), KeyTerm("y", "<", (S,)))),
        ("a = :s AND x = :t AND y = :s AND begins_with(z, :t)", ((T, S), KeyTerm("z", "begins_with", (T,)))),
        ("z = :t AND y = :s AND x = :t AND a = :s", ((T, S, T), None)),
    ],
)
def test_sort_key_attributes_are_used_from_the_left_and_only_the_last_is_a_range(text: str, expected: Any) -> None:
    assert _range(text, "a", "x y z") == KeyRange((S,), *expected)


@pytest.mark.parametrize(
    ("text", "missing", "last"),
    [
        ("a = :s AND y = :t", "x", "y"),
        ("a = :s AND x = :s AND z = :t", "y", "z"),
        ("a = :s AND x > :s AND y = :t", "x", "y"),
        ("a = :s AND x > :s AND y > :t", "x", "y"),
        ("a = :s AND z = :t", "x, y", "z"),
    ],
)
def test_a_gap_or_a_second_range_in_the_sort_key_is_refused(text: str, missing: str, last: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _range(text, "a", "x y z")
    assert caught.value.message == (
        f"RANGE key attributes {missing} must have equality conditions specified in the query because a condition is "
        f"present on key attribute {last}"
    )
