"""Charts the size of a few words: a histogram of ratings, and how much of something is done."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from partita.web.charts import number

_BAR, _GAP, _HIGH = 8, 2, 32


def histogram(counts: Sequence[int], *, label: str, first: int = 1) -> Markup:
    """How often each of some grades was given, the lowest first; `first` is the lowest. Bars begin at zero."""
    most = max(counts, default=0) or 1
    bars = Markup("").join(
        Markup('<rect x="{x}" y="{y}" width="{bar}" height="{height}"><title>{grade}: {count}</title></rect>').format(
            x=place * (_BAR + _GAP),
            y=_short(_HIGH - _HIGH * count / most),
            bar=_BAR,
            height=_short(_HIGH * count / most),
            grade=first + place,
            count=number(count),
        )
        for place, count in enumerate(counts)
        if count
    )
    width = max(len(counts) * (_BAR + _GAP) - _GAP, 1)
    spoken = ", ".join(f"{first + place}: {number(count)}" for place, count in enumerate(counts))
    return Markup(
        '<svg class="histogram" role="img" aria-label="{label}. {spoken}." viewBox="0 0 {width} {box}" width="{width}"'
        ' height="{box}"><path d="M0 {floor}H{width}"/>{bars}</svg>'
    ).format(label=label, spoken=spoken, width=width, box=_HIGH + 1, floor=_HIGH + 0.5, bars=bars)


def ring(done: int, total: int, *, label: str, size: int = 48) -> Markup:
    """How much is done, as a ring that fills: “12 of 24 watched”."""
    share = min(max(done / total, 0), 1) if total > 0 else 0
    arc = (
        Markup('<circle class="done" cx="24" cy="24" r="20" pathLength="100" stroke-dasharray="{} 100"/>').format(
            _short(100 * share)
        )
        if share
        else ""
    )
    return Markup(
        '<svg class="ring" role="img" aria-label="{done} of {total} {label}" viewBox="0 0 48 48" width="{size}"'
        ' height="{size}"><circle cx="24" cy="24" r="20"/>{arc}<text x="24" y="24">{percent}</text></svg>'
    ).format(done=number(done), total=number(total), label=label, size=size, arc=arc, percent=f"{int(100 * share)} %")


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
