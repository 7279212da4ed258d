"""Motifs without an above and a below: they may be turned."""

from __future__ import annotations

from math import cos, pi, radians, sin, tan

from partita.apps.worthwatch.service.posters.shapes import Blob, Disc, Field, Ink, Line, Point, Polygon, Shape
from partita.kit.dice import Dice


def two_discs(dice: Dice, field: Field) -> list[Shape]:
    """Two people, and what they share."""
    width, height = field
    near, far = dice.between(62, 80), dice.between(46, 66)
    x, y = dice.between(58, 82), height * dice.between(38, 58) // 100
    angle = radians(dice.between(-60, 60))
    reach = (near + far) * dice.between(52, 74) / 100
    return [
        Disc(x, y, near, "first"),
        Disc(min(round(x + reach * cos(angle)), width - 10), round(y + reach * sin(angle)), far, "second", 0, 0.82),
    ]


def teeth(dice: Dice, field: Field) -> list[Shape]:
    """A maw, and an eye behind it."""
    width, height = field
    count = dice.between(4, 8)
    pitch = width / count
    x, y, size = dice.between(60, 140), height // 2 + dice.between(-10, 10), dice.between(26, 44)
    upper, lower = dice.between(24, 40), dice.between(14, 34)

    def jaw(edge: float, sign: int, reach: int, ink: Ink) -> Polygon:
        points: list[Point] = [(0, edge)]
        for tooth in range(count):
            long = height * (reach + dice.between(-8, 12)) / 100
            points += [(round(pitch * (tooth + 0.5)), round(edge + sign * long)), (round(pitch * (tooth + 1)), edge)]
        return Polygon(tuple(points), ink)

    slit = size // dice.between(3, 6)
    return [
        Disc(x, y, size + 16, "shade"),
        Disc(x, y, size, "second"),
        Polygon(((x, y - size), (x + slit, y), (x, y + size), (x - slit, y)), "ground"),
        jaw(0, 1, upper, "first"),
        jaw(height, -1, lower, "first"),
    ]


def speed_lines(dice: Dice, field: Field) -> list[Shape]:
    """Stripes that hurry by, one of them ahead."""
    width, height = field
    lean = round(height * tan(radians(dice.between(22, 42))))
    shapes: list[Shape] = []
    at, bright = -lean - dice.between(0, 20), dice.between(3, 6)
    for count in range(14):
        thick, gap = dice.between(7, 26), dice.between(6, 15)
        ink: Ink = "second" if count == bright else "first" if count % 3 else "shade"
        shapes.append(Polygon(((at + lean, 0), (at + lean + thick, 0), (at + thick, height), (at, height)), ink))
        at += thick + gap
        if at > width:
            break
    return shapes


def burst(dice: Dice, field: Field) -> list[Shape]:
    """Something goes off."""
    width, height = field
    x, y = dice.between(70, 130), height * dice.between(38, 62) // 100
    rays, turn = dice.between(9, 13), dice.between(0, 30)
    far = max(width, height)
    inks: tuple[tuple[Ink, float, float], ...] = (("shade", far * 1.5, 0.5), ("first", 96, 0.6), ("second", 56, 0.56))
    return [
        *(
            Polygon(_star(x, y, reach, reach * waist, rays, turn + 9 * place), ink)
            for place, (ink, reach, waist) in enumerate(inks)
        ),
        Disc(x, y, dice.between(8, 16), "ground"),
    ]


def _star(x: float, y: float, far: float, near: float, rays: int, turn: int) -> tuple[tuple[float, float], ...]:
    return tuple(
        (round(x + reach * cos(angle)), round(y + reach * sin(angle)))
        for tip in range(2 * rays)
        for reach, angle in (((far, near)[tip % 2], radians(turn) + pi * tip / rays),)
    )


