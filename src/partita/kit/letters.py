"""Mail on paper: the frame that all HTML mail has, one line out of any text, and names that carry no link.

Mail programs drop style sheets, so styles are inline. Everything that people typed is escaped.
"""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup

_LONGEST_SUBJECT = 150
_LONGEST_NAME = 80
_JOINERS = "\u200c\u200d"
"""They belong to words of Persian and of Indian languages, and to pictures made of several."""
_FONT = Markup("font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif")
_PAGE = Markup("""\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{subject}</title></head>
<body style="margin:0;padding:24px 12px;background:#f5f6f8;color:#1c2024;{font};font-size:15px;line-height:1.5">
<div style="max-width:560px;margin:0 auto;padding:24px 28px;background:#fff;border:1px solid #e2e5e9;border-radius:8px">
<p style="margin:0 0 16px">{greeting}</p>
{body}
</div>
<div style="max-width:560px;margin:12px auto 0;padding:0 28px;color:#5b6470;font-size:13px">
{foot}
</div>
</body>
</html>
""")
_DOTS = re.compile(r"[.\u3002\u2024\ufe52]+(?=[^\s.])")
_SPACES = re.compile(r"(\s+)")
_DECIMAL = re.compile(r"\W*\d+\.\d+\W*")
_LINK_MARKS = re.compile(r"//|[@\\]|\bwww\.|\w:(?=[^\W\d]|/)", re.IGNORECASE)
_CUT_AT = re.compile(r"[@:/\\?#=%&]+")
_LINK_PARTS = re.compile(r"[^\w\s.,'\u2019()&+-]|_")


def paper(subject: str, name: str, body: Markup, foot: Markup) -> str:
    """A whole mail as HTML."""
    return str(_PAGE.format(subject=subject, font=_FONT, greeting=greeting(name), body=body, foot=foot))


def greeting(name: str) -> str:
    """The first line of a mail."""
    safe = linkless(name)
    return f"Hello {safe}," if safe else "Hello,"


def one_line(text: str) -> str:
    """Text as a subject: one line, not too long."""
    line = " ".join(
        "".join(character if character.isprintable() or character in _JOINERS else " " for character in text).split()
    )
    return line if len(line) <= _LONGEST_SUBJECT else line[: _LONGEST_SUBJECT - 1].rstrip() + "…"


def linkless(name: str) -> str:
    """A name of which no mail program makes a link: one short line, without what addresses are made of.

    Anybody can type somebody else's address, and any name with it: the mail must not carry a message of theirs.
    """
    plain = _LINK_PARTS.sub(" ", one_line(unicodedata.normalize("NFKC", name)))
    spaced = _DOTS.sub(_apart, plain)
    line = " ".join(spaced.split())
    return line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1].rstrip() + "…"


def unlinked(text: str) -> str:
    """Text of which no mail program makes a link, as it was typed but for words that could be one."""
    return "".join(each if not each or each.isspace() else _word(each) for each in _SPACES.split(text))


def no_link(name: str) -> str:
    """A name as it was typed, or `ValueError`: names are in mail to others."""
    if unlinked(name) != name:
        raise ValueError("Enter a name without web or mail addresses.")
    return name


def _word(word: str) -> str:
    bare = "".join(each for each in unicodedata.normalize("NFKC", word) if unicodedata.category(each) != "Cf")
    if _DECIMAL.fullmatch(bare):
        return word
    apart = _DOTS.sub(_apart, bare)
    return word if apart == bare and not _LINK_MARKS.search(bare) else " ".join(_CUT_AT.sub(" ", apart).split())


def _apart(dots: re.Match[str]) -> str:
    """Initials stay together (`J.R.R.`); elsewhere a space follows, so that `example.org` is no host."""
    before, after = dots.string[: dots.start()], dots.string[dots.end() :]
    initial = re.search(r"(?:^|[\s.“‘'\"(])[^\W\d_]$", before) and re.match(r"[^\W\d_](?:[\s.,)”’'\"]|$)", after)
    return "." if initial and dots[0] == "." else ". "
