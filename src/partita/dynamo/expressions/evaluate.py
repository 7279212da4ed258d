"""Conditions on items: what DynamoDB would answer."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

from partita.dynamo.expressions.paths import resolve
from partita.dynamo.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Comparator,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Operand,
    Or,
    Path,
    Value,
)
from partita.dynamo.size import binary_size
from partita.dynamo.values import AttributeValue, Item, equal, order, type_of

_ORDERINGS: dict[Comparator, Callable[[int], bool]] = {
    "<": lambda relation: relation < 0,
    "<=": lambda relation: relation <= 0,
    ">": lambda relation: relation > 0,
    ">=": lambda relation: relation >= 0,
}


def holds(condition: Condition, item: Item) -> bool:
    """Whether the condition is true of the item; an absent item is an empty one."""
    match condition:
        case Compare():
            return _compare(condition, item)
        case And(terms):
            for term in terms:
                if not holds(term, item):
                    return False
            return True
        case Or(terms):
            for term in terms:
                if holds(term, item):
                    return True
            return False
        case Not(term):
            return not holds(term, item)
        case AttributeExists(path):
            return resolve(path, item) is not None
        case AttributeNotExists(path):
            return resolve(path, item) is None
        case Between(operand, low, high):
            value = _value(operand, item)
            return _ordered(_value(low, item), value) and _ordered(value, _value(high, item))
        case In(operand, choices):
            value = _value(operand, item)
            return value is not None and any(
                choice is not None and equal(value, choice) for choice in (_value(each, item) for each in choices)
            )
        case BeginsWith(operand, prefix):
            return _begins_with(_value(operand, item), _value(prefix, item))
        case Contains(operand, member):
            return _contains(_value(operand, item), _value(member, item))
        case AttributeType(operand, kind):
            value = _value(operand, item)
            return value is not None and type_of(value) == kind.value["S"]


def _value(operand: Operand, item: Item) -> AttributeValue | None:
    if isinstance(operand, Value):
        return operand.value
    if isinstance(operand, Path):
        return resolve(operand, item)
    target = operand.of.value if isinstance(operand.of, Value) else resolve(operand.of, item)
    length = None if target is None else _length(target)
    return None if length is None else {"N": str(length)}


def _compare(condition: Compare, item: Item) -> bool:
    left, right = _value(condition.left, item), _value(condition.right, item)
    operator = condition.operator
    if operator == "=":
        return left is not None and right is not None and equal(left, right)
    if operator == "<>":
        # What is not there differs from everything.
        return left is None or right is None or not equal(left, right)
    if left is None or right is None:
        return False
    relation = order(left, right)
    return relation is not None and _ORDERINGS[operator](relation)


def _ordered(low: AttributeValue | None, high: AttributeValue | None) -> bool:
    if low is None or high is None:
        return False
    relation = order(low, high)
    return relation is not None and relation <= 0


def _begins_with(value: AttributeValue | None, prefix: AttributeValue | None) -> bool:
    if value is None or prefix is None:
        return False
    if "S" in value and "S" in prefix:
        return bool(value["S"].startswith(prefix["S"]))
    if "B" in value and "B" in prefix:
        return b64decode(value["B"]).startswith(b64decode(prefix["B"]))
    return False


def _contains(value: AttributeValue | None, member: AttributeValue | None) -> bool:
    if value is None or member is None:
        return False
    kind, member_kind = type_of(value), type_of(member)
    if kind == "L":
        return any(equal(element, member) for element in value["L"])
    if kind in ("SS", "NS", "BS"):
        return member_kind == kind[0] and member[member_kind] in value[kind]
    if kind == "S" and member_kind == "S":
        return member["S"] in value["S"]
    if kind == "B" and member_kind == "B":
        return b64decode(member["B"]) in b64decode(value["B"])
    return False


def _length(value: AttributeValue) -> int | None:
    kind = type_of(value)
    if kind == "S":
        text: str = value["S"]  # in UTF-16, as AWS counts: most letters are one, most emoji two
        return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    if kind == "B":
        return binary_size(value["B"])
    if kind in ("SS", "NS", "BS", "L", "M"):
        return len(value[kind])
    return None
