"""The colours of a poster: a ground in the hue of its first genre, two inks, and the lettering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from partita.apps.worthwatch.service.posters.colours import mixed, oklch
from partita.kit.dice import Dice

Tone = Literal["dark", "middle", "light"]

GENRE_HUES = {
    "Romance": 5,
    "Horror": 20,
    "Action": 35,
    "Western": 50,
    "History": 60,
    "Adventure": 70,
    "Comedy": 90,
    "Animation": 100,
    "War": 120,
    "Family": 140,
    "Thriller": 165,
    "Documentary": 190,
    "Sci-Fi": 220,
    "Drama": 245,
    "Crime": 265,
    "Mystery": 285,
    "Fantasy": 305,
    "Music": 340,
}
"""Genre → its hue in OKLCH, around the wheel."""
TINTS = 24
"""How many hues the style sheet has for the heads of lists and titles: `tint-0` to `tint-23`."""

_RHYTHM: tuple[Tone, ...] = ("dark",) * 5 + ("middle",) * 3 + ("light",) * 2
_NO_MUD: tuple[Tone, ...] = ("dark",) * 5 + ("light",) * 2
_MUD = range(55, 131)
"""Hues that are brown or olive, and never anything else, at a middle lightness."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a poster, as sRGB hex."""

    tone: Tone
    hue: int
    ground: str
    shade: str
    """A little of the first ink on the ground: what lies behind."""
    first: str
    second: str
    text: str


def palette(genres: Sequence[str], dice: Dice) -> Palette:
    """The colours for these genres, as the dice choose among them."""
    base = _hue_of(genres[0] if genres else "", dice)
    hue = (base + dice.between(-16, 16)) % 360
    near = (base + dice.between(-12, 12)) % 360
    far = _hue_of(genres[1], dice) if len(genres) > 1 else base + 150
    # Genres that lie side by side on the wheel would print one poster in one colour.
    away = (far - near + 180) % 360 - 180
    if abs(away) < 40:
        far = near + (70 if away >= 0 else -70)
    tones = _NO_MUD if hue in _MUD else _RHYTHM
    return colours(tones[dice.roll(len(tones))], hue, near, far % 360)


@lru_cache(maxsize=4096)
def colours(tone: Tone, hue: int, near: int, far: int) -> Palette:
    """A ground of a hue, the two inks that go with it, and lettering that is read on it."""
    if tone == "dark":
        # Yellows and greens need more light than others to be a colour at all.
        clear = 0.62 if near in _MUD else 0.53
        ground, first, second = oklch(0.25, 0.065, hue), oklch(clear, 0.135, near), oklch(0.83, 0.135, far)
        text = oklch(0.97, 0.018, hue)
    elif tone == "middle":
        ground, first, second = oklch(0.47, 0.115, hue), oklch(0.67, 0.125, near), oklch(0.89, 0.115, far)
        text = oklch(0.985, 0.012, hue)
    else:
        ground, first, second = oklch(0.91, 0.05, hue), oklch(0.73, 0.12, near), oklch(0.5, 0.15, far)
        text = oklch(0.25, 0.06, hue)
    return Palette(tone, hue, ground, mixed(ground, first, 0.42), first, second, text)


def tint(hue: int) -> int:
    """The number of the tint nearest to a hue: 0 to 23."""
    return round(hue * TINTS / 360) % TINTS


def _hue_of(genre: str, dice: Dice) -> int:
    known = GENRE_HUES.get(genre)
    return dice.roll(360) if known is None else known
