"""The mail as it will arrive, for a page: our pages allow no styles on elements, so each look becomes a class, whose
styles are served as a sheet of its own. The markup is the mail's; what mails write as attributes are styles too."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from html import escape
from html.parser import HTMLParser

import nh3

_TAGS = {
    *("h1", "h2", "h3", "h4", "p", "ul", "ol", "li", "pre", "code", "em", "strong", "hr", "br", "a", "span", "img"),
    *("table", "thead", "tbody", "tr", "th", "td", "bdi", "sup", "div"),
}
_ATTRIBUTES = {
    "*": {"class", "lang", "dir", "id"},
    "a": {"href"},
    "ol": {"start"},
    "img": {"src", "alt", "width", "height"},
    "table": {"role"},
    "th": {"scope"},
}
_SCHEMES = {"http", "https", "mailto"}
_HINTS = {"bgcolor": "background-color", "align": "text-align", "valign": "vertical-align"}
_UNSAFE = frozenset("{}<>@\\")
_SHEET = """\
.mail-look, .mail-look * { all: revert; }
.mail-look { overflow-x: auto; }
.mail-look table { border-spacing: 0; }
.mail-look th, .mail-look td { padding: 0; }
.mail-look td > table[role] { margin-inline: auto; }
"""


@dataclass(frozen=True, slots=True)
class MailLook:
    """A mail inside a page."""

    markup: str
    styles: str


def mail_look(mail: str) -> MailLook:
    """The body of a mail with classes for its styles, and the sheet that has them."""
    reader = _Reader()
    reader.feed(mail)
    reader.close()
    clean = nh3.clean("".join(reader.parts), tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES)
    rules = "".join(f".mail-look .{name} {{ {styles} }}\n" for name, styles in sorted(reader.rules.items()))
    return MailLook(f'<div class="mail-look">{clean}</div>', _SHEET + rules)


@dataclass
class _Reader(HTMLParser):
    """Copies what is inside `body`, and gathers its styles."""

    parts: list[str] = field(default_factory=list)
    rules: dict[str, str] = field(default_factory=dict)
    inside: bool = False

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.inside:
            self.parts.append(f"<{tag}{self._attributes(tag, {name: value or '' for name, value in attrs})}>")
        self.inside = self.inside or tag == "body"

    def handle_endtag(self, tag: str) -> None:
        if tag == "body":
            self.inside = False
        if self.inside:
            self.parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.parts.append(escape(data))

    def _attributes(self, tag: str, attributes: dict[str, str]) -> str:
        styles = _styles(tag, attributes)
        kept = {name: value for name, value in attributes.items() if name in _kept(tag)}
        place = attributes.get("id") or attributes.get("name")
        if place:  # mails have names of places; the page has ids of its own
            kept["id"] = f"mail-{place}"
        if kept.get("href", "").startswith("#"):
            kept["href"] = f"#mail-{kept['href'][1:]}"
        if styles:
            kept["class"] = f"m-{blake2b(styles.encode(), digest_size=5).hexdigest()}"
            self.rules[kept["class"]] = styles
        return "".join(f' {name}="{escape(value)}"' for name, value in kept.items())


def _kept(tag: str) -> set[str]:
    return (_ATTRIBUTES["*"] | _ATTRIBUTES.get(tag, set())) - {"class"}


def _styles(tag: str, attributes: dict[str, str]) -> str:
    """What an element is told of its look, by attributes first: its styles come after, and win."""
    found = [f"{_HINTS[name]}: {value}" for name, value in attributes.items() if name in _HINTS]
    width = attributes.get("width", "")
    if tag != "img" and width.removesuffix("%").isdigit():
        found.append(f"width: {width if width.endswith('%') else width + 'px'}")
    found += [each.strip() for each in attributes.get("style", "").split(";")]
    return "; ".join(each for each in found if each and not _UNSAFE & set(each))
