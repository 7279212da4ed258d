"""What a browser would send if somebody pressed a button of a form as it stands."""

from __future__ import annotations

from html.parser import HTMLParser

_NOT_SENT = ("submit", "button", "reset", "image", "file")


def filled(page: str, action: str) -> list[tuple[str, str]]:
    """The names and values of the form that goes to this address, in order; without any button's own."""
    reader = _Reader(action)
    reader.feed(page)
    assert reader.found, f"no form goes to {action}"
    return reader.sent


class _Reader(HTMLParser):
    def __init__(self, action: str) -> None:
        super().__init__()
        self.sent: list[tuple[str, str]] = []
        self.found = False
        self._action = action
        self._inside = False
        self._select = ""
        self._options: list[tuple[str, bool]] = []
        self._textarea: str | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "form":
            self._inside = known.get("action") == self._action
            self.found |= self._inside
        if not self._inside:
            return
        name = known.get("name") or ""
        if tag == "input" and name and known.get("type", "text") not in _NOT_SENT:
            if known.get("type") not in ("checkbox", "radio") or "checked" in known:
                self.sent.append((name, known.get("value") or ""))
        elif tag == "textarea":
            self._textarea, self._text = name, ""
        elif tag == "select":
            self._select, self._options = name, []
        elif tag == "option":
            self._options.append((known.get("value") or "", "selected" in known))

    def handle_data(self, data: str) -> None:
        if self._textarea is not None:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        elif tag == "textarea" and self._textarea is not None:
            # A line end right after the tag is not part of the text.
            self.sent.append((self._textarea, self._text.removeprefix("\n")))
            self._textarea = None
        elif tag == "select" and self._inside:
            chosen = [value for value, selected in self._options if selected]
            self.sent.append((self._select, chosen[-1] if chosen else self._options[0][0]))
