"""Files are read in with their structure, whatever they are."""

from __future__ import annotations

import itertools
from datetime import date
from io import BytesIO
from zipfile import ZipFile

import pytest

from partita.apps.newsletter.service.reading import reading
from partita.apps.newsletter.service.reading.reading import Reading, read_in
from partita.kit.previews.refusals import PreviewRefused
from tests.apps.newsletter.reading.samples import report
from tests.kit.previews.samples import docx, paragraph

pytestmark = pytest.mark.anyio
TODAY = date(2026, 11, 16)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _archive_of(name: str) -> bytes:
    made = BytesIO()
    with ZipFile(made, "w") as archive:
        archive.writestr(name, "x")
    return made.getvalue()


async def _read(data: bytes) -> Reading:
    return await read_in(data, "s1", TODAY)


async def test_a_report_as_pdf() -> None:
    found = await _read(report(6))
    assert (found.kind, found.title, found.pages, found.language) == ("pdf", "Annual report 2026", 6, "en")
    texts = " ".join(passage.text for passage in found.passages)
    assert "Annual report of the institute" not in texts
    assert "/ 6" not in texts
    first = [passage for passage in found.passages if passage.page == 1]
    assert [(passage.kind, passage.heading) for passage in first] == [
        ("text", "1. Prices in district 1"),
        ("table", "1. Prices in district 1"),
        ("text", "1. Prices in district 1"),
    ]
    assert first[1].text == (
        "Table 1: Price of maize per bag\n\nMarket | Price | Change\n"
        "Town 1 | 4001 | 1 %\nTown 2 | 4002 | 2 %\nTown 3 | 4003 | 3 %"
    )
    assert first[2].text == "- Buy early.\n- Store dry."
    assert first[0].text.count("\n\n") == 2


async def test_a_word_document_with_headings_and_tables() -> None:
    def row(*cells: str) -> str:
        return "<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in cells) + "</w:tr>"

    body = (
        paragraph("Brief on fodder", "Heading1")
        + paragraph("Fodder was scarce on 3 May 2026 in the dry lowlands of the region.")
        + paragraph("Table 1. Stocks")
        + "<w:tbl>"
        + row("Place", "Tonnes")
        + row("Garissa", "12")
        + "</w:tbl><w:p><w:r><w:lastRenderedPageBreak/></w:r></w:p>"
        + paragraph("References", "Heading1")
        + paragraph("Otieno, J. 2019. On fodder.")
    )
    found = await _read(docx(body))
    assert (found.kind, found.title, found.published, found.pages) == ("docx", "Brief on fodder", "2026-05-03", 2)
    assert [(p.kind, p.page, p.text) for p in found.passages] == [
        ("text", 1, "Fodder was scarce on 3 May 2026 in the dry lowlands of the region."),
        ("table", 1, "Table 1. Stocks\n\nPlace | Tonnes\nGarissa | 12"),
        ("references", 2, "Otieno, J. 2019. On fodder."),
    ]


async def test_of_a_page_the_main_part_is_read() -> None:
    found = await _read(
        b"<!doctype html><html lang=en-GB><head><title>Rains | Site</title>"
        b"<meta property='article:published_time' content='2026-02-03T08:00:00Z'></head><body>"
        b"<header><a href=/>Home</a> <a href=/x>News</a></header><nav>Menu</nav><aside>Subscribe now</aside>"
        b"<main><h1>The long rains</h1><p>They came late &amp; were short.</p><script>alert('stolen')</script>"
        b"<table><tr><th>Place<th>mm<tr><td>Kitui<td>120</table></main><footer>Imprint</footer>"
    )
    assert (found.kind, found.title, found.published, found.language) == ("html", "Rains | Site", "2026-02-03", "en")
    assert [p.text for p in found.passages] == ["They came late & were short.", "Place | mm\nKitui | 120"]
    assert found.passages[0].heading == "The long rains"


