"""The portal at the sizes that it must bear: what it reads grows with what is asked for, not with what is there."""

from __future__ import annotations

import os
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.formats import Due
from partita.apps.enablement.inputs import EventBatch, EventInput
from partita.apps.enablement.schema import (
    CONTENT,
    SUBSCRIPTIONS,
    Content,
    Event,
    Rollup,
    RollupOf,
    Series,
    Stats,
    Subscription,
    matches_of,
)
from partita.apps.enablement.service.clock import FANOUT
from partita.apps.enablement.service.counting import ALL
from partita.apps.enablement.service.library import Wanted
from partita.apps.enablement.service.summaries import days_until
from partita.kit.search import Document
from partita.kit.search.following import build_anew
from partita.store import EmbeddedStore
from partita.table import Item, Table
from partita.table.types import timestamp
from tests.apps.enablement.conftest import ADMIN, ANNA, VERA, Portal, portal_in, reading
from tests.apps.enablement.sizes import FULL, report, sized
from tests.apps.enablement.telling import telling_in, viewers
from tests.apps.filling import Like, fill, partition_hash

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(sized(110, 3_000))]
EVENTS = int(os.environ.get("PARTITA_EVENTS", sized(5_000, 1_000_000)))
"""Of analytics; fewer show on a slow machine that the cost does not depend on them."""
_SOME_DAY, _SOME_ID, _SOMEBODY, _SOMETHING, _SOME_WORDS = "1999-09-09", "xxxxxxx", "user-yyy", "cqqq", "words zzz"
"""In examples, for what differs from event to event."""


def _fill(portal: Portal, table: Table, rows: Iterable[Item | Like]) -> None:
    """Rows that are there, without a record in the stream: who looks must not depend on them."""
    assert isinstance(portal.kit.tables, EmbeddedStore)
    fill(portal.kit.tables.engine, table.name, rows)


async def test_telling_of_an_approval_reads_in_proportion_to_whom_it_concerns(tmp_path: Path) -> None:
    others, matching = sized(1_000, 100_000), 20

    def wish(number: int, name: str, suite: str, *tags: str) -> Iterator[Any]:
        one = Subscription(
            user_id=name, subscription_id=f"s{number}", created_at="2026-01-01T00:00:00Z",
            product_suite=suite, tags=tags or None,
        )  # fmt: skip
        yield from (one, *matches_of(one))

    with telling_in(tmp_path) as portal:
        people = viewers(f"reader{number}" for number in range(matching))
        portal.account(*(each.id for each in people))
        _fill(portal, SUBSCRIPTIONS, (row for n, who in enumerate(people) for row in wish(n, who.id, "Atlas", "emea")))

        async def approved(title: str) -> tuple[float, float]:
            """Read units and milliseconds of telling of one approval."""
            await portal.released(title, product_suite="Atlas", product_concept="Pricing", tags=("EMEA", "prices"))
            await portal.worker.drain()
            today = portal.clock.at.date().isoformat()
            due = [row async for row in portal.kit.store.stream(schema.due_on(today))]
            (fanout,) = (row for row in due if isinstance(row, schema.Fanout) and row.cause == "approved")
            began = time.perf_counter()
            with reading(portal) as units:
                await portal.service.fanouts.tell(fanout, Due(FANOUT, ""))
            took = 1000 * (time.perf_counter() - began)
            await portal.catch_up()
            return sum(units), took

        few = await approved("Few")
        _fill(
            portal,
            SUBSCRIPTIONS,
            (row for n in range(others) for row in wish(n, f"u{n}", f"Suite {n % 50}", f"tag {n % 400}", "x")),
        )
        many = await approved("Many")
        assert many[0] <= few[0] + 1, (few, many)
        told = await portal.told(*people)
        assert Counter(row.title for row in told) == {"New: “Few”": matching, "New: “Many”": matching}
        report(
            f"telling of one approval, {matching} of {others + matching:,} subscriptions match:"
            f" {many[0]:.1f} read units and {many[1]:.0f} ms; without the others {few[0]:.1f} and {few[1]:.0f} ms"
        )


