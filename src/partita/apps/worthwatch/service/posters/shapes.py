"""What motifs are made of: a few shapes in four inks, which SVG and Pillow both can draw."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Literal, NamedTuple

from partita.apps.worthwatch.service.posters.inks import Palette

Ink = Literal["ground", "shade", "first", "second", "text"]
Point = tuple[float, float]


class Field(NamedTuple):
    """The part of a sheet that a motif fills. What it draws beyond is cut off."""

    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle, filled, or a ring if it has a width."""

    x: float
    y: float
    radius: float
    ink: Ink
    width: float = 0
    opacity: float = 1


@dataclass(frozen=True, slots=True)
class Polygon:
    """Corners joined by straight lines, filled."""

    points: tuple[Point, ...]
    ink: Ink
    opacity: float = 1


@dataclass(frozen=True, slots=True)
class Line:
    """Points joined by straight lines."""

    points: tuple[Point, ...]
    width: float
    ink: Ink
    opacity: float = 1


@dataclass(frozen=True, slots=True)
class Blob:
    """A closed curve that its points pull towards them; filled, or a line if it has a width."""

    points: tuple[Point, ...]
    ink: Ink
    width: float = 0
    opacity: float = 1


Shape = Disc | Polygon | Line | Blob


def rect(x: float, y: float, width: float, height: float, ink: Ink, opacity: float = 1) -> Polygon:
    """An upright rectangle."""
    return Polygon(((x, y), (x + width, y), (x + width, y + height), (x, y + height)), ink, opacity)


class Matrix(NamedTuple):
    """Where a point goes: `x' = a·x + c·y + e` and `y' = b·x + d·y + f`, as SVG writes it."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def __call__(self, point: Point) -> Point:
        x, y = point
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def then(self, other: Matrix) -> Matrix:
        """This one first, the other one after it."""
        e, f = other((self.e, self.f))
        return Matrix(
            other.a * self.a + other.c * self.b,
            other.b * self.a + other.d * self.b,
            other.a * self.c + other.c * self.d,
            other.b * self.c + other.d * self.d,
            e,
            f,
        )

    @property
    def scale(self) -> float:
        """How much larger things get."""
        return sqrt(abs(self.a * self.d - self.b * self.c))


AS_IT_IS = Matrix(1, 0, 0, 1, 0, 0)


def moved(x: float, y: float) -> Matrix:
    """To another place."""
    return Matrix(1, 0, 0, 1, x, y)


def enlarged(scale: float, x: float = 0, y: float = 0) -> Matrix:
    """Larger, around a point that stays."""
    return Matrix(scale, 0, 0, scale, x - x * scale, y - y * scale)


def svg(shapes: Iterable[Shape], palette: Palette, matrix: Matrix) -> str:
    """The shapes as SVG; neighbours that look the same are one path."""
    drawn: list[str] = []
    look, path = "", ""
    for shape in shapes:
        colour: str = getattr(palette, shape.ink)
        veil = "" if shape.opacity == 1 else f' opacity="{number(shape.opacity)}"'
        width = 0 if isinstance(shape, Polygon) else shape.width
        kind = f' fill="none" stroke="{colour}" stroke-width="{number(width)}"' if width else f' fill="{colour}"'
        if isinstance(shape, Disc):
            place = f'cx="{number(shape.x)}" cy="{number(shape.y)}" r="{number(shape.radius)}"'
            drawn += [_path(look, path), f"<circle {place}{kind}{veil}/>"]
            look, path = "", ""
            continue
        if look != kind + veil:
            drawn.append(_path(look, path))
            look, path = kind + veil, ""
        path += _outline(shape)
    drawn.append(_path(look, path))
    inside = "".join(drawn)
    if matrix == AS_IT_IS:
        return inside
    return f'<g transform="matrix({" ".join(map(number, matrix))})">{inside}</g>'


def _path(look: str, path: str) -> str:
    return f'<path d="{path}"{look}/>' if path else ""


def _outline(shape: Polygon | Line | Blob) -> str:
    if isinstance(shape, Blob):
        points = [(round(x), round(y)) for x, y in shape.points]
        halves = [
            ((x + next_x) / 2, (y + next_y) / 2)
            for (x, y), (next_x, next_y) in zip(points, points[1:] + points[:1], strict=True)
        ]
        # T mirrors the last control point, which is the next point: corners are whole, so nothing adds up.
        start, first, *others = [*halves[-1:], *halves]
        ends = "".join(f"T{_pair(end)}" for end in others)
        return f"M{_pair(start)}Q{_pair(points[0])} {_pair(first)}{ends}z"
    corners = "L".join(map(_pair, shape.points))
    return f"M{corners}" if isinstance(shape, Line) else f"M{corners}z"


def _pair(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def number(value: float) -> str:
    """With at most two digits after the point, and none that say nothing."""
    if value == int(value):
        return str(int(value))
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-0.", "-.").removeprefix("0") or "0"
