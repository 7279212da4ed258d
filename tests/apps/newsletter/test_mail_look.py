"""The mail in a page: its own markup and looks, without styles on elements."""

from __future__ import annotations

import re
from html import unescape

from partita.apps.newsletter.service.documents.mail import mail_markup
from partita.apps.newsletter.service.documents.mail_look import mail_look
from tests.apps.newsletter.editions import edition

_STYLE = re.compile(r'<(\w+)[^>]*? style="([^"]*)"')
_TEXT = re.compile(r"<[^>]*>")


def _words(markup: str) -> list[str]:
    return unescape(_TEXT.sub(" ", markup)).split()


def test_a_preview_has_the_words_of_the_mail_and_every_style_of_it() -> None:
    for theme in ("journal", "bulletin", "field", "letter"):
        mail = mail_markup(edition(theme=theme), {})
        look = mail_look(mail)
        body = mail[mail.index("<body") :]
        assert _words(look.markup) == _words(body)
        inside = body[body.index(">") + 1 :]
        for tag, style in _STYLE.findall(inside):
            for one in filter(None, map(str.strip, unescape(style).split(";"))):
                assert one in look.styles, (tag, one)
        assert look.markup.count("<td") == mail.count("<td")
        places = set(re.findall(r'id="([^"]*)"', look.markup))
        assert {each[1:] for each in re.findall(r'href="(#[^"]*)"', look.markup)} <= places


def test_a_preview_brings_no_style_no_script_and_no_id_of_the_page() -> None:
    look = mail_look(
        '<html><head><title>x</title></head><body style="margin:0"><p id="panel" style="color:red;} body{x:y"'
        ' onclick="a()">A <script>alert(1)</script><a href="javascript:b()">b</a><a href="#source-1">[1]</a>'
        '<iframe src="//x"></iframe></p></body></html>'
    )
    assert not re.search(r"style=|onclick|javascript:|<iframe|<script", look.markup)
    assert 'id="mail-panel"' in look.markup
    assert 'href="#mail-source-1"' in look.markup
    assert "color:red" in look.styles
    assert "body{x" not in look.styles
    assert look.styles.count("{") == look.styles.count("}")
