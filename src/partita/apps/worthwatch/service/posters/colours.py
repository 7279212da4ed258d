"""Colours as people see them (OKLCH), spelled as every drawing program understands them (sRGB hex)."""

from __future__ import annotations

from functools import lru_cache
from math import cos, radians, sin

Rgb = tuple[float, float, float]


@lru_cache(maxsize=4096)
def oklch(lightness: float, chroma: float, hue: float) -> str:
    """`#rrggbb` of a colour; one that no screen can show keeps lightness and hue and loses chroma."""
    least, most = 0.0, chroma
    if not _shows(_linear(lightness, chroma, hue)):
        for _ in range(10):
            middle = (least + most) / 2
            least, most = (middle, most) if _shows(_linear(lightness, middle, hue)) else (least, middle)
        chroma = least
    return "#" + "".join(f"{round(255 * _encode(each)):02x}" for each in _linear(lightness, chroma, hue))


def contrast(one: str, other: str) -> float:
    """How well one colour is read on another, 1 to 21, as WCAG counts it."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of a hex colour."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mixed(one: str, other: str, share: float) -> str:
    """One colour with a share of another over it."""
    pairs = zip(channels(one), channels(other), strict=True)
    return "#" + "".join(f"{round(below + (above - below) * share):02x}" for below, above in pairs)


def _linear(lightness: float, chroma: float, hue: float) -> Rgb:
    """Björn Ottosson's Oklab, as linear sRGB."""
    a, b = chroma * cos(radians(hue)), chroma * sin(radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _shows(colour: Rgb) -> bool:
    return all(-0.0001 <= channel <= 1.0001 for channel in colour)


def _encode(channel: float) -> float:
    channel = min(max(channel, 0.0), 1.0)
    return 12.92 * channel if channel <= 0.0031308 else 1.055 * channel ** (1 / 2.4) - 0.055


def _luminance(colour: str) -> float:
    red, green, blue = (
        value / 12.92 if (value := each / 255) <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for each in channels(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
