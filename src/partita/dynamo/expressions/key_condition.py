"""Key conditions: from a condition tree to the stretch of an index it selects."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

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
from partita.dynamo.expressions.walk import paths_in
from partita.dynamo.frozen import dataclass
from partita.dynamo.values import AttributeValue, type_of

_FLIPPED: dict[Comparator, Comparator] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_MEMBER = "KeyConditionExpression"
_UNSUPPORTED = "Query key condition not supported"


@dataclass(frozen=True, slots=True)
class KeyTerm:
    """One attribute of the key and what is asked of it: a comparator, BETWEEN or begins_with, and one or two values."""

    name: str
    operator: str
    values: tuple[AttributeValue, ...]
    nested: bool = False


@dataclass(frozen=True, slots=True)
class KeyRange:
    """All partition key values, the leading sort key values, and what is asked of the sort key after them."""

    partition: tuple[AttributeValue, ...]
    leading: tuple[AttributeValue, ...]
    last: KeyTerm | None


def key_terms(condition: Condition) -> tuple[KeyTerm, ...]:
    """The terms of a key condition; refuses what no key condition can be, whatever the key is."""
    if not isinstance(condition, And):
        return (_term(condition),)
    terms = tuple([_term(term) for term in _row(condition)])
    if len({term.name for term in terms}) != len(terms):
        raise ValidationError(f"Invalid {_MEMBER}: KeyConditionExpressions must only contain one condition per key")
    return terms


def old_key_terms(
    condition: Condition, hash_keys: Sequence[tuple[str, str]], range_keys: Sequence[tuple[str, str]]
) -> tuple[KeyTerm, ...]:
    """The terms of the old KeyConditions: a key attribute they miss is told before an operator no index can answer."""
    row = _row(condition)
    named = {str(path.parts[0]) for path in paths_in(condition)}
    if len(hash_keys) == 1 and len(range_keys) <= 1:
        _check_length(named)
        for name, _ in (*hash_keys, *range_keys)[: len(named)]:
            if name not in named:
                raise _missed(name)
    for term in row:
        if not isinstance(term, Compare | Between | BeginsWith) or (
            isinstance(term, Compare) and term.operator == "<>"
        ):
            raise ValidationError("Attempted conditional constraint is not an indexable operation")
    return key_terms(condition)


def _row(condition: Condition) -> list[Condition]:
    """The conditions that AND joins, whatever the parentheses around some of them."""
    row: list[Condition] = []
    waiting = [condition]
    while waiting:
        current = waiting.pop()
        if isinstance(current, And):
            waiting.extend(reversed(current.terms))
        else:
            row.append(current)
    return row


def key_range(
    key_terms: Sequence[KeyTerm], hash_keys: Sequence[tuple[str, str]], range_keys: Sequence[tuple[str, str]]
) -> KeyRange:
    """The stretch a key condition selects, given the key schema as (name, type) pairs."""
    terms: dict[str, KeyTerm] = {}
    for term in key_terms:
        if term.nested:
            raise ValidationError("KeyConditionExpressions cannot have conditions on nested attributes")
        terms[term.name] = term
    attributes = len(hash_keys) + len(range_keys)
    if len(terms) > max(attributes, 2):  # a second condition where there is no sort key is told below
        raise ValidationError(
            f"The number of query conditions ({len(terms)}) exceeds the number of key attributes defined in the schema "
            f"({attributes})"
        )
    if len(hash_keys) > 1 or len(range_keys) > 1:
        _check_wide(terms, [name for name, _ in hash_keys], [name for name, _ in range_keys])
    partition = []
    for name, kind in hash_keys:
        term = _wanted(terms, name, kind)
        if term.operator != "=":
            raise ValidationError(_UNSUPPORTED)
        partition.append(term.values[0])
    leading: list[AttributeValue] = []
    last: KeyTerm | None = None
    for name, kind in range_keys:
        if not terms:
            break
        term = _wanted(terms, name, kind)
        if term.operator == "=":
            leading.append(term.values[0])
        else:
            last = term
    if terms:
        if not range_keys:
            raise ValidationError(_UNSUPPORTED)
        raise _missed(range_keys[0][0])
    return KeyRange(tuple(partition), tuple(leading), last)


def _check_wide(terms: Mapping[str, KeyTerm], hash_names: list[str], range_names: list[str]) -> None:
    """Equality on every partition key attribute, and on the sort key attributes before the last that is named."""

    def unequal(names: list[str]) -> list[str]:
        return [name for name in names if name not in terms or terms[name].operator != "="]

    if missing := unequal(hash_names):
        raise ValidationError(
            f"HASH key attributes {', '.join(missing)} must have equality conditions specified in the query"
        )
    named = [position for position, name in enumerate(range_names) if name in terms]
    if named and (missing := unequal(range_names[: named[-1]])):
        raise ValidationError(
            f"RANGE key attributes {', '.join(missing)} must have equality conditions specified in the query because "
            f"a condition is present on key attribute {range_names[named[-1]]}"
        )


def _check_length(terms: Collection[str]) -> None:
    if len(terms) > 2:
        raise ValidationError("Conditions can be of length 1 or 2 only")


def _missed(name: str) -> ValidationError:
    return ValidationError(f"Query condition missed key schema element: {name}")


def _wanted(terms: dict[str, KeyTerm], name: str, kind: str) -> KeyTerm:
    term = terms.pop(name, None)
    if term is None:
        raise _missed(name)
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
    # Nearly every term is one of two, and quick to tell.
    if type(condition) is Compare and condition.operator == "=":
        path, value = condition.left, condition.right
        if type(path) is Path and type(value) is Value and len(path.parts) == 1:
            return KeyTerm(str(path.parts[0]), "=", (value.value,))
    elif type(condition) is BeginsWith:
        path, value = condition.operand, condition.prefix
        if type(path) is Path and type(value) is Value and len(path.parts) == 1:
            return KeyTerm(str(path.parts[0]), "begins_with", (value.value,))
    match condition:
        case Compare(operator, left, right):
            if operator == "<>":
                raise _unsupported("<>")
            if isinstance(right, Path) and isinstance(left, Value):
                left, right, operator = right, left, _FLIPPED[operator]
            return _made(left, operator, right)
        case Between(operand, low, high):
            return _made(operand, "BETWEEN", low, high)
        case BeginsWith(operand, prefix):
            return _made(operand, "begins_with", prefix)
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
            raise AssertionError("a row holds no row")


def _made(operand: Path | Value | Size, operator: str, *values: Path | Value | Size) -> KeyTerm:
    if isinstance(operand, Size):
        raise ValidationError("KeyConditionExpressions cannot contain nested operations")
    if not isinstance(operand, Path):
        if operator in ("BETWEEN", "begins_with"):
            raise _invalid(f"{operator} operator must have the key attribute as its first operand")
        raise _invalid("No key attribute specified")
    name, *below = operand.parts
    return KeyTerm(str(name), operator, tuple(map(_literal, values)), bool(below))


def _literal(operand: Path | Value | Size) -> AttributeValue:
    if isinstance(operand, Value):
        return operand.value
    if isinstance(operand, Size):
        raise ValidationError("KeyConditionExpressions cannot contain nested operations")
    raise _invalid("Multiple attribute names used in one condition")


def _invalid(reason: str) -> ValidationError:
    return ValidationError(f"Invalid condition in {_MEMBER}: {reason}")


def _unsupported(operator: str) -> ValidationError:
    return ValidationError(f"Invalid operator used in {_MEMBER}: {operator}")
