"""Pictures made small. Run in a process of its own (`in_child`)."""

from __future__ import annotations

import warnings
from io import BytesIO

from PIL import Image, ImageCms, ImageOps

from partita.kit.previews.refusals import PreviewRefused

MOST_PIXELS = 50_000_000
"""Decoded, that is 200 MB: more than a camera makes, and less than a process here may have."""

_FORMATS = ["PNG", "JPEG", "WEBP", "GIF", "AVIF", "ICO", "BMP"]


def small_picture(data: bytes, width: int, height: int) -> tuple[int, int, bytes]:
    """A picture that fits into so many pixels, upright, in sRGB, as WebP; its size comes first."""
    small = _small(data, width, height)
    made = BytesIO()
    small.save(made, "WEBP", quality=80)
    return small.width, small.height, made.getvalue()


def picture_preview(data: bytes, width: int, small: int) -> tuple[bytes, bytes]:
    """A small picture for lists, and one to look at, each at most so many pixels wide and twice as high."""
    large = _small(data, width, 2 * width)
    made = BytesIO()
    large.save(made, "WEBP", quality=80)
    large.thumbnail((small, 2 * small), Image.Resampling.LANCZOS)
    return small_webp(large), made.getvalue()


def small_webp(picture: Image.Image, most_bytes: int = 45_000) -> bytes:
    """A picture as WebP of at most so many bytes, or as few as it can have."""
    for quality in (80, 65, 50, 35, 20, 5):
        made = BytesIO()
        picture.save(made, "WEBP", quality=quality)
        if made.tell() <= most_bytes:
            break
    return made.getvalue()


def _small(data: bytes, width: int, height: int) -> Image.Image:
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise _too_many()
            opened.draft("RGB", (width, height))  # a JPEG can be decoded smaller, in a fraction of the time
            opened.load()
            small = upright(opened)
            small.thumbnail((width, height), Image.Resampling.LANCZOS)
            small = small.convert("RGBA" if small.has_transparency_data else "RGB")
    except PreviewRefused:
        raise
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        raise _too_many() from None
    except MemoryError:
        raise
    except Exception as error:
        # Decoders fail in more ways than they document; whatever it is, the file is no picture.
        raise PreviewRefused("This picture is damaged. Save it again and try once more.") from error
    small.info = {}
    return small


def upright(opened: Image.Image) -> Image.Image:
    """The pixels alone: turned as the camera said, in the colours that every screen assumes."""
    turned = _of_bytes(ImageOps.exif_transpose(opened))
    profile = opened.info.get("icc_profile")
    if profile:
        try:
            source = ImageCms.ImageCmsProfile(BytesIO(profile))
            mode = "RGBA" if turned.has_transparency_data else "RGB"
            base = turned.convert(mode) if turned.mode in ("P", "LA", "PA") else turned
            converted = ImageCms.profileToProfile(base, source, ImageCms.createProfile("sRGB"), outputMode=mode)
            if converted is not None:
                return converted
        except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
            pass  # a profile that nobody can read is left out like everything else
    return turned


def _of_bytes(picture: Image.Image) -> Image.Image:
    """A picture whose greys have 16 bits with 8: else all but the darkest would be cut off to white."""
    if not picture.mode.startswith("I"):
        return picture
    grey = picture.point(lambda value: value * (1 / 256)).convert("L")
    transparent = picture.info.get("transparency")
    grey.info = {**picture.info, **({"transparency": transparent >> 8} if isinstance(transparent, int) else {})}
    return grey


def _too_many() -> PreviewRefused:
    return PreviewRefused(f"At most {MOST_PIXELS // 1_000_000} million pixels; make the picture smaller.")
