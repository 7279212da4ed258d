"""WHERE as a condition: onto the one tree that filters, conditions and key conditions are made of."""

from __future__ import annotations

from collections.abc import Sequence as Row
from typing import TypeAlias, cast

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import rules
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
    Size,
    Value,
)
from partita.dynamo.partiql import literals
from partita.dynamo.partiql.keywords import TYPES
from partita.dynamo.partiql.tree import Call, Node, Operation, Reference, Sequence, TypeTest
from partita.dynamo.values import AttributeValue

_FUNCTIONS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
_COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
_TRUE, _FALSE = Value({"BOOL": True}), Value({"BOOL": False})
_NEVER = Compare("=", _TRUE, _FALSE)
_OPERANDS = (Path, Value, Size)
_MOST_NODES = 1000
Meaning: TypeAlias = Condition | Operand
"""What a part of WHERE stands for: something that holds or not, or a value."""


def condition(node: Node, parameters: Row[AttributeValue]) -> Condition:
    """The condition of a WHERE clause."""
    meaning = _meaning(node, parameters)
    if isinstance(meaning, _OPERANDS):
        raise ValidationError("WHERE clause must contain an expression that resolves to a boolean")
    return meaning


def _meaning(node: Node, parameters: Row[AttributeValue]) -> Meaning:
    match node:
        case Reference(path):
            rules.check_path(path)
            return path
        case Operation(operator, operands):
            return _operation(operator, operands, parameters)
        case Call():
            return _call(node, parameters)
        case TypeTest(operand, kind):
            return _type_test(operand, kind, parameters)
    return Value(literals.value(node, parameters))


def _operation(operator: str, operands: tuple[Node, ...], parameters: Row[AttributeValue]) -> Condition:
    if operator in ("AND", "OR"):
        terms = tuple([_term(each, parameters, "The arguments to AND/OR must be Expressions") for each in operands])
        if len(terms) == 1:
            return terms[0]
        return And(terms) if operator == "AND" else Or(terms)
    if operator == "NOT":
        return Not(_term(operands[0], parameters, "The argument to NOT must be a Type or Expression"))
    if operator == "IN":
        return _in(operands[0], operands[1], parameters)
    if operator in _COMPARATORS and len(operands) == 2:
        left, right = (_meaning(each, parameters) for each in operands)
        return _compared(cast(Comparator, operator), left, right)
    if operator == "BETWEEN":
        low_to_high = [_operand(each, parameters, "BETWEEN") for each in operands]
        between = Between(*low_to_high)
        rules.check(between)
        return between
    raise ValidationError(f"Unsupported operator in Condition Expression. Operator: {operator}")


def _term(node: Node, parameters: Row[AttributeValue], refusal: str) -> Condition:
    meaning = _meaning(node, parameters)
    if isinstance(meaning, _OPERANDS):
        raise ValidationError(refusal)
    return meaning


def _operand(node: Node, parameters: Row[AttributeValue], operator: str) -> Operand:
    meaning = _meaning(node, parameters)
    if not isinstance(meaning, _OPERANDS):
        raise _boolean(operator)
    return meaning


def _compared(operator: Comparator, left: Meaning, right: Meaning) -> Condition:
    """A comparison, also of what holds or not with true, false, an attribute or another such thing."""
    if isinstance(left, _OPERANDS) and isinstance(right, _OPERANDS):
        compare = Compare(operator, left, right)
        rules.check(compare)
        return compare
    if operator not in ("=", "<>"):
        raise _boolean(operator)
    if isinstance(left, _OPERANDS):
        left, right = right, left
    assert not isinstance(left, _OPERANDS)  # one of the two is a condition
    same = _same(left, right)
    return same if operator == "=" else Not(same)


def _same(holds: Condition, other: Meaning) -> Condition:
    if isinstance(other, Value):
        if "BOOL" not in other.value:
            return _NEVER
        return holds if other.value["BOOL"] else Not(holds)
    true: Condition = Compare("=", other, _TRUE) if isinstance(other, _OPERANDS) else other
    false: Condition = Compare("=", other, _FALSE) if isinstance(other, _OPERANDS) else Not(other)
    both = Or((And((holds, true)), And((Not(holds), false))))
    _check_size(both)  # each side is in it twice: a row of these would double and double
    return both


def _check_size(condition: Condition) -> None:
    waiting: list[Condition] = [condition]
    count = 0
    while waiting:
        node = waiting.pop()
        count += 1
        if count > _MOST_NODES:
            raise ValidationError(f"The expression contains too many operators; operator count: {count}")
        if isinstance(node, And | Or):
            waiting += node.terms
        elif isinstance(node, Not):
            waiting.append(node.term)


def _in(operand: Node, choices: Node, parameters: Row[AttributeValue]) -> Condition:
    elements = choices.elements if isinstance(choices, Sequence) else (choices,)
    if not elements or not (isinstance(choices, Sequence) or literals.is_literal(choices)):
        raise ValidationError(
            "IN operator must have a left hand argument of type Variable Reference and right hand argument of type "
            "Seq with at least one member"
        )
    left = _meaning(operand, parameters)
    if isinstance(left, _OPERANDS):
        found = In(left, tuple(_operand(each, parameters, "IN") for each in elements))
        rules.check(found)
        return found
    return Or(tuple(_compared("=", left, _meaning(each, parameters)) for each in elements))


def _call(node: Call, parameters: Row[AttributeValue]) -> Meaning:
    count = _FUNCTIONS.get(node.name)
    if count is None:
        raise ValidationError(f"Unrecognized function: {node.name} {node.spot}")
    if len(node.arguments) != count:
        raise ValidationError(
            "Incorrect number of operands for operator or function; "
            f"operator or function: {node.name}, number of operands: {len(node.arguments)}"
        )
    operands = [_operand(each, parameters, node.name) for each in node.arguments]
    first = operands[0]
    made: Meaning
    match node.name:
        case "attribute_exists" | "attribute_not_exists":
            if not isinstance(first, Path):
                raise ValidationError(
                    f"Operator or function requires a document path; operator or function: {node.name}"
                )
            made = AttributeExists(first) if node.name == "attribute_exists" else AttributeNotExists(first)
        case "attribute_type":
            # Anything may stand in both places: the rules of the node refuse what cannot be.
            made = AttributeType(cast(Path | Value, first), cast(Value, operands[1]))
        case "begins_with":
            made = BeginsWith(first, operands[1])
        case "contains":
            made = Contains(first, operands[1])
        case _:
            made = Size(cast(Path | Value, first))
    rules.check(made)
    return made


def _type_test(node: Node, kind: str, parameters: Row[AttributeValue]) -> Condition:
    operand = _meaning(node, parameters)
    if not isinstance(operand, Path | Value):
        raise ValidationError("The left hand side argument to IS must be a Variable Reference, Literal, or Path")
    if kind == "MISSING":
        return AttributeNotExists(operand) if isinstance(operand, Path) else _NEVER
    if kind not in TYPES:
        raise ValidationError(
            f"Unsupported data type for IS operator: {kind}. Supported data types are "
            "[MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]"
        )
    return AttributeType(operand, Value({"S": TYPES[kind]}))


def _boolean(operator: str) -> ValidationError:
    return ValidationError(
        f"Incorrect operand type for operator or function; operator or function: {operator}, operand type: BOOL"
    )
