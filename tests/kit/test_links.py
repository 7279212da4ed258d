"""Links that do not work any more: what counts as an answer, after how many days a link is broken, and the night that
asks them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.kit.failing_links import DAYS_TO_BREAK, ROUND_DAYS, Failing, failed, is_due
from partita.kit.fetcher import Fetcher
from partita.kit.jobs import JobWorker
from partita.kit.jobs.holds import Hold
from partita.kit.links import Link, NightlyLinks, ask
from partita.table import InvalidCursorError, Page
from tests.apps.house import kit_on
from tests.kit.fetcher.sites import answer, onward, serving, visitor
from tests.kit.jobs.kills import go_on, kill
from tests.kit.nights import Nights

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


class Night(NightlyLinks):
    """Twelve addresses on four pages; every third does not answer. Two others failed before."""

    recorded: dict[str, str | None]

    async def page(self, cursor: str | None) -> Page[Link]:
        start = int(cursor or 0)
        links = tuple(Link(str(number), f"https://{number}.example") for number in range(start, start + 3))
        return Page(links, str(start + 3) if start < 9 else None)

    async def failing(self, today: str) -> Sequence[str]:
        return [key for key in ("failed", "mended") if key not in self.recorded]

    async def links_of(self, keys: Sequence[str]) -> Sequence[Link]:
        return [Link(key, f"https://{key}.example") for key in keys]

    async def record(self, link: Link, reason: str | None) -> None:
        self.recorded[link.key] = reason


async def test_a_night_that_is_killed_goes_on_and_asks_no_page_again_that_was_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the second page, before the third is saved, among the answers of the fourth, and among those of the links
    that failed before."""
    asked: Counter[str] = Counter()

    async def said(_fetcher: Fetcher, url: str) -> str | None:
        key = url.removeprefix("https://").removesuffix(".example")
        asked[key] += 1
        return "It is gone." if key in ("0", "3", "6", "9", "failed") else None

    monkeypatch.setattr("partita.kit.links.ask", said)
    monkeypatch.setattr("partita.kit.links.is_due", lambda _key, _day: True)
    monkeypatch.setattr("partita.kit.links.CHUNK", 3)
    kill(monkeypatch, Hold, "save", at=[(2, True), (3, False)])
    kill(monkeypatch, Night, "record", at=[(14, True), (18, True)])
    with kit_on(tmp_path) as kit:
        night = Night(kit, "test.links", "Check the links", time(2), "/broken", pause=0.0)
        night.recorded = {}
        kit.jobs.use([night.kind])
        job = await kit.jobs.start("test.links", {}, None)
        await go_on(kit.jobs, 4)
        ended = await kit.jobs.ended_within(job, 5)
    assert (ended.state, ended.attempts) == ("done", 5), ended.error
    assert [asked[str(number)] for number in range(12)] == [1] * 6 + [2] * 6, (
        "pages that were not saved are asked again"
    )
    assert {key for key, reason in night.recorded.items() if reason} == {"0", "3", "6", "9", "failed"}
    assert len(night.recorded) == 14
    assert ended.result_values == {"asked": 13, "failing": 4}, "what was recorded before the last kill is left alone"


class Many(Night):
    """None failed before; a cursor may have been signed with another key."""

    has_new_key = False

    async def page(self, cursor: str | None) -> Page[Link]:
        if self.has_new_key and cursor is not None:
            self.has_new_key = False
            raise InvalidCursorError("It was signed with another key.")
        return await super().page(cursor)

    async def failing(self, today: str) -> Sequence[str]:
        return ()


@pytest.mark.parametrize("kills", [[], [(2, True), (4, False), (6, True)]])
async def test_more_addresses_than_a_week_asks_are_asked_in_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: list[tuple[int, bool]]
) -> None:
    """Also if nights are killed; even numbers on one day of the week and odd ones on the next."""
    asked: set[int] = set()

    async def said(_fetcher: Fetcher, url: str) -> str | None:
        asked.add(int(url.removeprefix("https://").removesuffix(".example")))
        return None

    nights = Nights()
    monday = nights.at.toordinal()
    monkeypatch.setattr("partita.kit.links.ask", said)
    monkeypatch.setattr("partita.kit.links.is_due", lambda key, day: int(key) % 2 == (day.toordinal() - monday) % 7)
    monkeypatch.setattr("partita.kit.links.CHUNK", 2)
    monkeypatch.setattr("partita.kit.links.MOST_LINKS", 3)
    kill(monkeypatch, Hold, "save", at=kills)
    with kit_on(tmp_path, clock=nights) as kit:
        night = Many(kit, "test.links", "Check the links", time(2), "/broken", pause=0.0)
        night.recorded = {}
        kit.jobs.use([night.kind])

        async def week() -> set[int]:
            asked.clear()
            for days in (1, 6):
                job = await kit.jobs.start("test.links", {}, None)
                await go_on(kit.jobs, len(kills))
                assert (await kit.jobs.ended_within(job, 5)).state == "done"
                nights.at += timedelta(days=days)
            return set(asked)

        first, second, third = await week(), await week(), await week()
        night.has_new_key = True
        fourth = await week()
    assert first < set(range(12))
    assert second == set(range(12)) - first
    assert third == first, "it begins anew"
    assert {0, 2} <= fourth, "a mark that is no longer valid begins anew too"


class Dated(Night):
    """Notes which day it is when those that failed before are looked up."""

    looked_up: list[str]

    async def failing(self, today: str) -> Sequence[str]:
        self.looked_up.append(today)
        return await super().failing(today)


async def test_a_machine_without_a_network_keeps_nothing_of_a_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few addresses of a page are due."""

    async def said(_fetcher: Fetcher, _url: str) -> str | None:
        return "There is no such host."

    monkeypatch.setattr("partita.kit.links.ask", said)
    monkeypatch.setattr("partita.kit.links.is_due", lambda key, _day: key not in ("1", "4"))
    with kit_on(tmp_path) as kit:
        night = Night(kit, "test.links", "Check the links", time(2), "/broken", pause=0.0)
        night.recorded = {}
        kit.jobs.use([night.kind])
        job = await kit.jobs.start("test.links", {}, None)
        await JobWorker(kit.jobs).drain()
        ended = await kit.jobs.ended_within(job, 5)
    assert (ended.state, night.recorded) == ("failed", {})
    assert ended.error == "None of 10 addresses answered. The network of this machine may be down."


async def test_what_failed_before_midnight_is_not_asked_again_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nights = Nights()
    nights.at = datetime(2026, 11, 1, 23, 55, tzinfo=UTC)

    async def said(_fetcher: Fetcher, _url: str) -> str | None:
        nights.at += timedelta(minutes=1)
        return None

    monkeypatch.setattr("partita.kit.links.ask", said)
    monkeypatch.setattr("partita.kit.links.is_due", lambda _key, _day: True)
    with kit_on(tmp_path, clock=nights) as kit:
        night = Dated(kit, "test.links", "Check the links", time(2), "/broken", pause=0.0)
        night.recorded, night.looked_up = {}, []
        kit.jobs.use([night.kind])
        await nights.run(kit, "test.links")
    assert nights.at.day > 1
    assert night.looked_up == ["2026-11-01"]
