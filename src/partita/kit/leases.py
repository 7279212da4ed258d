"""Leases among machines whose clocks may differ.

Whoever holds a lease shows every few seconds that it lives. Others do not compare times with its clock: a lease is over
when they have seen no sign for its length, by their own count of seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from datetime import timedelta

from partita.kit.clock import Clock
from partita.table.types import timestamp

LONG_AGO = timedelta(hours=1)
"""No clock is so wrong: a lease that ended so long ago is over at first sight, so that a start after a night does not
wait. If a clock is that wrong after all, work changes hands; nobody writes with a lease that is over."""


class Watch:
    """Looks at the leases of others."""

    def __init__(self, seconds: float, clock: Clock, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._monotonic = monotonic
        self._seen: dict[str, tuple[Hashable, float]] = {}

    def is_over(self, name: str, sign: Hashable, until: str) -> bool:
        """Whether the sign of life that was read just now has been the same for the length of a lease."""
        now = self._monotonic()
        known = self._seen.get(name)
        if known is None or known[0] != sign:
            self._seen[name] = sign, now
            return until < timestamp(self._clock.now() - LONG_AGO)
        return now - known[1] >= self._seconds

    def forget_all_but(self, names: Iterable[str]) -> None:
        """Those that are no longer there."""
        kept = set(names)
        self._seen = {name: seen for name, seen in self._seen.items() if name in kept}
