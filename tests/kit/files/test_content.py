"""What a file is, its content says."""

from __future__ import annotations

import time
import zipfile
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from partita.kit.files import content
from partita.kit.files.content import kind_of


def _picture(kind: str) -> bytes:
    made = BytesIO()
    Image.new("RGB", (8, 8), "teal").save(made, kind)
    return made.getvalue()


def _archive(*names: str, padding: int = 0) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, "x" * padding)
    return made.getvalue()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (_picture("PNG"), content.PNG),
        (_picture("JPEG"), content.JPEG),
        (_picture("WEBP"), content.WEBP),
        (_picture("GIF"), content.GIF),
        (_picture("AVIF"), content.AVIF),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", content.PDF),
        (_archive("a.txt"), content.ZIP),
        (_archive(), content.ZIP),
        (_archive("[Content_Types].xml", "_rels/.rels", "word/document.xml"), content.DOCX),
        (_archive("docProps/app.xml", "xl/workbook.xml", "[Content_Types].xml"), content.XLSX),
        (_archive("[Content_Types].xml", "ppt/presentation.xml"), content.PPTX),
        (_archive("word/a.txt"), content.ZIP),
        (b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00", content.MP4),
        (b"\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm", content.WEBM),
        (b"plain", content.TEXT),
        ("የክልል".encode(), content.TEXT),
        (b"\xef\xbb\xbfwith a mark", content.TEXT),
        (b"a < b, and <b> is a tag", content.TEXT),
        (b"<?xml version='1.0'?><rss></rss>", content.XML),
        (b"<svg xmlns='http://www.w3.org/2000/svg'></svg>", content.SVG),
        (b"<?xml version='1.0'?>\n<!-- drawn -->\n<svg onload='alert(1)'/>", content.SVG),
        (b"", None),
        (b"\x7fELF\x02\x01\x01\x00", None),
        (b"text with \x00 in it", None),
        (b"latin \xe9 one", None),
        (b"MZ\x90\x00", None),
    ],
)
def test_a_file_is_known_by_its_content(data: bytes, kind: str | None) -> None:
    assert kind_of(data) == kind


@pytest.mark.parametrize(
    "page",
    [
        b"<!DOCTYPE html><p>",
        b"<html>",
        b"\n\t <HTML >",
        b"\xef\xbb\xbf<script>alert(1)</script>",
        b"<ScRiPt/src=x>",
        b"<!-- quiet --><script>",
        b"<img src=x onerror=alert(1)>",
        b"<iframe src=x>",
        b"<body onload=x>",
        b"<a href=x>",
    ],
)
def test_a_page_is_never_taken_for_text(page: bytes) -> None:
    assert kind_of(page) == content.HTML


def test_a_start_that_ends_within_a_character_is_still_text() -> None:
    assert kind_of(("a" * 65_535 + "é").encode() + b"and more") == content.TEXT


@given(st.text(st.characters(min_codepoint=0x80, codec="utf-8"), min_size=1, max_size=9), st.integers(0, 3))
def test_where_the_start_of_a_long_text_ends_does_not_matter(letters: str, before: int) -> None:
    """A law: of any letters, as many bytes as a store reads of a file tell that it is text."""
    words = ("a" * before + letters * (70_000 // len(letters.encode()) + 1)).encode()
    for length in range(65_536, 65_540):
        assert kind_of(words[:length]) == kind_of(words)


def test_the_start_of_a_large_document_is_enough() -> None:
    whole = _archive("[Content_Types].xml", "word/document.xml", "word/media/1.png", padding=30_000)
    assert kind_of(whole[:65_536]) == content.DOCX


def test_every_kind_has_an_ending() -> None:
    kinds = {value for name, value in vars(content).items() if name.isupper() and isinstance(value, str)}
    assert set(content.ENDINGS) == kinds


@given(st.binary(max_size=300))
def test_any_bytes_are_looked_at_without_an_error(data: bytes) -> None:
    assert kind_of(data) in (None, *content.ENDINGS)


@pytest.mark.parametrize("piece", [b"<!---->", b"<!--", b"<?xml ?> ", b"<?xml", b"PK\x03\x04", b"<"])
def test_no_content_takes_long_to_look_at(piece: bytes) -> None:
    begun = time.perf_counter()
    kind_of(piece * (200_000 // len(piece)))
    assert time.perf_counter() - begun < 1.0
