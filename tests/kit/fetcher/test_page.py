"""What a page says, however it is written."""

from __future__ import annotations

import html
import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.fetcher.charsets import text_of
from partita.kit.fetcher.page import read_page

WHOLE = """<!DOCTYPE html>
<html lang="en"><head>
  <meta charset="utf-8">
  <title> Fish &amp;
     chips </title>
  <meta property="og:title" content="Not this">
  <meta property="og:description" content="Nor this">
  <meta content='All about "fish"' name="Description">
  <style>p { color: red } </style><script>if (1 < 2) document.write("<p>no</p>")</script>
</head><body class=x>
  <h1>Fish</h1><p>With <b>ch</b>ips<!-- secret --> and&nbsp;peas.<br>Always.
  <noscript>Switch scripts on</noscript><template><p>later</p></template>
  <svg><title>A drawing</title><text>drawn</text></svg>
  <ul><li>one<li>two</ul><textarea>typed</textarea>
</body></html>"""


def test_a_page_is_read_as_people_see_it() -> None:
    page = read_page(WHOLE)
    assert page.title == "Fish & chips"
    assert page.description == 'All about "fish"'
    assert page.text == "Fish With chips and peas. Always. one two typed"


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("<title>A</title><title>B</title>", "A"),
        ("<TITLE>A</TITLE>", "A"),
        ("<title lang=en>A<b>c</title >", "A<b>c"),
        ("<svg><title>drawn</title></svg><title>A</title>", "A"),
        ("<svg/><title>A</title>", "A"),
        ("<meta property=og:title content=A>", "A"),
        ("<title> </title><meta name='twitter:title' content='A'>", "A"),
        ("<script><title>no</title></script><title>A</title>", "A"),
        ("<!-- <title>no</title> --><title>A</title>", "A"),
        ("<a title='<title>no</title>'><title>A</title>", "A"),
        ("<title>A", "A"),
        ("", ""),
        ("<title>" + "word " * 100, "word " * 59 + "word…"),
        ("<title>" + "x" * 400, "x" * 299 + "…"),
    ],
)
def test_the_title_is_the_first_of_the_page(source: str, title: str) -> None:
    assert read_page(source).title == title


@pytest.mark.parametrize(
    ("source", "description"),
    [
        ("<meta name=description content='a &lt; b'>", "a < b"),
        ("<meta property='og:description' content='og'>", "og"),
        ("<meta name='twitter:description' content='t'><meta property='og:description' content='og'>", "og"),
        ("<meta name=description content=''><meta property='og:description' content='og'>", "og"),
        ("<meta name=description content=one><meta name=description content=two>", "one"),
        ("<meta name=description>", ""),
        ("<meta name = 'description' content = \"it's > that\" />", "it's > that"),
        ("<meta name=other content=x>", ""),
    ],
)
def test_the_description_is_what_the_page_says_of_itself(source: str, description: str) -> None:
    assert read_page(source).description == description


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a<b>b</b>c", "abc"),
        ("<p>a</p><p>b</p>", "a b"),
        ("a<br/>b", "a b"),
        ("1 < 2 <3 > 4 <", "1 < 2 <3 > 4 <"),
        ("<<<b>x", "<<x"),
        ("a &lt;b&gt; &#233; &eacute &unknown;", "a <b> é é &unknown;"),
        ("a<!-->b<!--->c<!-- -- > -->d", "abcd"),
        ("a<?php echo 1 ?>b<!ELEMENT x>c</>d</ x>e", "abcde"),
        ("a<p class='>'>b", "a b"),
        ('a<p x=y">b', "a b"),
        ('a<p ">b', "a b"),
        ("a<p x='never ends>b", "a"),
        ("a<p", "a"),
        ("a<!-- never ends", "a"),
        ("<script>no</scripty>no</script\n>yes", "yes"),
        ("<style>no", ""),
        ("<template>a<template>b</template>c</template>d", "d"),
        ("a\x00\x1b[31mb", "a [31mb"),
        ("a&#0;b&#x1b;c&#xd800;d&#9;e", "a\ufffdbc\ufffdd e"),
    ],
)
def test_text_is_what_browsers_show(source: str, text: str) -> None:
    assert read_page(source).text == text


