"""What an export is made of: the document, its look, its pictures and the brand; and what comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from partita.apps.newsletter.service.documents.model import Document, Picture, figures
from partita.apps.newsletter.service.documents.themes import DEFAULT_THEME, HOUSE_COLOUR, Theme, ThemeName, theme_of

Format = Literal["pdf", "docx", "html", "email", "eml", "md"]


@dataclass(frozen=True, slots=True)
class Brand:
    """Whose edition it is."""

    name: str = ""
    colour: str = HOUSE_COLOUR
    line: str = ""
    """Beside the logo, on top of the masthead."""
    imprint: str = ""
    sign_off: str = ""
    logo: Picture | None = None


@dataclass(frozen=True, slots=True)
class Edition:
    """A document that is ready to be set."""

    document: Document
    theme_name: ThemeName = DEFAULT_THEME
    brand: Brand = field(default_factory=Brand)
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    """By the name that the text uses."""
    read_online: str = ""
    """The address of the web edition, if there is one."""
    picture_addresses: Mapping[str, str] = field(default_factory=dict)
    """Where pictures can be fetched from by whoever has a mail: addresses of the web edition."""

    @property
    def theme(self) -> Theme:
        return theme_of(self.theme_name)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with it in every format."""
        found = []
        unresolved = self.document.unresolved
        if unresolved:
            numbers = ", ".join(f"[{number}]" for number in unresolved)
            found.append(f"No source is known for {numbers}.")
        missing = sorted({each.source for each in figures(self.document.blocks) if each.source not in self.pictures})
        if missing:
            found.append(f"{_count(len(missing), 'picture')} of the text cannot be found: {', '.join(missing[:3])}.")
        without = sum(1 for each in figures(self.document.blocks) if not each.alt)
        if without:
            found.append(f"{_count(without, 'picture')} without a description for those who cannot see it.")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Export:
    """A file that was made."""

    data: bytes = field(repr=False)
    kind: str
    """Its media type."""
    pages: int | None = None
    warnings: tuple[str, ...] = ()


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
