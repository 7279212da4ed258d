"""Colours: read from `#1f6f54`, compared by contrast, and moved until text in them can be read."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_STEP = 0.01


@dataclass(frozen=True, slots=True)
class Oklch:
    """A colour by what people see of it: lightness 0–1, chroma, hue in degrees."""

    lightness: float
    chroma: float
    hue: float

    def at(self, lightness: float, chroma: float | None = None) -> str:
        """The same hue, lighter or darker, as `#rrggbb`."""
        return _hex(Oklch(lightness, self.chroma if chroma is None else min(self.chroma, chroma), self.hue))


def is_colour(text: str) -> bool:
    """Whether a text is a colour such as `#1f6f54`."""
    return _HEX.fullmatch(text) is not None


def oklch(colour: str) -> Oklch:
    """A colour taken apart."""
    red, green, blue = (_linear(value) for value in _channels(colour))
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    return Oklch(lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours by WCAG, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def mended(colour: str, ground: str, least: float = 4.5) -> str:
    """A colour that can be read on a ground: as it is, or as much darker or lighter as it takes."""
    if contrast(colour, ground) >= least:
        return colour
    start = oklch(colour)
    darker = _luminance(ground) > 0.18
    lightness = start.lightness
    while 0.0 < lightness < 1.0:
        lightness += -_STEP if darker else _STEP
        moved = start.at(min(max(lightness, 0.0), 1.0))
        if contrast(moved, ground) >= least:
            return moved
    return "#000000" if darker else "#ffffff"


def ink_on(ground: str) -> str:
    """White or nearly black, whichever is read better on a ground."""
    return "#ffffff" if contrast("#ffffff", ground) >= contrast("#16181d", ground) else "#16181d"


def rgb(colour: str) -> tuple[int, int, int]:
    """A colour as three numbers from 0 to 255."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return red, green, blue


def _channels(colour: str) -> tuple[float, float, float]:
    red, green, blue = rgb(colour)
    return red / 255, green / 255, blue / 255


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(value) for value in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _hex(colour: Oklch) -> str:
    """In sRGB; a colour that is out of its range loses chroma until it is in it."""
    chroma = colour.chroma
    while True:
        channels = _unbounded(colour.lightness, chroma, colour.hue)
        if chroma <= 0.002 or all(-0.001 <= value <= 1.001 for value in channels):
            return "#" + "".join(f"{_byte(value):02x}" for value in channels)
        chroma *= 0.93


def _unbounded(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _byte(linear: float) -> int:
    linear = min(max(linear, 0.0), 1.0)
    light = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
    return round(255 * light)
