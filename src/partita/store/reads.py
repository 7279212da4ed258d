"""Everything that was read for one piece of work: what it shows is a function of it."""

from __future__ import annotations

from collections.abc import Hashable
from contextvars import ContextVar
from typing import Any

_reads: ContextVar[list[Any] | None] = ContextVar("reads", default=None)


def remember_reads() -> None:
    """Remember from now on what is read in this context and in tasks that are started in it."""
    _reads.set([])


def note_read(result: Any) -> None:
    """Something was read; the stores say so of themselves, other sources must."""
    reads = _reads.get()
    if reads is not None:
        reads.append(tuple(result) if isinstance(result, list) else result)


def reads_so_far() -> Hashable | None:
    """All that was read, to compare with; None if nobody remembers, or if it cannot be compared cheaply."""
    reads = _reads.get()
    if reads is None:
        return None
    everything = tuple(reads)
    try:
        hash(everything)
    except TypeError:
        return None
    return everything
