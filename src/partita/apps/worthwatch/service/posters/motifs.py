"""What is drawn for which genre."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from partita.apps.worthwatch.service.posters import dramas, patterns, scenes
from partita.apps.worthwatch.service.posters.shapes import AS_IT_IS, Field, Matrix, Shape, enlarged
from partita.kit.dice import Dice


class Motif(NamedTuple):
    """A drawing that fills a field, and whether it has an above and a below."""

    draw: Callable[[Dice, Field], list[Shape]]
    stands: bool


def _pattern(draw: Callable[[Dice, Field], list[Shape]]) -> Motif:
    return Motif(draw, stands=False)


def _scene(draw: Callable[[Dice, Field], list[Shape]]) -> Motif:
    return Motif(draw, stands=True)


MOTIFS: dict[str, tuple[Motif, ...]] = {
    "Romance": (_pattern(patterns.two_discs),),
    "Horror": (_pattern(patterns.teeth),),
    "Action": (_pattern(patterns.speed_lines), _pattern(patterns.burst)),
    "Western": (_scene(scenes.sun_and_mesas),),
    "History": (_scene(scenes.columns),),
    "Adventure": (_scene(scenes.waves),),
    "Comedy": (_pattern(patterns.confetti), _scene(scenes.grin)),
    "Animation": (_scene(scenes.blobs_with_eyes),),
    "War": (_pattern(patterns.chevrons),),
    "Family": (_scene(scenes.toy_blocks),),
    "Thriller": (_pattern(patterns.turning_squares),),
    "Documentary": (_pattern(patterns.contour_lines),),
    "Sci-Fi": (_pattern(patterns.orbits),),
    "Drama": (_scene(dramas.lit_window), _scene(dramas.curtain)),
    "Crime": (_pattern(patterns.blinds), _scene(scenes.street_lamp)),
    "Mystery": (_scene(scenes.keyhole),),
    "Fantasy": (_scene(scenes.peaks_and_moon),),
    "Music": (_pattern(patterns.sound_bars),),
}


class Art(NamedTuple):
    """The shapes of a motif, and how they lie in their field."""

    shapes: list[Shape]
    matrix: Matrix


def art(genres: Sequence[str], dice: Dice, field: Field) -> Art:
    """The motif of the first genre, as the dice want it: as it is, mirrored, turned or enlarged."""
    choice = MOTIFS.get(genres[0] if genres else "") or tuple(MOTIFS.values())[dice.roll(len(MOTIFS))]
    motif = choice[dice.roll(len(choice))]
    matrix = _way(motif, dice, field)
    return Art(motif.draw(dice, field), matrix)


def _way(motif: Motif, dice: Dice, field: Field) -> Matrix:
    width, height = field
    way, x = dice.roll(4), dice.between(width // 4, width * 3 // 4)
    if way == 0:
        return AS_IT_IS
    if way == 1 or (way == 2 and motif.stands):
        return Matrix(-1, 0, 0, 1, width, 0)
    if way == 2:
        # A quarter, and large enough to cover the field again.
        grow = max(width, height) / min(width, height)
        turned = Matrix(0, grow, -grow, 0, 0, 0)
        left, top = turned((width / 2, height / 2))
        return turned._replace(e=width / 2 - left, f=height / 2 - top)
    return enlarged(1.24, x, height if motif.stands else height / 2)
