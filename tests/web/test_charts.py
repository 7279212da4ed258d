"""Charts: from zero, true to their numbers, readable without seeing them."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.web.charts import Scale, bar_table, column_chart, line_chart, sparkline

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
