"""Markdown that people write, as HTML that can do no harm: parsed by CommonMark's rules with tables, then cleaned."""

from __future__ import annotations

import nh3
from markdown_it import MarkdownIt
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
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_SCHEMES = {"http", "https", "mailto"}
_LOWEST = 6


def html_of(text: str, *, below: int = 1) -> Markup:
    """A text as HTML for a page. Its headings come below that of the page (`below` is its level), in order; pictures
    from elsewhere, and HTML that was typed, are left out or shown as text."""
    tokens = _PARSER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + below, _LOWEST)}"
    made = _PARSER.renderer.render(tokens, _PARSER.options, {})
    clean = nh3.clean(made, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES, link_rel="noopener nofollow")
    # A wide table scrolls by itself, so that the page does not; whoever uses the keyboard can reach it.
    scrolls = clean.replace("<table>", '<div class="table-wrap" tabindex="0"><table class="table">')
    return Markup(scrolls.replace("</table>", "</table></div>"))
