"""SET and REMOVE as an update: onto the same actions as an UpdateExpression."""

from __future__ import annotations

from collections.abc import Sequence as Row

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions import rules
from partita.dynamo.expressions.paths import check_disjoint
from partita.dynamo.expressions.tree import (
    AddAction,
    Arithmetic,
    DeleteAction,
    ListAppend,
    RemoveAction,
    SetAction,
    SetOperand,
    Update,
    UpdateAction,
    Value,
)
from partita.dynamo.partiql import literals
from partita.dynamo.partiql.tree import Call, Node, Operation, Reference, TypeTest
from partita.dynamo.values import AttributeValue, type_of

_SET_FUNCTIONS = ("set_add", "set_delete")


def update(actions: tuple[tuple[Reference, Node | None], ...], parameters: Row[AttributeValue]) -> Update:
    """The update of an UPDATE statement."""
    made = tuple(_action(target, content, parameters) for target, content in actions)
    check_disjoint([action.path for action in made])
    return Update(made)


def _action(target: Reference, content: Node | None, parameters: Row[AttributeValue]) -> UpdateAction:
    rules.check_path(target.path)
    if content is None:
        return RemoveAction(target.path)
    if isinstance(content, Call) and content.name in _SET_FUNCTIONS:
        return _set_function(target, content, parameters)
    return SetAction(target.path, _operand(content, parameters))


def _set_function(target: Reference, call: Call, parameters: Row[AttributeValue]) -> UpdateAction:
    name = call.name.upper()
    if len(call.arguments) != 2:
        raise ValidationError(f"{name} must have exactly two arguments {call.spot}")
    first, second = call.arguments
    if not isinstance(first, Reference) or first.path != target.path:
        raise ValidationError(f"The first argument to {name} must equal the assignment value {call.spot}")
    value = literals.value(second, parameters) if literals.is_literal(second) else {"": None}
    if type_of(value) not in ("SS", "NS", "BS"):
        raise ValidationError(f"The second argument to {name} must be a value with type SET {first.spot}")
    return AddAction(target.path, Value(value)) if name == "SET_ADD" else DeleteAction(target.path, Value(value))


def _operand(node: Node, parameters: Row[AttributeValue], *, inside: bool = False) -> SetOperand:
    match node:
        case Reference(path):
            rules.check_path(path)
            return path
        case Operation(("+" | "-") as operator, (left, right)):
            total = Arithmetic(
                "+" if operator == "+" else "-",
                _operand(left, parameters, inside=inside),
                _operand(right, parameters, inside=inside),
            )
            rules.check(total)
            return total
        case Operation(operator):
            raise ValidationError(f"Unsupported operator in Update Expression. Operator: {operator}")
        case TypeTest():
            raise ValidationError("IS operator is not supported in update expressions")
        case Call("list_append", arguments):
            return _list_append(arguments, parameters, inside=inside)
        case Call(name, _, spot):
            raise ValidationError(f"Unrecognized function: {name} {spot}")
    return Value(literals.value(node, parameters))


def _list_append(arguments: tuple[Node, ...], parameters: Row[AttributeValue], *, inside: bool) -> SetOperand:
    if inside:
        raise ValidationError("The function is not allowed to be used this way in an expression; function: list_append")
    if len(arguments) != 2:
        raise ValidationError(
            "Incorrect number of operands for operator or function; "
            f"operator or function: list_append, number of operands: {len(arguments)}"
        )
    first, second = (_operand(each, parameters, inside=True) for each in arguments)
    joined = ListAppend(first, second)
    rules.check(joined)
    return joined
