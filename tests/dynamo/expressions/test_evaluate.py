"""Conditions on items: each comparator and function as the developer guide describes it, and against a model."""

from __future__ import annotations

import operator
from base64 import b64decode
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from partita.dynamo.expressions import bind
from partita.dynamo.expressions.bind import Placeholders
from partita.dynamo.expressions.evaluate import holds
from partita.dynamo.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Or,
    Path,
    Value,
)
from tests.dynamo.strategies import conditions, items

ITEM: dict[str, Any] = {
    "s": {"S": "hello"},
    "astral": {"S": "é𝄞"},
    "n": {"N": "5"},
    "b": {"B": "AQID"},
    "t": {"BOOL": True},
    "nil": {"NULL": True},
    "ss": {"SS": ["x", "y"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": ["AQ=="]},
    "l": {"L": [{"S": "x"}, {"N": "1"}, {"L": [{"BOOL": False}]}]},
    "m": {"M": {"in": {"M": {"deep": {"N": "7"}}}, "list": {"L": [{"S": "z"}]}}},
}


def _holds(text: str, **values: Any) -> bool:
    return holds(
        bind.condition(
            text,
            Placeholders(
                {"#in": "in", "#list": "list"} if "#" in text else {},
                {f":{name}": value for name, value in values.items()},
            ),
        ),
        ITEM,
    )


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("n = :v", {"v": {"N": "5.0"}}, True),
        ("n <> :v", {"v": {"N": "5.0"}}, False),
        ("n = :v", {"v": {"S": "5"}}, False),
        ("n <> :v", {"v": {"S": "5"}}, True),
        ("n < :v", {"v": {"N": "10"}}, True),
        ("n <= :v", {"v": {"N": "5"}}, True),
        ("n > :v", {"v": {"N": "-5"}}, True),
        ("n >= :v", {"v": {"N": "5.1"}}, False),
        ("n < :v", {"v": {"S": "9"}}, False),
        ("n >= :v", {"v": {"S": "1"}}, False),
        ("s < :v", {"v": {"S": "hellp"}}, True),
        ("b < :v", {"v": {"B": "AQIE"}}, True),
        ("ss = :v", {"v": {"SS": ["y", "x"]}}, True),
        ("m.#list = :v", {"v": {"L": [{"S": "z"}]}}, True),
        ("n BETWEEN :a AND :b", {"a": {"N": "5"}, "b": {"N": "5"}}, True),
        ("n BETWEEN :a AND :b", {"a": {"N": "1"}, "b": {"N": "4"}}, False),
        ("s BETWEEN :a AND :b", {"a": {"N": "1"}, "b": {"N": "4"}}, False),
        (":v BETWEEN n AND m.#in.deep", {"v": {"N": "6"}}, True),
        ("n IN (:a, :b)", {"a": {"N": "4"}, "b": {"N": "5"}}, True),
        ("n IN (:a)", {"a": {"S": "5"}}, False),
        (":v IN (s, n)", {"v": {"N": "5"}}, True),
        ("attribute_exists(m.#in.deep)", {}, True),
        ("attribute_exists(m.#in.absent)", {}, False),
        ("attribute_exists(l[2][0])", {}, True),
        ("attribute_exists(l[3])", {}, False),
        ("attribute_exists(s[0])", {}, False),
        ("attribute_exists(s.x)", {}, False),
        ("attribute_exists(nil)", {}, True),
        ("attribute_not_exists(absent)", {}, True),
        ("attribute_not_exists(nil)", {}, False),
        ("attribute_type(s, :v)", {"v": {"S": "S"}}, True),
        ("attribute_type(l, :v)", {"v": {"S": "L"}}, True),
        ("attribute_type(nil, :v)", {"v": {"S": "NULL"}}, True),
        ("attribute_type(ns, :v)", {"v": {"S": "SS"}}, False),
        ("attribute_type(absent, :v)", {"v": {"S": "S"}}, False),
        ("begins_with(s, :v)", {"v": {"S": "he"}}, True),
        ("begins_with(s, :v)", {"v": {"S": ""}}, True),
        ("begins_with(s, :v)", {"v": {"S": "He"}}, False),
        ("begins_with(b, :v)", {"v": {"B": "AQI="}}, True),
        ("begins_with(n, :v)", {"v": {"S": "5"}}, False),
        ("begins_with(absent, :v)", {"v": {"S": ""}}, False),
        ("contains(s, :v)", {"v": {"S": "ell"}}, True),
        ("contains(s, :v)", {"v": {"S": "elL"}}, False),
        ("contains(b, :v)", {"v": {"B": "Ag=="}}, True),
        ("contains(ss, :v)", {"v": {"S": "y"}}, True),
        ("contains(ss, :v)", {"v": {"S": "z"}}, False),
        ("contains(ns, :v)", {"v": {"N": "2.50"}}, True),
        ("contains(ns, :v)", {"v": {"S": "1"}}, False),
        ("contains(bs, :v)", {"v": {"B": "AQ=="}}, True),
        ("contains(l, :v)", {"v": {"N": "1.0"}}, True),
        ("contains(l, :v)", {"v": {"L": [{"BOOL": False}]}}, True),
        ("contains(l, :v)", {"v": {"S": "1"}}, False),
        ("contains(m, :v)", {"v": {"S": "in"}}, False),
        ("contains(n, :v)", {"v": {"N": "5"}}, False),
        ("contains(:v, s)", {"v": {"S": "hello world"}}, True),
        ("size(s) = :v", {"v": {"N": "5"}}, True),
        ("size(b) = :v", {"v": {"N": "3"}}, True),
        ("size(ss) = :v", {"v": {"N": "2"}}, True),
        ("size(l) = :v", {"v": {"N": "3"}}, True),
        ("size(m) = :v", {"v": {"N": "2"}}, True),
        ("size(m.#list) < size(l)", {}, True),
        ("size(astral) = :v", {"v": {"N": "3"}}, True),
        ("size(n) > :v", {"v": {"N": "0"}}, False),
        ("size(absent) >= :v", {"v": {"N": "0"}}, False),
    ],
)  # fmt: skip
def test_comparators_and_functions(text: str, values: dict[str, Any], expected: bool) -> None:
    assert _holds(text, **values) is expected


