"""Pictures are looked at before they are decoded, and kept as pixels only."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms

from partita.kit.files import ImageRefused, image_of
from partita.kit.files.content import GIF, JPEG, PNG, WEBP, kind_of
from partita.kit.previews import making
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.previews.uploaded import picture_anew
from partita.kit.problems import TooLarge

pytestmark = pytest.mark.anyio
MOST = 600_000


def _encoded(picture: Image.Image, kind: str, **settings: Any) -> bytes:
    made = BytesIO()
    picture.save(made, kind, **settings)
    return made.getvalue()


def _png_that_claims(width: int, height: int) -> bytes:
    """A PNG of a few bytes whose header promises a picture of any size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = chunk(b"IDAT", zlib.compress(b"\x00" * 1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + pixels + chunk(b"IEND", b"")


@pytest.mark.parametrize(("format", "kind"), [("PNG", PNG), ("JPEG", JPEG), ("WEBP", WEBP)])
async def test_a_picture_is_taken_for_what_it_is(format: str, kind: str) -> None:
    found = await image_of(_encoded(Image.new("RGB", (80, 64), "teal"), format), most_bytes=MOST)
    assert (found.kind, found.width, found.height) == (kind, 80, 64)
    assert kind_of(found.data) == kind
    with Image.open(BytesIO(found.data)) as again:
        red, green, blue = again.convert("RGB").getpixel((5, 5))  # type: ignore[misc]
        assert abs(red - 0) < 6
        assert abs(green - 128) < 6
        assert abs(blue - 128) < 6


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
async def test_every_sort_of_pixels_is_kept(mode: str) -> None:
    found = await image_of(_encoded(Image.new(mode, (64, 64)), "PNG"), most_bytes=MOST)
    with Image.open(BytesIO(found.data)) as again:
        assert again.size == (64, 64)


@pytest.mark.parametrize("format", ["PNG", "WEBP"])
async def test_what_is_transparent_stays_so(format: str) -> None:
    picture = Image.new("RGBA", (64, 64), (255, 0, 0, 0))
    picture.paste((0, 0, 255, 255), (0, 0, 32, 64))
    found = await image_of(_encoded(picture, format), most_bytes=MOST)
    with Image.open(BytesIO(found.data)) as again:
        alpha = again.convert("RGBA").getchannel("A")
        assert (alpha.getpixel((5, 5)), alpha.getpixel((60, 5))) == (255, 0)


async def test_a_palette_keeps_its_transparent_colour() -> None:
    picture = Image.new("P", (64, 64), 1)
    picture.putpalette([0, 0, 0, 255, 0, 0, 0, 0, 255])
    picture.paste(2, (0, 0, 32, 64))
    found = await image_of(_encoded(picture, "PNG", transparency=1), most_bytes=MOST)
    with Image.open(BytesIO(found.data)) as again:
        shown = again.convert("RGBA")
        assert (shown.getpixel((5, 5)), shown.getpixel((60, 5))) == ((0, 0, 255, 255), (255, 0, 0, 0))


async def test_where_it_was_taken_is_forgotten_and_it_stands_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    exif[0x010E] = "at home"
    exif.get_ifd(0x8825)[1] = "N"
    picture = _encoded(Image.new("RGB", (120, 70), "teal"), "JPEG", exif=exif, comment=b"do not tell")
    assert b"at home" in picture
    found = await image_of(picture, most_bytes=MOST)
    assert (found.width, found.height) == (70, 120)
    assert b"at home" not in found.data
    assert b"do not tell" not in found.data
    with Image.open(BytesIO(found.data)) as again:
        assert not again.getexif()
        assert again.size == (70, 120)


async def test_what_hides_behind_a_picture_is_gone() -> None:
    hidden = _encoded(Image.new("RGB", (64, 64)), "PNG") + b"<script>alert(1)</script>"
    found = await image_of(hidden, most_bytes=MOST)
    assert b"script" not in found.data


async def test_colours_are_turned_into_those_that_every_screen_assumes() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    srgb = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for kept in (profile, srgb, b"no profile at all"):
        picture = _encoded(Image.new("RGB", (64, 64), "teal"), "PNG", icc_profile=kept)
        found = await image_of(picture, most_bytes=MOST)
        with Image.open(BytesIO(found.data)) as again:
            assert "icc_profile" not in again.info


async def test_printers_colours_become_a_screens() -> None:
    found = await image_of(_encoded(Image.new("CMYK", (64, 64)), "JPEG"), most_bytes=MOST)
    with Image.open(BytesIO(found.data)) as again:
        assert again.mode == "RGB"


async def test_of_a_moving_picture_the_first_moment_stays() -> None:
    frames = [Image.new("RGB", (64, 64), colour) for colour in ("red", "green", "blue")]
    moving = _encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    found = await image_of(moving, kinds=[GIF], most_bytes=MOST)
    with Image.open(BytesIO(found.data)) as again:
        assert getattr(again, "n_frames", 1) == 1


async def test_a_picture_of_too_many_bytes_is_too_large() -> None:
    with pytest.raises(TooLarge, match=r"At most 1 KB; this picture has 2 KB\."):
        await image_of(b"\x89PNG\r\n\x1a\n" + b"x" * 1_500, most_bytes=1_000)


@pytest.mark.parametrize(
    "data", [b"", b"<svg/>", b"<html>", b"%PDF-1.7", _encoded(Image.new("RGB", (64, 64)), "GIF"), b"\x00\x01"]
)
async def test_what_is_no_picture_of_the_wanted_kinds_is_refused(data: bytes) -> None:
    with pytest.raises(ImageRefused, match="Choose a picture in PNG, JPEG or WebP"):
        await image_of(data, most_bytes=MOST)


async def test_a_picture_that_is_too_small_is_refused_with_its_size() -> None:
    with pytest.raises(ImageRefused, match=r"At least 64 × 64 pixels; this picture has 64 × 63\."):
        await image_of(_encoded(Image.new("RGB", (64, 63)), "PNG"), most_bytes=MOST)


@pytest.mark.parametrize("size", [(4_001, 4_000), (10_000, 10_000), (20_000, 20_000), (100_000, 100_000)])
async def test_a_bomb_is_refused_before_it_is_decoded(size: tuple[int, int]) -> None:
    with pytest.raises(ImageRefused, match=r"At most 16 million pixels; make the picture smaller\."):
        await image_of(_png_that_claims(*size), most_bytes=MOST)


async def test_a_picture_that_ends_too_early_is_refused() -> None:
    for format in ("PNG", "JPEG", "WEBP"):
        noise = Image.effect_noise((200, 200), 90).convert("RGB")
        data = _encoded(noise, format)
        with pytest.raises(ImageRefused, match="This picture is damaged"):
            await image_of(data[: len(data) // 2], most_bytes=MOST)


@settings(deadline=None, max_examples=60)
@given(format=st.sampled_from(["PNG", "JPEG", "WEBP"]), position=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_a_damaged_picture_is_taken_or_refused_and_nothing_else(format: str, position: int, byte: int) -> None:
    data = bytearray(_encoded(Image.new("RGB", (64, 64), "teal"), format))
    data[position % len(data)] = byte
    try:
        _, _, anew = picture_anew(bytes(data), format, (64, 64), 1_000_000, None)
    except PreviewRefused:
        return
    assert kind_of(anew) == f"image/{format.lower()}"


@pytest.mark.parametrize(
    ("limit", "most", "said"), [("SECONDS", 0.01, "takes longer than"), ("MEGABYTES", 60, "more memory than")]
)
async def test_a_picture_is_decoded_in_a_process_with_limits_and_not_in_the_server(
    limit: str, most: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, limit, most)
    with pytest.raises(ImageRefused, match=said):
        await image_of(_encoded(Image.new("RGB", (4_000, 4_000)), "PNG"), most_bytes=MOST)


@pytest.mark.parametrize("size", [(64, 64), (65, 900), (1600, 70), (720, 1080), (361, 541)])
@pytest.mark.parametrize("frame", [(360, 540), (176, 176), (1200, 600)])
async def test_a_frame_gives_the_shape_and_the_largest_size(size: tuple[int, int], frame: tuple[int, int]) -> None:
    """Cut, not squeezed: what is in the middle stays in the middle, and nothing is made larger than it was."""
    picture = Image.new("RGB", size, "white")
    middle = (size[0] // 2 - 8, size[1] // 2 - 8, size[0] // 2 + 8, size[1] // 2 + 8)
    picture.paste((200, 0, 0), middle)
    found = await image_of(_encoded(picture, "PNG"), most_bytes=MOST, frame=frame)
    assert found.kind == WEBP
    assert found.width <= min(frame[0], size[0])
    assert found.height <= min(frame[1], size[1])
    assert abs(found.width * frame[1] - found.height * frame[0]) <= max(frame), "the shape of the frame"
    with Image.open(BytesIO(found.data)) as seen:
        red, green, _ = seen.convert("RGB").getpixel((found.width // 2, found.height // 2))  # type: ignore[misc]
        assert red > 150
        assert green < 120
