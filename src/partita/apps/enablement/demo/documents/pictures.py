"""Pictures of the demo, drawn: a chart, a chain of parts, a pan with positions, a rotor with its places."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence

from PIL import Image, ImageDraw, ImageFont

_SIZE = (1200, 800)
_INK, _ACCENT, _PALE, _GROUND = (33, 43, 59), (26, 107, 140), (206, 226, 232), (250, 251, 252)
_Draw = Callable[[ImageDraw.ImageDraw, Sequence[str]], None]


def picture(title: str, body: str) -> bytes:
    """A PNG with a title, drawn as the body says: `chart: 3 2 1`."""
    kind, _, values = body.strip().partition(": ")
    image = Image.new("RGB", _SIZE, _GROUND)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, _SIZE[0], 12), fill=_ACCENT)
    draw.text((60, 50), title, fill=_INK, font=_font(36))
    _KINDS[kind](draw, values.split(" > ") if kind == "diagram" else values.split())
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _chart(draw: ImageDraw.ImageDraw, values: Sequence[str]) -> None:
    amounts = [float(value) for value in values]
    left, bottom, width, height = 90, 700, 1040, 520
    step = width / len(amounts)
    for number, amount in enumerate(amounts):
        top = bottom - height * amount / max(amounts)
        x = left + number * step
        draw.rectangle((x + step * 0.15, top, x + step * 0.85, bottom), fill=_ACCENT)
        draw.text((x + step / 2, top - 8), f"{amount:g}", fill=_INK, font=_font(22), anchor="mb")
    draw.line((left, bottom, left + width, bottom), fill=_INK, width=3)


def _diagram(draw: ImageDraw.ImageDraw, parts: Sequence[str]) -> None:
    """Parts in two rows, with a line through them."""
    places = [(130 + 310 * (number % 4), 300 + 260 * (number // 4)) for number in range(len(parts))]
    draw.line(places, fill=_ACCENT, width=6)
    for (x, y), part in zip(places, parts, strict=True):
        draw.rounded_rectangle((x - 105, y - 60, x + 105, y + 60), 16, fill=_PALE, outline=_ACCENT, width=4)
        draw.text((x, y), part, fill=_INK, font=_font(30), anchor="mm")


def _pan(draw: ImageDraw.ImageDraw, names: Sequence[str]) -> None:
    draw.ellipse((330, 150, 870, 690), fill=_PALE, outline=_ACCENT, width=6)
    places = ((600, 420), (480, 300), (720, 300), (720, 540), (480, 540))
    for (x, y), name in zip(places, names, strict=True):
        _disc(draw, x, y, 52, name, filled=True)


def _wheel(draw: ImageDraw.ImageDraw, values: Sequence[str]) -> None:
    """A rotor from above: how many places, and which of them have a tube."""
    count, loaded = int(values[0]), set(values[1:])
    draw.ellipse((320, 140, 880, 700), fill=_PALE, outline=_ACCENT, width=6)
    for number in range(1, count + 1):
        turn = 2 * math.pi * (number - 1) / count - math.pi / 2
        _disc(draw, 600 + 210 * math.cos(turn), 420 + 210 * math.sin(turn), 40, str(number), str(number) in loaded)


def _disc(draw: ImageDraw.ImageDraw, x: float, y: float, radius: int, name: str, filled: bool) -> None:
    box = (x - radius, y - radius, x + radius, y + radius)
    draw.ellipse(box, fill=_ACCENT if filled else _GROUND, outline=_ACCENT, width=4)
    draw.text((x, y), name, fill=_GROUND if filled else _INK, font=_font(30), anchor="mm")


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


_KINDS: dict[str, _Draw] = {"chart": _chart, "diagram": _diagram, "pan": _pan, "wheel": _wheel}