async def test_expiry_reads_in_proportion_to_what_is_due(tmp_path: Path) -> None:
    items, due = sized(1_000, 100_000), sized(10, 50)
    with portal_in(tmp_path) as portal:
        await portal.service.clock.expire_due()
        pattern = await portal.released("Guide", product_suite="Atlas", expiry_date="2026-12-24")
        due_at = (portal.clock.at + timedelta(days=2)).replace(hour=10, minute=0)

        def copy(ends: datetime) -> Content:
            """One that expires at this moment; the id is that of an example."""
            moment = timestamp(ends)
            return pattern.model_copy(
                update={
                    "content_id": "c0000000",
                    "title": "Guide 0000000",
                    "expiry_date": moment,
                    "expiry_day": moment[:10],
                    "expiry_key": f"{moment}#c0000000",
                    "due_day": None,
                    "due_key": None,
                }
            )

        # Half of the others expire on the same day, but later.
        now, same_day, later = copy(due_at), copy(due_at + timedelta(hours=4)), copy(due_at + timedelta(hours=1000))
        numbered = sorted(range(1, items + 1), key=lambda number: partition_hash(f"c{number:07}"))
        _fill(
            portal,
            CONTENT,
            (Like(now if n <= due else same_day if n % 2 else later, ("0000000",), (f"{n:07}",)) for n in numbered),
        )
        portal.clock.at = due_at - timedelta(hours=1)
        await portal.service.clock.expire_due()
        with reading(portal) as units:
            assert (await portal.service.clock.expire_due())["due"] == 0
        nothing = sum(units)
        assert nothing <= 1
        portal.clock.at = due_at + timedelta(minutes=1)
        began = time.perf_counter()
        with reading(portal) as units:
            numbers = await portal.service.clock.expire_due()
        took = 1000 * (time.perf_counter() - began)
        assert numbers == {"due": due, "expired": due, "skipped": 0, "errors": 0}
        assert sum(units) <= 1 + 2 * due
        report(
            f"expiry over {items:,} items: nothing due {nothing:.1f} read units;"
            f" {due} due {sum(units):.1f}, {took:.0f} ms"
        )


