"""The picture beside a link, as a value: what is on it, and the digest that its address contains."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

_VERSION = "1"
"""Goes up when cards are drawn differently, so that their addresses change."""
_LONGEST_TITLE = 200
_MOST_MOTIFS = 8


@dataclass(frozen=True, slots=True)
class Card:
    """One motif with a title beside it; without a title, motifs side by side."""

    motifs: tuple[str, ...]
    """Names; each is drawn as the face that it has on pages."""
    title: str = ""
    site: str = ""
    """Whose it is, below the title."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.motifs) <= _MOST_MOTIFS:
            raise ValueError(f"A card has 1 to {_MOST_MOTIFS} motifs; this one has {len(self.motifs)}.")

    @staticmethod
    def of(name: str, site: str) -> Card:
        """The card of a thing with a name."""
        return Card((name,), name[:_LONGEST_TITLE], site)

    @property
    def digest(self) -> str:
        """The same for the same card, in every process."""
        digest = blake2b(digest_size=10)
        for text in (_VERSION, self.title, self.site, *self.motifs):
            raw = text.encode("utf-8", "replace")
            digest.update(len(raw).to_bytes(4, "big") + raw)
        return digest.hexdigest()

    @property
    def file(self) -> str:
        """The last part of its address."""
        return f"{self.digest}.png"
