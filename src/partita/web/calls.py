"""The requests to the tables that a request of ours makes: what the developer panel shows."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field

from partita.store.observe import Observation

_MOST = 200


@dataclass(slots=True)
class Calls:
    """What one request has asked of the tables so far."""

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
    """Collect for the request that runs in this context from now on."""
    calls = Calls()
    _current.set(calls)
    return calls


def collect(call: Observation) -> None:
    """The store's observer; what background work asks belongs to no request."""
    calls = _current.get()
    if calls is not None:
        calls.add(call)
