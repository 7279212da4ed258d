"""Processes are killed while they tell people and count events: everybody hears of everything once, and the numbers
equal a recount."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.formats import today_of
from partita.apps.enablement.inputs import EventBatch, EventInput, Validity
from partita.apps.enablement.schema import (
    Content,
    CountedEvent,
    Event,
    Fanout,
    Notification,
    RollupOf,
    Subscription,
    matches_of,
)
from partita.apps.enablement.service import EnablementService
from partita.kit.changes import ChangeWorker
from partita.kit.mail_queue import CLAIM
from partita.kit.notifications.schema import Digest
from partita.kit.schema import newest_mail
from partita.kit.suite import Suite
from partita.store import EmbeddedStore
from partita.table import Put, Update
from partita.table.types import timestamp
from tests.apps.enablement.conftest import ANNA, CARLA, Portal, TestClock
from tests.apps.enablement.killed import Victims, suite_in
from tests.apps.enablement.sizes import FULL, report, sized
from tests.apps.enablement.telling import accounts, viewers
from tests.apps.enablement.test_counting import recount, stored_numbers

pytestmark = pytest.mark.anyio
SUBSCRIBERS, MATCHING = sized(60, 2_000), sized(10, 300)
ITEMS = sized(4, 100)
"""Each is released and expires: two changes."""
TELLING_KILLS = sized(3, 30)
EVENTS, WRITERS, COUNTING_KILLS = sized(600, 100_000), 16, sized(2, 20)
TIMEOUT = sized(110, 3_000)


@asynccontextmanager
async def _portal(folder: Path, ahead: float = 0) -> AsyncIterator[tuple[Suite, Portal]]:
    suite = suite_in(folder, ahead)
    try:
        yield suite, Portal(suite.kit, TestClock(), EnablementService(suite.kit))
    finally:
        await suite.close()


async def _replayed(suite: Suite, name: str, times: int) -> None:
    """Let a handler get every change again, by several at once."""
    kit = suite.kit
    assert isinstance(kit.tables, EmbeddedStore)
    (handler,) = (each for each in suite.handlers if each.name == name)
    call = kit.tables.engine.call_async
    again = [replace(handler, name=f"{name}.replay-{number}") for number in range(times)]
    await asyncio.gather(*(ChangeWorker(kit.store, call, [each], kit.clock).drain() for each in again))


@pytest.mark.timeout(TIMEOUT)
async def test_everybody_is_told_once_and_gets_one_mail_a_period_however_often_processes_are_killed(
    tmp_path: Path,
) -> None:
    began = time.monotonic()
    async with _portal(tmp_path) as (suite, portal):
        victims = Victims(tmp_path, random.Random(TELLING_KILLS))
        names = [f"reader{number}" for number in range(SUBSCRIBERS)]
        await portal.kit.store.batch_write(accounts((*names, CARLA.id, ANNA.id)))
        wishes = [
            Subscription(
                user_id=name, subscription_id="s", created_at="2026-01-01T00:00:00Z",
                product_suite="Atlas" if number < MATCHING else f"Suite {number % 40}",
                tags=("x",) if number % 3 else None,
            )
            for number, name in enumerate(names)
        ]  # fmt: skip
        await portal.kit.store.batch_write(Put(row) for each in wishes for row in (each, *matches_of(each)))

        async def told(wanted: int) -> bool:
            """Whether the changes have come, and everybody has been told."""
            today = today_of(portal.kit.clock.now())
            if [row async for row in portal.kit.store.stream(schema.due_on(today)) if isinstance(row, Fanout)]:
                return False  # looking at all of them must not take all the time
            causes = Counter[str]()
            async for row in portal.kit.store.scan_whole_table(Fanout):
                causes["open" if row.due_day else row.cause] += 1
            return causes["open"] == 0 and causes["approved"] + causes["expired"] == wanted

        items: list[Content] = []

        async def release() -> None:
            for number in range(ITEMS):
                title = f"Guide {number}"
                items.append(await portal.released(title, product_suite="Atlas", tags=("X",)))

        async def expire() -> None:
            for number, item in enumerate(items):
                if number % 2:
                    await portal.service.lifecycle.expire(ANNA, item.content_id)
                else:  # by the clock
                    ends = timestamp(portal.kit.clock.now() + timedelta(seconds=0.5))
                    await portal.service.lifecycle.plan(ANNA, item.content_id, Validity(expiry_date=ends))

        for phase, (change, done) in enumerate(((release, ITEMS), (expire, 2 * ITEMS))):
            share = TELLING_KILLS // 3 + (phase == 0) * (TELLING_KILLS % 3)
            with victims.at_work():
                await asyncio.gather(change(), victims.kill_while(share, lambda done=done: told(done)))  # type: ignore[misc]

        # Some that are done are told again from the beginning, and every change comes again.
        fanouts = [row async for row in portal.kit.store.scan_whole_table(Fanout)]
        for row in random.Random(1).sample(fanouts, min(len(fanouts), sized(4, 10))):
            again = (Fanout.due_day.set(today_of(portal.kit.clock.now())), Fanout.due_key.set("fanout#2026#again"))
            await portal.kit.store.write(Update(row.own_key, *again, Fanout.done.set(())))
        await _replayed(suite, "enablement.telling", 2)
        await portal.service.clock.run_due()
        await portal.kit.notifications.finish()

        async def mailed() -> bool:
            digests = [each async for each in portal.kit.store.scan_whole_table(Digest)]
            return all(each.state == "done" for each in digests)

        victims.ahead = 2 * 86_400.0
        with victims.at_work():
            await victims.kill_while(TELLING_KILLS // 3, mailed)

        rows = [row async for row in portal.kit.store.scan_whole_table(Notification)]
        readers = Counter((row.user_id, row.title) for row in rows if row.user_id in set(names))
        expected = {
            (name, title): 1
            for name in names[:MATCHING]
            for number in range(ITEMS)
            for title in (f"New: “Guide {number}”", f"“Guide {number}” has expired")
        }
        assert readers == expected
        assert max(Counter((row.user_id, row.cause) for row in rows).values()) == 1
        async with _portal(tmp_path, victims.ahead + 2 * CLAIM.total_seconds()) as (_, later):
            await later.kit.notifications.send_waiting_mail()  # what was killed between claim and mark
        # One that was sent just before a kill may come again, as the same message.
        mails = {mail.message_id: mail.to async for mail in portal.kit.store.stream(newest_mail())}
        digests = [each async for each in portal.kit.store.scan_whole_table(Digest)]
        assert Counter(mails.values()) == Counter(f"{each.user_id}@example.org" for each in digests)
        assert len(mails) >= MATCHING
        report(
            f"{SUBSCRIBERS:,} subscribers, {MATCHING} match, {2 * ITEMS} changes, {victims.kills} kills:"
            f" {len(rows):,} notifications and {len(mails)} mails, none twice, none missing;"
            f" {time.monotonic() - began:.0f} s"
        )


@pytest.mark.timeout(TIMEOUT)
async def test_numbers_equal_a_recount_however_often_processes_are_killed_while_many_write(tmp_path: Path) -> None:
    began = time.monotonic()
    async with _portal(tmp_path) as (suite, portal):
        await portal.kit.store.batch_write(accounts((CARLA.id, ANNA.id)))
        contents = [await portal.released(f"Guide {number}") for number in range(sized(4, 40))]
        people = viewers(f"reader{number}" for number in range(sized(20, 250)))
        written = searched = 0

        async def write(writer: int) -> None:
            """One of many who record at once what all kinds of people do, in the course of some weeks."""
            nonlocal written, searched
            dice = random.Random(writer)
            clock = TestClock(datetime.now(UTC) - timedelta(days=40))
            events = portal.service.events.at(clock)
            while written < EVENTS:
                who, content, chance = dice.choice(people), dice.choice(contents), dice.random()
                if chance < 0.5:
                    recorded = int(await events.viewed(who, content))
                elif chance < 0.75:
                    recorded = int(await events.downloaded(who, content))
                elif chance < 0.9:
                    await events.searched(who, f"Words {dice.randrange(30)}", dice.randrange(3))
                    recorded = 1
                    searched += 1
                else:
                    sent = EventInput(event_name="content_previewed", content_id=content.content_id)
                    recorded = await events.record(who, EventBatch(events=(sent,) * 3))
                written += recorded
                clock.on(minutes=dice.choice((1, 5, 20)) * sized(60, 1))

        async def counted() -> bool:
            """Whether everything is counted, by one of the numbers; whether they are right is asked at the end."""
            if written < EVENTS:
                return False
            if await total("searches") < searched:
                return False  # looking at all of them must not take all the time
            return await total("user_events") >= written

        async def total(what: RollupOf) -> int:
            """All days and subjects."""
            rollups = portal.kit.store.stream(schema.rollups_since(what, "2000-01-01"))
            return sum([each.count async for each in rollups])

        victims = Victims(tmp_path, random.Random(COUNTING_KILLS))
        with victims.at_work():
            await asyncio.gather(*map(write, range(WRITERS)), victims.kill_while(COUNTING_KILLS, counted))
        events = [each async for each in portal.kit.store.scan_whole_table(Event)]
        guards = [each async for each in portal.kit.store.scan_whole_table(CountedEvent)]
        assert {each.event_id for each in events} == {each.event_id for each in guards}
        if FULL:  # what the stream would bring again are the numbers too, nine rows for each event
            for first in range(0, len(events), 100):
                twice = [each for each in events[first : first + 100] for _ in range(2)]
                assert await portal.service.counting.count_all(twice) == 0
        else:
            await _replayed(suite, "enablement.counting", 2)
        expected = await recount(portal)
        assert await stored_numbers(portal) == expected
        report(
            f"{written:,} events by {WRITERS} writers, {victims.kills} kills, every change again twice:"
            f" {len(expected):,} numbers equal a recount; {time.monotonic() - began:.0f} s"
        )
