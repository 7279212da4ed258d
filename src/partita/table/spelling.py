"""How keys spell values: one text for each value, whose order is the values' own wherever a range may be asked for."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from partita.table.errors import KeyPartError
from partita.table.moments import timestamp

_MOST_PLACES = 200
"""More than the numbers of DynamoDB have before or after the point."""


def key_text(value: Any, width: int = 0) -> str:
    """A value the way keys spell it."""
    if type(value) is str:
        return value if value.isascii() else _unicode(value)
    if isinstance(value, Enum):
        return key_text(value.value, width)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _whole_number(value, width)
    if width:
        raise KeyPartError(f"{value!r} is not a whole number, and only those are padded")
    if isinstance(value, str):
        return _unicode(value)
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Decimal) and value.is_finite():
        return _decimal(value)
    if isinstance(value, bytes):
        return value.hex()
    raise KeyPartError(
        f"{value!r} ({type(value).__name__}) cannot be part of a key: use text, a number, a time, a UUID, bytes or an "
        "enumeration"
    )


def part_value(text: Any, kind: Any) -> Any:
    """The input for pydantic, if it would not know the spelling itself."""
    if kind is bytes and isinstance(text, str):
        try:
            return bytes.fromhex(text)
        except ValueError:
            return text  # which is no bytes either, and is refused with the field's name
    for choice in choices_of(kind) if isinstance(text, str) else ():
        if key_text(choice) in (text, text.lstrip("0") or "0"):
            return choice
    return text


def choices_of(kind: Any) -> tuple[Any, ...]:
    """The values of an enumeration or a Literal; nothing for other types."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(kind) if isinstance(kind, type) and issubclass(kind, Enum) else ()


def _unicode(text: str) -> str:
    if not is_unicode(text):
        raise KeyPartError(f"{text!r} holds half a character (a surrogate), which no key can")
    return str(text)


def is_unicode(text: str) -> bool:
    """Whether a text is one: Python's may hold half a character, which nothing else can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole_number(value: int, width: int) -> str:
    if abs(value) >= 10**_MOST_PLACES:
        raise KeyPartError("A number of over 200 digits is beyond every number that DynamoDB has")
    if not width:
        return str(value)
    if value < 0 or len(str(value)) > width:
        raise KeyPartError(f"{value} does not fit into {width} digits: text order would not be number order")
    return f"{value:0{width}d}"


def _moment(value: datetime) -> str:
    if value.tzinfo is None:
        raise KeyPartError(f"{value!r} has no time zone: say which, as in datetime.now(UTC)")
    try:
        return timestamp(value)
    except OverflowError:
        raise KeyPartError(f"{value!r} lies outside the years 1 to 9999 in UTC, in which keys spell it") from None


def _decimal(value: Decimal) -> str:
    """The shortest spelling without an exponent, so that 1, 1.0 and 1E0 are one key."""
    if value and not -_MOST_PLACES < value.adjusted() < _MOST_PLACES:
        raise KeyPartError(f"{value!r} is beyond every number that DynamoDB has")
    text = format(value, "f") if value else "0"  # not normalize(), which rounds to 28 digits
    return text.rstrip("0").rstrip(".") if "." in text else text
