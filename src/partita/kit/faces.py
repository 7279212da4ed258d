"""A picture for everything that has a name: drawn from the name alone, or of a person from their id, so that it is the
same everywhere.

The colours are classes of the style sheet (`h0` … for the hue, `s0` … for the hue beside it), since pages bring no
styles of their own, and so that light and dark have theirs. A drawing is some 300 bytes, decorative, and stands beside
the name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache

from partita.kit.dice import Dice

HUES = 16
"""How many hues the style sheet has for faces: `.face.h0` to `.face.h15`."""
SECOND_HUES = 4
"""And for the shapes on them: `.face.s0` to `.face.s3`."""


@lru_cache(maxsize=4096)
def drawing(name: str, size: int = 40, *, person: bool = False, of: str = "") -> str:
    """The face of a name as SVG: hue, pattern and initials; of a person round. `size` is its width in pixels. With the
    id that it is the face `of`, hue and pattern stay when the name changes, and namesakes differ."""
    dice = Dice(f"{'person' if person else 'thing'}\0{_same(of or name)}")
    hue, second = dice.roll(HUES), dice.roll(SECOND_HUES)
    pattern = _PATTERNS[dice.roll(len(_PATTERNS))](dice)
    letters = initials(name)
    classes = f"face{' round' if person else ''} h{hue} s{second}"
    one = ' class="one"' if len(letters) == 1 else ""
    return (
        f'<svg class="{classes}" viewBox="0 0 40 40" width="{size}" height="{size}" aria-hidden="true">'
        f'{pattern}<text x="20" y="20"{one}>{letters}</text></svg>'
    )


def initials(name: str) -> str:
    """One or two letters for a person or a thing."""
    parts = unicodedata.normalize("NFC", name).replace("-", " ").split()
    words = [word for word in parts if word[0].isalnum()] or [word for word in map(_from_its_letter, parts) if word]
    letters = [word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)]
    return "".join(_capital(letter) for letter in letters) or "?"


def _from_its_letter(word: str) -> str:
    """A word without the quotation marks or other signs before it."""
    return word[next((at for at, sign in enumerate(word) if sign.isalnum()), len(word)) :]


def _capital(letter: str) -> str:
    """In capitals, where that is one letter too."""
    capital = letter.upper()
    return capital if len(capital) == 1 else letter


def _same(name: str) -> str:
    """Names that people take for the same have the same face."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _turned(dice: Dice, drawn: str, step: int = 15) -> str:
    """Turned around the middle."""
    angle = dice.roll(360 // step) * step
    return f'<g transform="rotate({angle} 20 20)">{drawn}</g>' if angle else drawn


def _tiles(dice: Dice) -> str:
    """Four squares, each with a quarter of a circle in one of its corners."""
    b: list[str] = []
    c: list[str] = []
    for left, top in ((0, 0), (20, 0), (0, 20), (20, 20)):
        corner, kind = dice.roll(4), dice.roll(3)
        x, y = left + 20 * (corner % 2), top + 20 * (corner // 2)
        across, down = (-20 if corner % 2 else 20), (-20 if corner // 2 else 20)
        sweep = int(across * down > 0)
        (b if kind else c).append(f"M{x} {y}h{across}a20 20 0 0 {sweep} {-across} {down}z")
    return _paths("".join(b), "".join(c)) + f'<circle class="d" cx="20" cy="20" r="{dice.between(0, 9)}"/>'


def _circles(dice: Dice) -> str:
    """Two large circles that overlap."""
    one = f'<circle class="b" cx="{dice.between(2, 14)}" cy="{dice.between(2, 18)}" r="{dice.between(13, 20)}"/>'
    two = f'<circle class="c" cx="{dice.between(24, 38)}" cy="{dice.between(18, 38)}" r="{dice.between(11, 19)}"/>'
    return _turned(dice, one + two)


def _bands(dice: Dice) -> str:
    """Stripes, one of them another."""
    width = dice.between(5, 9)
    gap = dice.between(4, 7)
    starts = list(range(dice.between(-16, -10), 56, width + gap))
    other = dice.roll(len(starts))
    stripes = [f"M-12 {start}h64v{width}h-64z" for start in starts]
    chosen = stripes.pop(other)
    return _turned(dice, _paths("".join(stripes), chosen))


def _rings(dice: Dice) -> str:
    """Rings around a point at the rim."""
    x, y = dice.between(-2, 12), dice.between(30, 42)
    width = dice.between(4, 6)
    radii = [dice.between(7, 9) + each * 2 * width for each in range(3)]
    ring = dice.roll(3)
    drawn = "".join(
        f'<circle class="{"n" if each == ring else "m"}" cx="{x}" cy="{y}" r="{radius}" stroke-width="{width}"/>'
        for each, radius in enumerate(radii)
    )
    return _turned(dice, drawn, 90)


def _waves(dice: Dice) -> str:
    """Hills, one behind the other."""
    far, near = dice.between(12, 18), dice.between(23, 30)
    lift, fall = dice.between(5, 11), dice.between(5, 11)
    one = f"M-10 {far}q15 {-lift} 30 0t30 0v50h-60z"
    two = f"M-10 {near}q15 {fall} 30 0t30 0v40h-60z"
    return _turned(dice, _paths(one, two), 45)


def _wedges(dice: Dice) -> str:
    """Rays from a corner."""
    points = (dice.between(12, 26), dice.between(34, 48), dice.between(56, 68))
    rim = [_rim(point) for point in (0, *points, 80)]
    pieces = [f"M0 0L{rim[each]}L{rim[each + 1]}z" for each in range(len(rim) - 1)]
    corner = "L40 40"  # a wedge that goes around it
    for each, (start, end) in enumerate(zip((0, *points), (*points, 80), strict=True)):
        if start < 40 < end:
            pieces[each] = f"M0 0L{_rim(start)}{corner}L{_rim(end)}z"
    return _turned(dice, _paths("".join(pieces[::2]), "".join(pieces[1::2])), 90)


def _rim(point: int) -> str:
    """A point on the right and the lower edge."""
    return f"40 {point}" if point <= 40 else f"{80 - point} 40"


def _diamonds(dice: Dice) -> str:
    """Squares on their tips, one within the other."""
    outer, inner = dice.between(18, 26), dice.between(10, 15)
    x, y = dice.between(14, 26), dice.between(14, 26)
    tilt = dice.between(-5, 5)
    return _turned(dice, _paths(_diamond(20, 20, outer, tilt), _diamond(x, y, inner, -tilt)))


def _diamond(x: int, y: int, half: int, tilt: int) -> str:
    return f"M{x} {y - half}l{half} {half + tilt}l{-half} {half - tilt}l{-half} {-half - tilt}z"


def _chevrons(dice: Dice) -> str:
    """Arrows on their way."""
    height, width = dice.between(8, 16), dice.between(5, 8)
    begin, gap = dice.between(-12, -6), dice.between(4, 7)
    starts = list(range(begin, 50, width + gap))
    other = 1 + dice.roll(len(starts) - 1)
    arrows = [f"M-12 {start + height}L20 {start}l32 {height}v{width}l-32 {-height}l-32 {height}z" for start in starts]
    chosen = arrows.pop(other)
    return _turned(dice, _paths("".join(arrows), chosen), 45)


def _petals(dice: Dice) -> str:
    """Leaves that meet in a point."""
    x, y = dice.between(15, 25), dice.between(15, 25)
    long, wide = dice.between(17, 24), dice.between(7, 11)
    count = dice.between(3, 6)
    leaf = f"M{x} {y}q{wide} {-long // 2} 0 {-long}q{-wide} {long // 2} 0 {long}z"
    other = dice.roll(count)
    drawn = "".join(
        f'<path class="{"c" if each == other else "b"}" d="{leaf}" transform="rotate({each * 360 // count} {x} {y})"/>'
        for each in range(count)
    )
    return _turned(dice, drawn)


def _dots(dice: Dice) -> str:
    """A grid of dots, some of them others."""
    others, radius = dice.roll(1 << 16), dice.between(3, 4)
    spots = [(5 + 10 * (place % 4), 5 + 10 * (place // 4), others >> place & 1) for place in range(16)]
    return "".join(
        # A line of no length with round ends is a dot, and all of them are one path.
        f'<path class="{name}" stroke-width="{2 * radius}" stroke-linecap="round" d="{path}"/>'
        for name, kind in (("m", 0), ("n", 1))
        if (path := "".join(f"M{x} {y}h0" for x, y, other in spots if other == kind))
    )


def _moons(dice: Dice) -> str:
    """Half circles in a stack."""
    radius = dice.between(14, 20)
    first, second = dice.between(10, 18), dice.between(22, 30)
    one = f"M{20 - radius} {first}a{radius} {radius} 0 0 {dice.roll(2)} {2 * radius} 0z"
    other = dice.between(13, 18)
    two = f"M{20 - other + dice.between(-5, 5)} {second}a{other} {other} 0 0 {dice.roll(2)} {2 * other} 0z"
    return _turned(dice, _paths(one, two))


def _paths(b: str, c: str) -> str:
    return "".join(f'<path class="{name}" d="{path}"/>' for name, path in (("b", b), ("c", c)) if path)


_PATTERNS: tuple[Callable[[Dice], str], ...] = (
    _tiles,
    _circles,
    _bands,
    _rings,
    _waves,
    _wedges,
    _diamonds,
    _chevrons,
    _petals,
    _dots,
    _moons,
)
