"""Notifications as mail: plain text, and the same as HTML that every mail program shows.

Mail programs drop style sheets, so styles are inline. Everything that people typed is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from partita.kit.notifications.kinds import Words

_LONGEST_SUBJECT = 150


@dataclass(frozen=True, slots=True)
class Line:
    """Something that a mail tells, with the address that it leads to."""

    words: Words
    url: str = ""


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail in both forms."""

    subject: str
    text: str
    html: str


def letter(
    subject: str,
    lines: Sequence[Line],
    *,
    name: str,
    why: str,
    unsubscribe: str,
    unsubscribe_label: str = "Unsubscribe",
    settings: str = "",
    more: str = "",
) -> Letter:
    """A mail that tells these lines. `more` is said after them; without `settings` there is no account to set."""
    subject = one_line(subject)
    return Letter(
        subject,
        _text(lines, name, why, unsubscribe, unsubscribe_label, settings, more),
        _html(subject, lines, name, why, unsubscribe, unsubscribe_label, settings, more),
    )


def one_line(text: str) -> str:
    """Text as a subject: one line, not too long."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line if len(line) <= _LONGEST_SUBJECT else line[: _LONGEST_SUBJECT - 1].rstrip() + "…"


def _text(
    lines: Sequence[Line], name: str, why: str, unsubscribe: str, unsubscribe_label: str, settings: str, more: str
) -> str:
    parts = [f"Hello {one_line(name)}," if name else "Hello,"]
    for section, told in groupby(lines, key=lambda line: line.words.section):
        if section:
            parts.append(f"== {one_line(section)} ==")
        parts += ["\n".join(filter(None, (line.words.title, line.words.text, line.url))) for line in told]
    if more:
        parts.append(more)
    foot = [why, f"{unsubscribe_label}: {unsubscribe}"]
    if settings:
        foot.append(f"Notification settings: {settings}")
    return "\n\n".join([*parts, "-- \n" + "\n".join(foot)]) + "\n"


_FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

_PAGE = Markup("""\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{subject}</title></head>
<body style="margin:0;padding:24px 12px;background:#f5f6f8;color:#1c2024;{font};font-size:15px;line-height:1.5">
<div style="max-width:560px;margin:0 auto;padding:24px 28px;background:#fff;border:1px solid #e2e5e9;border-radius:8px">
<p style="margin:0 0 16px">{greeting}</p>
{lines}{more}
</div>
<div style="max-width:560px;margin:12px auto 0;padding:0 28px;color:#5b6470;font-size:13px">
<p style="margin:0 0 4px">{why}</p>
<p style="margin:0"><a href="{unsubscribe}" style="color:#5b6470">{unsubscribe_label}</a>{settings}</p>
</div>
</body>
</html>
""")
_LINE = Markup('<div style="margin:0 0 16px"><div style="font-weight:600">{title}</div>{text}{link}</div>\n')
_SECTION = Markup(
    '<div style="margin:20px 0 8px;padding-bottom:4px;border-bottom:1px solid #e2e5e9;color:#5b6470">{}</div>\n'
)
_TEXT = Markup('<div style="white-space:pre-line">{}</div>')
_LINK = Markup('<div style="margin-top:4px"><a href="{}" style="color:#2a5bd7">{}</a></div>')
_MORE = Markup('<p style="margin:0;color:#5b6470">{}</p>')
_SETTINGS = Markup(' · <a href="{}" style="color:#5b6470">Notification settings</a>')
_NOTHING = Markup()


def _line(line: Line) -> Markup:
    return _LINE.format(
        title=line.words.title,
        text=_TEXT.format(line.words.text) if line.words.text else _NOTHING,
        link=_LINK.format(line.url, "Open") if line.url else _NOTHING,
    )


def _html(
    subject: str,
    lines: Sequence[Line],
    name: str,
    why: str,
    unsubscribe: str,
    unsubscribe_label: str,
    settings: str,
    more: str,
) -> str:
    told = Markup().join(
        (_SECTION.format(section) if section else _NOTHING) + Markup().join(map(_line, of_section))
        for section, of_section in groupby(lines, key=lambda line: line.words.section)
    )
    return str(
        _PAGE.format(
            subject=subject,
            font=Markup(_FONT),
            greeting=f"Hello {one_line(name)}," if name else "Hello,",
            lines=told,
            more=_MORE.format(more) if more else _NOTHING,
            why=why,
            unsubscribe=unsubscribe,
            unsubscribe_label=unsubscribe_label,
            settings=_SETTINGS.format(settings) if settings else _NOTHING,
        )
    )