@pytest.mark.parametrize(
    ("written", "title", "publisher"),
    [
        ("The long rains | Rain Institute", "The long rains", "Rain Institute"),
        ("Rain Institute – The Long Rains", "The Long Rains", "Rain Institute"),
        ("The long rains - News - Rain Institute", "The long rains", "News - Rain Institute"),
        ("The long rains", "The long rains", ""),
        ("The long-rains – a study", "The long-rains – a study", ""),
        ("Rains | Rain Institute", "Rains | Rain Institute", ""),
    ],
)
async def test_the_title_of_a_page_is_without_the_name_of_its_site(written: str, title: str, publisher: str) -> None:
    heading = "The long rains" if "-rains" not in written else written
    found = await _read(
        f"<!doctype html><html><head><title>{written}</title></head><body><main><h1>{heading}</h1>"
        "<p>They came late and were short.</p></main></body></html>".encode()
    )
    assert (found.title, found.publisher) == (title, publisher)


async def test_a_table_of_a_page_is_one_passage_with_its_caption() -> None:
    found = await _read(
        b"<!doctype html><html><body><main><h1>Rains</h1><p>They came late.</p><table><caption>Rain in March</caption>"
        b"<tr><th>Place<th>mm<tr><td>Kitui<td>120</table><p>They were short.</p></main>"
    )
    assert [(p.kind, p.text) for p in found.passages] == [
        ("text", "They came late."),
        ("table", "Rain in March\n\nPlace | mm\nKitui | 120"),
        ("text", "They were short."),
    ]


async def test_of_a_page_without_main_the_densest_part_is_read() -> None:
    prose = "The long rains came late this year and many farmers planted again in May when they began. " * 3
    found = await _read(
        f"<html><body><div class=top><ul><li><a href=1>Home</a><li><a href=2>About us</a></ul></div>"
        f"<div><div><h1>Rains</h1><p>{prose}</p><h2>Short one</h2><p>Yes.</p><p>{prose}</p></div>"
        f"<div>Share this</div></div><div>Contact</div></body></html>".encode()
    )
    text = "\n".join(p.text for p in found.passages)
    assert "Yes." in text
    assert not any(word in text for word in ("Home", "About", "Share", "Contact"))


async def test_texts_in_three_scripts_know_their_language_and_day() -> None:
    amharic = await _read("ዝናብ በመጋቢት 3 ቀን 2018 ዓ.ም. ጀመረ። ገበሬዎች ዘሩ እና ጥሩ ነው።".encode())
    arabic = await _read("هطل المطر في 12 مارس 2026. زرع المزارعون الذرة في الحقول.".encode())
    assert (amharic.kind, amharic.language, amharic.published) == ("text", "am", "2026-03-12")
    assert (arabic.kind, arabic.language, arabic.published) == ("text", "ar", "2026-03-12")


async def test_a_long_text_is_read_the_same_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n\n".join(
        f"# Part {n}\n\n" + "Maize rose in the north of the region again. " * 30 for n in range(40)
    ).encode()
    here = await _read(text)
    monkeypatch.setattr(reading, "_SHORT", 10)
    assert await _read(text) == here


async def test_a_source_read_again_keeps_the_ids_of_what_has_not_changed() -> None:
    parts = [f"# Part {n}\n\n" + f"Maize of field {n} rose in the north again. " * 20 for n in range(6)]
    before = await _read("\n\n".join(parts).encode())
    after = await _read("\n\n".join([*parts[:2], "# New\n\nSomething else came.", *parts[2:]]).encode())
    ids = [{p.chunk_id for p in found.passages} for found in (before, after)]
    assert ids[0] < ids[1]
    assert len(ids[1]) == len(ids[0]) + 1


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "The file is empty"),
        (b"   \n ", "no text"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 50, "none of the kinds"),
        (b"PK\x03\x04" + b"\0" * 60, "The file is damaged: its end is missing"),
        (_archive_of("notes.bin"), "none of the kinds"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old Word"),
        (b"<?xml version='1.0'?><a>b</a>", "none of the kinds"),
        (b"\x00\x01\x02\x03" * 100, "none of the kinds"),
    ],
)
async def test_what_cannot_be_read_is_refused_in_words(data: bytes, why: str) -> None:
    with pytest.raises(PreviewRefused, match=why):
        await _read(data)


async def test_passages_of_a_report_join_to_its_text() -> None:
    found = await _read(report(4))
    for before, after in itertools.pairwise(found.passages):
        assert after.start > before.start
        overlap = before.start + len(before.text) - after.start
        assert overlap <= 0 or before.text.endswith(after.text[:overlap])
