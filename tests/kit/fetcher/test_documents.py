"""Documents and pictures, by the same careful way as pages; and what a page says of its structure and pictures."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from partita.kit.fetcher import FetchRefused
from partita.kit.fetcher.page import read_page
from partita.kit.files.content import DOCX, HTML, JPEG, PDF, PNG
from partita.kit.previews.blocks import Block, markdown_of
from tests.kit.fetcher.sites import answer, serving, visitor
from tests.kit.previews.samples import docx, paragraph, pdf, png_bomb

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _png(size: tuple[int, int] = (300, 300)) -> bytes:
    made = BytesIO()
    Image.effect_noise(size, 60).save(made, "PNG")
    return made.getvalue()


async def test_a_caller_may_ask_for_documents() -> None:
    answers = {
        "/paper": answer(pdf("Hello there", title="A paper"), headers={"Content-Type": "application/pdf"}),
        "/report": answer(docx(paragraph("Top", "Heading1")), headers={"Content-Type": "application/octet-stream"}),
        "/page": answer(),
        "/lies": answer(_png(), headers={"Content-Type": "application/pdf"}),
    }
    async with serving(answers) as site:
        accept = (HTML, PDF, DOCX)
        paper = await visitor().fetch(f"{site.url}/paper", accept=accept)
        report = await visitor().fetch(f"{site.url}/report", accept=accept)
        page = await visitor().fetch(f"{site.url}/page", accept=accept)
        with pytest.raises(FetchRefused, match="none of HTML, PDF, DOCX"):
            await visitor().fetch(f"{site.url}/lies", accept=accept)
        with pytest.raises(FetchRefused, match="only pages of text/html"):
            await visitor().fetch(f"{site.url}/paper")
    assert (paper.kind, paper.title, paper.text) == (PDF, "A paper", "Hello there")
    assert (report.kind, report.blocks) == (DOCX, (Block("heading", "Top", 1),))
    assert (page.kind, page.title) == (HTML, "A page")
    assert site.asked[0].count("Accept: text/html, application/pdf, application/vnd") == 1


async def test_a_caller_may_ask_for_more_but_not_for_everything() -> None:
    large = answer(b"<title>x</title>" + b"y" * 300_000)
    huge = answer(b"", length=30_000_000)
    async with serving({"/large": large, "/huge": huge}) as site:
        assert (await visitor().fetch(f"{site.url}/large", most_bytes=400_000)).title == "x"
        with pytest.raises(FetchRefused, match="larger than"):
            await visitor().fetch(f"{site.url}/large")
        with pytest.raises(FetchRefused, match="larger than 20 MB"):
            await visitor().fetch(f"{site.url}/huge", most_bytes=10**12)


async def test_a_damaged_document_is_refused_with_the_reason() -> None:
    broken = {"/a": answer(pdf("x")[:150], headers={"Content-Type": "application/pdf"})}
    async with serving(broken) as site:
        with pytest.raises(FetchRefused, match="damaged"):
            await visitor().fetch(f"{site.url}/a", accept=(PDF,))


async def test_a_picture_is_known_by_its_content_and_comes_back_as_pixels() -> None:
    answers = {
        "/logo": answer(_png(), headers={"Content-Type": "image/vnd.microsoft.icon"}),
        "/page": answer(b"<html>" + _png(), headers={"Content-Type": "image/png"}),
        "/text": answer(),
        "/bomb": answer(png_bomb(9_000, 9_000), headers={"Content-Type": "image/png"}),
    }
    async with serving(answers) as site:
        fetcher = visitor()
        found = await fetcher.fetch_file(f"{site.url}/logo", kinds=(PNG, JPEG), most_bytes=300_000)
        assert (found.kind, found.data) == (PNG, _png_like(found.data))
        picture = await fetcher.fetch_picture(f"{site.url}/logo", width=64, height=64, most_bytes=300_000)
        assert (picture.kind, picture.width, picture.height) == ("image/webp", 64, 64)
        for path in ("/page", "/text", "/bomb"):
            with pytest.raises(FetchRefused):
                await fetcher.fetch_picture(f"{site.url}{path}")


def _png_like(data: bytes) -> bytes:
    assert data.startswith(b"\x89PNG")
    return data


async def test_a_page_says_where_its_pictures_are() -> None:
    body = (
        b"<base href='/deep/'><link rel='shortcut icon' href='/small.ico'>"
        b"<link rel=icon sizes='16x16 96x96' href=mid.png>"
        b"<link rel=icon type=image/svg+xml href=/drawn.svg>"
        b"<link rel='apple-touch-icon' href='//cdn.example/touch.png'>"
        b"<link rel=stylesheet href=/x.css><link rel=icon href='javascript:alert(1)'>"
        b"<meta property=og:image content='../cover.jpg?a=1&amp;b=2'><title>T</title>"
    )
    async with serving({"/a/b": answer(body)}) as site:
        found = await visitor().fetch(f"{site.url}/a/b")
    assert found.image == f"{site.url}/cover.jpg?a=1&b=2"
    assert found.icons == (
        "http://cdn.example/touch.png",
        f"{site.url}/deep/mid.png",
        f"{site.url}/small.ico",
        f"{site.url}/favicon.ico",
    )


def test_the_structure_of_a_page() -> None:
    page = read_page(
        "<nav><ul><li>Home</ul></nav><h1>Top <i>of</i> it</h1><div>Loose text<p>A paragraph.</div>"
        "<ol><li>one<li>two<ul><li>deep</ul></ol><h2>Next</h2><p><p>&nbsp;<p>End"
    )
    assert markdown_of(page.blocks) == (
        "# Top of it\n\nLoose text\n\nA paragraph.\n\n- one\n- two\n  - deep\n\n## Next\n\nEnd"
    )


def test_a_page_of_nothing_but_navigation_is_that() -> None:
    assert [block.text for block in read_page("<nav><a>Home</a><p>News").blocks] == ["Home", "News"]


def test_a_page_that_is_all_lists_is_read_in_time() -> None:
    assert len(read_page("<ul><li>x" * 100_000).blocks) == 5_000


_PROSE = "The long rains came late this year, and many farmers planted again in May when they began. "


def test_of_a_page_with_a_main_part_only_that_is_read() -> None:
    page = read_page(
        f"<div><a href=/>Home</a></div><p>Subscribe</p><article><h1>Rain</h1><p>{_PROSE}</p></article><p>More"
    )
    assert [block.text for block in page.blocks] == ["Rain", _PROSE.strip()]


def test_an_empty_main_part_is_none() -> None:
    assert [block.text for block in read_page("<main></main><p>Text</p>").blocks] == ["Text"]


def test_labels_around_the_densest_part_go_and_prose_never_does() -> None:
    page = read_page(
        f"<h1>Rain</h1><div><a href=1>One</a></div><div><div><p>{_PROSE * 4}</p><p>Short.</p></div></div>"
        f"<div>Share</div><div><p>{_PROSE}</p></div>"
    )
    texts = [block.text for block in page.blocks]
    assert texts == ["Rain", (_PROSE * 4).strip(), "Short.", _PROSE.strip()]


def test_tables_are_read_and_those_that_lay_out_a_page_are_text() -> None:
    page = read_page("<table><tr><th>Town<th>KES<tr><td>Kitui<td>1</table><table><tr><td><p>A<p>B</table>")
    assert page.blocks == (Block("table", "Town | KES\nKitui | 1"), Block("paragraph", "A B"))


_ROWS = "<tr><th>Town<th>KES<tr><td>Kitui<td>1"
_TABLE = Block("table", "Town | KES\nKitui | 1")


@pytest.mark.parametrize(
    "written",
    [
        f"<table><caption>Price of <b>maize</b></caption>{_ROWS}</table>",
        f"<table><caption><h3>Price</h3><p>of maize</p></caption><thead>{_ROWS}</thead></table>",
        f"<table><CAPTION><strong>Price of maize</strong>{_ROWS}",
        f"<table>{_ROWS}<caption>Price of maize</caption></table>",
    ],
)
def test_the_caption_of_a_table_is_known_however_it_is_written(written: str) -> None:
    page = read_page(f"<p>Before.</p>{written}")
    assert page.blocks == (Block("paragraph", "Before."), Block("caption", "Price of maize"), _TABLE)


def test_a_caption_without_a_table_of_its_own_is_text() -> None:
    assert read_page("<caption>A</caption>").blocks == (Block("paragraph", "A"),)
    laid_out = read_page("<table><caption>A</caption><tr><td>B</table>").blocks
    assert laid_out == (Block("paragraph", "A"), Block("paragraph", "B"))
    inner = read_page(f"<table>{_ROWS} <table><caption>A</caption><tr><td>B</table></table>").blocks
    assert inner == (Block("table", "Town | KES\nKitui | 1 A B"),)


def test_a_caption_stays_with_a_table_outside_the_densest_part() -> None:
    rows = "".join(f"<tr><td>Town {number}<td>{number}00" for number in range(9))
    page = read_page(f"<div><p>{_PROSE * 20}</p></div><div><table><caption>Maize | bag</caption>{rows}</table></div>")
    assert [(block.kind, block.text[:11]) for block in page.blocks[1:]] == [
        ("caption", "Maize ¦ bag"),
        ("table", "Town 0 | 00"),
    ]


def test_a_page_tells_its_day_and_language() -> None:
    page = read_page("<html lang=am><meta name=date content='2026-03-01'><time datetime='2020-01-01'>x</time>")
    assert (page.published, page.language) == ("2026-03-01", "am")
    assert read_page("<p><time datetime='2020-01-01'>x</time>").published == "2020-01-01"
