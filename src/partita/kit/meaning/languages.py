"""Which texts the model has learnt to read."""

from __future__ import annotations

_LATIN = 0.7
"""The share of a text's letters that must be Latin."""


def is_understood(text: str) -> bool:
    """Whether most letters are Latin: of other scripts the model has learnt next to nothing."""
    letters = [each for each in text[:1_000] if each.isalpha()]
    return bool(letters) and sum(each < "\u0250" for each in letters) >= _LATIN * len(letters)
