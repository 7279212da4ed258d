"""HTML from a clipboard becomes Markdown that says the same."""

from __future__ import annotations

import re
from html import escape, unescape
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.apps.newsletter.service.editing.pasted import markdown_of
from partita.kit.markdown import html_of

WORD = (
    "<p class=MsoListParagraph style='text-indent:-.25in;mso-list:l0 level1 lfo1'><![if !supportLists]>"
    "<span style='mso-list:Ignore'>·<span>&nbsp;&nbsp; </span></span><![endif]>First<o:p></o:p></p>"
    "<p style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o </span>Second</p>"
)


def seen(html: str) -> str:
    """The text that somebody sees, with one space between words."""
    return " ".join(unescape(re.sub("<[^>]+>", " ", html)).split())


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>Rain <b>fell </b>in <i>Turkana</i>.</p>", "Rain **fell** in *Turkana*."),
        ('<a href="https://example.org/a">The report</a>', "[The report](https://example.org/a)"),
        ("<ul><li>one<ul><li>two</li></ul></li><li>three</li></ul>", "- one\n  - two\n- three"),
        ("<ol start=3><li><p>a</p><p>b</p></li><li>c</li></ol>", "3. a\n\n   b\n4. c"),
        ("<h1>Prices</h1><p>Up.</p>", "### Prices\n\nUp."),
        (
            "<table><tr><th>Crop</th><th>Tonnes</th></tr><tr><td>Maize</td><td>5</td></tr></table>",
            "| Crop | Tonnes |\n| --- | --- |\n| Maize | 5 |",
        ),
        ("<blockquote><p>Yes.</p><p>No.</p></blockquote>", "> Yes.\n>\n> No."),
        ("<p>one<br>two</p>", "one\\\ntwo"),
        ("<pre>a = 1\n\nb</pre>", "```\na = 1\n\nb\n```"),
        ("<b style='font-weight:normal'><p>From Docs</p></b>", "From Docs"),
        (WORD, "- First\n  - Second"),
        ("<p>It rained [3]. [x] 2 * 3 a_b</p>", "It rained [3]. \\[x\\] 2 \\* 3 a_b"),
        ("<p>1. no list</p><p># no heading</p>", "1\\. no list\n\n\\# no heading"),
        ("<script>alert(1)</script><a href='javascript:x()'>y</a><img src=x onerror=alert(1)>", "y"),
        ("", ""),
    ],
)
def test_what_becomes_of_html(html: str, markdown: str) -> None:
    assert markdown_of(html) == markdown


@given(st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40), max_size=4))
def test_whatever_is_written_reads_back_as_the_same_text(paragraphs: list[str]) -> None:
    html = "".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    assert seen(html_of(markdown_of(html))) == " ".join(" ".join(paragraphs).replace("\u200b", " ").split())


LOOKS = st.recursive(
    st.text(alphabet="ab.,(*_[]3 ", max_size=8).map(escape),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(["b", "i", "em", "strong", "span", "code", "p", "ul", "li", "blockquote", "h2", "div"]),
        st.lists(inner, max_size=3),
    ),
    max_leaves=12,
)


@given(LOOKS)
def test_no_letter_is_lost_whatever_the_look(html: str) -> None:
    def letters(text: str) -> str:
        return re.sub(r"[^ab3]", "", text)

    assert letters(seen(html_of(markdown_of(html)))) == letters(seen(html))


def test_hostile_pages_are_read_in_time() -> None:
    begun = perf_counter()
    assert markdown_of("<div>" * 50_000 + "x" + "</div>" * 50_000) == "x"
    markdown_of("<ul><li>" * 5_000 + "x")
    markdown_of("<b>*" * 20_000)
    markdown_of("<table>" * 5_000 + "<tr><td>" * 5_000)
    assert perf_counter() - begun < 15
