"""The faces of `kit/faces.py` as pixels: their SVG is read back, so that a picture shows what pages show."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, fromstring

from PIL import Image, ImageDraw

from partita.kit.faces import drawing

Point = tuple[float, float]
Colour = tuple[int, int, int]

SIDE = 40
"""Faces are drawn on a square of this side."""
HUE_OF_CLASS = (10, 32, 55, 78, 100, 122, 145, 168, 190, 212, 235, 258, 280, 302, 325, 348)
"""`.face.h0` to `.face.h15` of the style sheet."""
BESIDE_OF_CLASS = (-60, -30, 30, 60)
"""`.face.s0` to `.face.s3`."""
_COMMAND = re.compile(r"([a-zA-Z])([^a-zA-Z]*)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_TURN = re.compile(r"rotate\((-?[\d.]+) (-?[\d.]+) (-?[\d.]+)\)")
_STEPS = 24
"""How many lines make a curve."""
_FINER = 3
"""Drawn so much larger and then made smaller, since Pillow draws edges without grey."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a face in the light theme, as in the style sheet."""

    ground: Colour
    bright: Colour
    quiet: Colour
    ink: Colour
    paper: Colour

    @staticmethod
    def of(hue: int, beside: int) -> Palette:
        return Palette(
            ground=oklch(0.88, 0.08, hue),
            bright=oklch(0.79, 0.12, hue + beside),
            quiet=oklch(0.945, 0.04, hue),
            ink=oklch(0.31, 0.09, hue),
            paper=oklch(0.985, 0.01, hue),
        )

    def fill(self, name: str) -> Colour:
        """The colour of a class of shapes."""
        return {"b": self.bright, "m": self.bright, "c": self.quiet, "n": self.quiet, "d": self.ground}[name]


@dataclass(frozen=True, slots=True)
class Shape:
    """An area of one colour: a polygon, or a disc; a ring if it has a width."""

    kind: str
    points: tuple[Point, ...]
    radius: float = 0.0
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Motif:
    """A face, taken apart."""

    palette: Palette
    shapes: tuple[Shape, ...]
    letters: str


def motif_of(name: str) -> Motif:
    """The face of a name."""
    root = fromstring(drawing(name))
    classes = root.get("class", "").split()
    hue = next(int(each[1:]) for each in classes if re.fullmatch(r"h\d+", each))
    beside = next(int(each[1:]) for each in classes if re.fullmatch(r"s\d+", each))
    palette = Palette.of(HUE_OF_CLASS[hue], BESIDE_OF_CLASS[beside])
    letters = "".join(text.text or "" for text in root.iter("text"))
    return Motif(palette, tuple(_shapes(root, ())), letters)


def painted(motif: Motif, width: int, height: int) -> Image.Image:
    """The middle of a motif, as large as the area that it covers."""
    scale = max(width, height) * _FINER / SIDE
    left = (width * _FINER - SIDE * scale) / 2
    top = (height * _FINER - SIDE * scale) / 2
    picture = Image.new("RGB", (width * _FINER, height * _FINER), motif.palette.ground)
    draw = ImageDraw.Draw(picture)
    for shape in motif.shapes:
        colour = motif.palette.fill(shape.kind)
        points = [(left + x * scale, top + y * scale) for x, y in shape.points]
        if not shape.radius:
            draw.polygon(points, fill=colour)
            continue
        (x, y), radius = points[0], (shape.radius + shape.width / 2) * scale
        box = (x - radius, y - radius, x + radius, y + radius)
        if shape.width:
            draw.ellipse(box, outline=colour, width=round(shape.width * scale))
        else:
            draw.ellipse(box, fill=colour)
    return picture.reduce(_FINER)


