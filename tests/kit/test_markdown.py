"""Markdown becomes HTML that can do no harm, with headings in order."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.markdown import html_of, with_contents

TAGS = {
    *(
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "p",
        "ul",
        "ol",
        "li",
        "blockquote",
        "pre",
        "code",
        "em",
        "strong",
        "s",
        "hr",
        "br",
    ),
    *("a", "table", "thead", "tbody", "tr", "th", "td", "div"),
}
PIECES = st.sampled_from(
    [
        *(
            "# ",
            "- ",
            "> ",
            "```",
            "`",
            "**",
            "_",
            "[",
            "](",
            ")",
            "![",
            "<",
            ">",
            "&lt;",
            "|",
            "\n",
            "\n\n",
            "---",
            "\\",
        ),
        *(
            "<script>",
            "</script>",
            "<img src=x onerror=alert(1)>",
            "javascript:alert(1)",
            "data:text/html,x",
            "<svg/onload=x>",
        ),
        *(
            "&#106;avascript:",
            "<a href=",
            '"',
            "' onclick='x",
            "https://a.example",
            "word",
            "ß",
            "\x00",
            "<!--",
            "<table>",
        ),
    ]
)


class _Seen(HTMLParser):
    """What a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.targets: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.targets += [value or "" for name, value in attrs if name == "href"]


@given(st.lists(PIECES | st.text(max_size=20), max_size=40).map("".join))
def test_nothing_that_is_typed_can_do_harm(text: str) -> None:
    seen = _Seen(html_of(text))
    assert seen.tags <= TAGS
    assert seen.attributes <= {"href", "title", "rel", "start", "class", "tabindex"}
    for target in seen.targets:
        scheme, colon, _ = target.partition(":")
        assert not colon or "/" in scheme or "#" in scheme or "?" in scheme or scheme in ("http", "https", "mailto")


def test_headings_come_below_that_of_the_page() -> None:
    assert html_of("# One\n\n## Two") == "<h2>One</h2>\n<h3>Two</h3>\n"
    assert "<h6>" in html_of("###### Six")
    assert html_of("# One", below=2) == "<h3>One</h3>\n"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and _it_", "<p><strong>bold</strong> and <em>it</em></p>\n"),
        ("~~gone~~", "<p><s>gone</s></p>\n"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"),
        ("![a picture](https://a.example/x.png)", "<p></p>\n"),
        ("[x](https://a.example)", '<p><a href="https://a.example" rel="noopener nofollow">x</a></p>\n'),
        ("3. three\n4. four", '<ol start="3">\n<li>three</li>\n<li>four</li>\n</ol>\n'),
        ("", ""),
    ],
)
def test_what_people_write_looks_as_they_meant_it(text: str, html: str) -> None:
    assert html_of(text) == html


def test_a_wide_table_scrolls_by_itself() -> None:
    table = html_of("| a | b |\n|---|---|\n| 1 | 2 |")
    assert table.startswith('<div class="table-wrap" tabindex="0"><table class="table">')
    assert table.rstrip().endswith("</table></div>")


@given(st.lists(PIECES, max_size=40).map("".join))
def test_contents_lead_to_the_headings_of_the_same_html(text: str) -> None:
    long = with_contents(text)
    html = str(long.html)
    assert re.sub(r'(<h\d) id="part-\d+"', r"\1", html) == html_of(text)
    headings = dict(re.findall(r'<h\d id="([^"]*)">(.*?)</h\d>', html, re.DOTALL))
    assert len(headings) == len(re.findall(r"<h\d", html))
    for each in long.contents:
        words = re.sub("<[^>]*>", "", headings[each.id].replace("<br>", " "))
        assert " ".join(unescape(words).split()) == each.title


def test_contents_are_those_of_the_two_highest_levels() -> None:
    long = with_contents("## *One*\n\n### `Two`\n\n#### Three\n\n## One\n\n##\n")
    assert [(each.id, each.title, each.depth) for each in long.contents] == [
        ("part-1", "One", 0),
        ("part-2", "Two", 1),
        ("part-4", "One", 0),
    ]
    assert with_contents("Nothing to list.").contents == ()
