"""What was used last, up to so many bytes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Remembers values by key in two generations: what is used moves into the younger one, and when that is full the
    older one is dropped. So both looking and forgetting cost the same however much is kept."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes // 2
        self._longest = most_bytes // 64
        self._young: dict[K, tuple[V, int]] = {}
        self._old: dict[K, tuple[V, int]] = {}
        self._bytes = 0

    def takes(self, size: int) -> bool:
        """Whether something so large is remembered at all; one of it must not drive out everything else."""
        return size <= self._longest

    def get(self, key: K) -> V | None:
        """The value, if it was used not long ago."""
        entry = self._young.get(key)
        if entry is None:
            entry = self._old.get(key)
            if entry is None:
                return None
            self.add(key, *entry)
        return entry[0]

    def add(self, key: K, value: V, size: int) -> None:
        """Remember a value that takes so many bytes, unless that is too much."""
        if not self.takes(size):
            return
        if self._bytes + size > self._most:
            self._old, self._young, self._bytes = self._young, {}, 0
        self._young[key] = value, size
        self._bytes += size