async def test_analytics_of_90_days_answers_at_once_over_all_events(tmp_path: Path) -> None:
    """The events are stored; the numbers are added up here, since counting each by the stream takes ten minutes (that
    the two agree is the law of the other tests)."""
    number, people, contents = EVENTS, sized(40, 800), sized(12, 200)
    with portal_in(tmp_path) as portal:
        pattern = await portal.released(product_suite="Atlas", review_due_date="2026-03-05")
        titles = [
            pattern.model_copy(update={"content_id": f"c{each:03}", "title": f"Guide {each}"})
            for each in range(contents)
        ]
        _fill(portal, CONTENT, titles)
        portal.clock.to("2026-09-01")
        days = days_until("2026-09-01", 180)
        dice = random.Random(7)
        rollups: Counter[tuple[RollupOf, str, str]] = Counter()
        series: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        active: set[tuple[str, str]] = set()

        def example(name: str, content_id: str | None, metadata: dict[str, Any]) -> Event:
            return Event(
                date_bucket=_SOME_DAY,
                event_id=_SOME_ID,
                event_name=name,
                user_id=_SOMEBODY,
                content_id=content_id,
                metadata=metadata,
                timestamp=f"{_SOME_DAY}T12:00:00.000000Z",
            )

        viewing = example("content_viewed", _SOMETHING, {"major": 1})
        downloading = example("content_downloaded", _SOMETHING, {"major": 1})
        searching = [example("search_done", None, {"words": _SOME_WORDS, "results": each}) for each in (0, 1)]

        def events() -> Iterator[Like]:
            for each in range(number):
                day, who = days[each * len(days) // number], f"user-{dice.randrange(people):03}"
                chance, content_id = dice.random(), f"c{min(dice.randrange(contents), dice.randrange(contents)):03}"
                rollups["user_events", day, who] += 1
                if (day, who) not in active:
                    active.add((day, who))
                    rollups["active_users", day, ALL] += 1
                if chance < 0.85:
                    viewed = chance < 0.6
                    rollups["views" if viewed else "downloads", day, ALL] += 1
                    series[content_id, day][not viewed] += 1
                    totals[content_id][not viewed] += 1
                    like, of, instead = viewing if viewed else downloading, _SOMETHING, content_id
                else:
                    of, instead, results = _SOME_WORDS, f"words {dice.randrange(60):03}", dice.randrange(2)
                    like = searching[results]
                    rollups["searches", day, ALL] += 1
                    if results == 0:
                        rollups["searches", day, "in_vain"] += 1
                        rollups["no_result", day, instead] += 1
                yield Like(like, (_SOME_DAY, _SOME_ID, _SOMEBODY, of), (day, f"{each:07}", who, instead))

        began = time.perf_counter()
        _fill(portal, schema.EVENTS, events())
        stored = number / (time.perf_counter() - began)
        numbers: list[Item] = [
            Rollup(what=what, day=day, subject=of, count=n) for (what, day, of), n in rollups.items()
        ]
        numbers += [Series(of_content=of, day=day, views=v, downloads=d) for (of, day), (v, d) in series.items()]
        numbers += [Stats(of_content=of, views=v, downloads=d, stats_of="released") for of, (v, d) in totals.items()]
        _fill(portal, schema.EVENTS, numbers)
        began = time.perf_counter()
        await portal.service.summaries.make(90)
        made = time.perf_counter() - began
        seen = await portal.service.analytics.overview(ANNA, 90)
        assert seen.totals.views == sum(
            n for (what, day, _), n in rollups.items() if what == "views" and day >= days[90]
        )
        times = []
        for _ in range(20):
            began = time.perf_counter()
            with reading(portal) as units:
                await portal.service.analytics.dashboard(ADMIN, 90, 5)
            times.append(1000 * (time.perf_counter() - began))
        assert max(times) < 100 or not FULL, times
        report(
            f"analytics of 90 days over {number:,} events of {people} people: median {statistics.median(times):.1f} ms,"
            f" slowest {max(times):.1f} ms, {sum(units):.1f} read units; its summary is made in {made:.1f} s;"
            f" events stored {stored:,.0f} a second"
        )


async def test_lists_cost_the_same_and_hardly_more_time_however_much_content_there_is(tmp_path: Path) -> None:
    steps = (1_000, 10_000, 100_000) if FULL else (100, 1_000)
    with portal_in(tmp_path) as portal:
        service = portal.service
        pattern = await portal.released(product_suite="Atlas", review_due_date="2026-03-05", tags=("prices",))
        waiting = await portal.waiting("Waits")
        looks: dict[str, Callable[[], Awaitable[Any]]] = {
            "library": lambda: service.library.explore(VERA, Wanted()),
            "filtered": lambda: service.library.explore(VERA, Wanted(suite="Suite 1", kind="text", tags=("tag 1",))),
            "search": lambda: service.library.explore(VERA, Wanted(text="guide prices")),
            "queue": lambda: service.desks.queue(ANNA),
            "calendar": lambda: service.desks.review(ANNA, "overdue"),
        }

        def copies(first: int, last: int) -> Iterator[Content]:
            for number in range(first, last):
                content_id, day = f"c{number:06}", f"2026-02-{number % 20 + 1:02}"
                moment = timestamp(portal.clock.at - timedelta(seconds=number))
                released = {
                    "content_id": content_id, "title": f"Guide {number} of prices", "tags": (f"tag {number % 2}",),
                    "product_suite": f"Suite {number % 2}", "last_updated": moment, "review_due_date": day,
                    "due_day": None, "due_key": None, "s3_uri": None,
                }  # fmt: skip
                yield pattern.model_copy(update=released)
                if number % 4 == 0:
                    submitted = {
                        "content_id": f"w{number:06}", "title": f"Waits {number}", "last_updated": moment,
                        "submitted_at": moment, "s3_uri": None,
                    }  # fmt: skip
                    yield waiting.model_copy(update=submitted)

        seen: dict[str, list[tuple[float, float]]] = defaultdict(list)
        catalog, numbers, there = service.library.catalog, count(), 0
        for step in steps:
            _fill(portal, CONTENT, copies(there, step))
            there = step
            await build_anew(portal.kit.search, portal.kit.store, catalog)
            for name, look in looks.items():
                times = []
                for _ in range(9):
                    written = Document(f"x{next(numbers)}", {"title": "Other"})  # so that no answer is remembered
                    await portal.kit.search.put(catalog, written.id, written, sequence="1")
                    began = time.perf_counter()
                    with reading(portal) as units:
                        await look()
                    times.append(1000 * (time.perf_counter() - began))
                seen[name].append((sum(units), statistics.median(times)))
        for name, steps_of in seen.items():
            units_of = [units for units, _ in steps_of]
            assert max(units_of) <= units_of[0] + 1, (name, steps_of)
            if FULL:
                for (_, before), (_, after) in pairwise(steps_of):
                    assert after <= max(1.5 * before, before + 25), (name, steps_of)
        figures = "; ".join(
            f"{name} " + ", ".join(f"{u:.1f} units {ms:.0f} ms" for u, ms in seen[name]) for name in seen
        )
        report(f"{' → '.join(f'{step:,}' for step in steps)} items: {figures}")


async def test_events_are_taken_in_faster_than_people_make_them(tmp_path: Path) -> None:
    batches, size = sized(10, 500), 100
    with portal_in(tmp_path) as portal:
        readers = viewers(f"reader-{number}" for number in range(50))
        content = await portal.released()
        one = EventInput(event_name="content_previewed", content_id=content.content_id, metadata={"page": 3})
        batch = EventBatch(events=(one,) * size)
        began = time.perf_counter()
        for number in range(batches):
            assert await portal.service.events.record(readers[number % len(readers)], batch) == size
        rate = batches * size / (time.perf_counter() - began)
        assert rate >= 2_000 or not FULL
        report(f"intake of {batches * size:,} events in batches of {size}: {rate:,.0f} a second")
