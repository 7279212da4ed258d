"""What a page offers: where its links lead, and its forms with what stands in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(frozen=True, slots=True)
class Form:
    """A form as a browser would send it."""

    action: str
    method: str
    multipart: bool
    fields: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Offered:
    """All that was seen so far."""

    links: dict[str, None] = field(default_factory=dict)
    forms: dict[Form, None] = field(default_factory=dict)
    most: int = 4000

    def look(self, path: str, page: str) -> None:
        """Remember what a page offers."""
        reader = _Reader(path)
        reader.feed(page)
        for link in reader.links[: self.most - len(self.links)]:
            self.links[link] = None
        for form in reader.forms[: self.most - len(self.forms)]:
            self.forms[form] = None


class _Reader(HTMLParser):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[Form] = []
        self._path = path
        self._form: tuple[str, str, bool] | None = None
        self._fields: list[tuple[str, str]] = []
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        for name in ("href", "src", "hx-get"):
            if known.get(name, "").startswith("/"):
                self.links.append(known[name])
        if tag == "form":
            multipart = known.get("enctype") == "multipart/form-data"
            self._form = (known.get("action") or self._path, known.get("method", "get").upper(), multipart)
            self._fields = []
        elif tag in ("input", "textarea", "button") and known.get("name"):
            self._fields.append((known["name"], known.get("value", "")))
        elif tag == "select":
            self._select = known.get("name", "")
        elif tag == "option" and self._select:
            self._fields.append((self._select, known.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self._form is not None:
            self.forms.append(Form(*self._form, tuple(self._fields)))
            self._form = None
        elif tag == "select":
            self._select = ""
