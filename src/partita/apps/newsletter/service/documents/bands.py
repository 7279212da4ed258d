"""The band of a masthead: a row of geometric tiles drawn from an edition's code, as SVG, as PNG, and as table cells."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass

from PIL import Image, ImageDraw

from partita.apps.newsletter.service.documents.colours import oklch, rgb
from partita.kit.dice import Dice

COLUMNS, ROWS = 24, 2
_KINDS = 6
_FINER = 3
_STEPS = 10

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Tile:
    """A shape in a square of side 1, at a place of the band, in one of four tones."""

    column: int
    row: int
    tone: int
    ground: int
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Tones:
    """The four tones of a band: the brand's colour, darker, lighter, and a hue beside it."""

    colours: tuple[str, str, str, str]

    @staticmethod
    def of(colour: str) -> Tones:
        main = oklch(colour)
        beside = type(main)(
            main.lightness, max(main.chroma, 0.09) if main.chroma > 0.02 else 0.0, (main.hue + 42) % 360
        )
        return Tones((main.at(0.46), main.at(0.36), main.at(0.62), beside.at(0.79, 0.13)))


def tiles(code: str) -> tuple[Tile, ...]:
    """The tiles of a code. A motif of six columns is drawn, then mirrored and repeated, as weavers do."""
    dice = Dice(f"band\0{code}", 64)
    width = 6
    motif = [(dice.roll(_KINDS), dice.roll(4), 1 + dice.roll(3), dice.roll(5) == 0) for _ in range(width * ROWS)]
    made = []
    for column in range(COLUMNS):
        place = column % (2 * width)
        mirrored = place >= width
        across = 2 * width - 1 - place if mirrored else place
        for row in range(ROWS):
            kind, corner, tone, dark = motif[row * width + across]
            if mirrored:
                corner = (1, 0, 3, 2)[corner]
            made.append(Tile(column, row, tone, 1 if dark and tone != 1 else 0, _shape(kind, corner)))
    return tuple(made)


def svg(code: str, colour: str) -> str:
    """The band as SVG; decorative."""
    tones = Tones.of(colour).colours
    side = 20
    grounds: dict[int, list[str]] = {}
    shapes: dict[int, list[str]] = {}
    for tile in tiles(code):
        x, y = tile.column * side, tile.row * side
        if tile.ground:
            grounds.setdefault(tile.ground, []).append(f"M{x} {y}h{side}v{side}h-{side}z")
        points = [(round(x + px * side, 1), round(y + py * side, 1)) for px, py in tile.points]
        path = "M" + "L".join(f"{px:g} {py:g}" for px, py in points) + "z"
        shapes.setdefault(tile.tone, []).append(path)
    drawn = "".join(
        f'<path fill="{tones[tone]}" d="{"".join(paths)}"/>'
        for layer in (grounds, shapes)
        for tone, paths in sorted(layer.items())
    )
    width, height = COLUMNS * side, ROWS * side
    return (
        f'<svg class="band" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" preserveAspectRatio="xMidYMid slice" aria-hidden="true">'
        f'<rect width="{width}" height="{height}" fill="{tones[0]}"/>{drawn}</svg>'
    )


def png(code: str, colour: str, width: int = 1440) -> bytes:
    """The band as a picture, for formats without SVG."""
    tones = [rgb(each) for each in Tones.of(colour).colours]
    side = width // COLUMNS * _FINER
    picture = Image.new("RGB", (side * COLUMNS, side * ROWS), tones[0])
    draw = ImageDraw.Draw(picture)
    for tile in tiles(code):
        x, y = tile.column * side, tile.row * side
        if tile.ground:
            draw.rectangle((x, y, x + side - 1, y + side - 1), fill=tones[tile.ground])
        draw.polygon([(x + px * side, y + py * side) for px, py in tile.points], fill=tones[tile.tone])
    made = io.BytesIO()
    small = picture.resize((side * COLUMNS // _FINER, side * ROWS // _FINER), Image.Resampling.LANCZOS)
    small.quantize(48).save(made, "PNG", optimize=True)
    return made.getvalue()


def cells(code: str, colour: str) -> tuple[tuple[str, ...], ...]:
    """The colours of the band as rows of squares, for mail programs that show nothing but tables."""
    tones = Tones.of(colour).colours
    rows: list[list[str]] = [[] for _ in range(ROWS)]
    for tile in tiles(code):
        rows[tile.row].append(tones[tile.tone])
    return tuple(tuple(row) for row in rows)


def _shape(kind: int, corner: int) -> tuple[Point, ...]:
    match kind:
        case 0:  # a quarter of a circle
            points = [(0.0, 0.0), *_arc(0.0, 0.0, 1.0, 0, 90)]
        case 1:  # half of the square
            points = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
        case 2:  # a diamond
            return ((0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5))
        case 3:  # half a circle
            points = [*_arc(0.0, 0.5, 0.5, -90, 90)]
        case 4:  # an arrow
            points = [(0.0, 0.0), (0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 1.0), (0.5, 0.5)]
        case _:  # a stripe from corner to corner
            points = [(0.0, 0.0), (0.4, 0.0), (1.0, 0.6), (1.0, 1.0), (0.6, 1.0), (0.0, 0.4)]
    return tuple(_placed(point, corner) for point in points)


def _placed(point: Point, corner: int) -> Point:
    """Mirrored to the corner: 0 top left, 1 top right, 2 bottom left, 3 bottom right."""
    x, y = point
    return (1 - x if corner % 2 else x, 1 - y if corner // 2 else y)


def _arc(x: float, y: float, radius: float, start: float, end: float) -> list[Point]:
    angles = [math.radians(start + (end - start) * step / _STEPS) for step in range(_STEPS + 1)]
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]
