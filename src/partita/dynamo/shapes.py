"""The shape of requests: which members there are, of which type, within which bounds; every fault named at once."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from partita.dynamo.errors import SerializationError, ValidationError
from partita.dynamo.frozen import dataclass
from partita.dynamo.text import encodable

_MOST_FAULTS = 10
_MOST_WHOLE = 2**63 - 1
_MOST_SECONDS = 2**48

Where: TypeAlias = "tuple[Where, str | int] | None"
"""Where a value stands: built into text only when there is a fault to report, since most requests have none."""

Faults: TypeAlias = list[str]


class Shape(Protocol):
    """What a value has to look like."""

    @property
    def required(self) -> bool: ...

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        """Note what is wrong with a value; a wrong JSON type is refused at once."""

    def shown(self, value: Any) -> str:
        """The value as DynamoDB's messages print it, in the manner of Java."""


@dataclass(frozen=True, slots=True)
class Text:
    """A string within a length, a pattern or an enumeration; `told` is said of what is not in that, if it is given."""

    required: bool = False
    least: int | None = None
    most: int | None = None
    pattern: str | None = None
    choices: tuple[str, ...] = ()
    told: str = ""

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if not isinstance(value, str):
            raise SerializationError(f"{_token(value)} cannot be converted to String")
        if not value.isascii():
            encodable(value)
        if self.choices and value not in self.choices:
            choices = ", ".join(self.choices)
            faults.append(self.told or _fault(_quoted(value), where, f"satisfy enum value set: [{choices}]"))
        if self.least is not None and len(value) < self.least:
            faults.append(_fault(_quoted(value), where, f"have length greater than or equal to {self.least}"))
        elif self.most is not None and len(value) > self.most:
            faults.append(_fault(_quoted(value), where, f"have length less than or equal to {self.most}"))
        if self.pattern and not re.fullmatch(self.pattern, value):
            faults.append(_fault(_quoted(value), where, f"satisfy regular expression pattern: {self.pattern}"))

    def shown(self, value: Any) -> str:
        return str(value)


@dataclass(frozen=True, slots=True)
class TableName:
    """The name of a table or its ARN; a fault speaks of names only, and an empty one has no other."""

    required: bool = True
    least: int = 1

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if type(value) is str and _TABLE_NAME.fullmatch(value) and len(value) >= self.least:
            return
        Text().check(value, where, faults)
        arn = value.startswith("arn:")
        Text(least=self.least, most=_ARN_CHARACTERS if arn else 255).check(value, where, faults)
        if value and not re.fullmatch(_ARN if arn else _NAME, value):
            faults.append(_fault(_quoted(value), where, f"satisfy regular expression pattern: {_NAME}"))

    def shown(self, value: Any) -> str:
        return str(value)


def is_table_name(value: object) -> bool:
    """Whether a value is the name of a table, and no ARN."""
    return type(value) is str and _TABLE_NAME.fullmatch(value) is not None


def is_name_in_batch(value: object) -> bool:
    """Whether a batch may name a table so: three characters or more, or an ARN."""
    if is_table_name(value):
        return len(str(value)) >= _LEAST_IN_BATCH
    return type(value) is str and value.startswith("arn:") and fits(TableName(), value)


def name_in_batch_fault(shown: str) -> str:
    """What is told of a batch, shown whole, which names a table as none can be named."""
    return (
        f"Value '{shown}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member "
        "must have length less than or equal to 255, Member must have length greater than or equal to "
        f"{_LEAST_IN_BATCH}, Member must satisfy regular expression pattern: {_NAME}]"
    )


