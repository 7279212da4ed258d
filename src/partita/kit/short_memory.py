"""What functions of short texts gave lately. `lru_cache` counts answers, not bytes: with texts that strangers write, a
few thousand answers can be anything from a megabyte to gigabytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Generic, TypeVar

R = TypeVar("R")


class ShortMemory(Generic[R]):
    """A function of texts that remembers its last `most` answers, but not those to more than `longest` characters."""

    def __init__(self, function: Callable[..., R], most: int, longest: int) -> None:
        self._function = function
        self._remembering = lru_cache(maxsize=most)(function)
        self._longest = longest
        update_wrapper(self, function)

    def __call__(self, *texts: str) -> R:
        short = sum(map(len, texts)) <= self._longest
        return self._remembering(*texts) if short else self._function(*texts)

    def __len__(self) -> int:
        """How many answers are remembered."""
        return self._remembering.cache_info().currsize


def remembered_if_short(most: int, longest: int) -> Callable[[Callable[..., R]], ShortMemory[R]]:
    """Make a function remember its answers to short texts."""
    return lambda function: ShortMemory(function, most, longest)
