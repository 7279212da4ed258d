"""Values that fit a field: from its examples, its type and its constraints; nothing is random."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic import ValidationError as PydanticError
from pydantic.fields import FieldInfo

from partita.table.attributes import Attribute
from partita.table.errors import SchemaError
from partita.table.types import timestamp

Era = Literal["now", "early", "late"]
"""When the moments of an example are: a request may ask for what is before or after one."""

_STARTS = {
    "now": datetime(2026, 1, 26, 10, 30, tzinfo=UTC),
    "early": datetime(2001, 1, 1, tzinfo=UTC),
    "late": datetime(2090, 1, 1, tzinfo=UTC),
}
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
        """A value; an identity is short, and `moment` asks for a time where the type would take any text."""
        for candidate in (*self.examples, *self._made(identity, moment, era)):
            if self.fits(candidate):
                return candidate
        raise SchemaError(
            f"No example value fits {self.what}: give its type one, as in "
            "Annotated[str, StringConstraints(pattern=…), Field(examples=[…])]"
        )

    def numbered(self, plain: Any, number: int, era: Era = "now") -> Any:
        """A value like a plain one, another for each number and equally long; the plain one where there is no other."""
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

    @property
    def is_moment(self) -> bool:
        """Whether it is a time, told by what its type takes: a time, and no other text."""
        text = timestamp(_STARTS["now"])
        return self.kind is str and self.fits(text) and not self.fits("x" * len(text))

    @property
    def is_day(self) -> bool:
        """Whether it is a day and nothing else."""
        return self.kind is str and self.fits("2026-01-26") and not self.fits("x" * 10)

    def _made(self, identity: bool, moment: bool, era: Era) -> Iterator[Any]:
        if self.kind is str:
            if moment:
                yield timestamp(_STARTS[era])
            yield self.name.removesuffix("_id").replace("_", "-") if identity else self._text()
            yield from _spellings(era)
        else:
            yield _of_kind(self.kind, self.limits, era)

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
    annotation: Any = info.annotation
    if get_origin(annotation) is Attribute:
        annotation = get_args(annotation)[0]
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
    return b"bytes" if kind is bytes else "anything"


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
    yield "word"


def _numbered(plain: Any, number: int, era: Era) -> Iterator[Any]:
    if isinstance(plain, bool):
        return
    if isinstance(plain, int | Decimal):
        yield plain + number
        yield plain
    if not isinstance(plain, str):
        return
    start = _STARTS[era]
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
