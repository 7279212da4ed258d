"""From raw syntax to the tree: placeholders are filled in and everything DynamoDB checks before running is checked.

This is the second round (the first is `placement`): node by node from left to right, operands before their operator.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar, cast

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import rules, syntax
from partita.dynamo.expressions.paths import check_disjoint
from partita.dynamo.expressions.raw import COMPARATORS, Raw, RawCall, RawPath, RawValue
from partita.dynamo.expressions.tree import (
    AddAction,
    And,
    Arithmetic,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
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
    Operand,
    Or,
    Part,
    Path,
    Projection,
    RemoveAction,
    SetAction,
    SetOperand,
    Size,
    Update,
    UpdateAction,
    Value,
)
from partita.dynamo.limits import EXPRESSION_MEMBERS_BYTES
from partita.dynamo.size import text_size, value_size
from partita.dynamo.value_faults import ValueFaultError
from partita.dynamo.values import AttributeValue, check_name, checked_value

_NAME_KEY = re.compile(r"#[A-Za-z0-9_]+\Z")
_VALUE_KEY = re.compile(r":[A-Za-z0-9_]+\Z")
_FUNCTION_OPERANDS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
    "if_not_exists": 2,
    "list_append": 2,
}
_PLACEHOLDER_BYTES = 255
N = TypeVar("N")


class Placeholders:
    """The `#names` and `:values` of one request, and which of them its expressions used."""

    def __init__(self, names: Mapping[str, str] | None = None, values: Mapping[str, object] | None = None) -> None:
        self.names = dict(names or {})
        self.values: dict[str, AttributeValue] = {}
        self._unused_names = set(self.names)
        self._unused_values: set[str] = set()
        for key in self.names:
            _check_key_size(key)
            if not _NAME_KEY.match(key):
                raise ValidationError(f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"')
        for name in self.names.values():
            check_name(name)
        if values:
            self.fill(values)

    def fill(self, values: Mapping[str, object]) -> None:
        """Check and take the values; the names have been checked before."""
        for key, value in values.items():
            _check_key_size(key)
            if not _VALUE_KEY.match(key):
                raise ValidationError(f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"')
            try:
                self.values[key] = checked_value(value)
            except ValidationError as error:
                told = f"ExpressionAttributeValues contains invalid value: {error.message} for key {key}"
                if isinstance(error, ValueFaultError):
                    raise ValueFaultError(told, error.current) from None
                raise ValidationError(told) from None
        self._unused_values = set(self.values)
        names_size = sum(map(text_size, self.names.values()))
        if names_size + sum(map(value_size, self.values.values())) > EXPRESSION_MEMBERS_BYTES:
            raise ValidationError(
                "The total size of the expression attribute names and values has exceeded the maximum of 2 MB"
            )

    def name(self, key: str) -> str:
        try:
            name = self.names[key]
        except KeyError:
            raise ValidationError(
                f"An expression attribute name used in the document path is not defined; attribute name: {key}"
            ) from None
        self._unused_names.discard(key)
        return name

    def value(self, key: str) -> AttributeValue:
        try:
            value = self.values[key]
        except KeyError:
            raise ValidationError(
                f"An expression attribute value used in expression is not defined; attribute value: {key}"
            ) from None
        self._unused_values.discard(key)
        return value

    def check_defined(self, keys: Iterable[str]) -> None:
        """Refuse the first of these placeholders that is not defined."""
        for key in keys:
            if key[0] == "#":
                self.name(key)
            else:
                self.value(key)

    def check_all_used(self) -> None:
        """Refuse placeholders no expression mentions: they are mistakes more often than not."""
        for member, unused in (
            ("ExpressionAttributeNames", self._unused_names),
            ("ExpressionAttributeValues", self._unused_values),
        ):
            if unused:
                raise ValidationError(
                    f"Value provided in {member} unused in expressions: keys: {{{', '.join(sorted(unused))}}}"
                )


def _check_key_size(key: str) -> None:
    if len(key) > _PLACEHOLDER_BYTES:
        raise ValidationError(f"An expression attribute name or value has at most 255 bytes; key: {key[:50]}…")


def condition(text: str, placeholders: Placeholders, member: str = "ConditionExpression") -> Condition:
    """The tree of a condition, filter or key condition; `member` names it in errors."""
    try:
        return _condition(syntax.parse_condition(text), placeholders)
    except ValidationError as error:
        raise _invalid(member, error) from None


def projection(text: str, placeholders: Placeholders) -> Projection:
    """The tree of a projection."""
    try:
        paths = tuple(_path(raw, placeholders) for raw in syntax.parse_projection(text))
        check_disjoint(paths, overlaps_first=True)
    except ValidationError as error:
        raise _invalid("ProjectionExpression", error) from None
    return Projection(paths)


def update(text: str, placeholders: Placeholders) -> Update:
    """The tree of an update."""
    try:
        raw = syntax.parse_update(text)
        placeholders.check_defined(raw.placeholders)
        paths = tuple(_path(target, placeholders) for _, target, _ in raw.actions)
        check_disjoint(paths)
        actions = tuple(
            _action(section, path, value, placeholders)
            for (section, _, value), path in zip(raw.actions, paths, strict=True)
        )
    except ValidationError as error:
        raise _invalid("UpdateExpression", error) from None
    return Update(actions)


def _invalid(member: str, error: ValidationError) -> ValidationError:
    return ValidationError(f"Invalid {member}: {error.message}")


def _condition(raw: Raw, placeholders: Placeholders) -> Condition:
    assert isinstance(raw, RawCall)  # the parser lets only calls stand where a condition is due
    name = raw.name
    if name == "NOT":
        return Not(_condition(raw.arguments[0], placeholders))
    if name in ("AND", "OR"):
        terms: list[Condition] = []
        for argument in raw.arguments:
            terms.append(_condition(argument, placeholders))  # noqa: PERF401 - a comprehension doubles the stack depth
        return And(tuple(terms)) if name == "AND" else Or(tuple(terms))
    operands = tuple(_operand(argument, placeholders) for argument in raw.arguments)
    if name in COMPARATORS:
        return _checked(Compare(cast(Comparator, name), *operands))
    if name == "BETWEEN":
        return _checked(Between(*operands))
    if name == "IN":
        return _checked(In(operands[0], operands[1:]))
    _check_number(raw)
    return _checked(_function(name, operands))


def _function(name: str, operands: tuple[Operand, ...]) -> Condition:
    first = operands[0]
    match name:
        case "attribute_exists":
            return AttributeExists(_document_path(name, first))
        case "attribute_not_exists":
            return AttributeNotExists(_document_path(name, first))
        case "attribute_type":
            # Text may have anything in both places: the rules of the node refuse what cannot be.
            return AttributeType(cast(Path | Value, first), cast(Value, operands[1]))
        case "begins_with":
            return BeginsWith(first, operands[1])
    return Contains(first, operands[1])


def _document_path(name: str, operand: Operand | SetOperand) -> Path:
    if not isinstance(operand, Path):
        raise ValidationError(f"Operator or function requires a document path; operator or function: {name}")
    return operand


def _operand(raw: Raw, placeholders: Placeholders) -> Operand:
    # A stack of our own for size(size(…)), which text can nest deeper than Python's goes.
    calls: list[RawCall] = []
    while isinstance(raw, RawCall):
        calls.append(raw)
        raw = raw.arguments[0]
    operand: Operand = _path(raw, placeholders) if isinstance(raw, RawPath) else Value(placeholders.value(raw.name))
    for call in reversed(calls):
        for argument in call.arguments[1:]:
            _operand(argument, placeholders)
        _check_number(call)
        operand = _checked(Size(cast(Path | Value, operand)))
    return operand


def _path(raw: RawPath, placeholders: Placeholders) -> Path:
    parts: list[Part] = []
    for part in raw.parts:
        if isinstance(part, int):
            parts.append(part)
        elif part[0] == "#":
            parts.append(placeholders.name(part))
        else:
            parts.append(part)
    return _checked(Path(tuple(parts)))


def _action(section: str, target: Path, raw: Raw | None, placeholders: Placeholders) -> UpdateAction:
    if raw is None:
        return RemoveAction(target)
    if section == "SET":
        return SetAction(target, _set_operand(raw, placeholders))
    assert isinstance(raw, RawValue)  # ADD and DELETE take a placeholder and nothing else
    value = Value(placeholders.value(raw.name))
    return _checked(AddAction(target, value) if section == "ADD" else DeleteAction(target, value))


def _set_operand(raw: Raw, placeholders: Placeholders) -> SetOperand:
    if isinstance(raw, RawPath):
        return _path(raw, placeholders)
    if isinstance(raw, RawValue):
        return Value(placeholders.value(raw.name))
    name = raw.name
    operands = [_set_operand(argument, placeholders) for argument in raw.arguments]
    if name not in ("+", "-"):
        _check_number(raw)
    first, second = operands
    if name == "if_not_exists":
        return IfNotExists(_document_path(name, first), second)
    if name == "list_append":
        return _checked(ListAppend(first, second))
    return _checked(Arithmetic("+" if name == "+" else "-", first, second))


def _checked(node: N) -> N:
    rules.check(node)
    return node


def _check_number(raw: RawCall) -> None:
    if len(raw.arguments) != _FUNCTION_OPERANDS[raw.name]:
        raise ValidationError(
            "Incorrect number of operands for operator or function; "
            f"operator or function: {raw.name}, number of operands: {len(raw.arguments)}"
        )
