"""Exports, read back: text, headings, links, tables and citations are those of the model, in every format."""

from __future__ import annotations

import asyncio
import ctypes
import email
import io
import re
import zipfile
import zlib
from contextlib import suppress
from dataclasses import replace
from email.policy import default
from html.parser import HTMLParser
from typing import Any

import docx
import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from partita.apps.newsletter.service.documents.edition import Brand, Edition, Format
from partita.apps.newsletter.service.documents.eml import mail_draft
from partita.apps.newsletter.service.documents.exports import FORMATS, export
from partita.apps.newsletter.service.documents.html import article, web_edition
from partita.apps.newsletter.service.documents.mail import CLIP_BYTES, WARN_BYTES, mail_edition
from partita.apps.newsletter.service.documents.model import Document, Span, Table, plain, texts
from partita.apps.newsletter.service.documents.pdf import make_pdf, page_markup, pictures_of
from partita.apps.newsletter.service.documents.reading import read_document
from partita.apps.newsletter.service.documents.themes import THEMES
from partita.apps.newsletter.service.documents.word import word_edition
from partita.kit.printing import fonts
from partita.kit.printing.pages import NotInDocument, fetcher
from tests.apps.newsletter.editions import AMHARIC, ARABIC, ENGLISH, edition, long_document, picture

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
LANGUAGES = [ENGLISH, ARABIC, AMHARIC]


def squeezed(text: str) -> str:
    """Without any space, since formats break lines as they like, and without marks of direction."""
    return re.sub(r"[\s\u00a0\u00ad\u202f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufffe]+", "", text)


def wanted(document: Document) -> list[str]:
    return [squeezed(plain(pieces)) for pieces in texts(document.blocks) if plain(pieces)]


