"""Choices from a seed: one small vocabulary for all generators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")


class Dice:
    """The same seed, the same choices.

    Hypothesis would try variations of what it has; here every sequence is to be a new one.
    """

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def between(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def chance(self, percent: int) -> bool:
        return self._random.random() * 100 < percent

    def pick(self, choices: Sequence[T]) -> T:
        return self._random.choice(choices)

    def weighted(self, choices: Sequence[tuple[int, T]]) -> T:
        left = self.between(0, sum(weight for weight, _ in choices) - 1)
        for weight, choice in choices:
            left -= weight
            if left < 0:
                return choice
        raise AssertionError(choices)

    def some(self, choices: Sequence[T], least: int, most: int) -> list[T]:
        """A few different ones, in any order."""
        return self._random.sample(choices, min(self.between(least, most), len(choices)))

    def maybe(self, percent: int, member: str, value: Callable[[], Any]) -> dict[str, Any]:
        """A request's member that is there now and then."""
        return {member: value()} if self.chance(percent) else {}
