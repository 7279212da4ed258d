"""Small pictures of pictures and of pages."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from partita.kit.previews.pictures import picture_preview, small_picture
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.previews.thumbnails import thumbnail_of
from partita.kit.previews.uploaded import picture_anew
from tests.kit.previews.samples import pdf

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _picture(kind: str, size: tuple[int, int] = (800, 400), mode: str = "RGB") -> bytes:
    made = BytesIO()
    Image.new(mode, size, "red").save(made, kind)
    return made.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "AVIF"])
async def test_a_picture_is_made_small_and_keeps_its_shape(kind: str) -> None:
    found = await thumbnail_of(_picture(kind), width=100, height=100)
    assert (found.kind, found.width, found.height) == ("image/webp", 100, 50)
    with Image.open(BytesIO(found.data)) as opened:
        red, green, blue = opened.convert("RGB").getpixel((50, 25))  # type: ignore[misc]
        assert opened.size == (100, 50)
        assert red > 200 > 60 > max(green, blue)


async def test_a_small_picture_stays_as_large_as_it_is() -> None:
    found = await thumbnail_of(_picture("PNG", (30, 20)), width=100, height=100)
    assert (found.width, found.height) == (30, 20)


@given(grey=st.integers(0, 65_535), width=st.integers(1, 900), height=st.integers(1, 90))
@settings(max_examples=40, deadline=None)
def test_greys_of_sixteen_bits_are_seen_as_those_of_eight(grey: int, width: int, height: int) -> None:
    """A law: a scan or a figure is neither white nor damaged, however large it is."""
    made = BytesIO()
    Image.new("I;16", (width, height), grey).save(made, "PNG")
    data = made.getvalue()
    encoded = (
        small_picture(data, 200, 200)[2],
        *picture_preview(data, 200, 50),
        picture_anew(data, "PNG", (1, 1), 10**6, None)[2],
        picture_anew(data, "PNG", (1, 1), 10**6, (64, 64))[2],
    )
    for each in encoded:
        with Image.open(BytesIO(each)) as opened:
            assert abs(opened.convert("L").getpixel((0, 0)) - grey / 256) < 4  # type: ignore[operator]


async def test_an_icon_has_a_thumbnail() -> None:
    made = BytesIO()
    Image.new("RGBA", (64, 64), "blue").save(made, "ICO", sizes=[(16, 16), (64, 64)])
    found = await thumbnail_of(made.getvalue())
    assert (found.width, found.height) == (64, 64)


async def test_a_picture_is_upright_and_says_nothing_of_its_camera() -> None:
    made = BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    exif[0x010F] = "secret camera"
    Image.new("RGB", (200, 100)).save(made, "JPEG", exif=exif)
    found = await thumbnail_of(made.getvalue(), width=50, height=50)
    assert (found.width, found.height) == (25, 50)
    assert b"secret" not in found.data


async def test_a_page_of_a_pdf_has_a_picture() -> None:
    document = pdf("MMMMMMMMMM", "")
    first = await thumbnail_of(document, width=300, height=300)
    second = await thumbnail_of(document, width=300, height=300, page=1)
    assert first.height == second.height == 300
    with Image.open(BytesIO(first.data)) as written, Image.open(BytesIO(second.data)) as blank:
        assert written.convert("L").getextrema()[0] < 100  # type: ignore[operator]
        assert blank.convert("L").getextrema()[0] > 250  # type: ignore[operator]
    with pytest.raises(PreviewRefused, match="no page 3"):
        await thumbnail_of(document, page=2)


async def test_there_are_none_of_other_files() -> None:
    for data in (b"", b"text", b"<svg></svg>", b"PK\x03\x04"):
        with pytest.raises(PreviewRefused):
            await thumbnail_of(data)
