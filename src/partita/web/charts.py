"""Charts as SVG, made on the server: small, with an axis from zero and the numbers in a table.

There are no inline styles. Horizontal positions are percentages and texts are outside the stretched part, so that a
chart fills any width without distorting its letters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from markupsafe import Markup

from partita.kit.clock import written_day

Point = tuple[str, float]

_TOP, _PLOT, _HEIGHT = 8, 148, 184
_MOST_LABELS = 7
_NOTHING = 1e-9
_LETTER, _NARROWEST, _USUAL = 6.5, 300, 450
"""About the width of a letter, of the plot on a phone, and of one of two plots side by side; in pixels."""


def time_chart(
    amounts: Mapping[str, float],
    *,
    caption: str,
    days_per_bar: int = 1,
    of: str = "Value",
    links: Mapping[str, str] | None = None,
) -> Markup:
    """Columns on an axis of time, by days (`2026-11-16`). Days that are left out are on the axis too, and one without
    anything is a gap. With `links`, the bar of a day leads somewhere: by the day that it begins with."""
    bars = list(_bars_of_time(amounts, days_per_bar))
    scale = Scale.over([("", bar.value) for bar in bars])
    width = 100 / max(len(bars), 1)
    leads = links or {}
    columns = Markup("").join(
        _linked(
            Markup('<rect x="{x}%" y="{y}" width="{thick}%" height="{height}"><title>{title}</title></rect>').format(
                x=_short(place * width + width * 0.1),
                y=_short(scale.y(bar.value)),
                thick=_short(width * 0.8),
                height=_short(_TOP + _PLOT - scale.y(bar.value)),
                title=f"{bar.label}: {number(bar.value)}",
            ),
            leads.get(bar.first.isoformat(), ""),
            in_drawing=True,
        )
        for place, bar in enumerate(bars)
        if bar.value
    )
    names = _column_names([f"{bar.first.day} {bar.first:%b}" for bar in bars], width)
    note = f"{written_day(bars[0].first)} to {written_day(bars[-1].last)}" if bars else ""
    rows = [(_linked(bar.label, leads.get(bar.first.isoformat(), "")), bar.value) for bar in bars]
    marks = Markup('<g class="columns">{}</g>').format(columns) + names
    by = "Day" if days_per_bar == 1 else "Days"
    return _figure(rows, scale, marks, caption=caption, note=note, of=of, by=by, with_links=bool(links))


@dataclass(frozen=True, slots=True)
class _TimeBar:
    """An amount of some days beside each other."""

    first: date
    last: date
    value: float

    @property
    def label(self) -> str:
        return (
            written_day(self.first)
            if self.first == self.last
            else f"{written_day(self.first)} to {written_day(self.last)}"
        )


def _bars_of_time(amounts: Mapping[str, float], days: int) -> Iterator[_TimeBar]:
    """Every day from the first to the last, in runs that end with the last; only the first run may be shorter."""
    if not amounts:
        return
    by_day = {date.fromisoformat(day): value for day, value in amounts.items()}
    first, last = min(by_day), max(by_day)
    count = math.ceil(((last - first).days + 1) / days)
    for place in reversed(range(count)):
        end = last - timedelta(days=place * days)
        start = max(end - timedelta(days=days - 1), first)
        covered = (start + timedelta(days=more) for more in range((end - start).days + 1))
        yield _TimeBar(start, end, sum(by_day.get(day, 0) for day in covered))


def _linked(what: str, url: str = "", *, in_drawing: bool = False) -> str:
    """A link around something, if it leads anywhere. The keyboard follows the one in the table instead of the bar."""
    if not url:
        return what
    return Markup('<a href="{}"{}>{}</a>').format(url, Markup(' tabindex="-1"') if in_drawing else "", what)


def column_chart(points: Iterable[Point], *, caption: str, note: str = "", of: str = "Value", by: str = "") -> Markup:
    """Vertical columns, one per point: amounts over time or by class."""
    data = list(points)
    scale = Scale.over(data)
    width = 100 / max(len(data), 1)
    columns = Markup("").join(
        Markup(
            '<g>{slot}<rect class="bar-mark" x="{bar}%" y="{y}" width="{thick}%" height="{height}" rx="2"/></g>'
        ).format(
            slot=_slot(label, value, place * width, width),
            bar=_short(place * width + width * 0.15),
            thick=_short(width * 0.7),
            y=_short(scale.y(value)),
            height=_short(_TOP + _PLOT - scale.y(value)),
        )
        for place, (label, value) in enumerate(data)
    )
    names = _column_names([label for label, _ in data], width)
    return _figure(data, scale, columns + names, caption=caption, note=note, of=of, by=by)


def line_chart(points: Iterable[Point], *, caption: str, note: str = "", of: str = "Value", by: str = "") -> Markup:
    """A line over a filled area: one amount over time."""
    data = list(points)
    scale = Scale.over(data)
    step = 100 / max(len(data) - 1, 1)
    line = " ".join(
        f"{'L' if place else 'M'}{_short(place * step)} {_short(100 - 100 * value / scale.most)}"
        for place, (_, value) in enumerate(data)
    )
    drawn = Markup(
        '<svg class="stretched" y="{top}" width="100%" height="{plot}" preserveAspectRatio="none"'
        ' viewBox="0 0 100 100"><path class="area-mark" d="{line} L100 100 L0 100 Z"/>'
        '<path class="line-mark" d="{line}"/></svg>'
    ).format(top=_TOP, plot=_PLOT, line=line)
    dots = Markup("").join(
        Markup('<g>{slot}<circle class="{kind}" cx="{x}%" cy="{y}" r="4"/></g>').format(
            slot=_slot(label, value, max((place - 0.5) * step, 0), step if 0 < place < len(data) - 1 else step / 2),
            kind="dot last" if place == len(data) - 1 else "dot",
            x=_short(place * step),
            y=_short(scale.y(value)),
        )
        for place, (label, value) in enumerate(data)
    )
    names = _names([label for label, _ in data], lambda place: place * step, to_the_edges=True)
    return _figure(data, scale, drawn + dots + names, caption=caption, note=note, of=of, by=by)


def bar_table(points: Iterable[Point | tuple[str, float, str]], *, caption: str, show_caption: bool = True) -> Markup:
    """Horizontal bars in a table of names and numbers: rankings, shares. A third value is where a name leads."""
    data = [(_linked(label, *more), value) for label, value, *more in points]
    most = max((value for _, value in data), default=0) or 1
    rows = Markup("").join(
        Markup(
            '<tr><th scope="row">{label}</th><td class="track"><svg aria-hidden="true">'
            '<rect class="ground" width="100%" height="12" rx="3"/><rect width="{share}%" height="12" rx="3"/></svg>'
            '</td><td class="number">{value}</td></tr>'
        ).format(label=label, share=_short(100 * value / most), value=number(value))
        for label, value in data
    )
    hidden = "" if show_caption else Markup(' class="for-readers"')
    return Markup('<table class="bars"><caption{hidden}>{caption}</caption><tbody>{rows}</tbody></table>').format(
        hidden=hidden, caption=caption, rows=rows
    )


def sparkline(values: Sequence[float], *, label: str) -> Markup:
    """A line the size of a word."""
    most = max(values, default=0) or 1
    step = 100 / max(len(values) - 1, 1)
    line = " ".join(
        f"{'L' if place else 'M'}{_short(place * step)} {_short(100 - 100 * value / most)}"
        for place, value in enumerate(values)
    )
    return Markup(
        '<svg class="spark" role="img" aria-label="{label}" viewBox="0 0 100 100" preserveAspectRatio="none">'
        '<path class="line-mark" d="{line}"/></svg>'
    ).format(label=label, line=line)


@dataclass(frozen=True, slots=True)
class Scale:
    """From zero to a round number at or above the largest value, in a few equal and round steps."""

    most: float
    step: float

    @classmethod
    def over(cls, points: Sequence[Point]) -> Scale:
        largest = max((value for _, value in points), default=0)
        whole = all(float(value).is_integer() for _, value in points)
        if largest < _NOTHING:
            return cls(1, 1)
        rough = largest / 4
        magnitude = 10 ** math.floor(math.log10(rough))
        step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= rough * (1 - 1e-9))
        if whole:
            step = max(math.ceil(step), 1)
        return cls(step * math.ceil(largest / step - 1e-9), step)

    @property
    def ticks(self) -> list[float]:
        return [place * self.step for place in range(round(self.most / self.step) + 1)]

    def y(self, value: float) -> float:
        return _TOP + _PLOT * (1 - value / self.most)


def number(value: float) -> str:
    """A number with thousands separators and at most two decimals."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}".rstrip("0")