_LEAST_IN_BATCH = 3
_NAME = "[a-zA-Z0-9_.-]+"
_ARN = "[a-zA-Z0-9_.:/-]+"
_TABLE_NAME = re.compile("[a-zA-Z0-9_.-]{1,255}")
_ARN_CHARACTERS = 1024


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer within bounds; `bare` if a fault names the member with a capital and not the value."""

    required: bool = False
    least: int | None = None
    most: int | None = None
    bare: bool = False

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if type(value) is not int or not -_MOST_WHOLE <= value <= _MOST_WHOLE:
            raise SerializationError(f"{_token(value)} cannot be converted to Integer")
        _bounds(value, self, "value", value, where, faults)

    def shown(self, value: Any) -> str:
        return str(value)


@dataclass(frozen=True, slots=True)
class Moment:
    """Seconds since 1970, which may have a fraction."""

    required: bool = False

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if type(value) not in (int, float) or not -_MOST_SECONDS < value < _MOST_SECONDS:
            raise SerializationError(f"{_token(value)} cannot be converted to Timestamp")

    def shown(self, value: Any) -> str:
        return str(value)


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    required: bool = False

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if type(value) is not bool:
            raise SerializationError(f"{_token(value)} cannot be converted to Boolean")

    def shown(self, value: Any) -> str:
        return str(value).lower()


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
        inside: Faults = []
        for position, element in enumerate(value, 1):
            if element is None:
                inside.append(_fault("null", (where, position), "not be null"))
            else:
                self.of.check(element, (where, position), inside)
        # The fault shows the elements, so each must be what it should be: a wrong type is told before anything else.
        _bounds(len(value), self, "length", value, where, faults)
        faults += inside

    def shown(self, value: Any) -> str:
        return f"[{', '.join(_printed(self.of, element) for element in value)}]"


@dataclass(frozen=True, slots=True)
class Mapped:
    """Any keys, or names of tables; values of one shape; lists as values within a length.

    A fault of a name shows the whole map as JSON. In a batch of writes it gives way to all others, so it is not looked
    for here.
    """

    of: Shape
    required: bool = False
    lengths: tuple[int, int] | None = None
    of_tables: bool = False

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if not isinstance(value, dict):
            raise SerializationError(_misplaced(value))
        if self.of_tables and not all(map(is_name_in_batch, value)):
            faults.append(name_in_batch_fault(_as_json(value)))
        for key, element in value.items():
            _element(self.of, element, (where, f"{key}.member"), faults)
        if self.lengths is not None and not faults:
            least, most = self.lengths
            if any(not least <= len(element) <= most for element in value.values()):
                faults.append(
                    f"Value '{self.shown(value)}' at '{_path(where)}' failed to satisfy constraint: Map value must "
                    f"satisfy constraint: [Member must have length less than or equal to {most}, Member must have "
                    f"length greater than or equal to {least}]"
                )

    def shown(self, value: Any) -> str:
        return f"{{{', '.join(f'{key}={_printed(self.of, element)}' for key, element in value.items())}}}"


@dataclass(frozen=True, slots=True)
class Structure:
    """Named members; members it does not know are passed over, as DynamoDB does."""

    members: Mapping[str, Shape]
    required: bool = False
    name: str = ""
    needed: tuple[str, ...] = ()
    """The names of the required ones; found here."""

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

    def shown(self, value: Any) -> str:
        shown = (f"{_member(name)}={_printed(shape, value.get(name))}" for name, shape in self.members.items())
        return f"{self.name}({', '.join(shown)})"


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute value: its own checks come later."""

    required: bool = False

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if not isinstance(value, dict):
            raise SerializationError(_misplaced(value))

    def shown(self, value: Any) -> str:
        members = (f"{_member(kind)}={_attribute(kind, value.get(kind))}" for kind in _TYPES)
        return f"AttributeValue({', '.join(members)})"


@dataclass(frozen=True, slots=True)
class Attributes:
    """An item, a key or a part of one: its own checks come later."""

    required: bool = False

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if not isinstance(value, dict):
            raise SerializationError(_misplaced(value))

    def shown(self, value: Any) -> str:
        return f"{{{', '.join(f'{name}={_printed(_ATTRIBUTE, element)}' for name, element in value.items())}}}"


@dataclass(frozen=True, slots=True)
class Unserved:
    """A member that DynamoDB has and that is not served here: refused with the reason unless it asks for nothing, so
    that nobody takes for done what was passed over."""

    why: str
    required: bool = False

    def check(self, value: Any, where: Where, faults: Faults) -> None:
        if value or type(value) in (int, float):
            name = "" if where is None else where[1]
            raise ValidationError(f"{name} is not served here: {self.why}")

    def shown(self, value: Any) -> str:
        return str(value)


_ATTRIBUTE = Attribute()
_TYPES = ("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL")


def _attribute(kind: str, content: Any) -> str:
    if isinstance(content, dict):
        return Attributes().shown(content)
    if isinstance(content, list | tuple):
        return f"[{', '.join(_printed(_ATTRIBUTE, each) if kind == 'L' else str(each) for each in content)}]"
    return "null" if content is None else str(content).lower() if content in (True, False) else str(content)


def _printed(shape: Shape, value: Any) -> str:
    return "null" if value is None or (isinstance(shape, Attribute) and type(value) is not dict) else shape.shown(value)


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


def _bounds(number: int, shape: Whole | Listing, what: str, value: Any, where: Where, faults: Faults) -> None:
    if shape.least is not None and number < shape.least:
        constraint = f"have {what} greater than or equal to {shape.least}"
    elif shape.most is not None and number > shape.most:
        constraint = f"have {what} less than or equal to {shape.most}"
    else:
        return
    if isinstance(shape, Whole) and shape.bare and where is not None:
        faults.append(f"Value at '{where[1]}' failed to satisfy constraint: Member must {constraint}")
    else:
        faults.append(_fault(f"'{shape.shown(value)}'", where, constraint))


def _fault(shown: str, where: Where, constraint: str) -> str:
    return f"Value {shown} at '{_path(where)}' failed to satisfy constraint: Member must {constraint}"


def _path(where: Where) -> str:
    steps: list[str] = []
    while where is not None:
        where, step = where
        steps.append(f"{step}.member" if isinstance(step, int) else _member(step))
    return ".".join(reversed(steps))


def _member(name: str) -> str:
    # Map keys carry the word "member" and stay as they are.
    return name if name.endswith(".member") else name[:1].lower() + name[1:]


def _quoted(value: str) -> str:
    return f"'{value[:1000]}'"


def _as_json(value: dict[str, Any]) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (RecursionError, TypeError, ValueError):
        return f"{{{', '.join(map(str, value))}}}"  # what is no JSON, or nests too deeply, by its names


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
