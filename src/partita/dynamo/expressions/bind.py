"""From raw syntax to the tree: placeholders are filled in and everything DynamoDB checks before running is checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar, cast

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import rules, syntax
from partita.dynamo.expressions.paths import check_disjoint
from partita.dynamo.expressions.syntax import COMPARATORS, CONDITION_OPERATORS, Raw, RawCall, RawPath, RawValue
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
from partita.dynamo.reserved import RESERVED_WORDS
from partita.dynamo.size import text_size, value_size
from partita.dynamo.values import AttributeValue, checked_value

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
_CONDITION_FUNCTIONS = ("attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains")
_PLACEHOLDER_BYTES = 255
N = TypeVar("N")


class Placeholders:
    """The `#names` and `:values` of one request, and which of them its expressions used."""

    def __init__(self, names: Mapping[str, str] | None = None, values: Mapping[str, object] | None = None) -> None:
        self.names = dict(names or {})
        self.values: dict[str, AttributeValue] = {}
        self._unused_names = set(self.names)
        for key in (*self.names, *(values or ())):
            if len(key) > _PLACEHOLDER_BYTES:
                raise ValidationError(f"An expression attribute name or value has at most 255 bytes; key: {key[:50]}…")
        for key in self.names:
            if not _NAME_KEY.match(key):
                raise ValidationError(f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"')
        for key, value in (values or {}).items():
            if not _VALUE_KEY.match(key):
                raise ValidationError(f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"')
            try:
                self.values[key] = checked_value(value)
            except ValidationError as error:
                raise ValidationError(
                    f"ExpressionAttributeValues contains invalid value: {error.message} for key {key}"
                ) from None
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
        check_disjoint(paths)
    except ValidationError as error:
        raise _invalid("ProjectionExpression", error) from None
    return Projection(paths)


def update(text: str, placeholders: Placeholders) -> Update:
    """The tree of an update."""
    try:
        actions = tuple(
            _action(section, _path(target, placeholders), raw, placeholders)
            for section, entries in syntax.parse_update(text)
            for target, raw in entries
        )
        check_disjoint(tuple(action.path for action in actions))
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
    if name not in CONDITION_OPERATORS:
        _check_function(raw, _CONDITION_FUNCTIONS)
    operands = tuple(_operand(argument, placeholders) for argument in raw.arguments)
    if name in COMPARATORS:
        return _checked(Compare(cast(Comparator, name), *operands))
    if name == "BETWEEN":
        return _checked(Between(*operands))
    if name == "IN":
        return _checked(In(operands[0], operands[1:]))
    return _checked(_function(name, operands))


def _function(name: str, operands: tuple[Operand, ...]) -> Condition:
    first = operands[0]
    if name in ("attribute_exists", "attribute_not_exists", "attribute_type") and not isinstance(first, Path):
        raise ValidationError(f"Operator or function requires a document path; operator or function: {name}")
    match name:
        case "attribute_exists":
            return AttributeExists(cast(Path, first))
        case "attribute_not_exists":
            return AttributeNotExists(cast(Path, first))
        case "attribute_type":
            return AttributeType(cast(Path, first), cast(Value, operands[1]))
        case "begins_with":
            return BeginsWith(first, operands[1])
    return Contains(first, operands[1])


def _operand(raw: Raw, placeholders: Placeholders) -> Operand:
    if isinstance(raw, RawPath):
        return _path(raw, placeholders)
    if isinstance(raw, RawValue):
        return Value(placeholders.value(raw.name))
    _check_function(raw, ("size",))
    inner = raw.arguments[0]
    if isinstance(inner, RawCall):
        _check_function(inner, ())
    target = _path(inner, placeholders) if isinstance(inner, RawPath) else _operand(inner, placeholders)
    return _checked(Size(cast(Path | Value, target)))


def _path(raw: RawPath, placeholders: Placeholders) -> Path:
    parts: list[Part] = []
    for part in raw.parts:
        if isinstance(part, int):
            parts.append(part)
        elif part[0] == "#":
            parts.append(placeholders.name(part))
        elif part.upper() in RESERVED_WORDS:
            raise ValidationError(f"Attribute name is a reserved keyword; reserved keyword: {part}")
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
    if name not in ("+", "-"):
        _check_function(raw, ("if_not_exists", "list_append"))
    first = _set_operand(raw.arguments[0], placeholders)
    second = _set_operand(raw.arguments[1], placeholders)
    if name == "if_not_exists":
        if not isinstance(first, Path):
            raise ValidationError(f"Operator or function requires a document path; operator or function: {name}")
        return IfNotExists(first, second)
    if name == "list_append":
        return _checked(ListAppend(first, second))
    return _checked(Arithmetic("+" if name == "+" else "-", first, second))


def _checked(node: N) -> N:
    rules.check(node)
    return node


def _check_function(raw: RawCall, allowed: tuple[str, ...]) -> None:
    if raw.name not in _FUNCTION_OPERANDS:
        raise ValidationError(f"Invalid function name; function: {raw.name}")
    if raw.name not in allowed:
        raise ValidationError(f"The function is not allowed to be used this way in an expression; function: {raw.name}")
    if len(raw.arguments) != _FUNCTION_OPERANDS[raw.name]:
        raise ValidationError(
            "Incorrect number of operands for operator or function; "
            f"operator or function: {raw.name}, number of operands: {len(raw.arguments)}"
        )
