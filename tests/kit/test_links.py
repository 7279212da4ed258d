"""Links that do not work any more: what counts as an answer, and after how many days a link is broken."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.kit.failing_links import DAYS_TO_BREAK, ROUND_DAYS, Failing, failed, is_due
from partita.kit.links import ask
from tests.kit.fetcher.sites import answer, onward, serving, visitor

pytestmark = pytest.mark.anyio
FIRST = date(2026, 1, 1)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_site_that_is_there_works_whatever_it_says_to_programs() -> None:
    statuses = (200, 204, 401, 403, 404, 410, 429, 500, 503)
    answers = {f"/{status}": answer(b"", status=status) for status in statuses}
    fetcher = visitor()
    async with serving({**answers, "/old": onward("/404"), "/round": onward("/round")}) as site:
        said = {status: await ask(fetcher, f"{site.url}/{status}") for status in statuses}
        onwards = await ask(fetcher, f"{site.url}/old"), await ask(fetcher, f"{site.url}/round")
    fetcher.close()
    assert [status for status, reason in said.items() if reason is None] == [200, 204, 401, 403, 429, 503]
    assert onwards == ("It answers 404 (Not Found).", "The address leads in a circle.")


async def test_only_the_head_of_an_answer_is_waited_for() -> None:
    fetcher = visitor(seconds=5)
    async with serving({"/": answer(b"x", length=1_000_000)}) as site:
        assert await ask(fetcher, f"{site.url}/") is None
    fetcher.close()


@settings(max_examples=50)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_a_link_is_broken_after_as_many_days_as_it_takes_however_often_it_is_asked(pauses: list[int]) -> None:
    day, failing, days = FIRST, None, set[date]()
    for pause in pauses:
        day += timedelta(days=pause)
        days.add(day)
        failing = failed(failing, "https://a.example", "It is gone.", f"{day}T02:00:00.000000Z")
        assert failing.days == len(days)
        assert failing.is_broken == (len(days) >= DAYS_TO_BREAK)
    assert failing is not None
    assert failing.since[:10] == str(FIRST + timedelta(days=pauses[0]))


def test_another_address_begins_anew() -> None:
    old = Failing("https://a.example", 9, "2026-01-01T00:00:00Z", "2026-01-09T00:00:00Z", "It is gone.")
    assert failed(old, "https://b.example", "It is gone.", "2026-01-10T00:00:00Z").days == 1


@settings(max_examples=50)
@given(st.text(max_size=30), st.integers(0, 1000))
def test_every_link_is_asked_once_in_a_round(key: str, start: int) -> None:
    days = [FIRST + timedelta(days=start + number) for number in range(ROUND_DAYS)]
    assert sum(is_due(key, day) for day in days) == 1
