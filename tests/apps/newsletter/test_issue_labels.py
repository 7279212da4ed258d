"""The label of the next issue counts what people count, in their way of writing it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from partita.apps.newsletter.service.issue_labels import LONGEST, counted_on

AROUND = (
    "No. {}",
    "Issue {}",
    "{}",
    "Vol. 3, No. {}",
    "No. {} / 2026",
    "2026, no. {}",
    "No. {} · March 2026",
    "No. {}, 3 May 2026",
    "Issue {} of Volume 6",
    "№ {} (Spring 2026)",
    "العدد {} / ٢٠٢٦",
    "ቁጥር {}",
)
ZEROS = (0x30, 0x660, 0x6F0, 0x966, 0xFF10)


@given(st.sampled_from(AROUND), st.integers(1, 1800), st.integers(1, 40), st.sampled_from(ZEROS))
def test_the_number_is_counted_on_and_all_around_it_stays(around: str, number: int, steps: int, zero: int) -> None:
    def written(value: int) -> str:
        return around.format("".join(chr(zero + int(digit)) for digit in str(value)))

    assert counted_on(written(number), steps) == written(number + steps)


@given(st.text(max_size=LONGEST), st.integers(1, 9), st.integers(1, 9))
@example("9" * LONGEST, 1, 1)
@example("Week 60, 2026", 1, 1)
@example("9999-W52", 1, 1)
def test_any_label_stays_a_label(label: str, some: int, more: int) -> None:
    assert len(counted_on(label, some)) <= LONGEST
    if not any(character.isdecimal() for character in label):
        assert counted_on(label, some) == label
    assert counted_on(label, 0) == label


@given(st.integers(1970, 2090), st.integers(1, 52), st.integers(1, 300), st.integers(1, 300))
def test_weeks_counted_on_in_two_goes_are_those_counted_on_in_one(year: int, week: int, some: int, more: int) -> None:
    label = f"{year}-W{week:02}"
    assert counted_on(counted_on(label, some), more) == counted_on(label, some + more)


@pytest.mark.parametrize(
    ("label", "following"),
    [
        ("Issue 9", "Issue 10"),
        ("No. 009", "No. 010"),
        ("2026-W09", "2026-W10"),
        ("2026-W53", "2027-W01"),
        ("2027-W52", "2028-W01"),
        ("Week 53, 2026", "Week 1, 2027"),
        ("2026-12", "2027-01"),
        ("Q4 2026", "Q1 2027"),
        ("2026 Q3", "2026 Q4"),
        ("10th edition", "11th edition"),
        ("The 22nd issue", "The 23rd issue"),
        ("Vol. 3 (4)", "Vol. 3 (5)"),
        ("Newsletter 2026/3", "Newsletter 2026/4"),
        ("No. 3, 2026/27", "No. 4, 2026/27"),
        ("Nos. 3–4", "Nos. 5–6"),
        ("No. 3, edition 2026", "No. 4, edition 2026"),
        ("Edition 2025/2026", "Edition 2026/2027"),
        ("2026", "2027"),
        ("No. １２", "No. １３"),
    ],
)
def test_each_way_of_counting_goes_on_in_its_way(label: str, following: str) -> None:
    assert counted_on(label) == following


@pytest.mark.parametrize(
    "label", ["Spring 2026", "March 2026", "12 March 2026", "2026-05-14", "Autumn ’26", "Winter 2026/27", "Ramadan", ""]
)
def test_seasons_and_days_are_no_numbers_to_count(label: str) -> None:
    assert counted_on(label) == label