def _figure(
    points: Sequence[Point],
    scale: Scale,
    marks: Markup,
    *,
    caption: str,
    note: str,
    of: str,
    by: str,
    with_links: bool = False,
) -> Markup:
    rulers = Markup("").join(
        Markup('<line class="{kind}" x1="0" x2="100%" y1="{y}" y2="{y}"/>').format(
            kind="guide" if tick else "axis", y=_short(scale.y(tick))
        )
        for tick in scale.ticks
    )
    amounts = Markup("").join(
        Markup('<text x="28" y="{y}" text-anchor="end">{tick}</text>').format(
            y=_short(scale.y(tick) + 4), tick=_brief(tick)
        )
        for tick in scale.ticks
    )
    rows = Markup("").join(
        Markup('<tr><th scope="row">{label}</th><td class="number">{value}</td></tr>').format(
            label=label, value=number(value)
        )
        for label, value in points
    )
    return Markup(
        '<figure class="chart"><figcaption>{caption}{note}</figcaption>'
        '<div class="drawn"><svg class="amounts" width="32" height="{height}" aria-hidden="true">{amounts}</svg>'
        '<svg class="plot" height="{height}"{reading}>'
        "{rulers}{marks}</svg></div>"
        "<details><summary>Show the numbers</summary>"
        '<div class="table-wrap" tabindex="0" role="region" aria-label="{caption}: the numbers">'
        '<table class="table dense"><thead><tr><th scope="col">{by}</th><th scope="col" class="number">{of}</th></tr>'
        "</thead><tbody>{rows}</tbody></table></div></details></figure>"
    ).format(
        caption=caption,
        note=Markup("<small>{}</small>").format(note) if note else "",
        height=_HEIGHT,
        # Links cannot be inside of an image; those who do not see them have the same in the table.
        reading=Markup(' aria-hidden="true"')
        if with_links
        else Markup(' role="img" aria-label="{}. The numbers are in the table below."').format(caption),
        amounts=amounts,
        rulers=rulers,
        marks=marks,
        by=by or "Name",
        of=of,
        rows=rows,
    )


