"""A quick look at a tree: enough to say that DynamoDB takes the expression, without writing it as text.

Expressions made in this process are not written as text, and most are far from every limit. A look tells those from
the rest; what it doubts is to be written and read like any other expression, which has the last word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from partita.dynamo.expressions import rules
from partita.dynamo.expressions.paths import check_disjoint
from partita.dynamo.expressions.raw import COMPARATORS
from partita.dynamo.expressions.tree import (
    AddAction,
    And,
    Arithmetic,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    DeleteAction,
    IfNotExists,
    In,
    ListAppend,
    Not,
    Or,
    Path,
    Projection,
    RemoveAction,
    SetAction,
    SetOperand,
    Size,
    Update,
    Value,
)
from partita.dynamo.limits import EXPRESSION_BYTES, PATH_DEPTH
from partita.dynamo.size import value_size
from partita.dynamo.text import encodable
from partita.dynamo.values import checked_value

# A look counts the bytes an expression has as text, and rather too many. At 30 a node, 4096 bytes are 136 nodes, which
# have at most 272 operators: who stays below the one limit stays below the other of 300.
_NODE = 30  # "attribute_not_exists()" and " AND " after it
_PLACEHOLDER = 7  # ":v1234" or "#n1234."
_POSITION = 12  # "[2147483647]"
_MOST_POSITION = 2**31 - 1
# Values count on the same scale: 4096 times 128 bytes are half a megabyte an expression, of the two that all have.
_WEIGHT = 7
_ROWS = (And, Or)
_LEAVES = (Path, Value)


class DoubtError(Exception):
    """Not surely right: look closely."""


def look_at_condition(condition: Condition, least: int = 1) -> None:
    """Doubt or refuse a condition; its rows have at least so many terms."""
    size = 0
    waiting: list[Condition] = [condition]
    while waiting:
        node = waiting.pop()
        size += _NODE
        look = _COMPARISONS.get(type(node))
        if look is not None:
            size += look(node)
        elif isinstance(node, _ROWS):
            if len(node.terms) < least:
                raise DoubtError
            waiting.extend(node.terms)
        elif isinstance(node, Not):
            waiting.append(node.term)
        else:
            raise DoubtError
        if size > EXPRESSION_BYTES:
            raise DoubtError


def look_at_key_condition(condition: Condition) -> None:
    """The same; a row of one would hide what is in it."""
    look_at_condition(condition, 2)


def look_at_projection(projection: Projection) -> None:
    """Doubt or refuse a projection."""
    paths = projection.paths
    if not paths or sum(map(_path, paths)) + 2 * len(paths) > EXPRESSION_BYTES:
        raise DoubtError
    check_disjoint(paths)


def look_at_update(update: Update) -> None:
    """Doubt or refuse an update."""
    if not update.actions or update.legacy:
        raise DoubtError
    size = 0
    for action in update.actions:
        size += _NODE + _path(action.path)
        look = _ACTIONS.get(type(action))
        if look is None:
            raise DoubtError
        size += look(action)
        if size > EXPRESSION_BYTES:
            raise DoubtError
    check_disjoint([action.path for action in update.actions])


def _set(action: SetAction) -> int:
    operand = action.operand
    return _literal(operand) if type(operand) is Value else _set_operand(operand)


def _set_operand(operand: SetOperand) -> int:
    size = 0
    waiting: list[SetOperand] = [operand]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _LEAVES):
            size += _operand(node)
            continue
        size += _NODE
        match node:
            case IfNotExists(path, default):
                size += _path(path)
                waiting.append(default)
            case ListAppend(first, second):
                if type(first) is ListAppend or type(second) is ListAppend:
                    raise DoubtError
                waiting += (first, second)
            case Arithmetic(operator, left, right) if node is operand and operator in ("+", "-"):
                # Text has a sign between two operands, and not within them.
                waiting += (left, right)
            case _:
                raise DoubtError
        rules.check(node)
        if size > EXPRESSION_BYTES:
            raise DoubtError
    return size


def _add(action: AddAction) -> int:
    size = _literal(action.value)
    rules.check_add(action)
    return size


def _delete(action: DeleteAction) -> int:
    size = _literal(action.value)
    rules.check_delete(action)
    return size


def _compare(node: Compare) -> int:
    if node.operator not in COMPARATORS:
        raise DoubtError
    size = _operand(node.left) + _operand(node.right)
    rules.check_compare(node)
    return size


def _between(node: Between) -> int:
    size = _operand(node.operand) + _operand(node.low) + _operand(node.high)
    rules.check_between(node)
    return size


def _in(node: In) -> int:
    if not node.choices:
        raise DoubtError
    rules.check_in(node)
    return _operand(node.operand) + sum(map(_operand, node.choices))


def _attribute_type(node: AttributeType) -> int:
    size = _operand(node.operand) + _literal(node.kind)
    rules.check_attribute_type(node)
    return size


def _begins_with(node: BeginsWith) -> int:
    size = _operand(node.operand) + _operand(node.prefix)
    rules.check_begins_with(node)
    return size


def _contains(node: Contains) -> int:
    size = _operand(node.operand) + _operand(node.member)
    rules.check_contains(node)
    return size


def _operand(operand: Any) -> int:
    look = _OPERANDS.get(type(operand))
    if look is None:
        raise DoubtError
    return look(operand)


def _size(operand: Size) -> int:
    size = _NODE + (_path(operand.of) if type(operand.of) is Path else _literal(operand.of))
    rules.check_size(operand)
    return size


def _path(path: Any) -> int:
    if type(path) is not Path:
        raise DoubtError
    parts = path.parts
    if not 0 < len(parts) <= PATH_DEPTH or type(parts[0]) is not str:
        raise DoubtError
    size = 0
    for part in parts:
        if type(part) is str and part:
            if not part.isascii():
                encodable(part)
            size += len(part) + _PLACEHOLDER
        elif type(part) is int and 0 <= part <= _MOST_POSITION:
            size += _POSITION
        else:
            raise DoubtError
    return size


def _literal(operand: Any) -> int:
    if type(operand) is not Value:
        raise DoubtError
    value = operand.value
    checked = checked_value(value)
    if checked is not value and checked != value:
        raise DoubtError
    ((kind, content),) = value.items()
    if kind == "N":
        return _PLACEHOLDER
    size = len(content) if kind == "S" and content.isascii() else value_size(value)
    return _PLACEHOLDER + (size >> _WEIGHT)


_OPERANDS: dict[type, Callable[[Any], int]] = {Path: _path, Value: _literal, Size: _size}
_COMPARISONS: dict[type, Callable[[Any], int]] = {
    Compare: _compare,
    Between: _between,
    In: _in,
    AttributeExists: lambda node: _path(node.path),
    AttributeNotExists: lambda node: _path(node.path),
    AttributeType: _attribute_type,
    BeginsWith: _begins_with,
    Contains: _contains,
}
_ACTIONS: dict[type, Callable[[Any], int]] = {
    SetAction: _set,
    AddAction: _add,
    DeleteAction: _delete,
    RemoveAction: lambda _: 0,
}
