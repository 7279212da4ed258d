"""Who holds what: the house itself and every system, table by table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from partita.kit.personal_data.holdings import Holding
from partita.table import Table


@dataclass(frozen=True, slots=True)
class Room:
    """A part of the suite with what it holds about people."""

    name: str
    title: str
    tables: tuple[Table, ...]
    holdings: tuple[Holding, ...]

    @property
    def removed(self) -> tuple[str, ...]:
        """What goes with its owner, all or some of it, as people call it."""
        gone = (each for each in self.holdings if each.owner is not None or each.is_of is not None)
        return _each(each.what for each in gone if each.fate == "removed" or callable(each.fate))

    @property
    def kept(self) -> tuple[Holding, ...]:
        """What stays without a name, and why; each once."""
        by_what = {each.what: each for each in self.holdings if each.because}
        return tuple(by_what[what] for what in _each(by_what))

    def of(self, table: Table) -> tuple[Holding, ...]:
        """What it holds in one of its tables."""
        return tuple(each for each in self.holdings if each.item_type.__table__ is table)


def tables_of(rooms: Iterable[Room]) -> Iterator[tuple[Room, Table]]:
    """Every table, with the room that it is in."""
    for room in rooms:
        for table in room.tables:
            yield room, table


def _each(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
