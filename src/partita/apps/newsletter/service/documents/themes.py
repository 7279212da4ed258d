"""The four themes as values: faces, five type sizes, and colours that follow from the brand's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from partita.apps.newsletter.service.documents.colours import contrast, ink_on, mended, oklch

ThemeName = Literal["journal", "bulletin", "field", "letter"]
Face = Literal["serif", "sans"]

SERIF = '"Noto Serif", "Noto Serif Ethiopic", "Noto Naskh Arabic", Georgia, "Times New Roman", serif'
SANS = '"Noto Sans", "Noto Sans Ethiopic", "Noto Sans Arabic", "Segoe UI", Helvetica, Arial, sans-serif'
MAIL_SERIF = "Georgia, 'Times New Roman', 'Noto Serif', serif"
MAIL_SANS = "'Segoe UI', Helvetica, Arial, 'Noto Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Five sizes of type, as multiples of the text."""

    small: float
    text: float
    story: float
    section: float
    title: float


@dataclass(frozen=True, slots=True)
class Theme:
    """How an edition looks."""

    name: ThemeName
    title: str
    purpose: str
    body: Face
    heading: Face
    pixels: int
    """The text on screens."""
    points: float
    """The text on paper."""
    leading: float
    measure: float
    """The width of a line in ems: 62 to 70 characters."""
    sizes: Sizes


@dataclass(frozen=True, slots=True)
class Colours:
    """The colours of an edition on light or on dark."""

    paper: str
    ink: str
    quiet: str
    line: str
    tint: str
    accent: str
    """For headings and links; can be read on paper and on the tint."""
    block: str
    """The ground of the masthead."""
    on_block: str


THEMES: dict[ThemeName, Theme] = {
    "journal": Theme(
        "journal",
        "Journal",
        "Serif, two rules, restrained: for readers who stay.",
        body="serif",
        heading="serif",
        pixels=17,
        points=11.0,
        leading=1.55,
        measure=35.0,
        sizes=Sizes(0.8, 1.0, 1.18, 1.5, 2.5),
    ),
    "bulletin": Theme(
        "bulletin",
        "Bulletin",
        "A coloured masthead, sans headings, figures in boxes: for a quick look.",
        body="serif",
        heading="sans",
        pixels=17,
        points=11.0,
        leading=1.52,
        measure=35.0,
        sizes=Sizes(0.8, 1.0, 1.15, 1.45, 2.35),
    ),
    "field": Theme(
        "field",
        "Field",
        "Large and strong, fit for a black-and-white printer.",
        body="sans",
        heading="sans",
        pixels=19,
        points=12.6,
        leading=1.48,
        measure=35.5,
        sizes=Sizes(0.84, 1.0, 1.2, 1.5, 2.3),
    ),
    "letter": Theme(
        "letter",
        "Letter",
        "Plain, like mail from a person.",
        body="sans",
        heading="sans",
        pixels=16,
        points=10.6,
        leading=1.55,
        measure=35.5,
        sizes=Sizes(0.82, 1.0, 1.08, 1.25, 1.6),
    ),
}
DEFAULT_THEME: ThemeName = "journal"
HOUSE_COLOUR = "#1f6f54"


def theme_of(name: str) -> Theme:
    """A theme by name; the default for a name that there is not."""
    return THEMES.get(name, THEMES[DEFAULT_THEME])  # type: ignore[call-overload, no-any-return]


def light(theme: Theme, colour: str) -> Colours:
    """The colours on white paper."""
    brand = oklch(colour)
    paper = "#ffffff"
    if theme.name == "field":
        return Colours(paper, "#000000", "#333333", "#000000", "#ededed", "#000000", "#000000", "#ffffff")
    tint = brand.at(0.965, 0.018)
    ink, quiet = brand.at(0.22, 0.018), brand.at(0.46, 0.02)
    accent = mended(mended(colour, paper, 5.0), tint, 4.6)
    block = colour if contrast(ink_on(colour), colour) >= 5.5 else mended(colour, "#ffffff", 5.5)
    return Colours(paper, ink, mended(quiet, tint), brand.at(0.86, 0.02), tint, accent, block, ink_on(block))


def dark(theme: Theme, colour: str) -> Colours:
    """The colours on a dark screen."""
    brand = oklch(colour)
    paper = brand.at(0.19, 0.012)
    if theme.name == "field":
        return Colours("#000000", "#ffffff", "#d6d6d6", "#ffffff", "#1f1f1f", "#ffffff", "#ffffff", "#000000")
    tint = brand.at(0.25, 0.02)
    ink, quiet = brand.at(0.93, 0.01), brand.at(0.74, 0.02)
    accent = mended(mended(brand.at(0.78), paper, 5.0), tint, 4.6)
    block = brand.at(0.36)
    return Colours(paper, ink, mended(quiet, tint), brand.at(0.36, 0.02), tint, accent, block, ink_on(block))
