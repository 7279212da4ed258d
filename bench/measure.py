"""Rounds, medians and ratios."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Measured:
    """Microseconds per operation: contestant → operation → one figure per round."""

    rounds: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def add(self, contestant: str, operation: str, microseconds: float) -> None:
        self.rounds.setdefault(contestant, {}).setdefault(operation, []).append(microseconds)

    def median(self, contestant: str, operation: str) -> float:
        return statistics.median(self.rounds[contestant][operation])

    def times_as_fast(self, contestant: str, other: str, operation: str, other_operation: str | None = None) -> float:
        """How many times the operations per second of another; the median over rounds of each round's ratio."""
        mine = self.rounds[contestant][operation]
        theirs = self.rounds[other][other_operation or operation]
        return statistics.median(them / me for me, them in zip(mine, theirs, strict=True))

    def costs(self, contestant: str, other: str, operation: str) -> float:
        """How many times the time of another; the median over rounds of each round's ratio."""
        return 1 / self.times_as_fast(contestant, other, operation)


def timed(work: Callable[[int], object], count: int, start: int = 0) -> float:
    """Microseconds per call."""
    begun = time.perf_counter()
    for number in range(start, start + count):
        work(number)
    return (time.perf_counter() - begun) / count * 1e6
