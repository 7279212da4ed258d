"""Migrations as values: what each old row becomes, in which turn, and how the result is checked.

Nothing here reads or writes. A plan names the keys it needs to see, and is asked what to write once they have been
read; so it can be tested with plain values, rehearsed without writing, and asked again when somebody else was faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias, TypeVar

import orjson

from partita.dynamo.frozen import dataclass
from partita.dynamo.python_values import to_python
from partita.dynamo.values import Item as WireItem
from partita.table.items import Item
from partita.table.queries import Query
from partita.table.tables import Table
from partita.table.writes import Key, Write

I = TypeVar("I", bound=Item)  # noqa: E741 - an item, as T is a type
Row: TypeAlias = WireItem
"""A row of the old table, as it is stored."""


@dataclass(frozen=True, slots=True)
class Writes:
    """Write this, all of it or nothing. What has no condition anywhere is written in batches."""

    writes: tuple[Write, ...]

    def __init__(self, *writes: Write) -> None:
        object.__setattr__(self, "writes", writes)


@dataclass(frozen=True, slots=True)
class Already:
    """The row was moved before; what the target holds stays as it is."""


@dataclass(frozen=True, slots=True)
class Skip:
    """The row is left behind on purpose."""

    reason: str


@dataclass(frozen=True, slots=True)
class Problem:
    """The row cannot be moved: somebody has to look at it."""

    reason: str


Decision: TypeAlias = Writes | Already | Skip | Problem


@dataclass(frozen=True, slots=True)
class TargetItems:
    """The items of the target under the keys and in the lists that a plan reads."""

    items: Mapping[Key[Any], Item | None] = field(default_factory=dict)
    lists: tuple[tuple[Any, ...], ...] = ()

    def item(self, key: Key[I]) -> I | None:
        """The item under a key, or None."""
        item = self.items[key]
        assert item is None or isinstance(item, key.item_type)  # it was read by this key
        return item


@dataclass(frozen=True, slots=True)
class Claim:
    """Something only one row may have, such as an email. Of several rows the one of the lowest rank has it."""

    what: str
    losing: Literal["problem", "skip"] = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The row is moved: in this turn, once these keys have been read, by what is decided from them."""

    reads: tuple[Key[Any], ...]
    decide: Callable[[TargetItems], Decision]
    turn: int = 1
    claims: tuple[Claim, ...] = ()
    rank: str = ""


Plan: TypeAlias = Move | Skip | Problem


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a moved row compares with its old self; what changed in the target since then is newer, not different."""

    differences: tuple[str, ...] = ()
    newer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What to read to check a moved row, and how to compare."""

    reads: tuple[Key[Any], ...]
    compare: Callable[[TargetItems], Comparison]
    lists: tuple[Query[Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """From an old table into tables with a schema. `turns` name what is moved after what: parents before children."""

    name: str
    purpose: str
    source: Table
    targets: tuple[Table, ...]
    plan: Callable[[Row], Plan]
    expect: Callable[[Row], Expectation]
    turns: tuple[str, ...] = ("rows",)

    def label(self, row: Row) -> str:
        """The label of a row of the source: its key, spelled so that no two rows have the same."""
        named = ((key.name, next(iter(row[key.name].values()))) for key in self.source.keys)
        return ", ".join(f"{name}={orjson.dumps(value).decode()}" for name, value in named)


def differing(expected: Item, actual: Item, *, apart_from: tuple[str, ...] = ()) -> Iterator[str]:
    """The differences between a stored item and the expected one, attribute by attribute."""
    wanted, there = expected.to_row(), actual.to_row()
    for name in sorted((wanted.keys() | there.keys()) - set(apart_from)):
        if _plain(wanted, name) != _plain(there, name):
            yield f"{name} is {_spelled(there, name)} and should be {_spelled(wanted, name)}"


def _plain(row: WireItem, name: str) -> Any:
    """Compared as Python values: a set has no order, and a missing attribute is like NULL."""
    return to_python(row[name]) if name in row else None


def _spelled(row: WireItem, name: str) -> str:
    return repr(_plain(row, name)) if name in row else "not there"
