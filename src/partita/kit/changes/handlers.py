"""Who wants to know of the changes of a table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from partita.table import Table
from partita.table.changes import Change


@dataclass(frozen=True, slots=True)
class Kept:
    """What a handler keeps beside the tables, on the machine it runs on: a search index."""

    whole: Callable[[], Awaitable[bool]]
    """Whether everything is in it that was in the tables when it was built."""
    build: Callable[[], Awaitable[object]]
    """Build it anew from the tables, while it is used."""


@dataclass(frozen=True, slots=True)
class Handler:
    """Reacts to the changes of a table. It may be told of a change twice, so doing it twice must be harmless."""

    name: str
    """`kelifax.search`: its progress is kept under this name."""
    table: Table
    run: Callable[[Change], Awaitable[None]]
    kept: Kept | None = None
    """What it keeps on its machine: built where it is missing, and after changes were missed."""

    @property
    def local(self) -> bool:
        """Whether every machine has to do this for itself."""
        return self.kept is not None
