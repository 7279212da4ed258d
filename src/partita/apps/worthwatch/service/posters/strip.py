"""The picture that other sites show beside a link to a list: five motifs side by side, without lettering."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from itertools import pairwise

from PIL import Image, ImageDraw

from partita.apps.worthwatch.service.posters.colours import channels
from partita.apps.worthwatch.service.posters.inks import Palette
from partita.apps.worthwatch.service.posters.motifs import Art
from partita.apps.worthwatch.service.posters.shapes import (
    Blob,
    Disc,
    Field,
    Matrix,
    Point,
    Polygon,
    Shape,
    enlarged,
    moved,
)
from partita.apps.worthwatch.service.posters.sheet import WIDTH, Poster, poster_art

STRIP_WIDTH, STRIP_HEIGHT = 1200, 630
MOST_MOTIFS = 5

_FINER = 2
"""Drawn larger and then reduced: Pillow draws jagged edges."""
_TALL = 360
"""The height of a field that a narrow panel shows: motifs are made for fields that are not much higher than wide."""
_STEPS = 16
"""Straight pieces in one bend of a curve."""


def motif_strip(posters: Sequence[Poster]) -> bytes:
    """The motifs of the first five titles as PNG of 1200 × 630, from edge to edge whatever their number."""
    chosen = posters[:MOST_MOTIFS]
    picture = Image.new("RGB", (STRIP_WIDTH, STRIP_HEIGHT))
    for place, poster in enumerate(chosen):
        left = STRIP_WIDTH * place // len(chosen)
        right = STRIP_WIDTH * (place + 1) // len(chosen)
        picture.paste(_panel(poster, right - left), (left, 0))
    file = BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


def _panel(poster: Poster, width: int) -> Image.Image:
    # A sheet as high as the panel; of one that is wider, the middle shows.
    scale = max(width / WIDTH, STRIP_HEIGHT / _TALL)
    field = Field(WIDTH, round(STRIP_HEIGHT / scale))
    palette, drawn = poster_art(poster, field)
    size = width * _FINER, STRIP_HEIGHT * _FINER
    panel = Image.new("RGB", size, palette.ground)
    matrix = drawn.matrix.then(moved((width / scale - WIDTH) / 2, 0)).then(enlarged(scale * _FINER))
    _paint(panel, drawn, palette, matrix)
    return panel.resize((width, STRIP_HEIGHT), Image.Resampling.LANCZOS)


def _paint(panel: Image.Image, drawn: Art, palette: Palette, matrix: Matrix) -> None:
    pen = ImageDraw.Draw(panel)
    for shape in drawn.shapes:
        colour = channels(getattr(palette, shape.ink))
        if shape.opacity == 1:
            _draw(pen, shape, colour, matrix)
            continue
        mask = Image.new("L", panel.size)
        _draw(ImageDraw.Draw(mask), shape, round(255 * shape.opacity), matrix)
        panel.paste(colour, mask=mask)


def _draw(pen: ImageDraw.ImageDraw, shape: Shape, colour: tuple[int, int, int] | int, matrix: Matrix) -> None:
    if isinstance(shape, Disc):
        x, y = matrix((shape.x, shape.y))
        radius, width = shape.radius * matrix.scale, shape.width * matrix.scale
        # Pillow draws the line of a circle inside of it, SVG on both sides.
        outer = radius + width / 2
        box = (x - outer, y - outer, x + outer, y + outer)
        if width:
            pen.ellipse(box, outline=colour, width=round(width))
        else:
            pen.ellipse(box, fill=colour)
    elif isinstance(shape, Polygon):
        pen.polygon([matrix(point) for point in shape.points], fill=colour)
    elif isinstance(shape, Blob):
        points = [matrix(point) for point in _bent(shape.points)]
        if shape.width:
            pen.line([*points, points[0]], fill=colour, width=round(shape.width * matrix.scale), joint="curve")
        else:
            pen.polygon(points, fill=colour)
    else:
        width = round(shape.width * matrix.scale)
        pen.line([matrix(point) for point in shape.points], fill=colour, width=width, joint="curve")


def _bent(points: tuple[Point, ...]) -> list[Point]:
    """Points along the curve that SVG draws from middle to middle."""
    ring = (points[-1], *points, points[0])
    halves = [((x + next_x) / 2, (y + next_y) / 2) for (x, y), (next_x, next_y) in pairwise(ring)]
    curve: list[Point] = []
    for point, (start, end) in zip(points, pairwise(halves), strict=True):
        for step in range(_STEPS):
            share = step / _STEPS
            rest = 1 - share
            curve.append(
                (
                    rest * rest * start[0] + 2 * rest * share * point[0] + share * share * end[0],
                    rest * rest * start[1] + 2 * rest * share * point[1] + share * share * end[1],
                )
            )
    return curve
