"""Documents that were made to do harm: refused in words or survived, in time, in bounded memory, and we go on."""

from __future__ import annotations

import random
import resource
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import date

import pytest

from partita.apps.newsletter.service.reading.reading import Reading, read_in
from partita.kit.previews.refusals import PreviewRefused
from tests.apps.newsletter.reading.samples import packed
from tests.kit.previews.samples import docx, paragraph, pdf, zip_bomb

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def _read(data: bytes) -> Reading:
    return await read_in(data, "s1", date(2026, 11, 16))


_LAUGHS = '<!DOCTYPE d [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + step)} "{f"&{chr(97 + step)};" * 10}">' for step in range(9)
)
_ENCRYPTED = b"/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O (%s) /U (%s) >> /ID [<00> <00>]" % (
    b"o" * 32,
    b"u" * 32,
)

REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "a DOCX that unpacks to 500 MB": (lambda: zip_bomb(500), "unpacks to more"),
    "a DOCX that unpacks a thousandfold": (lambda: zip_bomb(30), "unpacks to more"),
    "a DOCX with entities that unfold": (lambda: docx(paragraph("&j;"), head=f"{_LAUGHS}]>"), "document type"),
    "a DOCX that wants our files": (
        lambda: docx(paragraph("&x;"), head='<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
        "document type",
    ),
    "a DOCX nested without end": (lambda: docx("<w:tbl>" * 50_000), "nested deeper"),
    "a DOCX that is cut": (lambda: docx(paragraph("x " * 3_000))[:-200], "damaged"),
    "a PDF that is cut": (lambda: pdf("x")[:200], "damaged"),
    "a PDF of noise": (lambda: b"%PDF-1.7\n" + random.Random(1).randbytes(200_000), "damaged"),
    "a PDF with a password": (lambda: pdf("x").replace(b"trailer << ", b"trailer << " + _ENCRYPTED), "password"),
    "a PDF of 2,001 pages": (lambda: pdf(*["x"] * 2_001), "2,000"),
    "a PDF of pictures": (lambda: pdf("x", "x", "x", stream=packed(b"0 0 m 100 100 l S")), "pictures of text"),
    "50 MB of text": (lambda: b"All the words there are. " * 2_000_000, "30 MB"),
    "12 MB of text": (lambda: b"All the words there are. " * 480_000, "10 million characters"),
    "more than any file may have": (lambda: b"x" * 50_000_001, "50 MB"),
}


@pytest.mark.parametrize("what", REFUSED)
async def test_a_hostile_document_is_refused_in_words(what: str) -> None:
    make, why = REFUSED[what]
    data = make()
    begun = time.monotonic()
    with pytest.raises(PreviewRefused, match=why):
        await _read(data)
    assert time.monotonic() - begun < 70


async def test_pages_full_of_scripts_and_nesting_are_read_without_them() -> None:
    page = (
        b"<html><head><script>var stolen=1</script><style>p{}</style></head><body onload='steal()'>"
        + b"<div>" * 100_000
        + b"<p>Maize rose.</p><noscript>stolen</noscript><iframe src=x>stolen</iframe><svg><text>stolen</text></svg>"
        + b"<table>" * 5_000
        + b"<p><a href='javascript:steal()'>A link.</a></p>"
    )
    found = await _read(page)
    text = " ".join(passage.text for passage in found.passages)
    assert "Maize rose." in text
    assert "A link." in text
    assert "stol" not in text
    assert "steal" not in text


async def test_a_pdf_that_unpacks_to_300_mb_comes_to_an_end() -> None:
    packer = zlib.compressobj(9)
    unit = b"BT /F1 9 Tf 9 9 Td (maize) Tj ET " * 30_000
    stream = b"".join(packer.compress(unit) for _ in range(300)) + packer.flush()
    begun = time.monotonic()
    with pytest.raises(PreviewRefused):
        await _read(pdf("x", stream=stream))
    assert time.monotonic() - begun < 70


async def test_a_text_of_9_million_characters_is_read_in_bounded_memory_and_small_ones_after_it() -> None:
    text = ("# Part\n\n" + "The long rains came late and the maize was planted again in May. " * 200 + "\n\n") * 680
    assert len(text) > 8_500_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = await _read(text.encode())
    assert found.words > 1_500_000
    assert len(found.passages) > 8_000
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 250_000  # KB: the text itself, its bytes, and what came back
    assert (await _read(b"Maize rose. Prices fell.")).words == 4


async def test_random_damage_is_refused_or_read_but_nothing_worse() -> None:
    noise = random.Random(7)
    for whole in (pdf("Maize rose in the north", "Prices fell again"), docx(paragraph("Maize rose again."))):
        for _ in range(4):
            broken = bytearray(whole)
            for _ in range(12):
                broken[noise.randrange(8, len(broken))] = noise.randrange(256)
            with suppress(PreviewRefused):
                found = await _read(bytes(broken))
                assert found.words > 0
