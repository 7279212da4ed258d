"""The names of fields in a summary of errors: those that their labels have on the same page.

A summary stands above its fields, so it leaves marks, and gets its names when the page is made.
"""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from markupsafe import Markup

_MARKED = re.compile(r"<!--field (?P<name>[^<>]*)-->(?P<words>[^<>]*)<!--/field-->")
"""What people typed is escaped, so no mark is theirs."""
_NOT_PART_OF_A_LABEL = {"hint", "optional"}


def field_id(name: str) -> str:
    """The id of a field on its page."""
    return "f-" + name.replace(".", "-").replace("_", "-")


def field_mark(name: str, words: str) -> Markup:
    """Where a summary names a field, with a colon; the words are for a field that the page does not have."""
    return Markup("<!--field {}-->{}<!--/field-->").format(name, words)


def with_labels(page: str) -> str:
    """The page, with links to the fields in place of the marks."""
    if _MARKED.search(page) is None:
        return page
    labels = _Labels()
    labels.feed(page)

    def link(mark: re.Match[str]) -> str:
        found = _nearest(unescape(mark["name"]), labels.by_id)
        if found is None:
            return f"{mark['words']}:"
        name, label = found
        colon = "" if label.endswith("?") else ":"
        return Markup('<a href="#{}">{}</a>{}').format(field_id(name), label or Markup(mark["words"]), colon)

    return _MARKED.sub(link, page)


def _nearest(name: str, labels: dict[str, str]) -> tuple[str, str] | None:
    """The field with its label, or the group it is in where it has none of its own (`links.0` of `links`)."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        found = ".".join(parts[:end])
        if field_id(found) in labels:
            return found, _with_row(parts[:end], labels)
    return None


def _with_row(parts: list[str], labels: dict[str, str]) -> str:
    """“Address” of the first row of “Links” is “Links 1, Address”: every row has such a field."""
    label = labels[field_id(".".join(parts))]
    for place, part in enumerate(parts[:-1]):
        group = labels.get(field_id(".".join(parts[:place])))
        if part.isdecimal() and group:
            label = f"{group} {int(part) + 1}, {label}"
    return label


class _Labels(HTMLParser):
    """Every id of a page, with the label that belongs to it."""

    def __init__(self) -> None:
        super().__init__()
        self.by_id: dict[str, str] = {}
        self._groups: list[str] = []
        self._labelled: list[str] | None = None
        """The ids whose label is being read."""
        self._text = ""
        self._beside = 0
        """How many spans deep we are in what stands in a label without being part of it."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        own = known.get("id", "")
        if own:
            self.by_id.setdefault(own, known.get("aria-label", ""))
        if tag == "fieldset":
            self._groups.append(own)
        elif tag == "label":
            self._labelled, self._text = [known["for"]] if "for" in known else [], ""
        elif tag == "legend":
            self._labelled, self._text = self._groups[-1:], ""
        elif self._labelled is not None and own:
            self._labelled.append(own)  # a box stands in its label
        if tag == "span" and (self._beside or _NOT_PART_OF_A_LABEL & set(known.get("class", "").split())):
            self._beside += 1

    def handle_data(self, data: str) -> None:
        if self._labelled is not None and not self._beside:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "span" and self._beside:
            self._beside -= 1
        elif tag == "fieldset" and self._groups:
            self._groups.pop()
        elif tag in ("label", "legend") and self._labelled is not None:
            for each in self._labelled:
                self.by_id[each] = " ".join(self._text.split())
            self._labelled = None
