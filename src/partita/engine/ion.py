"""Amazon Ion as text: a line of an export and of an import.

A line is one record, with the version marker first. A number is a decimal; a set is a list that says which set it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from partita.dynamo.values import AttributeValue, Item

_NAME = re.compile(r"(?!(?:null|true|false|nan)\Z)[A-Za-z_][A-Za-z0-9_]*\Z")
"""A name that needs no quotation marks; one with a dollar sign could be taken for the number of a symbol."""
_ESCAPED = re.compile(r"[\"'\\\x00-\x1f\x7f]")
_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", '"': r"\"", "'": r"\'", "\\": r"\\"}


def line(record: bytes) -> bytes:
    """A line of an export in DynamoDB JSON, as Ion: an item as it is, a change as a record."""
    members: dict[str, Any] = orjson.loads(record)
    written = ",".join(f"{name}:{_struct(member)}" for name, member in members.items())
    return f"$ion_1_0 {{{written if 'Item' in members else f'Record:{{{written}}}'}}}\n".encode()


def _struct(members: Item) -> str:
    return "{" + ",".join(f"{_name(name)}:{_value(value)}" for name, value in members.items()) + "}"


def _value(value: AttributeValue) -> str:
    ((kind, content),) = value.items()
    return _WRITTEN[kind](content)


def _name(name: str) -> str:
    return name if _NAME.match(name) else f"'{_escaped(name)}'"


def _text(content: str) -> str:
    return f'"{_escaped(content)}"'


def _escaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: _ESCAPES.get(found[0]) or f"\\x{ord(found[0]):02x}", text)


def _number(content: str) -> str:
    return content if "." in content else f"{content}d0"


def _binary(content: str) -> str:
    return f"{{{{{content}}}}}"


def _list(members: list[str]) -> str:
    return f"[{','.join(members)}]"


def _set_of(kind: str, member: Callable[[str], str]) -> Callable[[list[str]], str]:
    return lambda content: f"$dynamodb_{kind}::{_list(list(map(member, content)))}"


_WRITTEN: Mapping[str, Callable[[Any], str]] = {
    "S": _text,
    "N": _number,
    "B": _binary,
    "BOOL": lambda content: "true" if content else "false",
    "NULL": lambda _content: "null",
    "L": lambda content: _list(list(map(_value, content))),
    "M": _struct,
    "SS": _set_of("SS", _text),
    "NS": _set_of("NS", _number),
    "BS": _set_of("BS", _binary),
}
