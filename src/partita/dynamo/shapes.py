"""The shape of requests: which members there are, of which type, within which bounds; every fault named at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from partita.dynamo.errors import SerializationError, ValidationError

_MOST_FAULTS = 10


@dataclass(frozen=True, slots=True)
class Text:
    """A string within a length, a pattern or an enumeration."""

    required: bool = False
    least: int | None = None
    most: int | None = None
    pattern: str | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer within bounds."""

    required: bool = False
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    required: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of one shape within a length."""

    of: Shape
    required: bool = False
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Mapped:
    """Any keys, values of one shape, within a number."""

    of: Shape
    required: bool = False
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Structure:
    """Named members."""

    members: Mapping[str, Shape]
    required: bool = False


@dataclass(frozen=True, slots=True)
class Anything:
    """An attribute value: its own checks come later."""

    required: bool = False


Shape: TypeAlias = Text | Whole | Flag | Listing | Mapped | Structure | Anything


def check(shape: Structure, request: object) -> dict[str, Any]:
    """The request as a dictionary, or an error that names every fault (ten at most, as DynamoDB does)."""
    if not isinstance(request, dict):
        raise SerializationError("Start of structure expected: the request body is not a JSON object")
    faults: list[str] = []
    _members(shape, request, "", faults)
    if faults:
        count = len(faults)
        noun = "error" if count == 1 else "errors"
        raise ValidationError(f"{count} validation {noun} detected: {'; '.join(faults[:_MOST_FAULTS])}")
    return request


def _members(shape: Structure, value: Mapping[str, Any], path: str, faults: list[str]) -> None:
    for name, member in shape.members.items():
        content = value.get(name)
        where = f"{path}{name[0].lower()}{name[1:]}"
        if content is None:
            if member.required:
                faults.append(f"Value null at '{where}' failed to satisfy constraint: Member must not be null")
        else:
            _check(member, content, where, faults)


def _check(shape: Shape, value: object, where: str, faults: list[str]) -> None:
    match shape:
        case Text():
            _text(shape, value, where, faults)
        case Whole(least=least, most=most):
            if isinstance(value, bool) or not isinstance(value, int):
                raise SerializationError(f"{_token(value)} cannot be converted to Integer")
            _bounds(value, least, most, "value", repr(str(value)), where, faults)
        case Flag():
            if not isinstance(value, bool):
                raise SerializationError(f"{_token(value)} cannot be converted to Boolean")
        case Listing(of=of, least=least, most=most):
            if not isinstance(value, list | tuple):
                raise SerializationError(_misplaced(value))
            _bounds(len(value), least, most, "length", f"'{_shown(value)}'", where, faults)
            for position, element in enumerate(value, 1):
                _element(of, element, f"{where}.{position}.member", faults)
        case Mapped(of=of, least=least, most=most):
            if not isinstance(value, dict):
                raise SerializationError(_misplaced(value))
            _bounds(len(value), least, most, "length", f"'{_shown(value)}'", where, faults)
            for key, element in value.items():
                _element(of, element, f"{where}.{key}.member", faults)
        case Structure():
            if not isinstance(value, dict):
                raise SerializationError(_misplaced(value))
            _members(shape, value, where + ".", faults)
        case Anything():
            if not isinstance(value, dict):
                raise SerializationError(_misplaced(value))


def _element(shape: Shape, element: object, where: str, faults: list[str]) -> None:
    if element is None:
        faults.append(f"Value null at '{where}' failed to satisfy constraint: Member must not be null")
    else:
        _check(shape, element, where, faults)


def _text(shape: Text, value: object, where: str, faults: list[str]) -> None:
    if not isinstance(value, str):
        raise SerializationError(f"{_token(value)} cannot be converted to String")
    shown = f"'{value[:1000]}'"
    if shape.choices and value not in shape.choices:
        faults.append(_fault(shown, where, f"satisfy enum value set: [{', '.join(shape.choices)}]"))
    _bounds(len(value), shape.least, shape.most, "length", shown, where, faults)
    if shape.pattern and not re.fullmatch(shape.pattern, value):
        faults.append(_fault(shown, where, f"satisfy regular expression pattern: {shape.pattern}"))


def _bounds(
    number: int, least: int | None, most: int | None, what: str, shown: str, where: str, faults: list[str]
) -> None:
    if least is not None and number < least:
        faults.append(_fault(shown, where, f"have {what} greater than or equal to {least}"))
    elif most is not None and number > most:
        faults.append(_fault(shown, where, f"have {what} less than or equal to {most}"))


def _fault(shown: str, where: str, constraint: str) -> str:
    return f"Value {shown} at '{where}' failed to satisfy constraint: Member must {constraint}"


def _shown(value: Sequence[Any] | Mapping[str, Any]) -> str:
    text = str(value).replace("'", "")
    return text if len(text) <= 200 else text[:200] + "…"


def _token(value: object) -> str:
    match value:
        case bool():
            return f"{str(value).upper()}_VALUE"
        case str():
            return "STRING_VALUE"
        case int():
            return "NUMBER_VALUE"
        case float():
            return "DECIMAL_VALUE"
        case dict():
            return "START_OBJECT"
    return "START_ARRAY"


def _misplaced(value: object) -> str:
    if isinstance(value, dict):
        return "Start of structure or map found where not expected"
    if isinstance(value, list | tuple):
        return "Start of list found where not expected"
    return f"Unexpected token received from parser: {_token(value)}"
