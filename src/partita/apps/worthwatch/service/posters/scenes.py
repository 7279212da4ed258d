"""Motifs that stand on something: they may be mirrored, and never stand on their heads."""

from __future__ import annotations

from partita.apps.worthwatch.service.posters.shapes import Blob, Disc, Field, Ink, Line, Polygon, Shape, rect
from partita.kit.dice import Dice


def sun_and_mesas(dice: Dice, field: Field) -> list[Shape]:
    """Evening over table mountains."""
    width, height = field
    sun, radius = dice.between(60, 140), dice.between(44, 62)
    horizon = height - dice.between(34, 46)
    shapes: list[Shape] = [Disc(sun, horizon - radius // 2, radius, "second")]
    shapes += [rect(0, horizon - gap, width, 3 + gap // 12, "ground") for gap in (2, 16, 30)]
    left, right = dice.between(-40, 0), dice.between(96, 132)
    shapes += [
        _mesa(left, dice.between(70, 96), horizon, dice.between(38, 74), "shade"),
        _mesa(right, dice.between(76, 110), horizon, dice.between(46, 88), "first"),
        rect(0, horizon, width, height - horizon, "first"),
        Polygon(((0, height), (0, height - 14), (dice.between(60, 110), height - 22), (width, height)), "shade"),
    ]
    return shapes


def _mesa(x: int, width: int, foot: int, height: int, ink: Ink) -> Polygon:
    slope, step = height // 3, height // 4
    return Polygon(
        (
            (x - slope, foot + 1),
            (x, foot - height + step),
            (x + 4, foot - height),
            (x + width - 4, foot - height),
            (x + width, foot - height + step),
            (x + width + slope, foot + 1),
        ),
        ink,
    )


def columns(dice: Dice, field: Field) -> list[Shape]:
    """A temple front."""
    width, height = field
    count = dice.between(4, 5)
    left, gable = dice.between(12, 22), dice.between(28, 44)
    inside = width - 2 * left
    top = max(gable + 26, height * dice.between(30, 40) // 100)
    floor = height - 14
    pitch = inside / count
    thick = round(pitch * 0.58)
    shapes: list[Shape] = [
        Polygon(((left - 8, top - 20), (width / 2, top - 20 - gable), (width - left + 8, top - 20)), "second"),
        rect(left - 8, top - 16, inside + 16, 11, "first"),
        rect(left, top - 5, inside, floor - top + 5, "shade"),
        rect(left - 10, floor, inside + 20, 14, "first"),
    ]
    broken = dice.roll(2 * count)
    for place in range(count):
        x = round(left + pitch * (place + 0.5) - thick / 2)
        lost = (floor - top) // 2 if place == broken else 0
        shapes += [rect(x, top + lost, thick, floor - top - lost, "first")]
        shapes += [rect(x - 4, floor - 7, thick + 8, 7, "first")]
        shapes += [] if lost else [rect(x - 4, top - 5, thick + 8, 8, "first")]
        shapes += [rect(x + thick // 3, top + lost + 10, 2, floor - top - lost - 24, "ground")]
    return shapes


def waves(dice: Dice, field: Field) -> list[Shape]:
    """A small sail on a large sea."""
    width, height = field
    bands = 4 if height < 300 else 7
    sea = height * dice.between(40, 50) // 100
    x, sail = dice.between(46, 150), dice.between(44, 66)
    shapes: list[Shape] = [
        Disc(width - x, sea - 34, dice.between(20, 30), "shade"),
        Polygon(((x - 3, sea - sail), (x - 3, sea - 6), (x - 3 - sail // 2, sea - 6)), "text"),
        Polygon(((x + 2, sea - sail - 8), (x + 2 + sail * 2 // 3, sea - 6), (x + 2, sea - 6)), "second"),
        Polygon(((x - 26, sea - 2), (x + 32, sea - 2), (x + 18, sea + 16), (x - 16, sea + 16)), "second"),
    ]
    depth = (height - sea) / bands
    lift = dice.between(9, 14)
    for band in range(bands):
        start = -dice.between(0, 50)
        top = round(sea + depth * band + 6)
        crest = tuple((start + 26 * step, top + (lift if step % 2 else -lift)) for step in range(11))
        ink: Ink = "second" if band == 2 else ("first", "shade")[band % 2]
        shapes.append(Blob((*crest, (width + 90, height + 90), (-90, height + 90)), ink))
    return shapes


def grin(dice: Dice, field: Field) -> list[Shape]:
    """A face that has heard a good one."""
    width, height = field
    radius = min(dice.between(72, 86), height // 2 - 6)
    x, y = width // 2 + dice.between(-16, 16), height // 2 + dice.between(-4, 6)
    look, lean = dice.between(-5, 5), dice.between(-8, 8)
    eye, wide, deep = radius // 3, radius * 70 // 100, radius * dice.between(50, 76) // 100
    mouth = y + radius * 12 // 100
    left, right = (x - wide, mouth - lean), (x + wide, mouth + lean)
    lip = (x + wide * 3 // 4, mouth + deep + lean // 2), (x - wide * 3 // 4, mouth + deep - lean // 2)
    height_of_eyes = y - radius * 32 // 100
    return [
        Disc(x + 9, y + 9, radius, "shade"),
        Disc(x, y, radius, "first"),
        Blob((left, left, (x, mouth + 5), right, right, *lip), "second"),
        Disc(x - eye + look, height_of_eyes - lean, radius // 7, "ground"),
        Disc(x + eye + look, height_of_eyes + lean, radius // 7, "ground"),
    ]


def blobs_with_eyes(dice: Dice, field: Field) -> list[Shape]:
    """Creatures that look in from below."""
    height = field.height
    inks: tuple[Ink, ...] = ("shade", "first", "second")
    places = ((dice.between(40, 70), 78), (dice.between(120, 156), 58), (dice.between(66, 112), 34))
    shapes: list[Shape] = []
    for (x, percent), ink in zip(places, inks, strict=True):
        tall = min(height, 260) * (percent + dice.between(0, 10)) // 100
        half, lean = dice.between(34, 46) + (8 if ink == "shade" else 0), dice.between(-14, 14)
        top = height - tall
        shapes.append(
            Blob(
                (
                    (x - half, height + 60),
                    (x - half + 2, top + half),
                    (x - half + 14 + lean, top - 6),
                    (x + half - 14 + lean, top - 6),
                    (x + half - 2, top + half),
                    (x + half, height + 60),
                ),
                ink,
            )
        )
        eye, look = dice.between(7, 10), dice.between(-3, 3)
        gap = eye + dice.between(2, 6)
        for side in (-gap, gap):
            across, down = x + side + lean // 2, top + 26
            shapes += [Disc(across, down, eye, "text"), Disc(across + look, down + 2, eye / 2, "ground")]
    return shapes


def toy_blocks(dice: Dice, field: Field) -> list[Shape]:
    """A tower of bricks, arches and roofs."""
    height = field.height
    side = 50
    rows = max(2, min(height // side, 6))
    shapes: list[Shape] = []
    order = dice.roll(3)
    for place in range(4):
        tall = dice.between(1, rows)
        for row in range(tall):
            x, y = place * side, height - (row + 1) * side
            ink: Ink = ("first", "second", "shade")[(place + 2 * row + order) % 3]
            kind = dice.roll(3) if row == tall - 1 else 3 + dice.roll(3)
            shapes += _block(x, y, side, kind, ink)
    return shapes


def _block(x: int, y: int, side: int, kind: int, ink: Ink) -> list[Shape]:
    half = side / 2
    if kind == 0:
        return [Polygon(((x, y + side), (x + half, y + 6), (x + side, y + side)), ink)]
    if kind == 1:
        return [Disc(x + half, y + half, half - 2, ink)]
    if kind == 2:
        return [Blob(((x - 10, y + side), (x + 4, y + 4), (x + side - 4, y + 4), (x + side + 10, y + side)), ink)]
    block = rect(x + 1, y + 1, side - 2, side - 2, ink)
    if kind == 3:
        return [block, Disc(x + half, y + half, 12, "ground")]
    if kind == 4:
        return [
            block,
            Disc(x + half, y + side - 12, 13, "ground"),
            rect(x + half - 13, y + side - 12, 26, 12, "ground"),
        ]
    return [block]


def street_lamp(dice: Dice, field: Field) -> list[Shape]:
    """Somebody waits in the light of a lamp."""
    width, height = field
    x, top = dice.between(48, 84), dice.between(16, 30)
    street = height - dice.between(20, 30)
    spread = dice.between(50, 64)
    figure, tall = x + dice.between(16, 36), dice.between(50, 64)
    head = street - tall + 10
    shapes: list[Shape] = [
        rect(0, street - 6, width, height, "shade"),
        Polygon(((x + 18, top + 10), (x + 18 - spread, street + 6), (x + 18 + spread + 14, street + 6)), "first"),
        Blob(
            (
                (x - spread - 44, street + 6),
                (x + 20, street - 12),
                (x + spread + 92, street + 6),
                (x + 20, street + 24),
            ),
            "second",
        ),
        Line(((x - 16, height), (x - 16, top), (x + 18, top)), 5, "text"),
        Polygon(((x + 4, top + 12), (x + 10, top - 2), (x + 26, top - 2), (x + 32, top + 12)), "second"),
        Polygon(
            (
                (figure - 8, street + 6),
                (figure + 8, street + 6),
                (figure + 150, height + 10),
                (figure + 96, height + 10),
            ),
            "ground",
            0.55,
        ),
        Polygon(
            ((figure - 12, head + 10), (figure + 12, head + 10), (figure + 15, street + 8), (figure - 15, street + 8)),
            "ground",
        ),
        Disc(figure, head, 9, "ground"),
        rect(figure - 15, head - 6, 30, 4, "ground"),
        rect(figure - 9, head - 15, 18, 10, "ground"),
    ]
    return shapes


def keyhole(dice: Dice, field: Field) -> list[Shape]:
    """A keyhole, and somebody behind it."""
    width, height = field
    scale = min(height, 240) / 190
    x, y = width // 2 + dice.between(-24, 24), height * dice.between(37, 43) // 100
    radius, foot = round(dice.between(36, 44) * scale), round(dice.between(24, 38) * scale)
    bottom, look = round(y + 100 * scale), dice.between(-8, 8)
    lid, rim = radius * 0.62, dice.between(16, 40)
    return [
        Disc(x, y, radius + 2 * rim, "shade", dice.between(2, 6)),
        Disc(x, y, radius + rim, "shade"),
        Polygon(((x - radius * 0.45, y), (x + radius * 0.45, y), (x + foot, bottom), (x - foot, bottom)), "first"),
        Disc(x, y, radius, "first"),
        Blob(((x - radius * 1.1, y), (x, y - lid * 1.5), (x + radius * 1.1, y), (x, y + lid * 1.5)), "text"),
        Disc(x + look, y, lid * 0.62, "second"),
        Disc(x + look, y, lid * 0.28, "ground"),
    ]


def peaks_and_moon(dice: Dice, field: Field) -> list[Shape]:
    """Mountains behind mountains, under a moon."""
    width, height = field
    peak, top = dice.between(40, 160), height * dice.between(26, 36) // 100
    size = dice.between(17, 28)
    moon = min(peak + 84, width - size - 16) if peak < 100 else max(peak - 84, size + 16)
    up, bite = max(size + 12, top - dice.between(0, 24)), dice.between(-14, 14)
    shapes: list[Shape] = [Disc(moon, up, size, "second")]
    if abs(bite) > 7:
        shapes.append(Disc(moon + bite, up - 4, size, "ground"))
    low, near = dice.between(14, 70), dice.between(110, 190)
    shapes += [
        _mountain(moon + (30 if peak < 100 else -30), height * dice.between(52, 60) // 100, height, 0.9, "shade"),
        _mountain(peak, top, height, dice.between(52, 68) / 100, "first"),
        _snow(peak, top, dice.between(22, 34), dice.between(-4, 4), dice.between(52, 68) / 100),
        _mountain(low, height * dice.between(66, 76) // 100, height, 1.3, "shade"),
        _mountain(near, height * dice.between(70, 84) // 100, height, 1.5, "shade"),
    ]
    return shapes


def _mountain(x: int, top: int, foot: int, slope: float, ink: Ink) -> Polygon:
    half = round((foot - top) * slope)
    return Polygon(((x, top), (x + half, foot), (x - half, foot)), ink)


def _snow(x: int, top: int, deep: int, lean: int, slope: float) -> Polygon:
    half = round(deep * 0.52)
    return Polygon(
        (
            (x, top),
            (x + half, top + deep),
            (x + half // 2, top + deep * 3 // 4),
            (x + lean, top + round(deep * (0.9 + slope / 2))),
            (x - half // 2, top + deep * 3 // 4),
            (x - half, top + deep),
        ),
        "text",
    )
