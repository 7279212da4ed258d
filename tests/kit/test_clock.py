"""Ids in the order in which they were made."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from partita.kit.clock import RandomIds, id_at


def test_ids_are_in_the_order_in_which_they_were_made_also_within_a_millisecond() -> None:
    ids = RandomIds()
    made = [ids.new() for _ in range(20_000)]
    assert made == sorted(set(made))
    assert {len(each) for each in made} == {26}


def test_a_clock_that_is_set_back_makes_no_id_that_is_lower(monkeypatch: pytest.MonkeyPatch) -> None:
    ids = RandomIds()
    first = ids.new()
    monkeypatch.setattr("partita.kit.clock.time.time_ns", lambda: 1_700_000_000 * 10**9)
    made = [first, *(ids.new() for _ in range(1000))]
    assert made == sorted(set(made))


def test_no_two_threads_get_the_same_id() -> None:
    ids = RandomIds()
    with ThreadPoolExecutor(4) as threads:
        made = [each for part in threads.map(lambda _: [ids.new() for _ in range(2000)], range(4)) for each in part]
    assert len(set(made)) == len(made)


def test_an_id_of_a_moment_sorts_with_those_that_were_made_then() -> None:
    before = RandomIds().new()
    assert id_at(datetime(2020, 1, 1, tzinfo=UTC)) < before < id_at(datetime(2999, 1, 1, tzinfo=UTC))
