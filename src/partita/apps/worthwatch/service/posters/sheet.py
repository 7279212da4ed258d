"""A poster for a film or a series that has none: motif, title and facts on a sheet of 200 × 300."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, NamedTuple

from partita.apps.worthwatch.service.posters import lettering
from partita.apps.worthwatch.service.posters.inks import Palette, palette, tint
from partita.apps.worthwatch.service.posters.motifs import Art, art
from partita.apps.worthwatch.service.posters.shapes import Field, moved, number, svg
from partita.kit.dice import Dice

WIDTH, HEIGHT = 200, 300
EDITION = 1
"""Raise it whenever posters look different: their addresses carry it, and browsers keep them for a year."""

_MARGIN, _STRIPE = 14, 7
_FACTS_SIZE = 11


@dataclass(frozen=True, slots=True)
class Poster:
    """Everything that a poster is made of."""

    content_type: Literal["MOVIE", "SHOW"]
    content_id: str
    title: str
    year: int | None = None
    genres: tuple[str, ...] = ()
    directors: tuple[str, ...] = ()
    seasons: int | None = None


class _Type(NamedTuple):
    """How a time sets its titles."""

    family: str
    weight: int
    capitals: bool = False
    stretch: float = 1
    leading: float = 1.08
    centred: bool = False


_SERIF = "Georgia,Noto Serif,Times New Roman,serif"
_SANS = "Helvetica Neue,Arial,Noto Sans,sans-serif"
_BEFORE_1960 = _Type(_SERIF, 700, capitals=True, leading=1.06, centred=True)
_TO_1979 = _Type(_SERIF, 700)
_TO_1999 = _Type(_SANS, 700, capitals=True, stretch=0.7, leading=1.02)
_SINCE = _Type(_SANS, 800, leading=1.04)


def poster_svg(poster: Poster) -> str:
    """The poster as SVG: the same every time, at most 3 KB, without styles, ids or addresses."""
    dice = _dice(poster)
    colours = palette(poster.genres, dice)
    left = _MARGIN + (_STRIPE - 2 if poster.content_type == "SHOW" else 0)
    rule = dice.between(26, 56)
    letters = _letters(poster, colours, left, rule)
    drawn = art(poster.genres, dice, Field(WIDTH, HEIGHT - letters.height))
    top = letters.height if letters.at_head else 0
    stripe = f'<path d="M0 0h{_STRIPE}v{HEIGHT}h-{_STRIPE}z" fill="{colours.second}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f'<path d="M0 0h{WIDTH}v{HEIGHT}H0z" fill="{colours.ground}"/>'
        f"{svg(drawn.shapes, colours, drawn.matrix.then(moved(0, top)))}{letters.svg}"
        f"{stripe if poster.content_type == 'SHOW' else ''}</svg>"
    )


def poster_digest(poster: Poster) -> str:
    """What a poster is made of, as 16 letters for its address: another digest, another picture."""
    # A length before each part, so that no two posters are spelled the same.
    parts = (
        str(EDITION),
        poster.content_type,
        poster.content_id,
        poster.title,
        str(poster.year),
        str(poster.seasons),
        str(len(poster.genres)),
        *poster.genres,
        *poster.directors,
    )
    spelled = "".join(f"{len(part)}:{part}" for part in parts)
    return blake2b(spelled.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def poster_tint(poster: Poster) -> int:
    """The number of the tint, 0 to 23, for the head of a page about this title."""
    return tint(palette(poster.genres, _dice(poster)).hue)


def poster_art(poster: Poster, field: Field) -> tuple[Palette, Art]:
    """The colours and the motif of a poster without its lettering, for a field of another size."""
    dice = _dice(poster)
    colours = palette(poster.genres, dice)
    dice.between(26, 56)
    return colours, art(poster.genres, dice, field)


def _dice(poster: Poster) -> Dice:
    return Dice(f"{poster.content_type}#{poster.content_id}", 64)


class _Letters(NamedTuple):
    svg: str
    height: int
    at_head: bool


def _letters(poster: Poster, colours: Palette, left: int, rule: int) -> _Letters:
    """The band with the lettering."""
    kind = _type_of(poster.year)
    title = lettering.cleaned(poster.title)
    title = title.upper() if kind.capitals else title
    stretch = 1 if lettering.is_wide(title) else kind.stretch
    room = WIDTH - left - _MARGIN
    size, lines = lettering.set_title(title, room, stretch)
    step = round(size * kind.leading)
    facts = _facts(poster, room)
    block = step * len(lines) + (_FACTS_SIZE + 7 if facts else 0)
    height = block + (24 if lines or facts else 0)
    at_head = poster.year is not None and 1960 <= poster.year <= 1979
    top = 0 if at_head else HEIGHT - height
    rule_top = height - 3 if at_head else top
    backwards = lettering.is_right_to_left(title)
    if kind.centred:
        place, anchor = left + room / 2, ' text-anchor="middle"'
    elif backwards:
        place, anchor = left + room, ' text-anchor="end"'
    else:
        place, anchor = left, ""
    first = top + 10 + round(size * 0.86) + (0 if at_head else 2)
    across = place / stretch
    squeeze = "" if stretch == 1 else f' transform="scale({number(stretch)} 1)"'
    spelled = "".join(
        f'<text x="{number(across)}" y="{first + step * line}">{_escaped(text)}</text>'
        for line, text in enumerate(lines)
    )
    below = ""
    if facts:
        down = first + step * (len(lines) - 1) + _FACTS_SIZE + 7 + (round(size * 0.1) if lines else 0)
        below = f'<text x="{number(place)}" y="{down}" font-size="{_FACTS_SIZE}">{_escaped(facts)}</text>'
    begin = place - rule / 2 if kind.centred else place - rule if backwards else place
    drawn = (
        f'<path d="M0 {top}h{WIDTH}v{height}H0z" fill="{colours.ground}"/>'
        f'<path d="M{number(begin)} {rule_top}h{rule}v3h-{rule}z" fill="{colours.second}"/>'
        f'<g fill="{colours.text}" font-family="{kind.family}"{anchor}>'
        f'<g font-size="{size}" font-weight="{kind.weight}"{squeeze}>{spelled}</g>{below}</g>'
    )
    return _Letters(drawn if lines or facts else "", height, at_head)


def _type_of(year: int | None) -> _Type:
    if year is None or year >= 2000:
        return _SINCE
    return _BEFORE_1960 if year < 1960 else _TO_1979 if year < 1980 else _TO_1999


def _facts(poster: Poster, room: float) -> str:
    """Year and directors, or the number of seasons, in one line."""
    most = room / _FACTS_SIZE
    year = "" if poster.year is None else str(poster.year)
    if poster.content_type == "SHOW":
        seasons = "" if not poster.seasons else "1 season" if poster.seasons == 1 else f"{poster.seasons} seasons"
        return lettering.shortened(" · ".join(filter(None, (year, seasons))), most)
    names = [name for name in map(lettering.cleaned, poster.directors[:2]) if name]
    for some in (names, names[:1]):
        line = " · ".join(filter(None, (year, ", ".join(some))))
        if lettering.text_width(line) <= most:
            return line
    return lettering.shortened(line, most)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
