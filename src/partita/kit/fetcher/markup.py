"""HTML in pieces: text, tags, and nothing of what browsers do not show. Whatever comes takes time in proportion.

The standard library's parser takes minutes for 50 KB of `<a <a <a …` in the releases of Python we support, and raises
on some. Here every search either consumes what it has read or is the last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*+)")
# To the end of the tag: a quoted value may hold `>`. Possessive, so that nothing is tried twice.
_ATTRIBUTES = re.compile(r"""((?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+'|(?!["'])))*+)>""")
_BRACKETS = re.compile(r"<++")
_ATTRIBUTE = re.compile(r"""([^\s=/>"']++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>][^\s>]*+)))?""")

RAW = frozenset({"script", "style", "noscript", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
"""Elements whose content is text up to their own end tag, whatever is in it."""


class Tag(NamedTuple):
    """A start or an end of an element; `content` is the text within, of an element that holds only text."""

    name: str
    end: bool = False
    written: str = ""
    content: str = ""

    def attributes(self) -> dict[str, str]:
        """Names in lower case and values as they are written; the first of a name counts."""
        found: dict[str, str] = {}
        for name, *values in _ATTRIBUTE.findall(self.written):
            found.setdefault(name.lower(), "".join(values))
        return found

    @property
    def closes_itself(self) -> bool:
        return self.written.endswith("/")


def pieces(html: str) -> Iterator[str | Tag]:
    """Text as it is written and tags, in order; comments and declarations are left out."""
    position = 0
    while (start := html.find("<", position)) >= 0:
        if start > position:
            yield html[position:start]
        opening = _TAG.match(html, start)
        if opening is None:
            position = _past_declaration(html, start)
            if position == start:
                position = _past_brackets(html, start)
                yield html[start:position]
            continue
        attributes = _ATTRIBUTES.match(html, opening.end())
        if attributes is None:
            return  # a tag that never ends holds the rest
        name, position = opening[2].lower(), attributes.end()
        if opening[1]:
            yield Tag(name, end=True)
        elif name in RAW:
            ending = _end_of(name).search(html, position)
            content_ends = ending.start() if ending else len(html)
            yield Tag(name, written=attributes[1], content=html[position:content_ends])
            position = content_ends
        else:
            yield Tag(name, written=attributes[1])
    yield html[position:]


def _past_declaration(html: str, start: int) -> int:
    """Past a comment or a declaration; where there is none, nowhere."""
    if html.startswith("<!--", start):
        return _past(html, "-->", start + 2)  # `<!-->` is a whole comment
    if html.startswith(("<!", "<?"), start) or (html.startswith("</", start) and len(html) > start + 2):
        return _past(html, ">", start + 2)
    return start


def _past_brackets(html: str, start: int) -> int:
    """Past a `<` that begins nothing, and those that follow it but the last, which may begin something."""
    found = _BRACKETS.match(html, start)
    return max(start + 1, found.end() - 1) if found else start + 1


def _past(html: str, ending: str, start: int) -> int:
    found = html.find(ending, start)
    return len(html) if found < 0 else found + len(ending)


@cache
def _end_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
