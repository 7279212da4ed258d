"""Values that fit a field: from its examples, its type and its constraints; nothing is random."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, TypeAdapter
from pydantic import ValidationError as PydanticError
from pydantic.fields import FieldInfo

from partita.table.attributes import plain_type
from partita.table.errors import KeyPartError, SchemaError
from partita.table.spelling import key_text, part_value
from partita.table.types import timestamp

Era = Literal["now", "early", "late"]
"""When the moments of an example are: a request may ask for what is before or after one."""

_STARTS = {
    "now": datetime(2026, 1, 26, 10, 30, tzinfo=UTC),
    "early": datetime(2001, 1, 1, tzinfo=UTC),
    "late": datetime(2090, 1, 1, tzinfo=UTC),
}
_FEW = 20
_UUID = UUID("6fa459ea-ee8a-4000-8000-000000000000")
_WORDS = "some words that stand for what people write here, "
_SEQUENCE = 3
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Sample:
    """What a field may hold, and values of it."""

    what: str
    name: str
    kind: Any
    optional: bool
    limits: Mapping[str, Any]
    examples: tuple[Any, ...]
    adapter: TypeAdapter[Any]

    def value(self, *, identity: bool = False, moment: bool = False, era: Era = "now") -> Any:
        """A value; an identity is short, and `moment` asks for a time if the type takes any text."""
        for candidate in (*self.examples, *self._candidates(identity, moment, era)):
            if self.fits(candidate):
                return candidate
        raise SchemaError(
            f"No example value fits {self.what}: give its type one, as in "
            "Annotated[str, StringConstraints(pattern=…), Field(examples=[…])]"
        )

    def numbered(self, plain: Any, number: int, era: Era = "now") -> Any:
        """A value like a plain one, another for each number and equally long; the plain one if there is no other."""
        for candidate in _numbered(plain, number, era):
            if self.fits(candidate):
                return candidate
        return plain

    def fits(self, value: Any) -> bool:
        """Whether the field takes a value."""
        try:
            self.adapter.validate_python(value)
        except PydanticError:
            return False
        return True

    def checked(self, value: Any) -> Any:
        """A value as items hold it; unchanged if the field does not take it."""
        try:
            return self.adapter.validate_python(value)
        except PydanticError:
            return value

    def read(self, text: Any) -> Any:
        """The value that a part of a key stands for."""
        for choice in self.choices:
            if isinstance(text, str) and key_text(choice) == text:
                return choice
        return self.checked(part_value(text, self.kind))

    def spells(self, text: str, width: int = 0) -> bool:
        """Whether a part of a key with this text stands for a value of the field."""
        value = self.read(text)
        try:
            return self.fits(value) and key_text(value, width) == text
        except KeyPartError:
            return False

    @property
    def choices(self) -> tuple[Any, ...]:
        """All values, if there are only a few."""
        return choices_of(self.kind, self.limits)

    @property
    def is_moment(self) -> bool:
        """Whether it is a time, told by what its type takes: a time, and no other text."""
        text = timestamp(_STARTS["now"])
        return self.kind is datetime or (self.kind is str and self.fits(text) and not self.fits("x" * len(text)))

    @property
    def is_day(self) -> bool:
        """Whether it is a day and nothing else."""
        return self.kind is date or (self.kind is str and self.fits("2026-01-26") and not self.fits("x" * 10))

    def _candidates(self, identity: bool, moment: bool, era: Era) -> Iterator[Any]:
        if self.kind is str:
            if moment:
                yield timestamp(_STARTS[era])
            yield self.name.removesuffix("_id").replace("_", "-") if identity else self._text()
            yield from _spellings(era)
        else:
            yield _of_kind(self.kind, self.limits, era)
            yield from _spellings(era)  # addresses and other types that are written as texts

    def _text(self) -> str:
        """Words, a tenth of the most the field takes: most texts are far shorter than the longest allowed."""
        longest = self.limits.get("max_length")
        if longest is None:
            return self.name.replace("_", "-")
        length = int(max(min(longest, max(16, longest // 10)), self.limits.get("min_length") or 0))
        return (_WORDS * (length // len(_WORDS) + 1))[:length].strip().ljust(length, ".")


@cache
def sample(model: type[BaseModel], field: str) -> Sample:
    """What a field of a model may hold."""
    info = model.model_fields[field]
    annotation: Any = plain_type(info.annotation)
    kind, optional, marks = _plain(annotation)
    marks = (*marks, *info.metadata)
    limits = {
        name: value
        for mark in marks
        for name in ("min_length", "max_length", "ge", "gt", "le", "lt")
        if (value := getattr(mark, name, None)) is not None
    }
    examples = [*(info.examples or ())]
    examples += [each for mark in marks if isinstance(mark, FieldInfo) for each in mark.examples or ()]
    adapter: TypeAdapter[Any] = (
        TypeAdapter(Annotated[(annotation, *info.metadata)]) if info.metadata else (TypeAdapter(annotation))
    )
    return Sample(f"{model.__name__}.{field}", field, kind, optional, limits, tuple(examples), adapter)


def choices_of(annotation: Any, limits: Mapping[str, Any] | None = None) -> tuple[Any, ...]:
    """All values of a type besides None, if there are only a few."""
    kind, _, marks = _plain(annotation)
    limits = limits or {name: getattr(mark, name) for mark in marks for name in ("ge", "le") if hasattr(mark, name)}
    if get_origin(kind) is Literal:
        return get_args(kind)
    if kind is bool:
        return (True, False)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(kind)
    if kind is int and limits.get("ge") is not None and limits.get("le") is not None:
        bounds = range(limits["ge"], limits["le"] + 1)
        return tuple(bounds) if len(bounds) <= _FEW else ()
    return ()


def _plain(annotation: Any) -> tuple[Any, bool, tuple[Any, ...]]:
    """A type without None and without what is annotated on it, whether None was there, and what was annotated."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        kind, optional, marks = _plain(arguments[0])
        return kind, optional, (*marks, *arguments[1:])
    if origin in (Union, types.UnionType):
        others = [argument for argument in arguments if argument is not type(None)]
        kind, _, marks = _plain(others[0])
        return kind, len(others) < len(arguments), marks
    return annotation, False, ()


