"""Reads pages as a browser does, and tells of markup that is not ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

SCHEME = "javascript:alert(1)//in the text"
"""It does harm where an address begins with it."""

PAYLOADS = (
    "<script>alert(1)</script> in the text",
    '"><img src=x onerror=alert(1)> in the text',
    SCHEME,
    "{{7777*7}} and {% raw %} in the text",
    "${7777*7} and #{7777*7} in the text",
    "'-alert(1)-' </textarea></title></style><svg/onload=alert(1)>",
)
"""Each long enough for every field that takes text, and short enough for most."""

ADDRESSES = ("javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<script>alert(1)</script>", "//evil.example")
"""What no field for an address may take."""

_COMPUTED = "54439"
_LINKS = ("href", "src", "action", "formaction", "poster", "data", "xlink:href", "hx-get", "hx-post")
_SCHEMES = ("javascript:", "data:", "vbscript:")
_FIELDS = ("text", "email", "url", "search", "tel", "password", "number", "")


@dataclass(slots=True)
class Form:
    """A form of a page: where it goes, and its fields with what is in them."""

    action: str
    method: str
    values: list[tuple[str, str]] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    """Fields that people type into."""


class Page(HTMLParser):
    """What is in a page: text, links, forms, and whatever runs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.alien: list[str] = []
        self.text = ""
        self.links: list[str] = []
        self.forms: list[Form] = []
        self._form: Form | None = None
        self.feed(text)
        if _COMPUTED in text:
            self.alien.append(f"somebody has worked out {_COMPUTED}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        # Structured data is a script that no browser runs.
        data = tag == "script" and known == {"type": "application/ld+json"}
        if tag == "script" and not data and not known.get("src", "").startswith("/static/"):
            self.alien.append(str((tag, known)))
        if tag in ("iframe", "object", "embed", "base", "style") or (tag == "img" and known.get("src") == "x"):
            self.alien.append(str((tag, known)))
        for name, value in known.items():
            if name.startswith("on") or name == "style" or name == "srcdoc":
                self.alien.append(str((tag, name, value)))
            plain = "".join(value.split()).lower()
            if name in _LINKS and plain.startswith(_SCHEMES):
                self.alien.append(str((tag, name, value)))
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        self._note_form(tag, known)

    def _note_form(self, tag: str, known: dict[str, str]) -> None:
        if tag == "form":
            self._form = Form(known.get("action", ""), known.get("method", "get").lower())
            self.forms.append(self._form)
        if self._form is None or not known.get("name"):
            return
        name = known["name"]
        if tag == "textarea" or (tag == "input" and known.get("type", "") in _FIELDS):
            self._form.typed.append(name)
        elif tag == "input" and known.get("type") == "hidden":
            self._form.values.append((name, known.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None

    def handle_data(self, data: str) -> None:
        self.text += data
