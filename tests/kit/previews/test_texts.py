"""The text of files, whatever they are."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from io import BytesIO

import pytest
from docx import Document
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.kit.previews import making, texts
from partita.kit.previews.blocks import Block, markdown_of
from partita.kit.previews.docx import docx_blocks
from partita.kit.previews.office import sheets_text, slides_text
from partita.kit.previews.refusals import PreviewRefused
from partita.kit.previews.texts import page_text, plain_text, text_in
from tests.kit.previews.samples import docx, office, paragraph, pdf

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_the_text_of_a_pdf() -> None:
    found = await text_in(pdf("Hello there", "The second page", title="A paper"))
    assert (found.title, found.pages, found.complete) == ("A paper", 2, True)
    assert found.plain == "Hello there\n\nThe second page"


async def test_the_text_of_a_docx_with_its_structure() -> None:
    styles = (
        '<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>'
        '<w:style w:styleId="Aufzhlung"><w:name w:val="List Bullet"/></w:style>'
    )
    body = (
        paragraph("A report", "Title")
        + paragraph("What we saw", "berschrift2")
        + paragraph("Ten &amp; more – in all.")
        + paragraph("one", depth=0)
        + paragraph("one and a half", depth=1)
        + paragraph("two", "Aufzhlung")
        + "<w:tbl><w:tr><w:tc>"
        + paragraph("a cell")
        + "</w:tc></w:tr></w:tbl>"
        + "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>"
        + "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    )
    found = await text_in(docx(body, styles=styles, core="Report 2026"))
    assert found.title == "Report 2026"
    assert found.blocks == (
        Block("heading", "A report", 1),
        Block("heading", "What we saw", 2),
        Block("paragraph", "Ten & more – in all."),
        Block("item", "one", 1),
        Block("item", "one and a half", 2),
        Block("item", "two", 1),
        Block("paragraph", "a cell"),
        Block("paragraph", "a b c"),
    )
    assert found.markdown.startswith(
        "# A report\n\n## What we saw\n\nTen & more – in all.\n\n- one\n  - one and a half\n- two\n\n"
    )


async def test_a_table_of_a_docx_is_one_block_and_a_box_around_text_is_text() -> None:
    def table(*rows: tuple[str, ...]) -> str:
        made = "".join("<w:tr>" + "".join(f"<w:tc>{paragraph(c)}</w:tc>" for c in row) + "</w:tr>" for row in rows)
        return f"<w:tbl>{made}</w:tbl>"

    inner = "<w:tbl><w:tr><w:tc>" + table(("a", "b"), ("c", "d")) + "</w:tc></w:tr></w:tbl>"
    found = await text_in(docx(table(("Town", "KES"), ("Nairobi", "4|100")) + table(("A box",)) + inner))
    assert found.blocks == (
        Block("table", "Town | KES\nNairobi | 4¦100"),
        Block("paragraph", "A box"),
        Block("paragraph", "a b c d"),
    )
    assert found.markdown.startswith("| Town | KES |\n| --- | --- |\n| Nairobi | 4¦100 |")


@pytest.mark.parametrize("told", [None, datetime(2026, 11, 5, tzinfo=UTC)])
def test_the_day_of_a_template_is_not_the_day_of_the_documents_made_with_it(told: datetime | None) -> None:
    made = Document()
    made.add_paragraph("The council met.")
    if told is not None:
        made.core_properties.created = told
    file = BytesIO()
    made.save(file)
    assert docx_blocks(file.getvalue())[1][:10] == ("" if told is None else "2026-11-05")


async def test_pages_of_a_docx_are_those_that_word_has_laid_out() -> None:
    body = paragraph("one") + "<w:p><w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r></w:p>"
    assert [block.page for block in (await text_in(docx(body))).blocks] == [1, 2]
    assert [block.page for block in (await text_in(docx(paragraph("one")))).blocks] == [None]


_TWICE = "<x:AlternateContent xmlns:x='x'><x:Choice>{0}</x:Choice><x:Fallback>{0}</x:Fallback></x:AlternateContent>"


async def test_what_a_document_says_twice_for_programs_is_read_once() -> None:
    box = _TWICE.format(f"<w:txbxContent>{paragraph('In the box.')}</w:txbxContent>")
    moved = "<w:r><w:t>Moved words.</w:t></w:r>"
    begun = f"<w:p><w:r><w:t>Before.</w:t>{box}</w:r><w:moveFrom>{moved}</w:moveFrom></w:p>"
    body = f"{begun}<w:p><w:moveTo>{moved}</w:moveTo></w:p>"
    assert (await text_in(docx(body))).plain == "Before.\n\nIn the box.\n\nMoved words."
    cell = "<sst><si><r><t>東</t></r><r><t>京</t></r><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si></sst>"
    assert sheets_text(office("xl/worksheets/sheet1.xml", "<worksheet/>", "xl/sharedStrings.xml", cell))[0] == ["東京"]


@given(st.lists(st.text("abcäሰ", min_size=1), min_size=1, max_size=5))
def test_line_breaks_on_slides_part_words(words: list[str]) -> None:
    """A law: each word of a paragraph is a word of its text, whatever stands between two."""
    drawn = "<a:br/>".join(f"<a:r><a:t>{word}</a:t></a:r>" for word in words)
    slide = f'<p:sld xmlns:p="p" xmlns:a="a"><a:p>{drawn}</a:p></p:sld>'
    assert slides_text(office("ppt/slides/slide1.xml", slide))[0] == [" ".join(words)]


async def test_the_text_of_a_page() -> None:
    found = await text_in(
        b"<!doctype html><title>T</title><nav><a href=/>Home</a></nav><h1>Top</h1><p>One <b>bold</b> word."
        b"<ul><li>a<ul><li>b</ul><li>c</ul><footer>Imprint</footer>"
    )
    assert found.title == "T"
    assert found.markdown == "# Top\n\nOne bold word.\n\n- a\n  - b\n- c"


@pytest.mark.parametrize("charset", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
async def test_plain_text_in_any_usual_character_set(charset: str) -> None:
    found = await text_in("Über die Lüge\r\nund mehr\r\n\r\nzweitens".encode(charset))
    assert found.plain == "Über die Lüge\nund mehr\n\nzweitens"


_LINE = "<p>Überall ist es grün.</p>\n\n".encode()


@pytest.mark.parametrize("start", [b"", b"<!doctype html><title>T</title>"], ids=["plain", "html"])
@pytest.mark.parametrize("size", [900_000, 2_000_000])
async def test_a_large_page_or_text_is_read_in_a_process_and_says_the_same(start: bytes, size: int) -> None:
    data = start + (start or b"x") + _LINE * (size // len(_LINE))
    kept = plain_text(data) if not start else page_text(data)
    found = await text_in(data)
    assert (found.title, [(block.kind, block.text, block.level) for block in found.blocks], found.complete) == kept


@pytest.mark.parametrize("limit", ["SECONDS", "MEGABYTES"])
@pytest.mark.parametrize("start", [b"x", b"<!doctype html>"], ids=["plain", "html"])
async def test_a_large_page_or_text_that_takes_too_much_is_refused(
    limit: str, start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, limit, {"SECONDS": 0.01, "MEGABYTES": 80}[limit])
    assert (await text_in(start + _LINE)).complete
    with pytest.raises(PreviewRefused, match=r"takes longer than|more memory than"):
        await text_in(start + _LINE * 600_000)


@pytest.mark.parametrize("more", range(4))
async def test_of_a_huge_text_the_beginning_is_read_in_its_own_letters(
    more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "MOST_READ", 1_001 + more)
    found = await text_in("ü€𝄞 ".encode() * 1_000)
    assert set(found.plain) == set("ü€𝄞 ")
    assert not found.complete


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG\r\n\x1a\nx", b"MZ\x90\x00\x03\0\0\0", b"PK\x03\x04" + b"\0" * 40, b"\xff\x00\x01\x02" * 9]
)
async def test_what_holds_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(PreviewRefused):
        await text_in(data)


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1).filter(str.strip))
@settings(max_examples=100)
def test_plain_text_loses_nothing_but_blank_lines_at_its_ends(text: str) -> None:
    if "<" in text or text.startswith(("%PDF-", "PK", "RIFF", "GIF8", "\ufeff")):
        return
    found = asyncio.run(text_in(text.encode()))
    assert found.plain.strip("\n") == text.strip("\n")


@given(st.lists(st.sampled_from(["plain", "# x", "- x", "## y"]), max_size=6))
def test_markdown_has_a_line_for_every_block(lines: list[str]) -> None:
    kinds = {"p": "paragraph", "#": "heading", "-": "item"}
    blocks = [Block(kinds[line[0]], line) for line in lines]  # type: ignore[arg-type]
    assert len([line for line in markdown_of(blocks).splitlines() if line]) == len(lines)
