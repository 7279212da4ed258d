"""Charts: from zero, true to their numbers, readable without seeing them."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.web.charts import Scale, bar_table, column_chart, line_chart, sparkline, time_chart
from partita.web.small_charts import histogram, ring

POINTS = [("Mon", 4.0), ("Tue", 0.0), ("Wed", 12.0)]
amounts = st.lists(st.floats(0, 1e12, allow_nan=False) | st.integers(0, 10**9), min_size=1, max_size=60)


@given(amounts)
def test_a_scale_begins_at_zero_and_holds_every_value_in_a_few_steps(values: list[float]) -> None:
    scale = Scale.over([("", value) for value in values])
    assert scale.ticks[0] == 0
    assert scale.ticks[-1] == pytest.approx(scale.most)
    assert scale.most >= max(values) * (1 - 1e-9)
    assert 2 <= len(scale.ticks) <= 7


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=60))
def test_whole_numbers_have_whole_steps(values: list[int]) -> None:
    scale = Scale.over([("", value) for value in values])
    assert all(float(tick).is_integer() for tick in scale.ticks)


@given(amounts)
def test_columns_are_as_high_as_their_values(values: list[float]) -> None:
    points = [(str(place), value) for place, value in enumerate(values)]
    made = column_chart(points, caption="Any")
    heights = [float(height) for height in re.findall(r'class="bar-mark"[^>]* height="([\d.]+)"', made)]
    most = Scale.over(points).most
    assert heights == pytest.approx([148 * value / most for value in values], abs=0.01)


def test_labels_wider_than_their_columns_end_with_the_first_and_the_last_bar() -> None:
    days = [(f"2026-11-{day:02}", 1.0) for day in range(1, 31)]
    made = column_chart(days, caption="Any")
    names = re.findall(r'<text x="([\d.]+)%" [^>]*text-anchor="(\w+)"[^>]*>([^<]*)<', made)
    assert names[0] == ("0.5", "start", "2026-11-01")
    assert names[-1] == ("99.5", "end", "2026-11-30")
    assert {anchor for _, anchor, _ in names[1:-1]} == {"middle"}


@given(st.integers(1, 120))
def test_dates_below_columns_stay_in_the_plot_and_apart(count: int) -> None:
    made = column_chart([(f"2026-{place:05}", 1.0) for place in range(count)], caption="Any")
    for plot, minor in ((450, True), (300, False)):
        ends = []
        for at, anchor, rest in re.findall(r'<text x="([\d.]+)%" [^>]*text-anchor="(\w+)"([^>]*)>', made):
            if minor or "minor" not in rest:
                start = float(at) / 100 * plot - {"start": 0, "middle": 31, "end": 62}[anchor]
                ends.append((start, start + 62))
        assert ends[0][0] >= 0
        assert ends[-1][1] <= plot
        assert all(left[1] < right[0] for left, right in pairwise(ends))


def test_labels_that_fit_stand_in_the_middle_of_their_columns() -> None:
    made = column_chart(POINTS, caption="Any")
    names = re.findall(r'<text x="([\d.]+)%" [^>]*text-anchor="(\w+)"', made)
    assert names == [("16.67", "middle"), ("50", "middle"), ("83.33", "middle")]


@pytest.mark.parametrize("chart", [column_chart, line_chart])
def test_the_numbers_are_in_a_table(chart: object) -> None:
    assert callable(chart)
    made = str(chart(POINTS, caption="Visits", by="Day", of="Visits"))
    assert re.findall(r'<th scope="row">(\w+)</th><td class="number">(\d+)</td>', made) == [
        ("Mon", "4"),
        ("Tue", "0"),
        ("Wed", "12"),
    ]
    assert 'role="img" aria-label="Visits.' in made
    assert "<title>Wed: 12</title>" in made


@pytest.mark.parametrize(
    "made",
    [
        column_chart([("<b>", 1)], caption='"<i>'),
        line_chart([("<b>", 1)], caption='"<i>'),
        bar_table([("<b>", 1)], caption='"<i>'),
        sparkline([1, 2], label='"<i>'),
        time_chart({"2026-11-16": 1}, caption='"<i>', links={"2026-11-16": '"<b>'}),
        bar_table([("<b>", 1, '/"<b>')], caption='"<i>'),
        histogram([1, 2], label='"<i>'),
        ring(1, 2, label='"<i>'),
    ],
)
def test_labels_are_escaped_and_nothing_is_styled_inline(made: str) -> None:
    assert "<b>" not in made
    assert "<i>" not in made
    assert "style=" not in made


@pytest.mark.parametrize("chart", [column_chart, line_chart, bar_table])
def test_no_points_make_an_empty_chart(chart: object) -> None:
    assert callable(chart)
    assert "nan" not in str(chart([], caption="Nothing"))


def test_bars_are_shares_of_the_longest() -> None:
    made = bar_table([("a", 40), ("b", 10), ("c", 0)], caption="Shares")
    assert re.findall(r'<rect width="([\d.]+)%"', made) == ["100", "25", "0"]


def test_few_labels_are_shown_and_fewer_when_it_is_narrow() -> None:
    made = column_chart([(f"day {place}", 1) for place in range(90)], caption="A season")
    shown = re.findall(r'<text x="[\d.]+%"[^>]*>([^<]+)</text>', made)
    assert shown[0] == "day 0"
    assert shown[-1] == "day 89"
    assert len(shown) <= 8
    assert made.count('class="minor"') == len(shown) - 3


# ---- time

days = st.dictionaries(
    st.dates(date(2026, 1, 1), date(2026, 6, 30)).map(date.isoformat), st.integers(0, 1000), min_size=1, max_size=60
)


@given(days, st.integers(1, 31))
def test_every_day_is_on_the_axis_of_time_once_and_its_amount_in_its_bar(
    amounts: dict[str, int], days_per_bar: int
) -> None:
    made = time_chart(amounts, caption="Any", days_per_bar=days_per_bar)
    rows = re.findall(r'<th scope="row">([^<]+)</th><td class="number">([\d,]+)</td>', made)
    covered = []
    for label, shown in rows:
        first, _, last = label.partition(" to ")
        start, end = _date(first), _date(last or first)
        run = [start + timedelta(days=more) for more in range((end - start).days + 1)]
        assert int(shown.replace(",", "")) == sum(amounts.get(day.isoformat(), 0) for day in run)
        covered += run
    assert all(later - day == timedelta(days=1) for day, later in pairwise(covered)), "no day is skipped"
    assert (covered[0].isoformat(), covered[-1].isoformat()) == (min(amounts), max(amounts))


@given(days)
def test_bars_of_time_are_as_high_as_their_amounts_and_stand_at_their_days(amounts: dict[str, int]) -> None:
    made = time_chart(amounts, caption="Any")
    first = date.fromisoformat(min(amounts))
    count = (date.fromisoformat(max(amounts)) - first).days + 1
    bars = [
        (float(x), float(height))
        for x, height in re.findall(r'<rect x="([\d.]+)%"[^>]* height="([\d.]+)"><title>', made)
    ]
    some = [(day, amount) for day, amount in sorted(amounts.items()) if amount]
    most = Scale.over([("", amount) for amount in amounts.values()]).most
    assert [height for _, height in bars] == pytest.approx([148 * amount / most for _, amount in some], abs=0.01)
    places = [(date.fromisoformat(day) - first).days for day, _ in some]
    assert [x for x, _ in bars] == pytest.approx([(place + 0.1) * 100 / count for place in places], abs=0.01)


def test_a_day_without_anything_is_a_gap() -> None:
    made = time_chart({"2026-11-01": 2, "2026-11-10": 1}, caption="Submissions", of="Submissions")
    assert made.count("<title>") == 2
    assert made.count('<tr><th scope="row"') == 10
    assert '<th scope="row">5 Nov 2026</th><td class="number">0</td>' in made
    assert "1 Nov 2026 to 10 Nov 2026" in made


def test_a_bar_with_something_behind_it_is_a_link_and_the_table_has_it_for_the_keyboard() -> None:
    made = time_chart({"2026-11-01": 2, "2026-11-02": 1}, caption="Any", links={"2026-11-01": "/log?day=1"})
    assert made.count('<a href="/log?day=1" tabindex="-1"><rect') == 1
    assert made.count('<th scope="row"><a href="/log?day=1">1 Nov 2026</a></th>') == 1
    assert 'role="img"' not in made, "an image cannot hold links"
    table = bar_table([("a", 40, "/a"), ("b", 10, "")], caption="Shares")
    assert '<th scope="row"><a href="/a">a</a></th>' in table
    assert '<th scope="row">b</th>' in table


def test_a_season_of_days_is_a_few_kilobytes() -> None:
    start = date(2026, 8, 1)
    full = {(start + timedelta(days=more)).isoformat(): 7 + more for more in range(90)}
    assert len(time_chart(full, caption="A season")) < 20_000
    weeks = {(start + timedelta(days=more)).isoformat(): 7 + more for more in range(364)}
    assert len(time_chart(weeks, caption="A year", days_per_bar=7)) < 14_000


def test_no_days_make_an_empty_chart() -> None:
    assert "nan" not in time_chart({}, caption="Nothing")


def _date(shown: str) -> date:
    return datetime.strptime(shown, "%d %b %Y").date()


# ---- small ones


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=10))
def test_the_bars_of_a_histogram_are_as_high_as_their_counts(counts: list[int]) -> None:
    made = histogram(counts, label="Ratings")
    heights = [float(height) for height in re.findall(r'<rect[^>]* height="([\d.]+)"', made)]
    assert heights == pytest.approx([32 * count / max(counts) for count in counts if count], abs=0.01)
    assert len(made) < 2_000


def test_a_histogram_tells_its_numbers_to_those_who_do_not_see_it() -> None:
    assert 'aria-label="Ratings. 1: 0, 2: 1,204."' in histogram([0, 1204], label="Ratings")


@pytest.mark.parametrize(
    ("done", "total", "arc", "text"),
    [
        (12, 24, ["50"], "50 %"),
        (0, 24, [], "0 %"),
        (24, 24, ["100"], "100 %"),
        (30, 24, ["100"], "100 %"),
        (0, 0, [], "0 %"),
    ],
)
def test_a_ring_is_filled_as_far_as_it_is_done(done: int, total: int, arc: list[str], text: str) -> None:
    made = ring(done, total, label="watched")
    assert re.findall(r'stroke-dasharray="([\d.]+) 100"', made) == arc
    assert f'aria-label="{done} of {total} watched"' in made
    assert f">{text}</text>" in made


def test_a_ring_is_not_full_before_everything_is_done() -> None:
    assert ">99 %</text>" in ring(999, 1000, label="watched")
