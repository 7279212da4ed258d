"""What a search needs of whatever turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Meaning(Protocol):
    """Turns texts into vectors. It is asked in worker threads, by several of them at once."""

    @property
    def name(self) -> str:
        """Of the model; vectors of another one are made anew."""

    def understands(self, text: str) -> bool:
        """Whether a text is in a language that it has learnt; of others it knows nothing."""

    def vector(self, texts: Sequence[str]) -> bytes:
        """The sum of what some texts mean: of length one, a signed byte for each dimension, 127 for one."""

    def vectors(self, texts: Sequence[Sequence[str]]) -> list[bytes]:
        """The same of several at once, which is quicker."""

    def words(self, text: str) -> bytes:
        """What each meaningful word (or piece of one) means where it stands: vectors like these, one behind the
        other."""