class Page(HTMLParser):
    """What a browser would show of a page."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.text = ""
        self.headings: list[tuple[int, str]] = []
        self.links: list[str] = []
        self.rows: list[list[str]] = []
        self.ids: set[str] = set()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.sources: list[str] = []
        self._skip = 0
        self._heading: int | None = None
        self._cell = False
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.attributes |= set(given)
        self.ids |= {given["id"]} if "id" in given else set()
        if tag in ("style", "title"):
            self._skip += 1
        elif tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "img":
            self.sources.append(given["src"])
        elif re.fullmatch("h[1-6]", tag):
            self._heading = int(tag[1])
            self.headings.append((self._heading, ""))
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self._cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("style", "title"):
            self._skip -= 1
        elif re.fullmatch("h[1-6]", tag):
            self._heading = None
        elif tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data: str) -> None:
        if self._skip:
            return
        self.text += data
        if self._heading is not None:
            self.headings[-1] = (self.headings[-1][0], self.headings[-1][1] + data)
        if self._cell:
            self.rows[-1][-1] += data


def check_page(page: Page, document: Document, *, anchors: bool) -> None:
    shown = squeezed(page.text)
    place = 0
    for text in wanted(document):  # all of it, in order
        found = shown.find(text, place)
        assert found >= 0, text
        place = found
    for heading in document.headings:
        assert (heading.level + 1, squeezed(plain(heading.pieces))) in [
            (level, squeezed(text)) for level, text in page.headings
        ]
    for pieces in texts(document.blocks):
        for piece in pieces:
            if isinstance(piece, Span) and piece.link:
                assert piece.link in page.links
    rows = [[squeezed(cell) for cell in row] for row in page.rows]
    for block in document.blocks:
        if isinstance(block, Table):
            for row in (block.head, *block.rows):
                assert [squeezed(plain(cell)) for cell in row] in rows
    for source in document.cited:
        assert f"#source-{source.number}" in page.links
        assert squeezed(source.title) in shown
        assert not source.url or source.url in page.links
    if anchors:
        for link in page.links:
            assert not link.startswith("#") or link[1:] in page.ids, link


@pytest.mark.parametrize("text", LANGUAGES)
@pytest.mark.parametrize("theme", list(THEMES))
def test_the_web_edition_says_what_the_model_says(text: str, theme: str) -> None:
    made = edition(text, theme)
    markup = web_edition(made).data.decode()
    page = Page(markup)
    check_page(page, made.document, anchors=True)
    assert f'<html lang="{made.document.language}" dir="{made.document.direction}">' in markup
    assert not page.tags & {"script", "iframe", "object", "link", "form"}
    assert not {name for name in page.attributes if name.startswith("on")}
    assert all(source.startswith("data:image/") for source in page.sources)
    assert "prefers-color-scheme: dark" in markup
    assert "@media print" in markup


@pytest.mark.parametrize("text", LANGUAGES)
@pytest.mark.parametrize("theme", list(THEMES))
def test_the_mail_says_what_the_model_says(text: str, theme: str) -> None:
    made = edition(text, theme, read_online="https://example.org/read/x")
    markup = mail_edition(made).data.decode()
    page = Page(markup)
    check_page(page, made.document, anchors=False)
    assert "https://example.org/read/x" in page.links
    assert made.document.preheader in markup
    assert not page.tags & {"style", "script", "svg", "form", "video", "iframe"}
    assert not page.attributes & {"class", "srcset"}


@pytest.mark.parametrize("text", LANGUAGES)
def test_a_mail_draft_has_text_html_and_pictures(text: str) -> None:
    made = edition(text)
    mail = email.message_from_bytes(mail_draft(made).data, policy=default)
    assert mail["X-Unsent"] == "1"
    assert made.document.title in mail["Subject"]
    simple, markup = mail.get_body(("plain",)), mail.get_body(("html",))
    assert simple is not None
    assert markup is not None
    page = Page(markup.get_content())
    check_page(page, made.document, anchors=False)
    inside = {str(part["Content-ID"]).strip("<>") for part in mail.walk() if part["Content-ID"]}
    assert {source.removeprefix("cid:") for source in page.sources} == inside
    assert len(inside) == (1 if text == ENGLISH else 0)
    words = squeezed(simple.get_content())
    for heading in made.document.headings:
        assert squeezed(plain(heading.pieces)).lower() in words.lower()


@pytest.mark.parametrize("text", LANGUAGES)
@pytest.mark.parametrize("theme", ["journal", "field"])
def test_word_reads_what_the_model_says(text: str, theme: str) -> None:
    made = edition(text, theme)
    document = made.document
    word: Any = docx.Document(io.BytesIO(word_edition(made).data))
    body = ["".join(each.itertext(f"{{{_WORD}}}t")) for each in word.element.body.iter(f"{{{_WORD}}}p")]
    shown = squeezed("".join(body))
    for words in wanted(document):
        assert words in shown
    headings = [
        (each.style.name, squeezed(each.text)) for each in word.paragraphs if each.style.name.startswith("Head")
    ]
    for heading in document.headings:
        assert (f"Heading {heading.level}", squeezed(plain(heading.pieces))) in headings
    entries = [each for each in word.paragraphs if each.style.name in ("TOC 1", "TOC 2")]
    assert [squeezed(each.text) for each in entries] == [
        squeezed(plain(each.pieces)) for each in document.headings if each.level < 3
    ]
    targets = {relation.target_ref for relation in word.part.rels.values() if relation.is_external}
    for source in document.cited:
        assert not source.url or source.url in targets
    tables = [block for block in document.blocks if isinstance(block, Table)]
    for table, block in zip(word.tables, tables, strict=True):
        assert [[squeezed(cell.text) for cell in row.cells] for row in table.rows] == [
            [squeezed(plain(cell)) for cell in row] for row in (block.head, *block.rows)
        ]
    xml = word.element.xml
    marks = set(re.findall(r'w:bookmarkStart [^>]*w:name="([^"]+)"', xml))
    assert set(re.findall(r'w:anchor="([^"]+)"', xml)) <= marks
    assert "TOC \\o" in xml
    footer = word.sections[0].footer._element.xml
    assert " PAGE " in footer
    assert " NUMPAGES " in footer
    assert word.core_properties.title == document.title


def test_what_nobody_has_begun_has_a_cover_and_no_empty_page() -> None:
    given = edition(ENGLISH)
    begun = replace(given, document=replace(given.document, facts=(("Funder", "The Fund"),)))
    unwritten = replace(begun, brand=Brand(), document=replace(begun.document, blocks=(), sources=(), made_with=""))
    assert 'class="column"' in page_markup(begun, cover=True)
    assert 'class="column"' not in page_markup(unwritten, cover=True)
    assert "The Fund" in page_markup(unwritten, cover=True)
    assert make_pdf(unwritten)[1] == 1


def test_in_word_facts_and_length_make_a_cover_and_short_editions_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_of_a_page(**changes: Any) -> list[str]:
        made = replace(short, document=replace(short.document, **changes))
        word: Any = docx.Document(io.BytesIO(word_edition(made).data))
        numbered = " PAGE " in word.sections[0].first_page_footer._element.xml
        found = [each.text for each in word.paragraphs if each.paragraph_format.page_break_before]
        assert numbered is not bool(found), "a cover has no number"
        return found

    made = edition()
    headings = made.document.headings[:2]
    table = next(replace(block, caption=()) for block in made.document.blocks if isinstance(block, Table))
    short = replace(made, document=replace(made.document, blocks=headings))
    assert first_of_a_page() == []
    assert first_of_a_page(facts=(("Funder", "The Fund"),)) == ["In this issue"]
    monkeypatch.setattr("partita.apps.newsletter.service.documents.cover._WORDS_A_PAGE", 0)
    assert first_of_a_page() == [plain(headings[0].pieces)]
    assert first_of_a_page(blocks=(table, *headings)) == [""], "a table begins its page below an empty line"


@pytest.mark.parametrize("stories", [2, 5, 6, 8])
def test_an_edition_has_a_cover_in_word_if_it_has_one_as_pdf(stories: int) -> None:
    made = Edition(long_document(stories), "journal")
    pdf, _, _ = pdf_of(made)
    in_pdf = "1 / " not in pdf[0].get_textpage().get_text_range()
    word: Any = docx.Document(io.BytesIO(word_edition(made).data))
    assert in_pdf is any(each.paragraph_format.page_break_before for each in word.paragraphs)


def test_word_sets_arabic_from_right_to_left() -> None:
    word: Any = docx.Document(io.BytesIO(word_edition(edition(ARABIC)).data))
    (arabic,) = [each for each in word.paragraphs if "بدأت" in each.text]
    (english,) = [each for each in word.paragraphs if "English summary" in each.text]
    assert "<w:bidi/>" in arabic._p.xml
    assert "<w:bidi/>" not in english._p.xml
    runs = {run.text: run._r.xml for run in arabic.runs}
    assert "<w:rtl/>" in next(xml for text, xml in runs.items() if "بدأت" in text)
    assert 'w:bidi="ar-SA"' in next(xml for text, xml in runs.items() if "بدأت" in text)
    (latin,) = [xml for text, xml in runs.items() if "Gondar" in text]
    assert "<w:rtl/>" not in latin
    marks = [each.text for each in arabic._p.iter(f"{{{_WORD}}}t") if "[" in each.text]
    assert marks, "a number of a source is one piece from left to right, which no line parts"
    assert all(re.fullmatch("\u200e\\[\\d\\]\u200e", each) for each in marks)
    assert "bidiVisual" in word.tables[0]._tbl.xml
    amharic: Any = docx.Document(io.BytesIO(word_edition(edition(AMHARIC)).data))
    (rain,) = [each for each in amharic.paragraphs if "ዝናቡ" in each.text]
    assert "Noto Serif Ethiopic" in rain.runs[0]._r.xml
    assert "<w:bidi/>" not in rain._p.xml


def test_a_picture_has_its_description_everywhere() -> None:
    made = edition()
    alt = "Terraced fields below a low sun"
    assert f'alt="{alt}"' in web_edition(made).data.decode()
    word: Any = docx.Document(io.BytesIO(word_edition(made).data))
    assert f'descr="{alt}"' in word.element.xml


def test_a_picture_in_webp_reaches_word() -> None:
    made = edition(pictures={"images/fields.png": picture(kind="WEBP")})
    with zipfile.ZipFile(io.BytesIO(word_edition(made).data)) as archive:
        assert sum(name.startswith("word/media/") for name in archive.namelist()) == 2


def pdf_of(made: Edition) -> tuple[Any, bytes, list[str]]:
    data, pages, warnings = make_pdf(made)
    opened = pypdfium2.PdfDocument(data)
    assert len(opened) == pages
    return opened, data, warnings


@pytest.mark.parametrize("text", LANGUAGES)
def test_a_pdf_says_what_the_model_says(text: str) -> None:
    made = edition(text, "bulletin")
    pdf, data, warnings = pdf_of(made)
    assert warnings == []
    shown = squeezed("".join(page.get_textpage().get_text_range() for page in pdf))
    for words in wanted(made.document):
        if text == ARABIC and re.search("[A-Za-z0-9]", words):
            words = next(iter(re.findall(r"[\u0600-\u06ff]{4,}", words)), "")  # mixed lines come out in visual order
        assert words in shown
    assert pdfium.FPDFCatalog_IsTagged(pdf.raw)
    assert pdfium.FPDF_StructTree_CountChildren(pdfium.FPDF_StructTree_GetForPage(pdf[0].raw)) > 0
    assert b"aiim.org/pdfua/ns/id" in unpacked(data)
    assert f"/Lang ({made.document.language})".encode() in unpacked(data)
    titles = [each.get_title() for each in pdf.get_toc()]
    for heading in made.document.headings:
        assert heading.level == 3 or plain(heading.pieces) in titles
    assert pdf.get_metadata_value("Title") == made.document.title
    links = links_in(pdf)
    for source in made.document.cited:
        assert not source.url or source.url in links["addresses"]
        assert links["places"] >= 2  # to the source, and back


def unpacked(data: bytes) -> bytes:
    """A file with its packed streams unpacked."""
    found = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        with suppress(zlib.error):
            found.append(zlib.decompress(stream))
    return data + b"".join(found)


def links_in(pdf: Any) -> dict[str, Any]:
    addresses, places = set(), 0
    for page in pdf:
        position = ctypes.c_int(0)
        link = pdfium.FPDF_LINK()
        while pdfium.FPDFLink_Enumerate(page.raw, position, link):
            action = pdfium.FPDFLink_GetAction(link)
            length = pdfium.FPDFAction_GetURIPath(pdf.raw, action, None, 0) if action else 0
            if length:
                buffer = ctypes.create_string_buffer(length)
                pdfium.FPDFAction_GetURIPath(pdf.raw, action, buffer, length)
                addresses.add(buffer.value.decode())
            else:
                places += 1
    return {"addresses": addresses, "places": places}


def test_a_pdf_of_four_pages_has_a_cover_with_its_contents() -> None:
    made = Edition(long_document(8), "journal")
    pdf, _, _ = pdf_of(made)
    assert len(pdf) >= 5
    cover = pdf[0].get_textpage().get_text_range()
    assert "In this issue" in cover
    for place in range(8):
        assert f"Section {place}" in cover
    numbers = {int(found) for found in re.findall(r"Section \d[ .]+(\d+)", cover)}
    assert numbers
    assert max(numbers) <= len(pdf)
    for number in range(1, len(pdf)):
        assert f"{number + 1} / {len(pdf)}" in pdf[number].get_textpage().get_text_range()
    assert "A long one" in pdf[2].get_textpage().get_text_range()  # the running title
    short, _, _ = pdf_of(edition())
    assert "Welcome" in short[0].get_textpage().get_text_range()


def test_what_no_font_has_is_a_warning_that_names_script_and_package() -> None:
    made = Edition(
        read_document("## Text\n\nPhoenician is fine, \U0001e900; this is not: \U00013000 \U000e0041 \U0001fbff.")
    )
    _, _, warnings = pdf_of(made)
    assert all("install the package fonts-noto" in warning for warning in warnings)

    assert fonts.missing(["Latin, አማርኛ, العربية"]) == []
    rare = [chr(code) for code in (0x16FE4, 0x18AFF, 0x1B170, 0x31350)]
    absent = fonts.missing(rare)
    assert absent, "this machine has a font for everything; the test needs rarer characters"
    (*sentences,) = fonts.font_warnings(rare)
    assert all("No font here has" in sentence and "fonts-noto" in sentence for sentence in sentences)


@pytest.mark.parametrize(
    "address",
    [
        *("file:///etc/passwd", "http://127.0.0.1/", "https://example.org/a.png", "data:image/png;base64,AA"),
        *("picture:7", "picture:-1", "picture:x", "ftp://a/b", "/etc/passwd", "edition:x"),
    ],
)
def test_the_renderer_can_fetch_nothing_but_the_pictures_of_the_edition(address: str) -> None:
    with pytest.raises(NotInDocument):
        fetcher(pictures_of(edition())).fetch(address)


def test_the_renderer_gets_the_pictures_of_the_edition() -> None:
    made = edition()
    assert fetcher(pictures_of(made)).fetch("picture:0").read() == made.pictures["images/fields.png"].data


HOSTILE = """
<script>alert(1)</script>

