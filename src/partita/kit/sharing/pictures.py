"""Cards drawn as PNG of 1200 × 630, the size that others show beside a link."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from partita.kit.sharing.cards import Card
from partita.kit.sharing.motifs import Motif, motif_of, painted

WIDTH, HEIGHT = 1200, 630
_MARGIN = 56
_SIZES = (76, 64, 54, 46)
_SITE_SIZE = 30
_INITIALS_SIZE = 190
_LEADING = 1.22
_MISSING = "\U0010fffe"
"""A character that no font has."""
_PLAIN = str.maketrans({"–": "-", "—": "-", "‑": "-", "\u00a0": " ", "×": "x"})
"""What the font lacks and titles often have, where a plain character says the same."""


def open_graph_picture(card: Card) -> bytes:
    """The card as a PNG. If the font lacks a character of the title, the motifs alone are drawn, over the whole."""
    motifs = [motif_of(name) for name in card.motifs]
    title, site = card.title.translate(_PLAIN), card.site.translate(_PLAIN)
    lettered = len(motifs) == 1 and title.strip() != "" and can_write(title + site)
    picture = _lettered(title, site, motifs[0]) if lettered else _side_by_side(motifs)
    file = BytesIO()
    picture.save(file, "PNG", compress_level=6)
    return file.getvalue()


def can_write(text: str) -> bool:
    """Whether the font has all characters; Pillow's own is for Latin, and the machine may have no other."""
    return all(_has(character) for character in set(text))


def _side_by_side(motifs: Sequence[Motif]) -> Image.Image:
    picture = Image.new("RGB", (WIDTH, HEIGHT))
    edges = [WIDTH * place // len(motifs) for place in range(len(motifs) + 1)]
    for motif, left, right in zip(motifs, edges, edges[1:], strict=False):
        picture.paste(painted(motif, right - left, HEIGHT), (left, 0))
    return picture


def _lettered(title: str, site: str, motif: Motif) -> Image.Image:
    """The face at the left, as high as the picture; title and site at the right."""
    palette = motif.palette
    picture = Image.new("RGB", (WIDTH, HEIGHT), palette.paper)
    picture.paste(painted(motif, HEIGHT, HEIGHT), (0, 0))
    draw = ImageDraw.Draw(picture)
    if can_write(motif.letters):
        draw.text(
            (HEIGHT / 2, HEIGHT / 2), motif.letters, palette.ink, _font(_INITIALS_SIZE), anchor="mm", stroke_width=3
        )
    left, room = HEIGHT + _MARGIN, WIDTH - HEIGHT - 2 * _MARGIN
    bottom = HEIGHT - _MARGIN - _SITE_SIZE * 2
    widest = max(title.split(), key=len)
    size = next((each for each in _SIZES if _fits(title, widest, each, room, bottom - _MARGIN)), _SIZES[-1])
    lines = list(_wrapped(title, _font(size), room))
    most = int((bottom - _MARGIN) / (size * _LEADING))
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1].rpartition(' ')[0]} ..."]
    for place, line in enumerate(lines):
        draw.text((left, _MARGIN + place * size * _LEADING), line, palette.ink, _font(size), stroke_width=1)
    draw.text((left, HEIGHT - _MARGIN), site, palette.ink, _font(_SITE_SIZE), anchor="ls")
    return picture


def _fits(title: str, widest: str, size: int, room: int, height: int) -> bool:
    """Whether a title has room in a size, with no word cut."""
    font = _font(size)
    return font.getlength(widest) <= room and len(list(_wrapped(title, font, room))) * size * _LEADING <= height


def _wrapped(text: str, font: ImageFont.FreeTypeFont, room: int) -> Iterator[str]:
    """The text in lines that fit; a word that does not fit into a line of its own is cut."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if font.getlength(longer) <= room:
            line = longer
            continue
        if line:
            yield line
        while font.getlength(word) > room:
            cut = max(
                1, bisect_right(range(len(word)), float(room), key=lambda count: font.getlength(word[: count + 1]))
            )
            yield word[:cut]
            word = word[cut:]
        line = word
    if line:
        yield line


@lru_cache(maxsize=16)
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType; install the wheel of pillow, which has it")
    return font


@lru_cache(maxsize=4096)
def _has(character: str) -> bool:
    font = _font(_SITE_SIZE)
    return character.isspace() or bytes(font.getmask(character)) != bytes(font.getmask(_MISSING))
