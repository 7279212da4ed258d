"""What DynamoDB asks of each node of a tree before anything runs, whether it came from text or was built in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import (
    AddAction,
    Arithmetic,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Contains,
    DeleteAction,
    In,
    ListAppend,
    Operand,
    Path,
    SetOperand,
    Size,
    Value,
)
from partita.dynamo.limits import IN_OPERANDS, PATH_DEPTH
from partita.dynamo.values import describe, order, type_names, type_of

_TYPES = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
_SCALARS = ("S", "N", "B")
_TEXTS = ("S", "B")
_SETS = ("SS", "NS", "BS")


def check(node: Any) -> None:
    """Refuse a node of a condition or an update that no item could make right."""
    rule = _RULES.get(type(node))
    if rule is not None:
        rule(node)


def check_compare(node: Compare) -> None:
    """Only text, numbers and binary have an order; nothing is compared with itself."""
    operator = node.operator
    _check_distinct(operator, node.left, node.right)
    if operator not in ("=", "<>"):
        _check_type(operator, node.left, _SCALARS)
        _check_type(operator, node.right, _SCALARS)


def check_between(node: Between) -> None:
    """The ends have one type and are in order."""
    low, high = node.low, node.high
    for operand in (node.operand, low, high):
        _check_type("BETWEEN", operand, _SCALARS)
    if isinstance(low, Value) and isinstance(high, Value):
        relation = order(low.value, high.value)
        if relation is not None and relation <= 0:
            return
        wanted = (
            "same data type for lower and upper bounds"
            if relation is None
            else "upper bound to be greater than or equal to lower bound"
        )
        raise ValidationError(
            f"The BETWEEN operator requires {wanted}; lower bound operand: AttributeValue: {describe(low.value)}, "
            f"upper bound operand: AttributeValue: {describe(high.value)}"
        )


def check_in(node: In) -> None:
    """So many values, and no more."""
    if len(node.choices) > IN_OPERANDS:
        raise ValidationError(
            f"The IN operator is provided with too many operands; number of operands: {len(node.choices)}"
        )


def check_attribute_type(node: AttributeType) -> None:
    """The type is one that there is, and of something else."""
    operand: Any = node.operand  # text may have anything there
    kind: Any = node.kind
    _check_distinct("attribute_type", operand, kind)
    if not isinstance(operand, Path | Value):
        raise ValidationError("Operator or function requires a document path; operator or function: attribute_type")
    if not isinstance(kind, Value) or type_of(kind.value) != "S":
        raise _incorrect_type("attribute_type", _type_told(kind))
    if kind.value["S"] not in type_names:
        raise ValidationError(f"Invalid attribute type name found; type: {kind.value['S']}, valid types: {_TYPES}")


def check_begins_with(node: BeginsWith) -> None:
    """Only text and binary begin with something else."""
    _check_distinct("begins_with", node.operand, node.prefix)
    _check_type("begins_with", node.operand, _TEXTS)
    _check_type("begins_with", node.prefix, _TEXTS)


def check_contains(node: Contains) -> None:
    """Nothing is looked for in itself."""
    _check_distinct("contains", node.operand, node.member)


def check_size(node: Size) -> None:
    """Only what has parts has a size."""
    of: Any = node.of  # text may have a size there
    if isinstance(of, Size) or (isinstance(of, Value) and type_of(of.value) in ("N", "BOOL", "NULL")):
        raise _incorrect_type("size", _type_told(of))


def check_path(path: Path) -> None:
    """So many steps, and no more."""
    if len(path.parts) > PATH_DEPTH:
        raise ValidationError(f"The document path has too many nesting elements; nesting levels: {len(path.parts)}")


def check_list_append(node: ListAppend) -> None:
    """Only lists are appended."""
    _check_type("list_append", node.first, ("L",))
    _check_type("list_append", node.second, ("L",))


def check_arithmetic(node: Arithmetic) -> None:
    """Only numbers are added."""
    _check_type(node.operator, node.left, ("N",))
    _check_type(node.operator, node.right, ("N",))


def check_add(node: AddAction) -> None:
    """Numbers are added, and members to sets."""
    _check_amount("ADD", node.value, ("N", *_SETS))


def check_delete(node: DeleteAction) -> None:
    """Members are deleted from sets."""
    _check_amount("DELETE", node.value, _SETS)


def _check_amount(section: str, value: Value, allowed: tuple[str, ...]) -> None:
    kind = type_of(value.value)
    if kind not in allowed:
        raise ValidationError(
            f"Incorrect operand type for operator or function; operator: {section}, "
            f"operand type: {type_names[kind]}, typeSet: ALLOWED_FOR_{section}_OPERAND"
        )


def _check_type(name: str, operand: Operand | SetOperand, allowed: tuple[str, ...]) -> None:
    if isinstance(operand, Value):
        kind = type_of(operand.value)
        if kind not in allowed:
            raise _incorrect_type(name, kind)
    elif isinstance(operand, Size) and "N" not in allowed:
        raise _incorrect_type(name, "N")


def _check_distinct(name: str, left: Operand, right: Operand) -> None:
    if isinstance(left, Path) and isinstance(right, Path) and left == right:
        raise ValidationError(
            "The first operand must be distinct from the remaining operands for this operator or function; "
            f"operator: {name}, first operand: {left}"
        )


def _type_told(operand: Any) -> str:
    if isinstance(operand, Value):
        return type_of(operand.value)
    return "N" if isinstance(operand, Size) else "path"


def _incorrect_type(name: str, kind: str) -> ValidationError:
    return ValidationError(
        f"Incorrect operand type for operator or function; operator or function: {name}, operand type: {kind}"
    )


_RULES: dict[type, Callable[[Any], None]] = {
    Compare: check_compare,
    Between: check_between,
    In: check_in,
    AttributeType: check_attribute_type,
    BeginsWith: check_begins_with,
    Contains: check_contains,
    Size: check_size,
    Path: check_path,
    ListAppend: check_list_append,
    Arithmetic: check_arithmetic,
    AddAction: check_add,
    DeleteAction: check_delete,
}
