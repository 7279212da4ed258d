"""The parameters from before expressions (Expected, AttributeUpdates, KeyConditions, …) on the same syntax tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, cast

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.tree import (
    AddAction,
    And,
    AttributeExists,
    AttributeNotExists,
    BeginsWith,
    Between,
    Comparator,
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
    Update,
    UpdateAction,
    Value,
)
from partita.dynamo.limits import INDEX_KEY_ATTRIBUTES
from partita.dynamo.values import AttributeValue, check_name, checked_value, order, type_of

_INVALID = "One or more parameter values were invalid: "
_COMPARATORS: dict[str, Comparator] = {"EQ": "=", "NE": "<>", "LE": "<=", "LT": "<", "GE": ">=", "GT": ">"}
_ARGUMENTS = {"NULL": (0, 0), "NOT_NULL": (0, 0), "BETWEEN": (2, 2), "IN": (1, inf)}
_ALLOWED = {
    **dict.fromkeys(("LE", "LT", "GE", "GT", "BETWEEN"), ("S", "N", "B")),
    "BEGINS_WITH": ("S", "B"),
    "CONTAINS": ("S", "N", "B"),
    "NOT_CONTAINS": ("S", "N", "B"),
    "IN": ("S", "N", "B"),
}


def expected(members: Mapping[str, Mapping[str, Any]], operator: str | None) -> Condition | None:
    """`Expected` with its `ConditionalOperator`."""
    return _joined([_expectation(name, member) for name, member in members.items()], operator)


def filters(members: Mapping[str, Mapping[str, Any]], operator: str | None) -> Condition | None:
    """`QueryFilter` or `ScanFilter` with its `ConditionalOperator`."""
    return _joined([_comparison(name, member) for name, member in members.items()], operator)


def key_conditions(members: Mapping[str, Mapping[str, Any]], *, of_index: bool) -> Condition:
    """`KeyConditions`: always joined by AND. An index may have up to eight key attributes, a table one or two."""
    conditions = [_comparison(name, member) for name, member in members.items()]
    if not 1 <= len(conditions) <= (2 * INDEX_KEY_ATTRIBUTES if of_index else 2):
        raise ValidationError("Conditions can be of length 1 or 2 only")
    return cast(Condition, _joined(conditions, "AND"))


def attributes_to_get(names: Sequence[str]) -> Projection:
    """`AttributesToGet`: top-level names, taken as they are."""
    for name in names:
        check_name(name)
    if len(set(names)) != len(names):
        twice = next(name for position, name in enumerate(names) if name in names[:position])
        raise ValidationError(f"{_INVALID}Duplicate value in attribute name: {twice}")
    return Projection(tuple(Path((name,)) for name in names))


def attribute_updates(members: Mapping[str, Mapping[str, Any]]) -> Update:
    """`AttributeUpdates`: PUT, ADD or DELETE per attribute."""
    return Update(tuple(_update(name, member) for name, member in members.items()), legacy=True)


def _update(name: str, member: Mapping[str, Any]) -> UpdateAction:
    check_name(name)
    action = member.get("Action") or "PUT"
    path = Path((name,))
    if member.get("Value") is None:
        if action != "DELETE":
            raise ValidationError(f"{_INVALID}Only DELETE action is allowed when no attribute value is specified")
        return RemoveAction(path)
    value = checked_value(member["Value"])
    kind = type_of(value)
    if action == "PUT":
        return SetAction(path, Value(value))
    if action == "ADD":
        if kind == "L":
            return SetAction(path, ListAppend(IfNotExists(path, Value({"L": []})), Value(value)))
        if kind not in ("N", "SS", "NS", "BS"):
            raise ValidationError(f"{_INVALID}ADD action is not supported for the type {kind}")
        return AddAction(path, Value(value))
    if kind not in ("SS", "NS", "BS"):
        raise ValidationError(f"{_INVALID}DELETE action with value is not supported for the type {kind}")
    return DeleteAction(path, Value(value))


def _expectation(name: str, member: Mapping[str, Any]) -> Condition:
    check_name(name)
    value, exists = member.get("Value"), member.get("Exists")
    operator, arguments = member.get("ComparisonOperator"), member.get("AttributeValueList")
    where = f"for Attribute: {name}"
    if operator is not None:
        if exists is not None:
            raise ValidationError(f"{_INVALID}Exists and ComparisonOperator cannot be used together {where}")
        if value is not None and arguments is not None:
            raise ValidationError(f"{_INVALID}Value and AttributeValueList cannot be used together {where}")
        if value is not None:
            arguments = [value]
        if arguments is None and operator not in ("NULL", "NOT_NULL"):
            raise ValidationError(
                f"{_INVALID}Value or AttributeValueList must be used with ComparisonOperator: {operator} {where}"
            )
        comparison = _comparison(name, {"ComparisonOperator": operator, "AttributeValueList": arguments})
        # A missing attribute fails this one, although it contains nothing.
        return And((AttributeExists(Path((name,))), comparison)) if operator == "NOT_CONTAINS" else comparison
    if arguments is not None:
        if value is not None:
            raise ValidationError(f"{_INVALID}Value and AttributeValueList cannot be used together {where}")
        raise ValidationError(f"{_INVALID}AttributeValueList can only be used with a ComparisonOperator {where}")
    if exists is False:
        if value is not None:
            raise ValidationError(f"{_INVALID}Value cannot be used when Exists is false {where}")
        return AttributeNotExists(Path((name,)))
    if value is None:
        shown = "null" if exists is None else "true"
        raise ValidationError(f"{_INVALID}Value must be provided when Exists is {shown} {where}")
    return Compare("=", Path((name,)), Value(checked_value(value)))


def _comparison(name: str, member: Mapping[str, Any]) -> Condition:
    check_name(name)
    operator = str(member.get("ComparisonOperator"))
    values = [checked_value(value) for value in member.get("AttributeValueList") or ()]
    least, most = _ARGUMENTS.get(operator, (1, 1))
    if not least <= len(values) <= most:
        raise ValidationError(f"{_INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator")
    for value in values:
        if operator in _ALLOWED and type_of(value) not in _ALLOWED[operator]:
            raise ValidationError(
                f"{_INVALID}ComparisonOperator {operator} is not valid for {type_of(value)} AttributeValue type"
            )
    if len({type_of(value) for value in values}) > 1:
        raise ValidationError(f"{_INVALID}AttributeValues inside AttributeValueList must be of same type")
    path = Path((name,))
    literals = tuple(Value(value) for value in values)
    match operator:
        case "NULL":
            return AttributeNotExists(path)
        case "NOT_NULL":
            return AttributeExists(path)
        case "BETWEEN":
            _check_bounds(values)
            return Between(path, *literals)
        case "IN":
            return In(path, literals)
        case "BEGINS_WITH":
            return BeginsWith(path, literals[0])
        case "CONTAINS":
            return Contains(path, literals[0])
        case "NOT_CONTAINS":
            return Not(Contains(path, literals[0]))
    return Compare(_COMPARATORS[operator], path, literals[0])


def _check_bounds(values: Sequence[AttributeValue]) -> None:
    relation = order(values[0], values[1])
    if relation is not None and relation > 0:
        raise ValidationError(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        )


def _joined(conditions: list[Condition], operator: str | None) -> Condition | None:
    if not conditions:
        if operator is not None:
            raise ValidationError(f"{_INVALID}ConditionalOperator cannot be used without Filter or Expected")
        return None
    if len(conditions) == 1:
        if operator is not None and operator == "OR":
            raise ValidationError(
                f"{_INVALID}ConditionalOperator can only be used when Filter or Expected has two or more elements"
            )
        return conditions[0]
    return Or(tuple(conditions)) if operator == "OR" else And(tuple(conditions))