@pytest.mark.parametrize(("text", "expected"), [("absent = :v", False), ("absent <> :v", True), ("absent < :v", False),
                                                ("absent >= :v", False), ("absent IN (:v)", False)])  # fmt: skip
def test_an_absent_attribute_differs_from_everything_and_has_no_order(text: str, expected: bool) -> None:
    assert _holds(text, v={"N": "1"}) is expected


def _model_value(value: dict[str, Any]) -> Any:
    """A Python value whose == is DynamoDB's."""
    ((kind, content),) = value.items()
    match kind:
        case "N":
            return ("N", Decimal(content))
        case "B":
            return ("B", b64decode(content))
        case "NS":
            return ("NS", frozenset(map(Decimal, content)))
        case "SS":
            return ("SS", frozenset(content))
        case "BS":
            return ("BS", frozenset(map(b64decode, content)))
        case "L":
            return ("L", tuple(map(_model_value, content)))
        case "M":
            return ("M", {name: _model_value(inner) for name, inner in content.items()})
    return (kind, content)


def _at(operand: Any, item: dict[str, Any]) -> Any:
    """What an operand is in the model: a pair of type and Python value, or None."""
    if isinstance(operand, Value):
        return _model_value(operand.value)
    if isinstance(operand, Path):
        found: Any = ("M", {name: _model_value(value) for name, value in item.items()})
        for part in operand.parts:
            if found is None:
                return None
            kind, content = found
            if isinstance(part, int):
                found = content[part] if kind == "L" and part < len(content) else None
            else:
                found = content.get(part) if kind == "M" else None
        return found
    found = _at(operand.of, item)
    if found is None or found[0] in ("N", "BOOL", "NULL"):
        return None
    twice = sum(character > "\uffff" for character in found[1]) if found[0] == "S" else 0
    return ("N", Decimal(len(found[1]) + twice))


_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _utf8(pair: Any) -> Any:
    return pair[1].encode() if pair[0] == "S" else pair[1]


def _ordered(name: str, left: Any, right: Any) -> bool:
    if left is None or right is None or left[0] != right[0] or left[0] not in ("S", "N", "B"):
        return False
    return bool(_OPERATORS[name](_utf8(left), _utf8(right)))


def _model(condition: Condition, item: dict[str, Any]) -> bool:
    """An evaluator of its own, on Python values instead of wire values."""
    match condition:
        case And(terms):
            return all(_model(term, item) for term in terms)
        case Or(terms):
            return any(_model(term, item) for term in terms)
        case Not(term):
            return not _model(term, item)
        case Compare("=", left, right):
            return _at(left, item) is not None and _at(left, item) == _at(right, item)
        case Compare("<>", left, right):
            return not _model(Compare("=", left, right), item)
        case Compare(name, left, right):
            return _ordered(name, _at(left, item), _at(right, item))
        case Between(operand, low, high):
            return _model(Compare(">=", operand, low), item) and _model(Compare("<=", operand, high), item)
        case In(operand, choices):
            return any(_model(Compare("=", operand, choice), item) for choice in choices)
        case AttributeExists(path):
            return _at(path, item) is not None
        case AttributeNotExists(path):
            return _at(path, item) is None
        case AttributeType(path, kind):
            found = _at(path, item)
            return found is not None and found[0] == kind.value["S"]
        case BeginsWith(operand, prefix):
            first, second = _at(operand, item), _at(prefix, item)
            if first is None or second is None or first[0] != second[0] or first[0] not in ("S", "B"):
                return False
            return bool(first[1].startswith(second[1]))
        case Contains(operand, member):
            return _model_contains(_at(operand, item), _at(member, item))


def _model_contains(whole: Any, part: Any) -> bool:
    if whole is None or part is None:
        return False
    match whole[0]:
        case "L":
            return part in whole[1]
        case "SS" | "NS" | "BS":
            return part[0] == whole[0][0] and part[1] in whole[1]
        case "S" | "B":
            return part[0] == whole[0] and part[1] in whole[1]
    return False


@given(conditions, items)
def test_the_evaluator_agrees_with_a_model_on_python_values(condition: Condition, item: dict[str, Any]) -> None:
    assert holds(condition, item) is _model(condition, item)