def test_text_ends_at_100_kb_and_within_no_character() -> None:
    text = read_page("é" * 80_000).text
    assert text == "é" * 50_000


def test_numbers_without_end_are_no_characters() -> None:
    assert read_page("a&#" + "9" * 10_000 + ";b&#x" + "f" * 10_000 + ";c").text == "a\ufffdb\ufffdc"


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "<!--",
            "<![",
            "<a ",
            "<a x='",
            "<a x=",
            "<a =",
            "</a",
            "<?",
            "<",
            "</",
            "</ ",
            "&#x",
            "&#1",
            "&amp",
            "<script>",
        ),
        *(
            "<script></scrip ",
            "<b>",
            "<p>x",
            "<svg>",
            "<template>",
            "<title>",
            "<meta name=description ",
            "<meta charset",
        ),
        *("<!-->", "<textarea>", "</title", "<p x=y ", " ", "&", "<a'", '<a "', "<x =\t"),
    ],
)
def test_no_page_takes_longer_than_its_length_allows(piece: str) -> None:
    begun = time.process_time()
    source = piece * (300_000 // len(piece))
    read_page(text_of(source.encode()))
    assert time.process_time() - begun < 5.0


@given(
    st.binary(max_size=400), st.sampled_from([None, "utf-8", "utf-16", "gbk", "iso-2022-jp", "shift_jis", "hex", "zip"])
)
def test_any_bytes_are_read_without_an_error(data: bytes, charset: str | None) -> None:
    _check(text_of(data, charset))


_FRAGMENTS = st.sampled_from(
    [
        *("<", ">", "</", "/>", "=", '"', "'", "&", ";", "#", "x", "!", "--", "?", " ", "\n", "\x00", "é", "\ud7ff"),
        *("title", "meta", "script", "svg", "template", "name=description", "content=", "<!--", "-->", "&#", "&lt"),
    ]
)


@given(st.lists(_FRAGMENTS, max_size=40).map("".join))
def test_any_markup_is_read_without_an_error(source: str) -> None:
    _check(source)


def _check(source: str) -> None:
    page = read_page(source)
    assert len(page.title) <= 300
    assert len(page.description) <= 2000
    assert len(page.text.encode()) <= 100_000
    for text in (page.title, page.description, page.text):
        assert text == " ".join(text.split())
        assert not re.search(r"[\x00-\x1f\x7f-\x9f]", text)


class _Standard(HTMLParser):
    """The standard library's reading, which is right where markup is."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.title = ""
        self._within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._within.append(tag)
        if tag != "b":
            self.text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._within.pop()
        if tag != "b":
            self.text.append(" ")

    def handle_data(self, data: str) -> None:
        if "title" in self._within:
            self.title += data
        elif not {"script", "template", "svg"} & set(self._within):
            self.text.append(data)


_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)


def _element(name: str, inner: str, value: str) -> str:
    return f'<{name} class="{html.escape(value)}" hidden>{inner}</{name}>'


_BODY = st.recursive(
    _TEXT.map(html.escape),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map("".join),
        st.builds(_element, st.sampled_from(["p", "b", "div", "template", "svg"]), inner, _TEXT),
    ),
    max_leaves=12,
)


@given(_TEXT, _BODY, st.text("abc<>&/'\" ", max_size=20))
def test_right_markup_is_read_as_the_standard_library_reads_it(title: str, body: str, script: str) -> None:
    source = f"<title>{html.escape(title)}</title><script>{script}</script>{body}"
    standard = _Standard()
    standard.feed(source)
    standard.close()
    page = read_page(source)
    assert page.text == " ".join("".join(standard.text).split())
    assert page.title == " ".join(standard.title.split())
