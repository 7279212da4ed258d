"""Handlers of a table's changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from partita.table import Table
from partita.table.changes import Change


@dataclass(frozen=True, slots=True)
class Kept:
    """Data that a handler maintains on its own machine, such as a search index."""

    whole: Callable[[], Awaitable[bool]]
    """Whether it was built completely."""
    build: Callable[[], Awaitable[object]]
    """Rebuild it from the tables, while it is in use."""
    outdate: Callable[[], Awaitable[object]] | None
    """Note that it is not whole: changes may have been missed. None if another handler of the same data does so."""


@dataclass(frozen=True, slots=True)
class Handler:
    """Reacts to the changes of a table. It may get a change twice, so it must be idempotent."""

    name: str
    """`kelifax.search`: its progress is kept under this name."""
    table: Table
    run: Callable[[Change], Awaitable[None]]
    kept: Kept | None = None
    """Its data on this machine; rebuilt if it is missing or if changes were missed."""
    together: Callable[[Sequence[Change]], Awaitable[None]] | None = None
    """Takes many changes at once, if that is cheaper; if it fails, `run` gets them one by one."""

    @property
    def local(self) -> bool:
        """Whether every machine has to run it for itself."""
        return self.kept is not None
