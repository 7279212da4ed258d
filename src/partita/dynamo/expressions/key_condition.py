"""Key conditions: from a condition tree to the stretch of an index it selects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from partita.dynamo.errors import ValidationError
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
    Or,
    Path,
    Size,
    Value,
)
from partita.dynamo.values import AttributeValue, type_of

_FLIPPED: dict[Comparator, Comparator] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MEMBER = "KeyConditionExpression"


@dataclass(frozen=True, slots=True)
class KeyTerm:
    """One attribute of the key and what is asked of it: a comparator, BETWEEN or begins_with, and one or two values."""

    name: str
    operator: str
    values: tuple[AttributeValue, ...]


@dataclass(frozen=True, slots=True)
class KeyRange:
    """All partition key values, the leading sort key values, and what is asked of the sort key after them."""

    partition: tuple[AttributeValue, ...]
    leading: tuple[AttributeValue, ...]
    last: KeyTerm | None


def key_range(
    condition: Condition, hash_keys: Sequence[tuple[str, str]], range_keys: Sequence[tuple[str, str]]
) -> KeyRange:
    """The stretch a key condition selects, given the key schema as (name, type) pairs."""
    terms: dict[str, KeyTerm] = {}
    for each in condition.terms if isinstance(condition, And) else (condition,):
        term = _term(each)
        if term.name in terms:
            raise ValidationError("KeyConditionExpressions must only contain one condition per key")
        terms[term.name] = term
    if len(hash_keys) == 1 and len(range_keys) <= 1 and len(terms) > 2:
        raise ValidationError("Conditions can be of length 1 or 2 only")
    partition = []
    for name, kind in hash_keys:
        term = _wanted(terms, name, kind)
        if term.operator != "=":
            raise ValidationError("Query key condition not supported")
        partition.append(term.values[0])
    leading: list[AttributeValue] = []
    last: KeyTerm | None = None
    for name, kind in range_keys:
        if not terms:
            break
        # Sort key attributes are used from the left without gaps, and only the last one may be a range.
        if last is not None:
            raise ValidationError("Query key condition not supported")
        term = _wanted(terms, name, kind)
        if term.operator == "=":
            leading.append(term.values[0])
        else:
            last = term
    if terms:
        missed = range_keys[0][0] if range_keys else next(iter(terms))
        raise ValidationError(f"Query condition missed key schema element: {missed}")
    return KeyRange(tuple(partition), tuple(leading), last)


def _wanted(terms: dict[str, KeyTerm], name: str, kind: str) -> KeyTerm:
    term = terms.pop(name, None)
    if term is None:
        raise ValidationError(f"Query condition missed key schema element: {name}")
    for value in term.values:
        if type_of(value) != kind:
            raise ValidationError(
                "One or more parameter values were invalid: Condition parameter type does not match schema type"
            )
        if value[kind] == "":
            what = "string" if kind == "S" else "binary"
            raise ValidationError(
                "One or more parameter values are not valid. The AttributeValue for a key attribute "
                f"cannot contain an empty {what} value. Key: {name}"
            )
    return term


def _term(condition: Condition) -> KeyTerm:
    match condition:
        case Compare(operator, left, right):
            if isinstance(right, Path) and isinstance(left, Value):
                left, right, operator = right, left, _FLIPPED[operator]
            if isinstance(left, Path) and isinstance(right, Path):
                raise ValidationError(f"Invalid condition in {_MEMBER}: Multiple attribute names used in one condition")
            if operator == "<>":
                raise _unsupported("<>")
            return KeyTerm(_name(left), operator, (_literal(right),))
        case Between(operand, low, high):
            return KeyTerm(_name(operand), "BETWEEN", (_literal(low), _literal(high)))
        case BeginsWith(operand, prefix):
            return KeyTerm(_name(operand), "begins_with", (_literal(prefix),))
        case Or():
            raise _unsupported("OR")
        case Not():
            raise _unsupported("NOT")
        case In():
            raise _unsupported("IN")
        case Contains():
            raise _unsupported("contains")
        case AttributeExists():
            raise _unsupported("attribute_exists")
        case AttributeNotExists():
            raise _unsupported("attribute_not_exists")
        case AttributeType():
            raise _unsupported("attribute_type")
        case And():
            # Parentheses around a row of conditions: DynamoDB flattens only the outermost row.
            raise ValidationError("Query key condition not supported")


def _name(operand: Path | Value | Size) -> str:
    if isinstance(operand, Size):
        raise ValidationError("KeyConditionExpressions cannot contain nested operations")
    if not isinstance(operand, Path):
        raise ValidationError(f"Invalid condition in {_MEMBER}: No key attribute specified")
    if len(operand.parts) > 1:
        raise ValidationError("KeyConditionExpressions cannot have conditions on nested attributes")
    return str(operand.parts[0])


def _literal(operand: Path | Value | Size) -> AttributeValue:
    if isinstance(operand, Value):
        return operand.value
    if isinstance(operand, Size):
        raise ValidationError("KeyConditionExpressions cannot contain nested operations")
    raise ValidationError(f"Invalid condition in {_MEMBER}: Multiple attribute names used in one condition")


def _unsupported(operator: str) -> ValidationError:
    return ValidationError(f"Invalid operator used in {_MEMBER}: {operator}")