def _shapes(element: Element, turns: tuple[tuple[float, Point], ...]) -> Iterator[Shape]:
    turned = _TURN.fullmatch(element.get("transform", ""))
    if turned is not None:
        angle, x, y = map(float, turned.groups())
        turns = ((angle, (x, y)), *turns)
    if element.tag == "circle":
        middle = (float(element.get("cx", "0")), float(element.get("cy", "0")))
        width = float(element.get("stroke-width", "0"))
        radius = float(element.get("r", "0"))
        if radius:
            yield Shape(element.get("class", ""), _turned((middle,), turns), radius, width)
    elif element.tag == "path":
        width = float(element.get("stroke-width", "0"))
        for outline in outlines(element.get("d", "")):
            if width:  # a dot: a line of no length with round ends
                yield Shape(element.get("class", ""), _turned(outline[:1], turns), width / 2)
            else:
                yield Shape(element.get("class", ""), _turned(outline, turns))
    for child in element:
        yield from _shapes(child, turns)


def _turned(points: Sequence[Point], turns: Sequence[tuple[float, Point]]) -> tuple[Point, ...]:
    for angle, (x, y) in turns:
        sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
        points = [
            (x + (left - x) * cosine - (top - y) * sine, y + (left - x) * sine + (top - y) * cosine)
            for left, top in points
        ]
    return tuple(points)


def outlines(path: str) -> Iterator[tuple[Point, ...]]:
    """The outlines of a path with the commands that faces use; curves are cut into short lines."""
    points: list[Point] = []
    bend: Point | None = None
    for command, text in _COMMAND.findall(path):
        if command == "z":
            continue
        given = [float(number) for number in _NUMBER.findall(text)]
        x, y = points[-1] if points else (0.0, 0.0)
        match command, given:
            case "M", [left, top]:
                if points:
                    yield tuple(points)
                points = [(left, top)]
            case "L", [left, top]:
                points.append((left, top))
            case "l", [across, down]:
                points.append((x + across, y + down))
            case "h", [across]:
                points.append((x + across, y))
            case "v", [down]:
                points.append((x, y + down))
            case "q", [bend_across, bend_down, across, down]:
                bend = (x + bend_across, y + bend_down)
                points += _curve((x, y), bend, (x + across, y + down))
            case "t", [across, down]:
                bend = (x, y) if bend is None else (2 * x - bend[0], 2 * y - bend[1])
                points += _curve((x, y), bend, (x + across, y + down))
            case "a", [radius, _, _, _, sweep, across, down]:
                points += _arc((x, y), radius, bool(sweep), (x + across, y + down))
            case _:
                raise ValueError(f"{command}{text} is no command of a path that faces use")
    if points:
        yield tuple(points)


def _curve(start: Point, bend: Point, end: Point) -> Iterator[Point]:
    for step in range(1, _STEPS + 1):
        share = step / _STEPS
        first, second, third = (1 - share) ** 2, 2 * share * (1 - share), share**2
        yield (
            first * start[0] + second * bend[0] + third * end[0],
            first * start[1] + second * bend[1] + third * end[1],
        )


def _arc(start: Point, radius: float, clockwise: bool, end: Point) -> Iterator[Point]:
    """At most half a circle from one point to another."""
    across, down = (end[0] - start[0]) / 2, (end[1] - start[1]) / 2
    half = math.hypot(across, down)
    away = math.sqrt(max(radius**2 - half**2, 0.0)) / half * (-1 if clockwise else 1)
    x, y = start[0] + across + down * away, start[1] + down - across * away
    begin = math.atan2(start[1] - y, start[0] - x)
    angle = (math.atan2(end[1] - y, end[0] - x) - begin) % math.tau
    angle = angle if clockwise else angle - math.tau
    for step in range(1, _STEPS + 1):
        at = begin + angle * step / _STEPS
        yield x + radius * math.cos(at), y + radius * math.sin(at)


def oklch(lightness: float, chroma: float, hue: float) -> Colour:
    """A colour of the style sheet in sRGB; what is out of its range is cut."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _channel(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _channel(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _channel(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _channel(linear: float) -> int:
    light = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
    return round(255 * min(max(light, 0.0), 1.0))
