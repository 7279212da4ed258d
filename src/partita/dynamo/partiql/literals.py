"""Values that are written in a statement or given as its parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence as Row
from typing import Any

from partita.dynamo import numbers
from partita.dynamo.errors import ValidationError
from partita.dynamo.limits import NESTING_LEVELS
from partita.dynamo.partiql.tree import Call, Node, Operation, Parameter, Reference, Scalar, Sequence, Struct
from partita.dynamo.values import TOO_DEEP, AttributeValue, Item, checked_value

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?\Z")
_MOST_EXPONENT = 2**31 - 1
_INVALID = "One or more parameter values were invalid: "


def checked_parameters(parameters: object) -> tuple[AttributeValue, ...]:
    """The parameters of a request, checked before its statement is read; numbers have messages of their own here."""
    if not isinstance(parameters, list | tuple):
        return ()
    for parameter in parameters:
        _check_numbers(parameter, 0)
    return tuple(map(checked_value, parameters))


def _check_numbers(value: Any, depth: int) -> None:
    """The first fault in the order of the document: a number that is none, or too deep a value."""
    if not isinstance(value, dict):
        return
    if isinstance(value.get("N"), str):
        _check_number(value["N"])
    for member in value["NS"] if isinstance(value.get("NS"), list | tuple) else ():
        if isinstance(member, str):
            _check_number(member)
    inner: list[Any] = []
    if isinstance(value.get("L"), list | tuple):
        inner = list(value["L"])
    elif isinstance(value.get("M"), dict):
        inner = list(value["M"].values())
    else:
        return
    if depth >= NESTING_LEVELS - 1:
        raise ValidationError(TOO_DEEP)
    for element in inner:
        _check_numbers(element, depth + 1)


def _check_number(text: str) -> None:
    match = _NUMBER.match(text)
    exponent = "" if match is None else match[1] or ""
    if match is None or len(exponent) > 12 or abs(int(exponent or 0)) > _MOST_EXPONENT:
        raise ValidationError("The parameter cannot be converted to a numeric value" + (f": {text}" if text else ""))


def value(node: Node, parameters: Row[AttributeValue], under: str = "root", depth: int = 0) -> AttributeValue:
    """The value of a literal or a parameter; `under` names its place inside an item in errors."""
    if isinstance(node, Parameter):
        if depth:
            raise ValidationError(f"Unsupported data type: Parameter under key {under} {node.spot}")
        return parameters[node.position]
    if depth >= NESTING_LEVELS:
        raise ValidationError(f"Nesting Levels have exceeded supported limits under {under}")
    match node:
        case Scalar():
            return _scalar(node, under)
        case Sequence("bag", elements):
            return _set(elements, parameters, under)
        case Sequence(_, elements):
            return {
                "L": [
                    value(element, parameters, f"{under}[{position}]", depth + 1)
                    for position, element in enumerate(elements)
                ]
            }
        case Struct():
            return {"M": members(node, parameters, under, depth + 1)}
    raise ValidationError(f"Unsupported data type: {_kind(node)} under key {under} {node.spot}")


def members(node: Struct, parameters: Row[AttributeValue], under: str = "root", depth: int = 0) -> Item:
    """The entries of a map; those of a whole item are each a root of their own."""
    item: Item = {}
    for key, content in node.entries:
        if not isinstance(key, Scalar) or key.kind != "S":
            raise ValidationError(f"Tuple keys must be of type String. Actual type: {_kind(key)} under {under}")
        if key.content in item:
            raise ValidationError(f"Duplicate keys in tuple. Key: {key.content} under {under}")
        place = f"{under}.{key.content}" if depth else under
        item[key.content] = value(content, parameters, place, depth)
    return item


def is_literal(node: Node) -> bool:
    """Whether a node stands for a value by itself."""
    return isinstance(node, Scalar | Parameter | Sequence | Struct)


def _scalar(node: Scalar, under: str) -> AttributeValue:
    match node.kind:
        case "S":
            return checked_value({"S": node.content})
        case "N":
            try:
                return {"N": numbers.canonical(node.content)}
            except ValidationError as error:
                raise ValidationError(f"{error.message} under {under}") from None
        case "BOOL":
            return {"BOOL": node.content == "TRUE"}
        case "NULL":
            return {"NULL": True}
    raise ValidationError("MISSING must be compared using IS operator")


def _set(elements: tuple[Node, ...], parameters: Row[AttributeValue], under: str) -> AttributeValue:
    if not elements:
        raise ValidationError("Empty bags are not supported")
    kinds = {element.kind if isinstance(element, Scalar) else "" for element in elements}
    if kinds not in ({"S"}, {"N"}):
        raise ValidationError("Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags")
    (kind,) = kinds
    found = [value(element, parameters, under)[kind] for element in elements]
    if kind == "N" and len(set(found)) != len(found):
        written = ", ".join(element.content for element in elements if isinstance(element, Scalar))
        raise ValidationError(f"{_INVALID}Input collection [{written}] contains duplicates! under {under}")
    return checked_value({f"{kind}S": found})


def _kind(node: Node) -> str:
    match node:
        case Call(name):
            return name
        case Operation(operator):
            return operator
        case Reference():
            return "VariableReference"
    return type(node).__name__
