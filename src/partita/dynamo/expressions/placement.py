"""The first round over an expression: what its text alone decides, before any name or value is looked up.

Unknown functions, functions where they may not stand, reserved words and positions out of range: the first in the
text is told, wherever a fault of the second round (`bind`) may be.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from partita.dynamo.errors import ValidationError
from partita.dynamo.expressions.raw import CONDITION_OPERATORS, LOGIC, Raw, RawCall, RawPath
from partita.dynamo.reserved import RESERVED_WORDS

_MOST_POSITION = 2**31 - 1


class Place(Enum):
    """Where a part of an expression stands, and the functions that may stand there."""

    CONDITION = ("attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains")
    OPERAND = ("size",)
    SET = ("if_not_exists", "list_append")
    LIST_APPEND = ("if_not_exists",)


_FUNCTIONS = frozenset(name for place in Place for name in place.value)


def check_placement(parts: Iterable[tuple[Raw, Place]]) -> None:
    """Refuse the first fault in the text; the parts come in its order."""
    waiting = [*parts][::-1]
    while waiting:
        raw, place = waiting.pop()
        if isinstance(raw, RawPath):
            _check_path(raw)
        elif isinstance(raw, RawCall):
            inner = _within(raw, place)
            waiting.extend((argument, inner) for argument in reversed(raw.arguments))


def _within(raw: RawCall, place: Place) -> Place:
    """Where the arguments of a call stand."""
    name = raw.name
    if name in LOGIC:
        return Place.CONDITION
    if name in CONDITION_OPERATORS:
        return Place.OPERAND
    if name in ("+", "-"):
        return Place.SET
    if name not in _FUNCTIONS:
        raise ValidationError(f"Invalid function name; function: {name}")
    if name not in place.value:
        raise ValidationError(f"The function is not allowed to be used this way in an expression; function: {name}")
    if name == "list_append":
        return Place.LIST_APPEND
    return Place.SET if name == "if_not_exists" else Place.OPERAND


def _check_path(path: RawPath) -> None:
    for part in path.parts:
        if isinstance(part, int):
            if part > _MOST_POSITION:
                raise _out_of_range(f"[{part}]")
        elif part[0] == "[":
            raise _out_of_range(part)
        elif part[0] != "#" and part.upper() in RESERVED_WORDS:
            raise ValidationError(f"Attribute name is a reserved keyword; reserved keyword: {part}")


def _out_of_range(position: str) -> ValidationError:
    return ValidationError(f"List index is not within the allowable range; index: {position}")
