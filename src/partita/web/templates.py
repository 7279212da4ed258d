"""The templates of the house and the systems, with their functions and filters."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.runtime import Context, Macro
from markupsafe import Markup, escape
from starlette.requests import Request

from partita.kit.clock import written_day
from partita.kit.faces import drawing, initials
from partita.kit.labels import field_id, field_link
from partita.kit.search.results import FacetValue
from partita.kit.sharing.addresses import absolute
from partita.kit.sharing.structured import structured_data
from partita.kit.short_memory import remembered_if_short
from partita.kit.stale import opened
from partita.web import charts, small_charts
from partita.web.assets import Assets

_OURS = Path(__file__).parent / "templates"
_FRAGMENTS = 1024
"""Each keeps the item that it was made of."""
_BACK = 3
"""How many pages back a list can go; cursors are long, and URLs should not be."""


class _Compiled(BytecodeCache):
    """Templates as code, for all applications of a process: tests have many, and a template is compiled once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        code = self._known.get((bucket.key, bucket.checksum))
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._known[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


def environment(
    assets: Assets,
    folders: Iterable[Path],
    *,
    file_url: Callable[..., str] = str,
    base_url: str = "",
    permission_label: Callable[[str], str] = str,
    system_permission_label: Callable[[str], str] = str,
    role_label: Callable[[str], str] = str,
) -> Environment:
    """The Jinja environment: everything is escaped, undefined names are errors."""
    templates = Environment(
        loader=FileSystemLoader([_OURS, *folders]),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,  # otherwise every page checks the files of its templates
        bytecode_cache=_COMPILED,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    sprite = assets.url("icons.svg")

    @lru_cache(maxsize=256)
    def icon(name: str, size: str = "") -> Markup:
        """An icon of the sprite; hidden from screen readers, since there is text beside it."""
        kind = f"icon {size}".strip()
        return Markup('<svg class="{}" aria-hidden="true"><use href="{}#{}"/></svg>').format(kind, sprite, name)

    def face(name: str, file: str | None = None, size: int = 40, *, person: bool = False, of: str = "") -> Markup:
        """The picture of a thing or a person: its own file, or one drawn from its name, or from whom it is the face
        `of`; what it is stands beside it."""
        if not file:
            return Markup(drawing(name, size, person=person, of=of))
        return Markup(
            '<img class="face{}" src="{}" alt="" width="{}" height="{}" loading="lazy" decoding="async">'
        ).format(" round" if person else "", file_url(file), size, size)

    @lru_cache(maxsize=_FRAGMENTS)
    def fragment(macro: Macro, *arguments: Hashable) -> Markup:
        """The cached output of a macro; it depends only on the arguments, so it is never out of date."""
        return Markup(macro(*arguments))

    @pass_context
    def pager(context: Context, next_cursor: str | None, shown: str = "") -> Markup:
        """First page, back, next; empty if the list fits on one page. Cursors only go forward, so the URL also has
        those of previous pages."""
        parameters = context["request"].query_params
        cursor = parameters.get("cursor")
        if not next_cursor and not cursor:
            return Markup()
        before = [each for each in parameters.getlist("back") if each]
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
        absolute=partial(absolute, base_url),
        asset=assets.url,
        face=face,
        field_id=field_id,
        field_link=field_link,
        file_url=file_url,
        fragment=fragment,
        icon=icon,
        facet_links=facet_links,
        opened=opened,
        pager=pager,
        query=query,
        row_numbers=row_numbers,
        structured_data=structured_data,
        column_chart=charts.column_chart,
        line_chart=charts.line_chart,
        bar_table=charts.bar_table,
        sparkline=charts.sparkline,
        time_chart=charts.time_chart,
        histogram=small_charts.histogram,
        ring=small_charts.ring,
    )
    templates.filters.update(
        permission=permission_label,
        system_permission=system_permission_label,
        role=role_label,
        ago=ago,
        bytes=in_bytes,
        day=day,
        from_seconds=from_seconds,
        initials=initials,
        milliseconds=milliseconds,
        moment=moment,
        number=charts.number,
        pair=pair,
        by_day=by_day,
        clock=clock,
        code=as_html_code,
        host=host,
        plural=plural,
        units=units,
        words=words,
    )
    return templates


@pass_context
def query(context: Context, **changes: Any) -> str:
    """The URL of this page with other parameters; None removes one, a list repeats it.

    Parameters that the page does not know are left out: a list has dozens of such links.
    """
    request = context["request"]
    kept = [pair for name, pair in _parameters(request) if name not in changes]
    for name, value in changes.items():
        values = value if isinstance(value, list | tuple) else [value]
        kept.extend(_pair(name, str(each)) for each in values if each is not None and each != "")
    path: str = request.url.path
    return f"{path}?{'&'.join(kept)}" if kept else path


@pass_context
def facet_links(context: Context, name: str, values: Sequence[FacetValue], many: bool) -> list[tuple[FacetValue, str]]:
    """The values of a filter, each with the URL of this page that chooses it, or drops it if it is chosen."""
    request = context["request"]
    kept = [pair for known, pair in _parameters(request) if known not in (name, "cursor", "back")]
    on = [(each.value, _pair(name, str(each.value))) for each in values if each.chosen] if many else []
    links = []
    for each in values:
        wanted = [*kept, *(pair for value, pair in on if value != each.value)]
        if not each.chosen:
            wanted.append(_pair(name, str(each.value)))
        links.append((each, f"{request.url.path}?{'&'.join(wanted)}" if wanted else request.url.path))
    return links


def _parameters(request: Request) -> list[tuple[str, str]]:
    """The names of the parameters that a page keeps, each with what a URL says of it; worked out once per request."""
    known: list[tuple[str, str]] | None = getattr(request.state, "kept_parameters", None)
    if known is None:
        sent = [(name, value) for name, value in request.query_params.multi_items() if value]
        names = _declared(request.scope.get("route")) if sent else frozenset()
        known = [(name, _pair(name, value)) for name, value in sent if not names or name in names]
        request.state.kept_parameters = known
    return known


def _declared(route: Any) -> frozenset[str]:
    """The parameters that a route declares, and that of the pager."""
    declared = route.dependant.query_params if isinstance(route, APIRoute) else ()
    return frozenset((*(each.alias for each in declared), "back")) if declared else frozenset()


@remembered_if_short(most=4096, longest=500)
def _pair(name: str, value: str) -> str:
    return urlencode([(name, value)])


def row_numbers(form: Any, name: str, least: int = 1, most: int = 100) -> list[int]:
    """The row numbers of a list in a form (`links.0.title`): those that were sent, at least `least`."""
    starts = (key[len(name) + 1 :].partition(".")[0] for key in form.values if key.startswith(f"{name}."))
    # Names come from the client: a row number such as 10,000,000 is an attack.
    highest = max((int(start) + 1 for start in starts if start.isdecimal() and len(start) < 5), default=0)
    return list(range(min(max(highest, least), most)))


@lru_cache(maxsize=4096)
def moment(value: str | date | None) -> Markup:
    """A point in time, to the minute, in UTC."""
    if not value:
        return Markup("–")
    at = _at(value)
    text = f"{at.day} {at:%b %Y, %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="seconds"), text)


@lru_cache(maxsize=4096)
def day(value: str | date | None) -> Markup:
    """A day."""
    if not value:
        return Markup("–")
    at = _at(value)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        at.isoformat(timespec="seconds"), f"{at:%Y-%m-%d %H:%M} UTC", written_day(at)
    )


