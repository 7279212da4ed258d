"""A part of a document."""

from __future__ import annotations

from typing import NamedTuple


class Section(NamedTuple):
    """A heading with its paragraphs; on a slide, its points."""

    heading: str
    paragraphs: tuple[str, ...]
