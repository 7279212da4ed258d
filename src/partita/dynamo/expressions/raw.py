"""Raw syntax: an expression as it is written, with its placeholders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from partita.dynamo.frozen import dataclass


@dataclass(frozen=True, slots=True)
class RawPath:
    """Names, `#placeholders` and list positions."""

    parts: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class RawValue:
    """A `:placeholder`."""

    name: str


@dataclass(frozen=True, slots=True)
class RawCall:
    """A function call, or an operator with its operands."""

    name: str
    arguments: tuple[Raw, ...]


Raw: TypeAlias = RawPath | RawValue | RawCall

COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
LOGIC = ("AND", "OR", "NOT")
CONDITION_OPERATORS = frozenset((*COMPARATORS, *LOGIC, "BETWEEN", "IN"))


@dataclass(frozen=True, slots=True)
class RawUpdate:
    """The actions of an update in the order written, each with its section, and the placeholders it uses."""

    actions: tuple[tuple[str, RawPath, Raw | None], ...]
    placeholders: tuple[str, ...]


def placeholders_in(raw: Raw) -> Iterator[str]:
    """The placeholders of a part, in the order written."""
    waiting = [raw]
    while waiting:
        current = waiting.pop()
        if isinstance(current, RawValue):
            yield current.name
        elif isinstance(current, RawPath):
            yield from (part for part in current.parts if isinstance(part, str) and part[0] == "#")
        else:
            waiting.extend(reversed(current.arguments))
