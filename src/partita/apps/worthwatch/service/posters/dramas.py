"""The motifs of dramas, the most frequent genre: they have more faces than others."""

from __future__ import annotations

from partita.apps.worthwatch.service.posters.shapes import Blob, Disc, Field, Ink, Line, Polygon, Shape, rect
from partita.kit.dice import Dice


def lit_window(dice: Dice, field: Field) -> list[Shape]:
    """Night, and somebody is still up: in a room, a house, a block or a town."""
    kind = dice.roll(4)
    return (_room, _house, _block, _town)[kind](dice, field)


def _room(dice: Dice, field: Field) -> list[Shape]:
    """One window, and its light on the floor."""
    width, height = field
    wide, floor = dice.between(62, 92), height * dice.between(62, 72) // 100
    x, y, tall = dice.between(28, width - wide - 28), dice.between(16, 30), floor - dice.between(44, 60)
    fall = dice.between(-46, 46)
    someone = x + wide * dice.between(30, 70) // 100
    return [
        rect(0, floor, width, height - floor, "shade"),
        Polygon(((x, floor), (x + wide, floor), (x + wide + fall + 16, height), (x + fall - 16, height)), "first"),
        rect(x - 6, y - 6, wide + 12, tall + 12, "first"),
        rect(x, y, wide, tall, "second"),
        Line(((x + wide / 2, y), (x + wide / 2, y + tall)), 4, "first"),
        Line(((x, y + tall // 3), (x + wide, y + tall // 3)), 4, "first"),
        Disc(someone, y + tall - 44, 11, "ground"),
        Blob(
            (
                (someone - 26, y + tall + 24),
                (someone - 20, y + tall - 38),
                (someone + 20, y + tall - 38),
                (someone + 26, y + tall + 24),
            ),
            "ground",
        ),
        rect(x - 10, y + tall, wide + 20, 7, "first"),
    ]


def _house(dice: Dice, field: Field) -> list[Shape]:
    """A house with a roof, alone under the sky."""
    width, height = field
    wide, x = dice.between(86, 124), dice.between(24, 60)
    eaves = height * dice.between(46, 56) // 100
    ridge = max(14, eaves - dice.between(40, 64))
    lit = dice.roll(3)
    chimney = x + wide * dice.between(64, 80) // 100
    shapes: list[Shape] = [
        Disc(dice.between(20, 180), dice.between(18, 40), dice.between(7, 13), "text"),
        rect(0, height - 12, width, 12, "shade"),
        rect(chimney, ridge, 14, eaves - ridge, "first"),
        Polygon(((x - 12, eaves), (x + wide / 2, ridge), (x + wide + 12, eaves)), "first"),
        rect(x, eaves, wide, height - eaves, "shade"),
    ]
    pane = min(26, (height - eaves) // 3)
    for place in range(3):
        left = round(x + wide * (2 * place + 1) / 6 - pane / 2)
        down = eaves + (height - eaves) // 5
        shapes += (
            _window(left, down, pane, round(pane * 1.3))
            if place == lit
            else [rect(left, down, pane, round(pane * 1.3), "ground")]
        )
    return shapes


def _block(dice: Dice, field: Field) -> list[Shape]:
    """The wall of a block, window by window."""
    width, height = field
    across = dice.between(3, 5)
    left, top = dice.between(14, 30), dice.between(18, 40)
    inside = width - 2 * left
    pitch = inside / across
    rows = max(2, round((height - top) / (pitch * 1.12)))
    deep = (height - top) / rows
    lit = dice.roll(across * rows)
    pane_width, pane_height = round(pitch * 0.62), round(deep * 0.64)
    dark: list[Shape] = []
    bright: list[Shape] = []
    for place in range(across * rows):
        x = round(left + pitch * (place % across + 0.5) - pane_width / 2)
        y = round(top + deep * (place // across) + (deep - pane_height) / 2)
        if place == lit:
            bright = _window(x - 5, y - 5, pane_width + 10, pane_height + 10)
        else:
            dark.append(rect(x, y, pane_width, pane_height, "ground" if dice.roll(3) else "first"))
    return [
        rect(left - 8, top - 10, inside + 16, height, "shade"),
        *sorted(dark, key=lambda shape: shape.ink),
        *bright,
    ]


def _town(dice: Dice, field: Field) -> list[Shape]:
    """Roofs against the sky."""
    width, height = field
    shapes: list[Shape] = [Disc(dice.between(30, 170), dice.between(26, 44), dice.between(14, 24), "second", 0, 0.9)]
    x, place, lit = -dice.between(0, 12), 0, dice.between(1, 3)
    while x < width:
        wide, tall = dice.between(38, 58), min(height, 260) * dice.between(30, 72) // 100
        ink: Ink = ("shade", "first")[place % 2]
        top = height - tall
        shapes.append(rect(x, top, wide, tall, ink))
        if place == lit:
            shapes += _window(x + wide // 2 - 9, top + tall // 4, 20, 26)
        else:
            shapes += [rect(x + step, top + 14, 8, 12, "ground") for step in (wide // 4 - 2, wide * 5 // 8)]
        x, place = x + wide, place + 1
    return shapes


def _window(x: int, y: int, wide: int, tall: int) -> list[Shape]:
    return [
        rect(x, y, wide, tall, "second"),
        Line(((x + wide / 2, y), (x + wide / 2, y + tall)), 3, "ground"),
        Line(((x, y + tall // 3), (x + wide, y + tall // 3)), 3, "ground"),
    ]


def curtain(dice: Dice, field: Field) -> list[Shape]:
    """A stage before somebody steps into the light."""
    width, height = field
    one_side, on_the_wall, warm = dice.roll(3) == 0, dice.roll(2), dice.roll(3) == 0
    middle = dice.between(112, 136) if one_side else width / 2 + dice.between(-16, 16)
    light: Ink = "text" if warm else "second"
    shapes: list[Shape] = []
    if on_the_wall:
        shapes += [
            rect(0, height - dice.between(22, 36), width, 40, "shade"),
            Disc(middle, height * dice.between(44, 56) // 100, dice.between(30, 42), light),
        ]
    else:
        shapes += [
            Polygon(((middle - 8, 0), (middle + 8, 0), (middle + 54, height), (middle - 54, height)), "shade"),
            Blob(
                ((middle - 96, height - 16), (middle, height - 38), (middle + 96, height - 16), (middle, height + 6)),
                light,
            ),
        ]
    folds, waist = dice.between(3, 5), height * dice.between(46, 62) // 100
    cloth: tuple[Ink, Ink] = ("second", "first") if warm else ("first", "shade")
    for side in (-1,) if one_side else (-1, 1):
        edge = 0 if side < 0 else width
        for fold in range(folds, 0, -1):
            open_, tied = fold / folds * (middle - 14 if side < 0 else width - middle - 14), fold / folds * 34
            shapes.append(
                Blob(
                    (
                        (edge + side * 60, -60),
                        (edge - side * open_ * 1.15, -60),
                        (edge - side * open_ * 1.1, waist * 0.55),
                        (edge - side * tied * 0.6, waist + 8),
                        (edge - side * (tied + 22) * 1.05, height + 70),
                        (edge + side * 60, height + 70),
                    ),
                    cloth[(folds - fold) % 2],
                )
            )
    return shapes