<style>@import url(http://evil.example/x.css)</style> <iframe src="file:///etc/passwd"></iframe>

[click](javascript:alert(1)) ![x](file:///etc/passwd) ![y](http://evil.example/track.gif "caption")

"><img src=x onerror=alert(1)> `</code><script>` **</strong><script>**

| <b>a</b> | "> |
|---|---|
| {{7*7}} | ${x} |

&lt;script&gt; \u202e reversed \x00\x0b control
"""


@pytest.mark.parametrize("wanted_format", list(FORMATS))
def test_hostile_text_stays_text(wanted_format: Format) -> None:
    made = edition(HOSTILE)
    result = asyncio.run(export(made, wanted_format))
    assert result.data
    if wanted_format in ("html", "email", "eml"):
        markup = result.data.decode()
        if wanted_format == "eml":
            part = email.message_from_bytes(result.data, policy=default).get_body(("html",))
            assert part is not None
            markup = part.get_content()
        page = Page(markup)
        assert not page.tags & {"script", "iframe", "b", "object", "link", "base"}
        assert not {name for name in page.attributes if name.startswith("on")}
        assert not [link for link in page.links if not re.match("https?:|mailto:|#", link)]
        assert not [source for source in page.sources if not re.match("data:image/|cid:", source)]
        assert "<script>alert(1)</script>" in page.text
    assert any("cannot be found" in warning for warning in result.warnings)


def test_a_title_and_a_brand_are_text_too() -> None:
    made = edition('---\ntitle: "<script>x</script>"\nregion: "<b>"\n---\n\nText.')
    for markup in (web_edition(made).data.decode(), mail_edition(made).data.decode(), article(made)):
        assert not Page(markup).tags & {"script", "b"}


def test_a_mail_warns_before_gmail_cuts_it_off_and_has_a_short_version() -> None:
    made = Edition(long_document(60), "bulletin", read_online="https://example.org/read/x")
    long = mail_edition(made)
    assert len(long.data) > CLIP_BYTES
    assert any("Gmail cuts it off" in warning for warning in long.warnings)
    short = mail_edition(made, short=True)
    assert len(short.data) < len(long.data)
    assert "Story 59" in short.data.decode()
    sizes = {stories: mail_edition(Edition(long_document(stories), "bulletin")) for stories in range(20, 40)}
    between = [made for made in sizes.values() if WARN_BYTES < len(made.data) <= CLIP_BYTES]
    assert between
    assert all("Gmail cuts mail off after" in made.warnings[0] for made in between)
    assert all(not made.warnings for made in sizes.values() if len(made.data) <= WARN_BYTES)


def test_what_is_missing_is_said_in_every_format() -> None:
    made = edition("A claim. [7]\n\n![](images/none.png)")
    assert [warning[:25] for warning in made.warnings] == [
        "No source is known for [7",
        "1 picture of the text can",
        "1 picture without a descr",
    ]
    assert "[7]" in web_edition(made).data.decode()


@pytest.mark.parametrize("lines", range(17, 22))
def test_the_day_of_an_event_stays_with_its_text(lines: int) -> None:
    filling = "\n\n".join(f"Line {number}." for number in range(lines))
    text = f"# T\n\n{filling}\n\n### Market days\n\n**3 May 2026 · Isiolo**\n\nThe text below it.\n\nMore.\n"
    made = Edition(read_document(text), "journal")
    pages = [page.get_textpage().get_text_range() for page in pdf_of(made)[0]]
    assert sum("Isiolo" in page and "The text below it" in page and "Market days" in page for page in pages) == 1
    word: Any = docx.Document(io.BytesIO(word_edition(made).data))
    kept = {each.text: each.paragraph_format.keep_with_next for each in word.paragraphs}
    assert kept["3 May 2026 · Isiolo"] is True
    assert kept["The text below it."] is None
