"""Pictures that people upload, encoded anew. Run in a process of its own (`in_child`)."""

from __future__ import annotations

import warnings
from io import BytesIO

from PIL import Image, ImageOps

from partita.kit.previews.pictures import upright
from partita.kit.previews.refusals import PreviewRefused

Size = tuple[int, int]


def picture_anew(data: bytes, format: str, least: Size, most_pixels: int, frame: Size | None) -> tuple[int, int, bytes]:
    """The pixels of a PNG, JPEG, WEBP or GIF in the same format, or cut to a frame and as WebP; their size comes
    first."""
    # Pillow warns of what it takes for a bomb; to us it is one.
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    try:
        with Image.open(BytesIO(data), formats=[format]) as opened:
            _check_size(opened.size, least, most_pixels)
            opened.load()
            picture = upright(opened)
            encoded = _encoded(picture, format) if frame is None else _encoded(_framed(picture, frame), "WEBP")
    except (PreviewRefused, MemoryError):
        raise
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise _too_many_pixels(most_pixels) from None
    except Exception as error:
        # Decoders fail in more ways than they document; whatever it is, the file is no picture.
        raise PreviewRefused("This picture is damaged. Save it again and try once more.") from error
    return encoded


def _check_size(size: Size, least: Size, most_pixels: int) -> None:
    width, height = size
    if width * height > most_pixels:
        raise _too_many_pixels(most_pixels)
    if width < least[0] or height < least[1]:
        raise PreviewRefused(f"At least {least[0]} × {least[1]} pixels; this picture has {width} × {height}.")


def _framed(picture: Image.Image, frame: Size) -> Image.Image:
    smaller = min(1.0, picture.width / frame[0], picture.height / frame[1])
    size = max(1, round(frame[0] * smaller)), max(1, round(frame[1] * smaller))
    mode = "RGBA" if picture.has_transparency_data else "RGB"
    return ImageOps.fit(picture.convert(mode), size, Image.Resampling.LANCZOS)


def _encoded(picture: Image.Image, format: str) -> tuple[int, int, bytes]:
    encoded = BytesIO()
    if format == "PNG":
        _bare(picture).save(encoded, "PNG", optimize=True)
    elif format == "GIF":
        _bare(picture).save(encoded, "GIF")
    elif format == "JPEG":
        _bare(picture.convert("L" if picture.mode == "L" else "RGB")).save(encoded, "JPEG", quality=90, optimize=True)
    else:
        mode = "RGBA" if picture.has_transparency_data else "RGB"
        _bare(picture.convert(mode)).save(encoded, "WEBP", quality=90)
    return picture.width, picture.height, encoded.getvalue()


def _bare(picture: Image.Image) -> Image.Image:
    """Without the notes that Pillow would write again."""
    transparent = picture.info.get("transparency")
    bare = picture.copy()
    bare.info = {} if transparent is None else {"transparency": transparent}
    return bare


def _too_many_pixels(most: int) -> PreviewRefused:
    return PreviewRefused(f"At most {most / 1_000_000:g} million pixels; make the picture smaller.")
