"""A digest is one mail per person and period, with what is unread; sent once, whoever sends it."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.kit.accounts import Account
from partita.kit.mail import Message
from partita.kit.notifications import Channels, Notifications
from partita.kit.notifications.digests import due_after
from partita.kit.notifications.schema import Cadence
from tests.kit.notifications.conftest import DAILY, MAILED, STORM, Crash, Fuse, World, world_in

pytestmark = pytest.mark.anyio
A_DAY = timedelta(days=1)


async def _tell(notifications: Notifications, who: Account, cause: str, at: str, group: str = "") -> None:
    data = {"title": f"Story {cause}"}
    await notifications.tell(who.user_id, DAILY, cause=cause, at=at, data=data, link="/press", group=group)


async def test_a_digest_has_what_is_unread_and_comes_once(world: World) -> None:
    ada, ben = await world.person("ada"), await world.person("ben")
    process = world.process()
    for number in range(3):
        await _tell(process, ada, f"c{number}", world.at(minutes=number))
        await _tell(process, ada, f"g{number}", world.at(minutes=number), "burst")
    await _tell(process, ben, "c0", world.at())
    viewer = await world.viewer(ada)
    read = next(told for told in await process.page(viewer) if told.entry.data["title"] == "Story c1")
    await process.read(viewer, read.store, read.entry.id)
    await process.read_all(await world.viewer(ben))
    assert await process.send_due_digests(world.clock.now()) == 0  # not due
    world.clock.forward(days=1)
    assert await process.send_due_digests(world.clock.now()) == 1
    (mail,) = await world.mails()
    assert (mail.to, mail.subject) == ("ada@example.org", "3 new notifications")
    assert "3 × Story g0" in mail.text  # the burst is one line
    assert "Story c1" not in mail.text
    assert "daily digest" in mail.text
    for _ in range(3):
        world.clock.forward(days=1)
        assert await process.send_due_digests(world.clock.now()) == 0
    await _tell(process, ada, "c9", world.at())
    world.clock.forward(days=1)
    assert await process.send_due_digests(world.clock.now()) == 1
    newest, _ = await world.mails()
    assert newest.subject == "1 × Story c9"  # not what the last one told


async def test_of_a_burst_that_was_read_and_began_anew_a_digest_counts_what_came_since(world: World) -> None:
    ada = await world.person("ada")
    process, viewer = world.process(), await world.viewer(ada)
    for number in (9, 8, 7):
        await _tell(process, ada, f"old{number}", world.at(minutes=number), "burst")
    (read,) = await process.page(viewer)
    await process.read(viewer, read.store, read.entry.id)
    for cause, minutes in (("new", 6), ("late", 30), ("old9", 9)):  # in the order in which people are told
        await _tell(process, ada, cause, world.at(minutes=minutes), "burst")
    (unread,) = await process.page(viewer)
    assert unread.entry.count == 2
    world.clock.forward(days=1)
    assert await process.send_due_digests(world.clock.now()) == 1
    (mail,) = await world.mails()
    assert mail.subject == "2 × Story new"


_EVENTS = st.lists(
    st.one_of(st.tuples(st.integers(0, 9), st.integers(0, 2)), st.sampled_from(["read", "all"])), max_size=16
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=_EVENTS)
def test_a_digest_says_of_bursts_what_the_bell_says(tmp_path: Path, events: list[tuple[int, int] | str]) -> None:
    """A law: whatever is told, told again and read meanwhile, mail and bell count the same."""

    async def story() -> None:
        with world_in(tmp_path) as world:
            ada = await world.person("ada")
            process, viewer = world.process(), await world.viewer(ada)
            for event in events:
                if event == "all":
                    await process.read_all(viewer)
                elif isinstance(event, str):
                    for told in list(await process.page(viewer))[:1]:
                        await process.read(viewer, told.store, told.entry.id)
                else:
                    cause, group = event
                    name = f"c{cause}-{group}"
                    await _tell(process, ada, name, world.at(minutes=cause), f"g{group}" if group else "")
            unread = [told.words.title for told in await process.page(viewer) if told.entry.unread]
            world.clock.forward(days=1)
            assert await process.send_due_digests(world.clock.now()) == (1 if unread else 0)
            mails = await world.mails()
            assert sorted(re.findall(r"\d+ × Story .*", mails[0].text) if mails else []) == sorted(unread)

    asyncio.run(story())


async def test_many_processes_that_send_at_once_send_one(tmp_path: Path) -> None:
    with world_in(tmp_path, faults=STORM) as world:
        people = [await world.person(f"person{number}") for number in range(5)]
        for each in people:
            await _tell(world.process(), each, "c1", world.at())
        world.clock.forward(days=1)
        processes = [world.process() for _ in range(4)]
        sent = await asyncio.gather(*(each.send_due_digests(world.clock.now()) for each in processes))
        assert sum(sent) == 5
        assert sorted(mail.to for mail in await world.mails()) == sorted(str(each.email) for each in people)


async def test_a_process_that_dies_while_it_sends_leaves_a_digest_that_another_finishes(world: World) -> None:
    for number in range(1, 6):
        for when in ("before", "after"):
            who = await world.person(f"{when}{number}")
            await _tell(world.process(), who, "c1", world.at())
            world.clock.forward(days=1)
            dying = world.dying(Fuse(**{when: number}))
            try:
                await dying.send_due_digests(world.clock.now())
            except Crash:
                await dying.finish()
            # Behind a closed digest nothing is added: what comes late waits for the next one.
            await _tell(world.process(), who, "late", world.at(days=1, minutes=5))
            await world.process().send_due_digests(world.clock.now())
            world.clock.forward(minutes=66)
            await world.process().send_waiting_mail()
            mine = [mail for mail in await world.mails() if mail.to == who.email]
            assert len(mine) == 1
            late_now = "Story late" in mine[0].text
            world.clock.forward(days=1)
            await world.process().send_due_digests(world.clock.now())
            mine = [mail for mail in await world.mails() if mail.to == who.email]
            told = "".join(mail.text for mail in mine)
            assert (told.count("Story c1"), told.count("Story late")) == (1, 1)
            assert len(mine) == (1 if late_now else 2)


async def test_whoever_ends_digests_or_leaves_gets_none(world: World) -> None:
    ada, ben, eve = [await world.person(name) for name in ("ada", "ben", "eve")]
    process = world.process()
    for each in (ada, ben, eve):
        await _tell(process, each, "c1", world.at())
    await process.preferences.choose(ada.user_id, {DAILY.name: Channels(True, "never")})
    await world.accounts.administration.suspend(world.accounts.operator(), ben.user_id)
    world.clock.forward(days=1)
    assert await process.send_due_digests(world.clock.now()) == 1
    (mail,) = await world.mails()
    assert mail.to == "eve@example.org"
    # The link in it ends all kinds that come in this digest, and no other mail.
    subscription, label = process.subscription(mail.unsubscribe.partition("token=")[2])
    assert label == "Your daily digest"
    await process.unsubscribe(subscription)
    kinds = {kind.name: kind for kind in (DAILY, MAILED)}
    now = await process.preferences.channels(eve.user_id, kinds)
    assert [now[kind].mail for kind in kinds] == ["never", "once"]


async def test_a_digest_that_cannot_be_written_keeps_nobody_from_theirs(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    process = world.process()
    people = [await world.person(name) for name in ("ada", "ben", "eve")]
    for each in people:
        await _tell(process, each, "c1", world.at())
    add = process.queue.add

    async def fails_for_ben(message: Message) -> bool:
        if message.to.startswith("ben"):
            raise ValueError("no such letter")
        return await add(message)

    world.clock.forward(days=1)
    with monkeypatch.context() as patched:
        patched.setattr(process.queue, "add", fails_for_ben)
        assert await process.send_due_digests(world.clock.now()) == 2
    assert "no such letter" in caplog.text
    assert await process.send_due_digests(world.clock.now()) == 1


async def test_a_long_digest_says_how_many_more_there_are(world: World) -> None:
    ada = await world.person("ada")
    process = world.process()
    for number in range(45):
        await _tell(process, ada, f"c{number}", world.at(minutes=number / 10))
    world.clock.forward(days=1)
    await process.send_due_digests(world.clock.now())
    (mail,) = await world.mails()
    assert mail.subject == "45 new notifications"
    assert "And 5 more: https://partita.example.org/notifications" in mail.text


@given(
    at=st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)),
    hour=st.integers(0, 23),
    cadence=st.sampled_from(["daily", "weekly"]),
)
def test_every_moment_belongs_to_the_next_digest(at: datetime, hour: int, cadence: Cadence) -> None:
    due = due_after(cadence, at, hour)
    step = A_DAY * (7 if cadence == "weekly" else 1)
    assert at < due <= at + step
    assert (due.hour, due.minute) == (hour, 0)
    assert cadence == "daily" or due.weekday() == 0
    assert due_after(cadence, due, hour) == due + step
