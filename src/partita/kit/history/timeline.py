"""One entry of a history as a page shows it."""

from __future__ import annotations

from dataclasses import dataclass

from partita.kit.history.fields import ReadableChange

_FEW = 2


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """Who did what, when, and what it changed."""

    who: str
    when: str
    what: str
    kind: str = ""
    """The look of what was done: good, bad, or nothing."""
    note: str = ""
    changes: tuple[ReadableChange, ...] = ()

    @property
    def long(self) -> bool:
        """Whether the changes are folded away."""
        return len(self.changes) > _FEW or any(change.long for change in self.changes)
