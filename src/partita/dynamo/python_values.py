"""Attribute values as Python has them: str, int, Decimal, bytes, bool, None, list, dict, set."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Set
from decimal import Decimal
from typing import Any

from partita.dynamo import numbers
from partita.dynamo.errors import ValidationError
from partita.dynamo.values import AttributeValue, Item, in_set_order, type_of


def from_python(value: object) -> AttributeValue:
    """The wire form of a Python value; a float is refused because it has no exact decimal meaning."""
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int() | Decimal():
            return {"N": _canonical(value)}
        case bytes() | bytearray():
            return {"B": b64encode(value).decode()}
        case None:
            return {"NULL": True}
        case list() | tuple():
            return {"L": [from_python(element) for element in value]}
        case Mapping():
            return {"M": item_from_python(value)}
        case Set():
            return _set_from_python(value)
        case float():
            raise ValidationError(f"{value!r} is a float; DynamoDB's numbers are decimal: use int or decimal.Decimal")
    raise ValidationError(f"{type(value).__name__} has no DynamoDB type; convert it to text, a number or a map first")


def item_from_python(item: Mapping[Any, object]) -> Item:
    """The wire form of a mapping whose keys are attribute names."""
    for name in item:
        if not isinstance(name, str):
            raise ValidationError(f"Attribute names are text; {name!r} is {type(name).__name__}")
    return {name: from_python(value) for name, value in item.items()}


def to_python(value: AttributeValue) -> Any:
    """The Python form of a wire value: whole numbers as int, others as Decimal."""
    if len(value) != 1:
        type_of(value)  # says what is wrong
    for kind, content in value.items():
        if kind == "S" or kind == "BOOL":
            return content
        read = _READ.get(kind)
        if read is None:
            raise ValidationError(f"{kind!r} is not a DynamoDB type")
        return read(content)
    raise AssertionError("a value has one member")


def item_to_python(item: Item) -> dict[str, Any]:
    """The Python form of an item."""
    return {name: to_python(value) for name, value in item.items()}


def _canonical(number: int | Decimal) -> str:
    # A zero is one whatever exponent a calculation has left it; written on the wire it would have to be in range.
    return numbers.canonical(str(number)) if number else "0"


def _number(text: str) -> int | Decimal:
    return Decimal(text) if "." in text or "E" in text or "e" in text else int(text)


def _set_from_python(members: Set[object]) -> AttributeValue:
    if not members:
        raise ValidationError("DynamoDB has no empty set: leave the attribute out instead")
    if all(isinstance(member, str) for member in members):
        return {"SS": sorted(str(member) for member in members)}
    if all(isinstance(member, bytes) for member in members):
        in_order = sorted(bytes(member) for member in members if isinstance(member, bytes))
        return {"BS": [b64encode(member).decode() for member in in_order]}
    if all(isinstance(member, int | Decimal) and not isinstance(member, bool) for member in members):
        return {
            "NS": in_set_order("NS", [_canonical(member) for member in members if isinstance(member, int | Decimal)])
        }
    raise ValidationError("A DynamoDB set holds only text, only numbers or only binary")


_READ: dict[str, Callable[[Any], Any]] = {
    "N": _number,
    "NULL": lambda _: None,
    "B": b64decode,
    "L": lambda elements: [to_python(element) for element in elements],
    "M": item_to_python,
    "SS": set,
    "NS": lambda elements: {_number(element) for element in elements},
    "BS": lambda elements: {b64decode(element) for element in elements},
}
