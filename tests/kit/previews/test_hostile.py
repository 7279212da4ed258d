"""Files that were made to do harm are refused, in time, and the server goes on."""

from __future__ import annotations

import random
import time
import zlib
from contextlib import suppress
from io import BytesIO

import pytest
from PIL import Image

from partita.kit.previews import making
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.previews.texts import text_in
from partita.kit.previews.thumbnails import thumbnail_of
from tests.kit.previews.samples import docx, paragraph, pdf, png_bomb, zip_bomb

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


_LAUGHS = '<!DOCTYPE d [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + step)} "{f"&{chr(97 + step)};" * 10}">' for step in range(9)
)

HOSTILE_DOCX = {
    "unpacks to 500 MB": lambda: zip_bomb(500),
    "unfolds entities": lambda: docx(paragraph("&j;"), head=f"{_LAUGHS}]>"),
    "reads a file": lambda: docx(paragraph("&x;"), head='<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    "is nested 100,000 deep": lambda: docx("<w:p>" * 100_000 + "</w:p>" * 100_000),
    "has 10,000 parts": lambda: docx("", extra={f"x/{number}": b"" for number in range(10_000)}),
    "is cut": lambda: docx(paragraph("x" * 5_000))[:-300],
    "has no body": lambda: docx("").replace(b"word/document.xml", b"word/documend.xml"),
    "is no XML": lambda: docx("<w:p><w:oops></w:p>"),
}

HOSTILE_PDF = {
    "is cut": lambda: pdf("x")[:200],
    "is noise": lambda: b"%PDF-1.7\n" + random.Random(1).randbytes(100_000),
    "has no pages": lambda: pdf(),
    "has pages that are their own children": lambda: pdf("x").replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"),
}


@pytest.mark.parametrize("how", HOSTILE_DOCX)
async def test_a_hostile_document_is_refused(how: str) -> None:
    data = HOSTILE_DOCX[how]()
    begun = time.monotonic()
    with pytest.raises(PreviewRefused):
        await text_in(data)
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("how", HOSTILE_PDF)
async def test_a_hostile_pdf_is_refused(how: str) -> None:
    data = HOSTILE_PDF[how]()
    begun = time.monotonic()
    with pytest.raises(PreviewRefused):
        await thumbnail_of(data)
    with pytest.raises(PreviewRefused):
        await text_in(data)
    assert time.monotonic() - begun < 10


async def test_a_pdf_that_unpacks_without_end_comes_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """300 MB of drawing in 300 KB: it runs into its memory or its time, or it draws what fits; the server goes on."""
    monkeypatch.setattr(making, "SECONDS", 4.0)
    packer = zlib.compressobj(9)
    unit = b"0 0 m 600 700 l S " * 50_000
    packed = b"".join(packer.compress(unit) for _ in range(333)) + packer.flush()
    begun = time.monotonic()
    with suppress(PreviewRefused):
        await thumbnail_of(pdf("x", stream=packed))
    assert time.monotonic() - begun < 10


async def test_a_page_of_any_size_is_drawn_as_large_as_is_wanted() -> None:
    found = await thumbnail_of(pdf("x", size=(14_000_000, 14_000_000)), width=200, height=200)
    assert max(found.width, found.height) <= 201
    try:
        thin = await thumbnail_of(pdf("x", size=(14_000_000, 1)), width=200, height=200)
    except PreviewRefused:
        return
    assert max(thin.width, thin.height) <= 201


@pytest.mark.parametrize("size", [(30_000, 30_000), (60_000, 60_000)])
async def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded(size: tuple[int, int]) -> None:
    bomb = png_bomb(*size)
    begun = time.monotonic()
    with pytest.raises(PreviewRefused, match="million pixels"):
        await thumbnail_of(bomb)
    assert time.monotonic() - begun < 30


async def test_a_broken_picture_is_refused_wherever_it_breaks() -> None:
    made = BytesIO()
    Image.effect_noise((200, 200), 50).save(made, "PNG")
    whole = made.getvalue()
    for end in (20, 100, len(whole) // 2):
        with pytest.raises(PreviewRefused):
            await thumbnail_of(whole[:end])
    noise = random.Random(2)
    for _ in range(3):
        broken = bytearray(whole)
        for _ in range(50):
            broken[noise.randrange(8, len(broken))] = noise.randrange(256)
        with pytest.raises(PreviewRefused):
            await thumbnail_of(bytes(broken))


async def test_what_takes_too_long_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "SECONDS", 0.01)
    with pytest.raises(PreviewRefused, match="takes longer than"):
        await text_in(pdf("x"))


async def test_what_takes_too_much_memory_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "MEGABYTES", 150)
    made = BytesIO()
    Image.new("RGB", (7_000, 7_000)).save(made, "PNG")
    with pytest.raises(PreviewRefused, match="memory"):
        await thumbnail_of(made.getvalue())