def _of_kind(kind: Any, limits: Mapping[str, Any], era: Era) -> Any:
    """A value of any type but text."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return arguments[0]
    if origin in (tuple, list, set, frozenset):
        count = max(limits.get("min_length") or 0, min(_SEQUENCE, limits.get("max_length") or _SEQUENCE))
        members = [_member(arguments[0], number, era) for number in range(count)]
        return tuple(members) if origin is tuple else members
    if origin is dict:
        return {"example": _member(arguments[1], 0, era)}
    if kind is bool:
        return False
    if kind in (int, Decimal):
        return kind(_least(limits))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {field: sample(kind, field).value(era=era) for field in kind.model_fields}
    plain = {
        bytes: b"bytes",
        datetime: _STARTS[era],
        date: _STARTS[era].date(),
        time: _STARTS[era].time(),
        timedelta: timedelta(hours=1),
        UUID: _UUID,
    }
    return plain.get(kind, "anything")


def _member(annotation: Any, number: int, era: Era) -> Any:
    """A member of a list or a map."""
    kind, _, marks = _plain(annotation)
    if kind is not str:
        return _of_kind(kind, {}, era)
    limits = {name: getattr(mark, name, None) for mark in marks for name in ("min_length", "max_length")}
    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    inner = Sample("", "member", str, False, {name: most for name, most in limits.items() if most}, (), adapter)
    return inner.numbered(inner.value(identity=True, era=era), number)


def _least(limits: Mapping[str, Any]) -> Any:
    if "ge" in limits:
        return limits["ge"]
    if "gt" in limits:
        return limits["gt"] + 1
    return min(0, limits.get("le", 0), limits.get("lt", 1) - 1)


def _spellings(era: Era) -> Iterator[str]:
    """Texts of the forms that types ask for."""
    start = _STARTS[era]
    yield timestamp(start)
    yield start.date().isoformat()
    yield "https://example.org/page"
    yield "somebody@example.org"
    yield "192.0.2.1"
    yield "word"


def _numbered(plain: Any, number: int, era: Era) -> Iterator[Any]:
    if isinstance(plain, bool):
        return
    if isinstance(plain, int | Decimal):
        yield plain + number
        yield plain
    start = _STARTS[era]
    match plain:
        case datetime():
            yield start + timedelta(seconds=number)
            yield start.replace(tzinfo=None) + timedelta(seconds=number)
        case date():
            yield start.date() + timedelta(days=number % 10_000)
        case UUID():
            yield UUID(int=plain.int + number)
        case bytes():
            yield plain + number.to_bytes(4, "big")
    if not isinstance(plain, str) or isinstance(plain, Enum):
        return
    if _is_moment(plain):
        yield timestamp(start + timedelta(seconds=number))
    elif _is_day(plain):
        # Ten thousand days are enough; what is beyond begins again, and something else tells the items apart.
        yield (start.date() + timedelta(days=number % 10_000)).isoformat()
    yield f"{plain}-{number:06}"
    yield plain[:-4] + _base36(number)
    yield plain[:-4] + _base36(number).lower()


def _is_moment(text: str) -> bool:
    return len(text) > 18 and text[4] == text[7] == "-" and text[10] == "T" and text[13] == ":"


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _base36(number: int) -> str:
    digits = ""
    for _ in range(4):
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
