"""Attribute values in their wire form (`{"S": "text"}`), checked and brought to one spelling."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from partita.dynamo import numbers
from partita.dynamo.errors import SerializationError, ValidationError
from partita.dynamo.limits import NESTING_LEVELS
from partita.dynamo.text import encodable
from partita.dynamo.value_faults import ValueFaultError

type_names = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "SS": "STRING_SET",
    "NS": "NUMBER_SET",
    "BS": "BINARY_SET",
    "L": "LIST",
    "M": "MAP",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
}

AttributeValue = dict[str, Any]
"""One value on the wire: a single member named after its type."""

Item = dict[str, AttributeValue]
"""An item on the wire: attribute name to value."""

_INVALID = "One or more parameter values were invalid: "
_NAME_BYTES = 65_535
_MOST_NAMES = 10_000
_SHORT_NAME = 256
_SHOWN = 500
known_names: set[str] = set()
"""Names that attributes may have; the same ones come again and again."""
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
)
# Made once: `list | tuple` in a check would be made anew each time, and that takes longer than the check.
_LISTS = (list, tuple)
_SETS = (list, tuple, set, frozenset)


def type_of(value: AttributeValue) -> str:
    """The type tag of a checked value."""
    return next(iter(value))


def checked_item(item: object, depth: int = 0) -> Item:
    """The item with every value checked and in canonical spelling; the argument stays as it was."""
    if not isinstance(item, dict):
        raise SerializationError(_unexpected(item))
    result: Item = {}
    for name, value in item.items():
        if name not in known_names:
            check_name(name)
        text = value.get("S") if type(value) is dict and len(value) == 1 else None
        if type(text) is str and text.isascii():
            result[name] = value
        else:
            result[name] = checked_value(value, depth)
    return result


def checked_value(value: object, depth: int = 0) -> AttributeValue:
    """The value checked and in canonical spelling: plain numbers, binary as standard base64, sets in order."""
    if not isinstance(value, dict):
        raise SerializationError(_unexpected(value))
    if len(value) == 1:
        ((kind, content),) = value.items()
        # Nearly every value is short to tell, and then as it should be.
        if type(content) is str:
            if content.isascii() if kind == "S" else kind == "N" and numbers.ordinary(content):
                return value
        elif kind == "BOOL" and (content is True or content is False):
            return value
        check = _CHECKS.get(kind)
        if check is not None and content is not None:
            return {kind: check(content, depth)}
    present = {kind: content for kind, content in value.items() if kind in _CHECKS and content is not None}
    if not present:
        raise ValidationError("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
    results = {kind: _CHECKS[kind](content, depth) for kind, content in present.items()}
    if len(results) > 1:
        raise ValidationError(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
        )
    return results


def _string(content: object, _depth: int) -> str:
    text = _text(content)
    return text if text.isascii() else encodable(text)


def _text(content: object) -> str:
    if type(content) is str:
        return content
    if isinstance(content, str):
        return str.__str__(content)  # a member of an enumeration is the text it stands for, as it is in JSON
    raise SerializationError(_not_string(content))


def check_name(name: object) -> None:
    """Refuse what cannot be the name of an attribute."""
    if not isinstance(name, str):
        raise SerializationError(f"Attribute names are text, not {type(name).__name__}")
    if not name:
        raise ValidationError("Empty attribute name")
    if len(name) > _NAME_BYTES or (not name.isascii() and len(encodable(name).encode()) > _NAME_BYTES):
        raise ValidationError(f"Attribute name is too large, must be less than {_NAME_BYTES + 1} bytes")
    if len(known_names) < _MOST_NAMES and len(name) < _SHORT_NAME:
        known_names.add(str.__str__(name))


def _number(content: object, _depth: int) -> str:
    return numbers.canonical(content if type(content) is str else _text(content))


def _binary(content: object, _depth: int) -> str:
    if isinstance(content, bytes | bytearray):
        return b64encode(content).decode()
    if type(content) is not str:
        raise SerializationError(_not_string(content))
    try:
        # Standard base64 only: what decodes differently under another reading is refused.
        return b64encode(b64decode(content, validate=True)).decode()
    except (binascii.Error, ValueError):
        raise SerializationError("Invalid Base64 content: the member B takes standard base64 with padding") from None


def _boolean(content: object, _depth: int) -> bool:
    if isinstance(content, bool):
        return content
    if isinstance(content, str) and content.lower() in ("true", "false"):
        return content.lower() == "true"
    raise SerializationError("Unexpected token received from parser" if content == "" else _unexpected(content))


def _null(content: object, depth: int) -> bool:
    if not _boolean(content, depth):
        raise ValidationError(_INVALID + "Null attribute value types must have the value of true")
    return True


def _set(kind: str, empty: str, member: Callable[[object, int], str]) -> Callable[[object, int], list[str]]:
    def check(content: object, depth: int) -> list[str]:
        if not isinstance(content, _SETS):
            raise SerializationError(_unexpected(content))
        if not content:
            raise ValueFaultError(_INVALID + empty)
        members = [member(element, depth) for element in content]
        if len(set(members)) != len(members):
            raise _duplicates(kind, members)
        return in_set_order(kind, members)

    return check


def _duplicates(kind: str, members: list[str]) -> ValueFaultError:
    if kind == "NS":
        told = "Input collection contains duplicates"
        return ValueFaultError(told, f"{_INVALID}{told}.")
    # Today's checks show what they have put in order until a member comes again, then the rest as it came.
    seen: dict[str, None] = {}
    for member in members:
        if member in seen:
            break
        seen[member] = None
    read = [*in_set_order(kind, list(seen)), *members[len(seen) :]]
    quoted = (", " if kind == "SS" else ",").join(f'"{member}"' for member in read)
    rest = " contains duplicates." if kind == "SS" else "of type BS contains duplicates."
    return ValueFaultError(
        f"{_INVALID}Input collection [{', '.join(members)[:_SHOWN]}]{rest}",
        f"{_INVALID}Input collection [{quoted[:_SHOWN]}]{rest}",
    )


def in_set_order(kind: str, members: list[str]) -> list[str]:
    """The members of a set in the order DynamoDB returns them: text and binary by bytes, numbers by value."""
    return sorted(members, key=_SET_ORDERS[kind])


def _list(content: object, depth: int) -> list[AttributeValue]:
    if not isinstance(content, _LISTS):
        raise SerializationError(_unexpected(content))
    _check_depth(depth)
    return [
        # Texts tell at once, as in items.
        element
        if type(element) is dict and len(element) == 1 and type(text := element.get("S")) is str and text.isascii()
        else checked_value(element, depth + 1)
        for element in content
    ]


def _map(content: object, depth: int) -> Item:
    _check_depth(depth)
    return checked_item(content, depth + 1)


def _check_depth(depth: int) -> None:
    # What is inside counts as a level too: 31 lists or maps around it make 32.
    if depth >= NESTING_LEVELS - 1:
        raise ValidationError(TOO_DEEP)


# UTF-8 bytes sort as code points do, and so do Python's strings.
_SET_ORDERS: Mapping[str, Callable[[str], Any]] = {"SS": str, "NS": Decimal, "BS": b64decode}
_CHECKS: Mapping[str, Callable[[object, int], Any]] = {
    "S": _string,
    "N": _number,
    "B": _binary,
    "BOOL": _boolean,
    "NULL": _null,
    "SS": _set("SS", "An string set  may not be empty", _string),
    "NS": _set("NS", "An number set  may not be empty", _number),
    "BS": _set("BS", "Binary sets should not be empty", _binary),
    "L": _list,
    "M": _map,
}


def equal(left: AttributeValue, right: AttributeValue) -> bool:
    """Equality of checked values: sets without order, everything else by its canonical spelling."""
    if left == right:
        return True
    kind = type_of(left)
    if kind != type_of(right):
        return False
    first, second = left[kind], right[kind]
    if kind in ("SS", "NS", "BS"):
        return len(first) == len(second) and set(first) == set(second)
    if kind == "L":
        return len(first) == len(second) and all(map(equal, first, second))
    if kind == "M":
        return first.keys() == second.keys() and all(equal(first[name], second[name]) for name in first)
    return False


def order(left: AttributeValue, right: AttributeValue) -> int | None:
    """-1, 0 or 1 for two strings, numbers or binaries; None where DynamoDB has no order between them."""
    kind = type_of(left)
    if kind != type_of(right):
        return None
    first, second = left[kind], right[kind]
    if kind == "N":
        return numbers.compare(first, second)
    if kind == "S":
        # UTF-8 bytes sort as code points do, and so do Python's strings.
        return int(first > second) - int(first < second)
    if kind == "B":
        a, b = b64decode(first), b64decode(second)
        return int(a > b) - int(a < b)
    return None


def describe(value: AttributeValue) -> str:
    """A value the way DynamoDB's messages show it: `{N:5}`."""
    kind = type_of(value)
    return f"{{{kind}:{value[kind]}}}"


def _not_string(content: object) -> str:
    if content is True or content is False:
        return f"{str(content).upper()}_VALUE cannot be converted to String"
    if isinstance(content, int):
        return "NUMBER_VALUE cannot be converted to String"
    if isinstance(content, float):
        return "DECIMAL_VALUE cannot be converted to String"
    return _unexpected(content)


def _unexpected(content: object) -> str:
    if isinstance(content, dict):
        return "Start of structure or map found where not expected"
    if isinstance(content, list | tuple):
        return "Start of list found where not expected"
    return "Unexpected field type"