def confetti(dice: Dice, field: Field) -> list[Shape]:
    """Paper in the air, a piece in every part of it."""
    width, height = field
    rows = max(3, height // 48)
    shapes: list[Shape] = []
    for place in range(4 * rows):
        left, top = place % 4 * width / 4, place // 4 * height / rows
        x, y = round(left + dice.between(8, 42)), round(top + dice.between(8, 40))
        size, kind = dice.between(7, 15), dice.roll(8)
        ink: Ink = "second" if (place + kind) % 3 == 0 else "shade" if kind == 7 else "first"
        if kind < 3:
            shapes.append(Disc(x, y, size, ink))
        elif kind < 5:
            shapes.append(Polygon(_star(x, y, size + 4, (size + 4) * 0.72, 2, 11 * size), ink))
        elif kind < 7:
            shapes.append(Polygon(_star(x, y, size + 5, (size + 5) / 2, 3, 17 * size), ink))
        else:
            shapes.append(Disc(x, y, size + 9, ink))
    return sorted(shapes, key=lambda shape: ("shade", "first", "second").index(shape.ink))


def chevrons(dice: Dice, field: Field) -> list[Shape]:
    """Stripes of a sleeve."""
    width, height = field
    thick, gap, drop = dice.between(17, 26), dice.between(9, 14), dice.between(40, 78)
    middle = dice.between(84, 116)
    tops = list(range(-drop - dice.between(0, 20), height, thick + gap))
    bright = len(tops) // 2 + dice.between(-1, 1)
    shapes: list[Shape] = []
    for place, top in enumerate(tops):
        upper = ((0, top + drop), (middle, top), (width, top + drop))
        lower = ((width, top + drop + thick), (middle, top + thick), (0, top + drop + thick))
        ink: Ink = "second" if place == bright else "shade" if place % 3 == 2 else "first"
        shapes.append(Polygon(upper + lower, ink))
    return shapes


def turning_squares(dice: Dice, field: Field) -> list[Shape]:
    """A square in a square in a square, each a little further round."""
    width, height = field
    x, y = width / 2 + dice.between(-14, 14), height / 2 + dice.between(-10, 10)
    half = max(width, height) * 0.86
    turn, step, shrink = dice.between(0, 89), dice.between(9, 17) * (1, -1)[dice.roll(2)], dice.between(66, 74) / 100
    shapes: list[Shape] = []
    bright = dice.between(3, 4)
    for count in range(7):
        ink: Ink = "second" if count == bright else ("shade", "ground", "first", "ground")[count % 4]
        corners = tuple(
            (round(x + half * cos(radians(turn + quarter))), round(y + half * sin(radians(turn + quarter))))
            for quarter in (0, 90, 180, 270)
        )
        shapes.append(Polygon(corners, ink))
        half, turn = half * shrink, turn + step
    return shapes


def contour_lines(dice: Dice, field: Field) -> list[Shape]:
    """A hill on a map."""
    width, height = field
    x, y = dice.between(60, 140), height * dice.between(34, 66) // 100
    bends = [dice.between(70, 130) / 100 for _ in range(8)]
    rings = 7 if height < 300 else 9
    bright, reach = dice.between(1, 3), max(width, height) * 0.9
    shapes: list[Shape] = []
    for ring in range(rings):
        radius = 12 + (reach - 12) * (ring / (rings - 1)) ** 1.25
        points = tuple(
            (round(x + radius * bend * cos(pi * place / 4)), round(y + radius * bend * sin(pi * place / 4)))
            for place, bend in enumerate(bends)
        )
        if ring == 0:
            shapes.append(Blob(points, "second"))
        else:
            shapes.append(Blob(points, "second" if ring == bright else "first", 5 if ring == bright else 3))
    return shapes


def orbits(dice: Dice, field: Field) -> list[Shape]:
    """A star and what goes around it."""
    width, height = field
    x, y = dice.between(56, 144), height * dice.between(36, 66) // 100
    star, gap = dice.between(15, 26), dice.between(19, 27)
    count = 5 if height < 300 else 9
    shapes: list[Shape] = [Disc(x, y, star + gap * 2, "shade"), Disc(x, y, star, "second")]
    shapes += [Disc(x, y, star + gap * ring, "first", 3 if ring % 2 else 1.5) for ring in range(1, count + 1)]
    for ring in (2, 3, 5):
        angle, size = dice.between(0, 35), dice.between(5, 11)
        places = (_around(x, y, star + gap * ring, 10 * angle + 30 * turn) for turn in range(12))
        place = next((each for each in places if 14 < each[0] < width - 14 and 14 < each[1] < height - 14), None)
        if place is not None:
            ink: Ink = "text" if ring == 2 else "second"
            shapes += [Disc(*place, size + 4, "ground"), Disc(*place, size, ink)]
    return shapes


def _around(x: float, y: float, radius: float, angle: int) -> tuple[int, int]:
    return round(x + radius * cos(radians(angle))), round(y + radius * sin(radians(angle)))


def sound_bars(dice: Dice, field: Field) -> list[Shape]:
    """A song, seen."""
    width, height = field
    count = dice.between(8, 11)
    pitch = width / count
    thick = round(pitch * dice.between(50, 66) / 100)
    bright = dice.between(1, count - 2)
    swell = dice.between(15, 35) / 10
    middle = height / 2
    shapes: list[Shape] = []
    for bar in range(count):
        loud = 0.3 + 0.45 * abs(sin(swell * bar / 2 + swell)) + dice.between(0, 20) / 100
        half = round(min(loud, 0.94) * middle)
        x = round(pitch * (bar + 0.5))
        ink: Ink = "second" if bar == bright else "first"
        shapes.append(Line(((x, middle - half), (x, middle + half)), thick, ink))
    shapes.append(Line(((0, middle), (width, middle)), 3, "ground"))
    return sorted(shapes, key=lambda shape: ("first", "second", "ground").index(shape.ink))


def blinds(dice: Dice, field: Field) -> list[Shape]:
    """A lamp behind the slats of a blind."""
    width, height = field
    fall = dice.between(-34, 34)
    slat, gap = dice.between(13, 18), dice.between(8, 12)
    x, y, radius = dice.between(56, 144), height * dice.between(34, 62) // 100, dice.between(44, 62)
    tops = range(-abs(fall) - dice.between(0, slat), height + abs(fall), slat + gap)
    slats = [
        Polygon(((0, top), (width, top + fall), (width, top + fall + slat), (0, top + slat)), "first") for top in tops
    ]
    return [Disc(x, y, radius + 26, "shade"), Disc(x, y, radius, "second"), *slats]
