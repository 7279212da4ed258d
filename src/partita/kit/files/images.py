"""Pictures that people upload: looked at before they are decoded, and kept as pixels only."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from io import BytesIO

from PIL import Image, ImageFile, ImageOps

from partita.kit.files.content import GIF, JPEG, PNG, WEBP, kind_of
from partita.kit.previews.pictures import upright
from partita.kit.problems import Problem, TooLarge

MOST_PIXELS = 16_000_000
"""4,000 × 4,000: decoded, that is 64 MB."""

_FORMATS = {PNG: "PNG", JPEG: "JPEG", WEBP: "WEBP", GIF: "GIF"}
_SHOWN = {PNG: "PNG", JPEG: "JPEG", WEBP: "WebP", GIF: "GIF"}
# Two at a time: decoding takes memory, and a crowd of pictures must not take the threads that others wait for.
_threads = ThreadPoolExecutor(2, thread_name_prefix="images")

# Pillow warns of what it takes for a bomb; to us it is one.
warnings.filterwarnings("error", category=Image.DecompressionBombWarning)


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
    if kind not in kinds or kind not in _FORMATS:
        raise ImageRefused(f"Choose a picture in {_listed(kinds)}; this file is none, whatever its name says.")
    return await asyncio.get_running_loop().run_in_executor(_threads, _decoded, data, kind, least, most_pixels, frame)


def _decoded(
    data: bytes, kind: str, least: tuple[int, int], most_pixels: int, frame: tuple[int, int] | None
) -> Picture:
    try:
        with Image.open(BytesIO(data), formats=[_FORMATS[kind]]) as opened:
            _check_size(opened.size, least, most_pixels)
            ImageFile.LOAD_TRUNCATED_IMAGES = False  # WeasyPrint sets it for everybody when it is imported
            opened.load()
            picture = upright(opened)
            return _encoded(picture, kind) if frame is None else _encoded(_framed(picture, frame), WEBP)
    except ImageRefused:
        raise
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise _too_many_pixels(most_pixels) from None
    except Exception as error:
        # Decoders fail in more ways than they document; whatever it is, the file is no picture.
        raise ImageRefused("This picture is damaged. Save it again and try once more.") from error


def _check_size(size: tuple[int, int], least: tuple[int, int], most_pixels: int) -> None:
    width, height = size
    if width * height > most_pixels:
        raise _too_many_pixels(most_pixels)
    if width < least[0] or height < least[1]:
        raise ImageRefused(f"At least {least[0]} × {least[1]} pixels; this picture has {width} × {height}.")


def _framed(picture: Image.Image, frame: tuple[int, int]) -> Image.Image:
    smaller = min(1.0, picture.width / frame[0], picture.height / frame[1])
    size = max(1, round(frame[0] * smaller)), max(1, round(frame[1] * smaller))
    mode = "RGBA" if picture.has_transparency_data else "RGB"
    return ImageOps.fit(picture.convert(mode), size, Image.Resampling.LANCZOS)


def _encoded(picture: Image.Image, kind: str) -> Picture:
    encoded = BytesIO()
    if kind == PNG:
        _bare(picture).save(encoded, "PNG", optimize=True)
    elif kind == GIF:
        _bare(picture).save(encoded, "GIF")
    elif kind == JPEG:
        _bare(picture.convert("L" if picture.mode == "L" else "RGB")).save(encoded, "JPEG", quality=90, optimize=True)
    else:
        mode = "RGBA" if picture.has_transparency_data else "RGB"
        _bare(picture.convert(mode)).save(encoded, "WEBP", quality=90)
    return Picture(kind, picture.width, picture.height, encoded.getvalue())


def _bare(picture: Image.Image) -> Image.Image:
    """Without the notes that Pillow would write again."""
    transparent = picture.info.get("transparency")
    bare = picture.copy()
    bare.info = {} if transparent is None else {"transparency": transparent}
    return bare


def _too_many_pixels(most: int) -> ImageRefused:
    return ImageRefused(f"At most {most / 1_000_000:g} million pixels; make the picture smaller.")


def _listed(kinds: Collection[str]) -> str:
    names = [_SHOWN[kind] for kind in kinds if kind in _SHOWN]
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)
