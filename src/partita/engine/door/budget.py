"""The memory that the bodies of all requests may take together."""

from __future__ import annotations


class Budget:
    """Bytes that are left; taken as bodies come in, and given back when they are answered or their client is gone."""

    __slots__ = ("left",)

    def __init__(self, size: int) -> None:
        self.left = size

    def take(self, size: int) -> bool:
        """Take bytes, if there are as many."""
        if size > self.left:
            return False
        self.left -= size
        return True

    def give_back(self, size: int) -> None:
        self.left += size
