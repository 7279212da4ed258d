"""The shape of requests: which members there are, of which type, within which bounds; every fault named at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from partita.dynamo.errors import SerializationError, ValidationError
from partita.dynamo.text import encodable

_MOST_FAULTS = 10
_MOST_WHOLE = 2**63 - 1

Where: TypeAlias = "tuple[Where, str] | None"
"""Where a value stands: built into text only when there is a fault to report, since most requests have none."""

Faults: TypeAlias = list[str]


class Shape(Protocol):
    """What a value has to look like."""

    @property
    def required(self) -> bool: ...

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        """Note what is wrong with a value; a wrong JSON type is refused at once."""


@dataclass(frozen=True, slots=True)
class Text:
    """A string within a length, a pattern or an enumeration."""

    required: bool = False
    least: int | None = None
    most: int | None = None
    pattern: str | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if not isinstance(value, str):
            raise SerializationError(f"{_token(value)} cannot be converted to String")
        if not value.isascii():
            encodable(value)
        if self.choices and value not in self.choices:
            faults.append(_fault(_quoted(value), where, f"satisfy enum value set: [{', '.join(self.choices)}]"))
        if self.least is not None and len(value) < self.least:
            faults.append(_fault(_quoted(value), where, f"have length greater than or equal to {self.least}"))
        elif self.most is not None and len(value) > self.most:
            faults.append(_fault(_quoted(value), where, f"have length less than or equal to {self.most}"))
        if self.pattern and not re.fullmatch(self.pattern, value):
            faults.append(_fault(_quoted(value), where, f"satisfy regular expression pattern: {self.pattern}"))


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer within bounds."""

    required: bool = False
    least: int | None = None
    most: int | None = None

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if type(value) is not int or not -_MOST_WHOLE <= value <= _MOST_WHOLE:
            raise SerializationError(f"{_token(value)} cannot be converted to Integer")
        _bounds(value, self, "value", f"'{value}'", where, faults)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    required: bool = False

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if type(value) is not bool:
            raise SerializationError(f"{_token(value)} cannot be converted to Boolean")


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of one shape within a length."""

    of: Shape
    required: bool = False
    least: int | None = None
    most: int | None = None

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if not isinstance(value, list | tuple):
            raise SerializationError(_misplaced(value))
        _bounds(len(value), self, "length", value, where, faults)
        for position, element in enumerate(value, 1):
            _element(self.of, element, (where, f"{position}.member"), faults)


@dataclass(frozen=True, slots=True)
class Mapped:
    """Any keys, values of one shape, within a number."""

    of: Shape
    required: bool = False
    least: int | None = None
    most: int | None = None

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if not isinstance(value, dict):
            raise SerializationError(_misplaced(value))
        _bounds(len(value), self, "length", value, where, faults)
        for key, element in value.items():
            _element(self.of, element, (where, f"{key}.member"), faults)


@dataclass(frozen=True, slots=True)
class Structure:
    """Named members; members it does not know are passed over, as DynamoDB does."""

    members: Mapping[str, Shape]
    required: bool = False
    needed: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        needed = tuple(name for name, member in self.members.items() if member.required)
        object.__setattr__(self, "needed", needed)

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if not isinstance(value, dict):
            raise SerializationError(_misplaced(value))
        for name in self.needed:
            if value.get(name) is None:
                faults.append(_fault("null", (where, _member(name)), "not be null"))
        for name, content in value.items():
            member = self.members.get(name)
            if member is not None and content is not None:
                member.check(content, (where, name), faults)


@dataclass(frozen=True, slots=True)
class Anything:
    """An attribute value or a map of them: their own checks come later."""

    required: bool = False

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if not isinstance(value, dict):
            raise SerializationError(_misplaced(value))


def check(shape: Structure, request: object) -> dict[str, Any]:
    """The request as a dictionary, or an error that names every fault (ten at most, as DynamoDB does)."""
    if not isinstance(request, dict):
        raise SerializationError("Start of structure expected: the request body is not a JSON object")
    faults: Faults = []
    shape.check(request, None, faults)
    if faults:
        count = len(faults)
        noun = "error" if count == 1 else "errors"
        raise ValidationError(f"{count} validation {noun} detected: {'; '.join(faults[:_MOST_FAULTS])}")
    return request


def fits(shape: Shape, value: object) -> bool:
    """Whether a value has a shape."""
    faults: Faults = []
    shape.check(value, None, faults)
    return not faults


def _element(shape: Shape, element: Any, where: Where, faults: Faults) -> None:
    if element is None:
        faults.append(_fault("null", where, "not be null"))
    else:
        shape.check(element, where, faults)


def _bounds(number: int, shape: Whole | Listing | Mapped, what: str, shown: Any, where: Where, faults: Faults) -> None:
    if shape.least is not None and number < shape.least:
        faults.append(_fault(_shown(shown), where, f"have {what} greater than or equal to {shape.least}"))
    elif shape.most is not None and number > shape.most:
        faults.append(_fault(_shown(shown), where, f"have {what} less than or equal to {shape.most}"))


def _fault(shown: str, where: Where, constraint: str) -> str:
    return f"Value {shown} at '{_path(where)}' failed to satisfy constraint: Member must {constraint}"


def _path(where: Where) -> str:
    steps: list[str] = []
    while where is not None:
        where, step = where
        steps.append(_member(step))
    return ".".join(reversed(steps))


def _member(name: str) -> str:
    # Positions and map keys carry the word "member" and stay as they are.
    return name if name.endswith(".member") else name[:1].lower() + name[1:]


def _quoted(value: str) -> str:
    return f"'{value[:1000]}'"


def _shown(value: str | Sequence[Any] | Mapping[str, Any]) -> str:
    if isinstance(value, str):
        return value
    text = str(value).replace("'", "")
    return f"'{text}'" if len(text) <= 200 else f"'{text[:200]}…'"


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
