"""Notifications as mail: plain text, and the same as HTML that every mail program shows.

Mail programs drop style sheets, so styles are inline. Everything that people typed is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from markupsafe import Markup

from partita.kit.letters import greeting, one_line, paper, unlinked
from partita.kit.notifications.kinds import Words


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
    """A mail that tells these lines. `more` is said after them; without `settings` there is no account to set.

    The words hold what other people typed, so nothing in them becomes a link; addresses of ours are in `url`.
    """
    subject, lines = one_line(unlinked(subject)), [_unlinked(line) for line in lines]
    return Letter(
        subject,
        _text(lines, name, why, unsubscribe, unsubscribe_label, settings, more),
        _html(subject, lines, name, why, unsubscribe, unsubscribe_label, settings, more),
    )


def _unlinked(line: Line) -> Line:
    words = line.words
    return replace(line, words=Words(unlinked(words.title), unlinked(words.text), unlinked(words.section)))


def _text(
    lines: Sequence[Line], name: str, why: str, unsubscribe: str, unsubscribe_label: str, settings: str, more: str
) -> str:
    parts = [greeting(name)]
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


_FOOT = Markup("""\
<p style="margin:0 0 4px">{why}</p>
<p style="margin:0"><a href="{unsubscribe}" style="color:#5b6470">{unsubscribe_label}</a>{settings}</p>""")
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
    return paper(
        subject,
        name,
        told + (_MORE.format(more) if more else _NOTHING),
        _FOOT.format(
            why=why,
            unsubscribe=unsubscribe,
            unsubscribe_label=unsubscribe_label,
            settings=_SETTINGS.format(settings) if settings else _NOTHING,
        ),
    )
