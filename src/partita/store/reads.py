"""Everything that was read for one piece of work: what it shows is a function of it."""

from __future__ import annotations

from collections.abc import Hashable, Sized
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

MOST = 1_000
"""So many things are remembered of one piece of work: an export reads all tables, and must not hold them."""


@dataclass(slots=True)
class _Reads:
    results: list[Any] = field(default_factory=list)
    things: int = 0


_reads: ContextVar[_Reads | None] = ContextVar("reads", default=None)


def remember_reads() -> None:
    """Remember from now on what is read in this context and in tasks that are started in it."""
    _reads.set(_Reads())


def note_read(result: Any) -> None:
    """Something was read; the stores say so of themselves, other sources must."""
    reads = _reads.get()
    if reads is None:
        return
    reads.things += max(1, len(result)) if isinstance(result, Sized) else 1
    if reads.things > MOST:
        reads.results.clear()
    else:
        reads.results.append(tuple(result) if isinstance(result, list) else result)


def things_read() -> int:
    """How many things were read; 0 if nobody remembers."""
    reads = _reads.get()
    return 0 if reads is None else reads.things


def reads_so_far() -> Hashable | None:
    """All that was read, to compare with; None if nobody remembers, if it was too much, or if it cannot be compared
    cheaply."""
    reads = _reads.get()
    if reads is None or reads.things > MOST:
        return None
    everything = tuple(reads.results)
    try:
        hash(everything)
    except TypeError:
        return None
    return everything
