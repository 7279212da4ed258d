"""Mails say the same in text and HTML, and nothing that people typed is anything but text in them."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from partita.kit.letters import one_line
from partita.kit.mail import Message
from partita.kit.notifications.kinds import Words
from partita.kit.notifications.letters import Line, letter

_ANY = st.text(max_size=60)
_OURS = {"html", "head", "meta", "title", "body", "div", "p", "a"}


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


@given(title=_ANY, text=_ANY, name=_ANY)
def test_whatever_people_typed_is_text(title: str, text: str, name: str) -> None:
    written = letter(
        f"About {title}",
        [Line(Words(title, text), "https://x.example/open?a=1&b=2")],
        name=name,
        why="You get this.",
        unsubscribe="https://x.example/u?token=t",
        settings="https://x.example/s",
    )
    seen = _Tags()
    seen.feed(written.html)
    assert seen.tags <= _OURS
    assert seen.names <= {"lang", "charset", "name", "content", "style", "href"}
    assert seen.links == ["https://x.example/open?a=1&b=2", "https://x.example/u?token=t", "https://x.example/s"]
    Message("ada@example.org", written.subject, written.text, written.html)  # a subject is one line, whatever was typed


def test_both_forms_say_the_same() -> None:
    lines = [Line(Words("<b>One</b>", "First\nSecond"), "https://x.example/1"), Line(Words("Two"))]
    written = letter("Two & more", lines, name="Ada <a@b>", why="Because.", unsubscribe="https://x.example/u")
    assert written.text == (
        "Hello Ada a b,\n\n<b>One</b>\nFirst\nSecond\nhttps://x.example/1\n\nTwo\n\n"
        "-- \nBecause.\nUnsubscribe: https://x.example/u\n"
    )
    assert "<b>" not in written.html
    assert "&lt;b&gt;One&lt;/b&gt;" in written.html
    plain = unescape(re.sub(r"<[^>]+>", " ", written.html))
    for piece in ("Hello Ada a b,", "<b>One</b>", "First\nSecond", "Two", "Because.", "Unsubscribe"):
        assert piece in plain


@given(_ANY)
def test_a_subject_is_one_short_line(text: str) -> None:
    line = one_line(text * 4)
    assert len(line) <= 150
    assert line == line.strip()
    assert all(character.isprintable() or character in "\u200c\u200d" for character in line)


def test_what_joins_letters_of_a_subject_stays() -> None:
    assert one_line("می\u200cخواهم\n👩\u200d🌾") == "می\u200cخواهم 👩\u200d🌾"
