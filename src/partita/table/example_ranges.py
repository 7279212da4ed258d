"""Values between two bounds: what example items of a stretch have in the part of the sort key that is bounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from partita.table.errors import KeyPartError
from partita.table.example_values import Sample
from partita.table.spelling import key_text
from partita.table.types import timestamp

_MANY = 100_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Values = Callable[[int], Any]
"""A value for every number; after the last one it begins again."""


@dataclass(frozen=True, slots=True)
class End:
    """One end of a stretch, and whether it belongs to it."""

    value: Any
    included: bool


def inside(held: Sample, low: End | None, high: End | None) -> Values | None:
    """Values of a field from one end to the other; None if nothing is known about values of its type."""
    one = low or high
    if one is None:
        return None
    if held.choices:
        return _chosen(held, low, high)
    if isinstance(one.value, bytes):
        return _bytes(low, high)
    counted = _counted(held, one.value)
    return _texts(low, high) if counted is None else _ending(_numbers(counted, held, low, high), one.value)


def _ending(values: Values, last: Any) -> Values:
    """The same values; beyond the last there is, such as the year 9999, that one."""

    def value(number: int) -> Any:
        try:
            return values(number)
        except (OverflowError, ValueError):
            return last

    return value


def _chosen(held: Sample, low: End | None, high: End | None) -> Values | None:
    least = None if low is None else _spelled(low.value)
    most = None if high is None else _spelled(high.value)
    values = [
        choice
        for choice in held.choices
        if (least is None or _spelled(choice) >= least) and (most is None or _spelled(choice) <= most)
    ]
    return (lambda number: values[number % len(values)]) if values else None


def _spelled(value: Any) -> Any:
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return value
    try:
        return key_text(value)
    except KeyPartError:
        return str(value)


@dataclass(frozen=True, slots=True)
class _Counted:
    """Values that are numbers at heart: how to count them, how to make one, and how far apart examples stand."""

    number: Callable[[Any], int]
    value: Callable[[int], Any]
    unit: int = 1
    least: int | None = None
    """What examples do not go below unless the key_range ends before it."""


def _counted(held: Sample, value: Any) -> _Counted | None:
    match value:
        case bool():
            return None
        case int():
            return _Counted(int, lambda number: number, least=0)
        case Decimal():
            return _Counted(lambda value: int(value * 1000), lambda number: Decimal(number) / 1000, 1000, least=0)
        case datetime():
            return _Counted(_microseconds, lambda number: _EPOCH + timedelta(microseconds=number), 1_000_000)
        case date():
            return _Counted(date.toordinal, date.fromordinal)
        case UUID():
            return _Counted(lambda value: value.int, lambda number: UUID(int=number))
        case str() if (moment := _moment(value)) is not None:
            if held.is_day or (len(value) == len("2026-01-26") and not held.is_moment):
                return _Counted(
                    lambda text: _day(text).toordinal(), lambda number: date.fromordinal(number).isoformat()
                )
            return _Counted(
                lambda text: _microseconds(_moment(text) or moment),
                lambda number: timestamp(_EPOCH + timedelta(microseconds=number)),
                1_000_000,
            )
    return None


def _numbers(counted: _Counted, held: Sample, low: End | None, high: End | None) -> Values:
    first = None if low is None else counted.number(low.value) + (0 if low.included else 1)
    last = None if high is None else counted.number(high.value) - (0 if high.included else 1)
    if first is None:
        assert last is not None  # one of both is there
        least = _least(counted, held)
        first = least if least is not None and least <= last else last - _MANY * counted.unit
    if last is None:
        return lambda number: counted.value(first + number * counted.unit)
    span = max(last - first, 0)
    step = min(counted.unit, max(1, span // _MANY))
    return lambda number: counted.value(first + number * step % (span + 1))


def _least(counted: _Counted, held: Sample) -> int | None:
    """What the values of a field begin with, as far as anybody knows."""
    ge, gt = held.limits.get("ge"), held.limits.get("gt")
    if ge is not None:
        return counted.number(ge)
    return counted.least if gt is None else counted.number(gt) + 1


def _bytes(low: End | None, high: End | None) -> Values | None:
    if low is not None:
        start: bytes = low.value
    else:
        assert high is not None  # one of both is there
        start = high.value[:-1] + bytes([max(high.value[-1] - 1, 0)]) if high.value else b""
    return (lambda number: start + number.to_bytes(4, "big")) if start else None


def _texts(low: End | None, high: End | None) -> Values | None:
    if low is not None:
        start = str(low.value)
    else:
        assert high is not None  # one of both is there
        end = str(high.value)
        start = end[:-1] + chr(max(ord(end[-1]) - 1, 0x20)) if end else ""
    return (lambda number: f"{start}-{number:06}") if start else None


def _microseconds(moment: datetime) -> int:
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def _moment(text: str) -> datetime | None:
    """The moment that a text begins to say; a day is its first moment."""
    if len(text) < len("2026-01-26"):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _day(text: str) -> date:
    return (_moment(text) or _EPOCH).date()
