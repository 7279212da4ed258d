"""Pictures that people upload: decoded in a bounded process of their own, and kept as pixels only."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from partita.kit.files.content import GIF, JPEG, PNG, WEBP, kind_of
from partita.kit.previews.making import made
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.previews.uploaded import picture_anew
from partita.kit.problems import Problem, TooLarge

MOST_PIXELS = 16_000_000
"""4,000 × 4,000: decoded, that is 64 MB."""

_SHOWN = {PNG: "PNG", JPEG: "JPEG", WEBP: "WebP", GIF: "GIF"}


class ImageRefused(Problem):
    """A picture that is not taken; the sentence says what is wrong with it."""

    status = 422
    code = "image_refused"
    title = "This picture cannot be used"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that is safe to serve."""

    kind: str
    width: int
    height: int
    data: bytes = field(repr=False)
    """Encoded by us: what the file held beside its pixels (place and camera, comments, other files) is gone."""


async def image_of(
    data: bytes,
    *,
    kinds: Collection[str] = (PNG, JPEG, WEBP),
    most_bytes: int,
    least: tuple[int, int] = (64, 64),
    most_pixels: int = MOST_PIXELS,
    frame: tuple[int, int] | None = None,
) -> Picture:
    """The picture in an upload, upright, in sRGB and without a second frame; `ImageRefused` or `TooLarge` otherwise.

    With a `frame` it is cut to the frame's shape around its middle, made no larger than that, and encoded as WebP.
    """
    if len(data) > most_bytes:
        raise TooLarge(f"At most {most_bytes // 1000:,} KB; this picture has {-(-len(data) // 1000):,} KB.")
    kind = kind_of(data)
    if kind not in kinds or kind not in _SHOWN:
        raise ImageRefused(f"Choose a picture in {_listed(kinds)}; this file is none, whatever its name says.")
    try:
        width, height, anew = await made(picture_anew, data, _SHOWN[kind].upper(), least, most_pixels, frame)
    except PreviewRefused as refused:
        raise ImageRefused(refused.detail) from refused
    return Picture(kind if frame is None else WEBP, width, height, anew)


def _listed(kinds: Collection[str]) -> str:
    names = [_SHOWN[kind] for kind in kinds if kind in _SHOWN]
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)
