"""The DynamoDB requests that an HTTP request makes, for the developer panel."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field

from partita.store.observe import Observation

_MOST = 200


@dataclass(slots=True)
class Calls:
    """The DynamoDB requests of one HTTP request so far."""

    calls: list[Observation] = field(default_factory=list)
    units: float = 0.0
    seconds: float = 0.0
    left_out: int = 0

    def add(self, call: Observation) -> None:
        self.units += call.units
        self.seconds += call.seconds
        if len(self.calls) < _MOST:
            self.calls.append(call)
        else:
            self.left_out += 1


_current: ContextVar[Calls | None] = ContextVar("calls", default=None)


def begin() -> Calls:
    """Start collecting for the HTTP request in this context."""
    calls = Calls()
    _current.set(calls)
    return calls


def collect(call: Observation) -> None:
    """The store's observer; requests of background work are not collected."""
    calls = _current.get()
    if calls is not None:
        calls.add(call)
