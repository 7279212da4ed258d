"""Numbers that follow from a text: whatever is drawn with them is the same in every process and release."""

from __future__ import annotations

from hashlib import blake2b


class Dice:
    """Rolls that a text decides. Each roll takes some of the digest; 64 bytes are enough for some eighty rolls."""

    def __init__(self, text: str, digest_size: int = 32) -> None:
        digest = blake2b(text.encode("utf-8", "replace"), digest_size=digest_size).digest()
        self._left = int.from_bytes(digest, "big")

    def roll(self, sides: int) -> int:
        """A number from 0 to one below `sides`."""
        self._left, number = divmod(self._left, sides)
        return number

    def between(self, least: int, most: int) -> int:
        """A number from `least` to `most`."""
        return least + self.roll(most - least + 1)