def _slot(label: str, value: float, left: float, width: float) -> Markup:
    """The part of the plot that shows a point's value under the pointer."""
    return Markup(
        '<title>{label}: {value}</title><rect class="slot" x="{left}%" y="{top}" width="{width}%" height="{plot}"/>'
    ).format(label=label, value=number(value), left=_short(left), top=_TOP, width=_short(width), plot=_PLOT)


def _column_names(labels: Sequence[str], width: float) -> Markup:
    """Labels below columns; `width` is that of one, in percent."""
    if max(map(len, labels), default=0) * _LETTER <= width / 100 * _NARROWEST:
        return _names(labels, lambda place: (place + 0.5) * width)
    # A label wider than its column would overlap the ends of the chart: the outer ones are aligned with their bars.
    ends = {0: 0.15, len(labels) - 1: 0.85}
    return _names(labels, lambda place: (place + ends.get(place, 0.5)) * width, to_the_edges=True)


def _names(labels: Sequence[str], x: Callable[[int], float], *, to_the_edges: bool = False) -> Markup:
    """Some of the labels below the plot; only the first, middle and last in a narrow window."""
    last = len(labels) - 1
    # The outer labels are aligned inwards, so each label needs one and a half times its width.
    room = max(map(len, labels), default=0) * _LETTER * 1.5 or 1
    every = max(math.ceil(len(labels) / max(min(int(_USUAL / room), _MOST_LABELS), 3)), 1)
    visible = [place for place in range(len(labels)) if place % every == 0]
    if last not in visible and visible:
        if last - visible[-1] < every:
            visible.pop()
        visible.append(last)
    kept = {visible[0], visible[len(visible) // 2], visible[-1]} if visible else set()
    return Markup("").join(
        Markup('<text x="{x}%" y="{y}" text-anchor="{anchor}"{minor}>{label}</text>').format(
            x=_short(x(place)),
            y=_HEIGHT - 8,
            anchor={0: "start", last: "end"}.get(place, "middle") if to_the_edges and last else "middle",
            minor="" if place in kept or len(visible) * room <= _NARROWEST else Markup(' class="minor"'),
            label=labels[place],
        )
        for place in visible
    )


def _brief(value: float) -> str:
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:.2f}".rstrip("0").rstrip(".") + letter
    return number(value)


def _short(value: float) -> str:
    """At most two decimals, to keep the SVG small."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
