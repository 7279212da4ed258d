"""The templates: the shell's and those of every system, with what all of them may use."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape

from partita.kit.labels import field_id, field_mark
from partita.web import charts
from partita.web.assets import Assets

_OURS = Path(__file__).parent / "templates"
_FRAGMENTS = 4096
_BACK = 3
"""How many pages back a list leads; cursors are long, and addresses should not be."""
_APPS = Path(__file__).parents[1] / "apps"


def environment(assets: Assets, systems: Iterable[str]) -> Environment:
    """Everything escaped, nothing undefined; `/kelifax` has its templates in `apps/kelifax/templates/kelifax`."""
    templates = Environment(
        loader=FileSystemLoader([_OURS, *(_APPS / name / "templates" for name in systems)]),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # else every page looks at the files of all its templates
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    sprite = assets.url("icons.svg")

    @lru_cache(maxsize=256)
    def icon(name: str, size: str = "") -> Markup:
        """A picture of the sprite; what it means is said in words beside it."""
        return Markup('<svg class="icon {}" aria-hidden="true"><use href="{}#{}"/></svg>').format(size, sprite, name)

    @lru_cache(maxsize=_FRAGMENTS)
    def fragment(macro: Macro, *arguments: Hashable) -> Markup:
        """What a macro makes of its arguments, made once: the key is all that it shows, so it is never out of date."""
        return Markup(macro(*arguments))

    @pass_context
    def pager(context: Context, next_cursor: str | None, shown: str = "") -> Markup:
        """First page, back, next; nothing where the list fits on one page. A cursor knows no way back, so the address
        has those of the pages before."""
        asked = context["request"].query_params
        cursor = asked.get("cursor")
        if not next_cursor and not cursor:
            return Markup()
        before = [each for each in asked.getlist("back") if each]
        part = templates.get_template("parts/pager.html")
        return Markup(
            part.render(
                first=query(context, cursor=None, back=None) if cursor else "",
                back=query(context, cursor=before[-1], back=before[:-1]) if before else "",
                next=query(context, cursor=next_cursor, back=[*before, cursor][-_BACK:]) if next_cursor else "",
                shown=shown,
            )
        )

    templates.globals.update(
        asset=assets.url,
        field_id=field_id,
        field_mark=field_mark,
        fragment=fragment,
        icon=icon,
        pager=pager,
        query=query,
        row_numbers=row_numbers,
        column_chart=charts.column_chart,
        line_chart=charts.line_chart,
        bar_table=charts.bar_table,
        sparkline=charts.sparkline,
    )
    templates.filters.update(
        ago=ago,
        bytes=in_bytes,
        day=day,
        from_seconds=from_seconds,
        initials=initials,
        milliseconds=milliseconds,
        moment=moment,
        number=charts.number,
        pair=pair,
        spelled=spelled,
        plural=plural,
        units=units,
        words=words,
    )
    return templates


@pass_context
def query(context: Context, **changes: Any) -> str:
    """The address of this page with other parameters; None leaves one out, a list repeats it."""
    request = context["request"]
    kept = [(name, value) for name, value in request.query_params.multi_items() if name not in changes and value]
    for name, value in changes.items():
        values = value if isinstance(value, list | tuple) else [value]
        kept.extend((name, str(each)) for each in values if each is not None and each != "")
    return f"{request.url.path}?{urlencode(kept)}" if kept else str(request.url.path)


def row_numbers(form: Any, name: str, least: int = 1, most: int = 100) -> list[int]:
    """The rows of a list of things in a form (`links.0.title`): those that were sent, at least `least`."""
    starts = (key[len(name) + 1 :].partition(".")[0] for key in form.values if key.startswith(f"{name}."))
    # Names come from outside: a row of number 10,000,000 is nobody's.
    highest = max((int(start) + 1 for start in starts if start.isdecimal() and len(start) < 5), default=0)
    return list(range(min(max(highest, least), most)))


@lru_cache(maxsize=4096)
def moment(value: str | datetime | None) -> Markup:
    """A point in time, to the minute, in UTC."""
    if not value:
        return Markup("–")
    at = _at(value)
    shown = f"{at.day} {at:%b %Y, %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="seconds"), shown)


@lru_cache(maxsize=4096)
def day(value: str | datetime | None) -> Markup:
    """A day."""
    if not value:
        return Markup("–")
    at = _at(value)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        at.isoformat(timespec="seconds"), f"{at:%Y-%m-%d %H:%M} UTC", f"{at.day} {at:%b %Y}"
    )


def ago(value: str | datetime | None, now: datetime | None = None) -> Markup:
    """How long ago: minutes and hours of today, days of this month, then the day."""
    if not value:
        return Markup("–")
    at = _at(value)
    seconds = ((now or datetime.now(UTC)) - at).total_seconds()
    if seconds < 0 or seconds >= 30 * 86400:
        return day(at)
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            shown = f"{plural(int(seconds // size), unit)} ago"
            break
    else:
        shown = "just now"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        at.isoformat(timespec="seconds"), f"{at:%Y-%m-%d %H:%M} UTC", shown
    )


def _at(value: str | datetime) -> datetime:
    at = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def from_seconds(seconds: int) -> datetime:
    """A moment as tables that expire items have it."""
    return datetime.fromtimestamp(seconds, UTC)


def pair(word: str) -> tuple[str, str]:
    """A choice that is called what it is."""
    return word, word


def plural(count: int, one: str, many: str | None = None) -> str:
    """1 comment, 2 comments."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def in_bytes(size: int) -> str:
    """A size people can read."""
    for limit, unit in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")):
        if size >= limit:
            return f"{size / limit:.1f} {unit}"
    return plural(size, "byte")


def initials(name: str) -> str:
    """One or two letters for a person."""
    words = [word for word in name.replace("-", " ").split() if word[0].isalnum()]
    return "".join(word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)) or "?"


def words(name: str) -> str:
    """A field's name as people say it: `submitter.firstName` is “Submitter first name”, `links.0.url` “Links 1 url”."""
    parts = (str(int(part) + 1) if part.isdecimal() else part for part in name.replace("_", ".").split("."))
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", " ".join(parts)).lower().capitalize()


def spelled(text: str) -> Markup:
    """Words between backticks as code, as docstrings have them."""
    pieces = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else escape(piece) for place, piece in enumerate(pieces)
    )


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"


def units(amount: float) -> str:
    return f"{amount:.1f}".removesuffix(".0")
