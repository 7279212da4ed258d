"""What functions of short texts gave lately. `lru_cache` counts answers, not bytes: with texts that strangers write, a
few thousand answers can be anything from a megabyte to gigabytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

R = TypeVar("R")


def remembered_if_short(most: int, longest: int) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """A function of texts that remembers its last `most` answers, but not those to more than `longest` characters."""

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        remembering = lru_cache(maxsize=most)(function)

        @wraps(function)
        def answer(*texts: str) -> R:
            return (remembering if sum(map(len, texts)) <= longest else function)(*texts)

        answer.cache_info = remembering.cache_info  # type: ignore[attr-defined]
        return answer

    return decorate