def ago(value: str | date | None, now: datetime | None = None) -> Markup:
    """How long ago, up to 30 days; otherwise the day."""
    if not value:
        return Markup("–")
    at = _at(value)
    seconds = ((now or datetime.now(UTC)) - at).total_seconds()
    if seconds < 0 or seconds >= 30 * 86400:
        return day(at)
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            text = f"{plural(int(seconds // size), unit)} ago"
            break
    else:
        text = "just now"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        at.isoformat(timespec="seconds"), f"{at:%Y-%m-%d %H:%M} UTC", text
    )


def clock(value: str | date) -> Markup:
    """The time of a day, where the day stands above it."""
    at = _at(value)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        at.isoformat(timespec="seconds"), f"{at:%Y-%m-%d %H:%M} UTC", f"{at:%H:%M}"
    )


def by_day(entries: Iterable[Any], attribute: str, today: date | None = None) -> list[tuple[Markup, list[Any]]]:
    """Entries in their order, each run of one day (UTC) under it: Today, Yesterday, or `Mon 16 Nov 2026`."""
    now = today or datetime.now(UTC).date()
    runs = groupby(entries, key=lambda entry: _at(getattr(entry, attribute)).date())
    return [(_day_name(on, now), list(run)) for on, run in runs]


def _day_name(on: date, today: date) -> Markup:
    near = {0: "Today", 1: "Yesterday"}.get((today - on).days)
    return Markup('<time datetime="{}">{}</time>').format(on.isoformat(), near or f"{on:%a} {written_day(on)}")


def host(url: str) -> str:
    """The host of a URL, without `www.`; what was given if it is no URL."""
    try:
        return (urlsplit(url).hostname or url).removeprefix("www.")
    except ValueError:  # another program may have written anything
        return url


def _at(value: str | date) -> datetime:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    at = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def from_seconds(seconds: int) -> datetime:
    """The time of a TTL attribute, which is in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC)


def pair(word: str) -> tuple[str, str]:
    """A choice whose label is its value."""
    return word, word


def plural(count: int, one: str, many: str | None = None) -> str:
    """1 comment, 2 comments."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def in_bytes(size: int) -> str:
    """A size in bytes, KB, MB or GB."""
    for limit, unit in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "KB")):
        if size >= limit:
            return f"{size / limit:.1f} {unit}"
    return plural(size, "byte")


def words(name: str) -> str:
    """A field's name in words: `submitter.firstName` is “Submitter first name”, `links.0.url` “Links 1 url”."""
    parts = (str(int(part) + 1) if part.isdecimal() else part for part in name.replace("_", ".").split("."))
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", " ".join(parts)).lower().capitalize()


def as_html_code(text: str) -> Markup:
    """A text with the parts in backticks as `<code>`."""
    pieces = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else escape(piece) for place, piece in enumerate(pieces)
    )


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"


def units(amount: float) -> str:
    return f"{amount:.1f}".removesuffix(".0")
