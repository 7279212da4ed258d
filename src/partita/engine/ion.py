"""Amazon Ion, in which exports are written and imports read if the extra `formats` is installed.

A line is one record, with the version marker first. A number is a decimal; a set is a list that says which set it is.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from decimal import Decimal
from importlib import import_module
from typing import Any

import orjson

from partita.dynamo.values import AttributeValue, Item

_SETS = {f"$dynamodb_{kind}": kind for kind in ("SS", "NS", "BS")}
_LETTERS = {"STRING": "S", "DECIMAL": "N", "INT": "N", "BLOB": "B"}


class NotReadableError(ValueError):
    """A line that is no item; says why."""


def line(record: bytes) -> bytes:
    """A line of an export in DynamoDB JSON, as Ion: an item as it is, a change as a record."""
    members: dict[str, Any] = orjson.loads(record)
    written = {name: _struct(member) for name, member in members.items()}
    text: str = _library().dumps(written if "Item" in members else {"Record": written}, binary=False)
    return text.encode() + b"\n"


def item(line: bytes) -> Item:
    """The item of a line, in the wire's form."""
    library = _library()
    try:
        values = library.loads(line, single_value=False)
    except (library.IonException, UnicodeDecodeError) as error:
        raise NotReadableError(f"it is not Ion: {error}") from None
    found = values[0].get("Item") if len(values) == 1 and _kind(values[0]) == "STRUCT" else None
    if found is None or _kind(found) != "STRUCT":
        raise NotReadableError("it is not {Item:{…}}")
    return _members(found)


def _library() -> Any:
    return import_module("amazon.ion.simpleion")


def _struct(members: Item) -> dict[str, Any]:
    return {name: _value(value) for name, value in members.items()}


def _value(value: AttributeValue) -> Any:
    ((kind, content),) = value.items()
    return _WRITTEN[kind](content)


def _set_of(kind: str, member: Callable[[str], Any]) -> Callable[[list[str]], Any]:
    mark = (f"$dynamodb_{kind}",)

    def written(content: list[str]) -> Any:
        library = _library()
        return library.IonPyList.from_value(library.IonType.LIST, [member(each) for each in content], mark)

    return written


_WRITTEN: Mapping[str, Callable[[Any], Any]] = {
    "S": str,
    "N": Decimal,
    "B": b64decode,
    "BOOL": bool,
    "NULL": lambda _content: None,
    "L": lambda content: [_value(each) for each in content],
    "M": _struct,
    "SS": _set_of("SS", str),
    "NS": _set_of("NS", Decimal),
    "BS": _set_of("BS", b64decode),
}


def _members(struct: Any) -> Item:
    return {name: _read(value) for name, value in struct.items()}


def _read(value: Any) -> AttributeValue:
    kind = _kind(value)
    match kind:
        case "LIST":
            for mark in value.ion_annotations:
                if mark.text in _SETS:
                    return {_SETS[mark.text]: [_content(each) for each in value]}
            return {"L": [_read(each) for each in value]}
        case "STRUCT":
            return {"M": _members(value)}
        case "NULL":
            return {"NULL": True}
        case "BOOL":
            return {"BOOL": bool(value)}
    return {_LETTERS.get(kind, "S"): _content(value)}


def _kind(value: Any) -> str:
    """The type of a value as Ion names it; a null has it too."""
    kind: str = value.ion_type.name
    if kind != "NULL" and type(value) is _library().IonPyNull:
        raise NotReadableError(f"DynamoDB has no null.{kind.lower()}")
    return kind


def _content(value: Any) -> str:
    """The text of a string, a number or a blob."""
    kind = _kind(value)
    if kind not in _LETTERS:
        raise NotReadableError(f"DynamoDB has no type for Ion's {kind.lower()}")
    return b64encode(value).decode() if kind == "BLOB" else str(value)
