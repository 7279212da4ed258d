"""Markdown that people write, as HTML that can do no harm: parsed by CommonMark's rules with tables, then cleaned."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_TAGS = {
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
    *("a", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}, **{f"h{level}": {"id"} for level in range(2, 7)}}
_SCHEMES = {"http", "https", "mailto"}
_LOWEST = 6


@dataclass(frozen=True, slots=True)
class Heading:
    """An entry of the contents: where it leads on the page, and how deep it is (0 is the highest of the text)."""

    id: str
    title: str
    depth: int


@dataclass(frozen=True, slots=True)
class LongText:
    """A text with its contents."""

    html: Markup
    contents: tuple[Heading, ...]


def html_of(text: str, *, below: int = 1) -> Markup:
    """A text as HTML for a page. Its headings come below that of the page (`below` is its level), in order; pictures
    from elsewhere, and HTML that was typed, are left out or shown as text."""
    return _html(_tokens(text, below))


def with_contents(text: str, *, below: int = 1, depth: int = 2) -> LongText:
    """The same with contents: headings get ids, and those of the highest `depth` levels are listed."""
    tokens = _tokens(text, below)
    found: list[tuple[int, str, str]] = []
    for heading, inside in pairwise(tokens):
        if heading.type == "heading_open":
            # Numbered: whatever a heading says, two have different ids, and no other part of a page has one of them.
            place = f"part-{len(found) + 1}"
            heading.attrSet("id", place)
            found.append((int(heading.tag[1]), place, _plain(inside)))
    highest = min((level for level, _, _ in found), default=0)
    contents = [Heading(place, title, level - highest) for level, place, title in found if title]
    return LongText(_html(tokens), tuple(each for each in contents if each.depth < depth))


def _tokens(text: str, below: int) -> list[Token]:
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + below, _LOWEST)}"
    return tokens


def _plain(token: Token) -> str:
    """The words of a heading, without what stands around them."""
    seen = (each for each in token.children or () if each.type != "image")
    words = "".join(" " if each.type.endswith("break") else each.content for each in seen)
    return " ".join(words.split())


def _html(tokens: list[Token]) -> Markup:
    made = _PARSER.renderer.render(tokens, _PARSER.options, {})
    clean = nh3.clean(made, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES, link_rel="noopener nofollow")
    # A wide table scrolls by itself, so that the page does not; whoever uses the keyboard can reach it.
    scrolls = clean.replace("<table>", '<div class="table-wrap" tabindex="0"><table class="table">')
    return Markup(scrolls.replace("</table>", "</table></div>"))
