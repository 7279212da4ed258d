"""Who is told of what: once per cause and person, with the strongest reason, and never of what they did themselves."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from partita.apps.enablement import schema
from partita.apps.enablement.formats import Due
from partita.apps.enablement.inputs import (
    Approval,
    ChangesRequest,
    NewComment,
    NewSubscription,
    PreferencesInput,
    Reason,
    Retirement,
    Submission,
    Transfer,
)
from partita.apps.enablement.schema import Content, Fanout, Reader, Subscription, matches_of
from partita.apps.enablement.service.audience import JOB_DONE, REPORT_CLOSED, REPORTED
from partita.kit.permissions import Viewer
from partita.table import Put
from partita.table.types import timestamp
from tests.apps.enablement.conftest import ADMIN, ANNA, ARNO, CARL, CARLA, NOTE, VERA
from tests.apps.enablement.telling import Telling, telling_in, viewers
from tests.apps.house import BAD_WEATHER
from tests.kit.notifications.conftest import Crash, Fuse

pytestmark = pytest.mark.anyio
ATLAS = NewSubscription(product_suite="Atlas")


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Telling]:
    with telling_in(tmp_path) as made:
        yield made


async def _approve(portal: Telling, waiting: Content, release_on: str | None = None) -> Content:
    return await portal.service.lifecycle.approve(
        ANNA, waiting.content_id, Approval(version=waiting.version, release_on=release_on)
    )


async def test_a_release_is_told_to_subscribers_and_followers_once_each_with_the_strongest_reason(
    portal: Telling,
) -> None:
    released = await portal.released(product_suite="Atlas", product_concept="Pricing", tags=("EMEA",))
    await portal.catch_up()
    wishes = (
        NewSubscription(),
        ATLAS,
        NewSubscription(tags=("emea",)),
        NewSubscription(product_suite="Atlas", product_concept="Pricing"),
    )
    for wish in wishes:
        await portal.service.subscriptions.create(VERA, wish)
    await portal.service.subscriptions.create(CARL, NewSubscription(product_suite="Borea"))
    await portal.service.follows.follow(ARNO, "person", CARLA.id)
    await portal.service.follows.follow(ADMIN, "content", released.content_id)
    await portal.service.subscriptions.create(ADMIN, ATLAS)
    await portal.catch_up()
    assert await portal.told(VERA, CARL, ARNO, ADMIN) == []
    proposal = await portal.proposed(released.content_id)
    await portal.service.lifecycle.approve(ANNA, released.content_id, Approval(version=proposal.version))
    await portal.catch_up()
    title = "Version 2 of “How to price Atlas”"
    assert await portal.causes(VERA) == [(title, "because you follow Atlas · Pricing")]
    assert await portal.causes(ARNO) == [(title, "because you follow its owner")]
    assert await portal.causes(ADMIN) == [(title, "because you follow it")]
    assert await portal.causes(CARL) == []
    (row,) = await portal.told(VERA)
    assert (row.message, row.type, row.about, row.content_id) == (NOTE, "info", "news", released.content_id)
    change = next(iter(await portal.service.history.entries(ANNA, released.content_id)))
    assert row.created_at == change.changed_at


async def test_both_sides_of_an_approval_hear_of_each_other_and_not_of_themselves(portal: Telling) -> None:
    await portal.service.follows.visit_queue(ANNA)
    await portal.service.follows.visit_queue(ARNO)
    waiting = await portal.waiting()
    await portal.catch_up()
    assert await portal.causes(ANNA) == [
        ("“How to price Atlas” waits for approval", "because you follow the approval queue")
    ]
    await portal.service.history.comment(CARLA, waiting.content_id, NewComment(comment="In a hurry, please."))
    await portal.catch_up()
    assert (await portal.causes(ARNO))[-1][0] == "Carla commented on “How to price Atlas”"
    await portal.service.history.comment(ANNA, waiting.content_id, NewComment(comment="I am at it."))
    await portal.catch_up()
    assert await portal.causes(CARLA) == [("Anna commented on “How to price Atlas”", "because it is your work")]
    assert len(await portal.told(ARNO)) == 2
    await portal.service.lifecycle.request_changes(ANNA, waiting.content_id, ChangesRequest(comment="Add prices."))
    await portal.catch_up()
    newest = (await portal.told(CARLA))[0]
    assert (newest.title, newest.message, newest.type) == (
        "Changes requested: “How to price Atlas”",
        "Add prices.",
        "warning",
    )
    await portal.service.history.comment(CARLA, waiting.content_id, NewComment(comment="Which ones?"))
    await portal.catch_up()
    assert (await portal.causes(ANNA))[-1] == (
        "Carla commented on “How to price Atlas”",
        "because you take part in the talk",
    )
    again = await portal.service.lifecycle.submit(CARLA, waiting.content_id, Submission())
    assert isinstance(again, Content)
    await _approve(portal, again)
    await portal.catch_up()
    newest = (await portal.told(CARLA))[0]
    assert (newest.title, newest.type, newest.about) == ("“How to price Atlas” was approved", "success", "my_work")
    assert not any("approved" in row.title for row in await portal.told(ANNA))


async def test_what_is_approved_for_a_day_is_news_on_that_day(portal: Telling) -> None:
    await portal.service.subscriptions.create(VERA, NewSubscription())
    waiting = await portal.waiting()
    await _approve(portal, waiting, release_on="2026-03-10")
    await portal.catch_up()
    assert await portal.told(VERA) == []
    assert [row.type for row in await portal.told(CARLA)] == ["success"]
    portal.clock.to("2026-03-10")
    await portal.catch_up()
    await portal.catch_up()
    assert await portal.causes(VERA) == [("New: “How to price Atlas”", "because you follow everything")]


async def test_expiry_and_retirement_are_told_to_the_owner_readers_and_recent_downloaders(portal: Telling) -> None:
    one, two = await portal.released(), await portal.released("Atlas in depth")
    for person, days in (("vera", 20), ("carl", 40)):
        moment = timestamp(portal.clock.at.replace(month=1, day=25 if days > 30 else 30))
        for content in (one, two):
            reader = Reader(of_content=content.content_id, person=person, last_downloaded=moment)
            await portal.kit.store.write(Put(reader))
    portal.clock.to("2026-02-28")
    await portal.service.follows.follow(CARLA, "content", one.content_id)
    await portal.catch_up()
    told = len(await portal.told(CARLA))
    await portal.service.lifecycle.expire(ANNA, one.content_id, Reason(comment="Out of use."))
    await portal.service.lifecycle.retire(ANNA, two.content_id, Retirement(reason="Replaced."))
    await portal.catch_up()
    assert sorted(await portal.causes(VERA)) == [
        ("“Atlas in depth” was retired", "because you downloaded it lately"),
        ("“How to price Atlas” has expired", "because you downloaded it lately"),
    ]
    assert {row.type for row in await portal.told(VERA)} == {"warning"}
    assert await portal.told(CARL) == []
    own = (await portal.told(CARLA))[: len(await portal.told(CARLA)) - told]
    assert [row.about for row in own] == ["my_work", "my_work"]


async def test_reminders_go_to_the_owner_and_late_ones_to_the_queue(portal: Telling) -> None:
    await portal.service.follows.visit_queue(ARNO)
    await portal.released(review_due_date="2026-04-01", expiry_date="2026-04-20")
    await portal.catch_up()
    before = await portal.told(CARLA, ARNO)
    for day in ("2026-03-18", "2026-04-01", "2026-04-06", "2026-04-08", "2026-04-15"):
        portal.clock.to(day)
        await portal.catch_up()
        await portal.catch_up()
    titles = Counter(row.title for row in await portal.told(CARLA) if row not in before)
    assert titles == {
        "“How to price Atlas” is due for review": 2,
        "The review of “How to price Atlas” is overdue": 2,
        "“How to price Atlas” expires soon": 1,
    }
    late = [row for row in await portal.told(ARNO) if row not in before]
    assert [(row.title, row.created_at) for row in late] == [
        ("The review of “How to price Atlas” is overdue", "2026-04-15T00:00:00.000000Z")
    ]


async def test_handing_over_is_told_to_both_owners(portal: Telling) -> None:
    content = await portal.released()
    await portal.catch_up()
    await portal.service.lifecycle.hand_over(ADMIN, content.content_id, Transfer(to="carl"))
    await portal.catch_up()
    assert (await portal.causes(CARLA))[-1] == ("“How to price Atlas” was handed over", "because it was yours")
    assert await portal.causes(CARL) == [("“How to price Atlas” is yours now", "because it is yours")]
    assert await portal.told(ADMIN) == []


async def test_other_parts_store_what_must_be_told(portal: Telling) -> None:
    content = await portal.released()
    due = portal.service.fanouts.due
    at = timestamp(portal.clock.now())
    rows = (
        due("r1", REPORTED, content.content_id, at, by="vera", details={"text": "It is out of date."}),
        due("r1.closed", REPORT_CLOSED, content.content_id, at, by="carla", details={"person": "vera", "answer": "Ok"}),
        due("i1", JOB_DONE, "", at, details={"person": "carl", "title": "Import done", "link": "/enablement/import"}),
    )
    for row in rows:
        await portal.kit.store.write(Put(row))
    await portal.catch_up()
    assert {(row.title, row.about) for row in await portal.told(VERA)} == {
        ("Your report on “How to price Atlas” was answered", "my_work"),
    }
    assert "“How to price Atlas” was reported as out of date" in {row.title for row in await portal.told(CARLA)}
    assert [row.link for row in await portal.told(CARL)] == ["/enablement/import"]


async def test_subscriptions_younger_than_the_change_get_nothing_however_late_it_is_told(portal: Telling) -> None:
    await portal.released(product_suite="Atlas")
    portal.clock.on(minutes=1)
    await portal.service.subscriptions.create(VERA, ATLAS)
    portal.clock.on(minutes=1)
    await portal.catch_up()
    assert await portal.told(VERA) == []


async def test_news_of_what_readers_lost_again_is_not_told(portal: Telling) -> None:
    await portal.service.subscriptions.create(VERA, ATLAS)
    released = await portal.released(product_suite="Atlas")
    await portal.service.lifecycle.retire(ANNA, released.content_id, Retirement(reason="A mistake."))
    await portal.catch_up()
    assert [title for title, _ in await portal.causes(VERA)] == ["“How to price Atlas” was retired"]


async def test_whoever_may_not_read_the_portal_or_is_gone_is_not_told(portal: Telling) -> None:
    (ghost,) = viewers(["ghost"])
    await portal.service.subscriptions.create(ghost, ATLAS)
    await portal.released(product_suite="Atlas")
    await portal.catch_up()
    assert await portal.told(ghost) == []


async def test_told_once_when_every_change_comes_three_times_at_once(tmp_path: Path) -> None:
    with telling_in(tmp_path, faults=BAD_WEATHER) as portal:
        people = viewers(f"reader{number}" for number in range(30))
        portal.account(*(each.id for each in people))
        for each in people:
            await portal.service.subscriptions.create(each, ATLAS)
        content = await portal.released(product_suite="Atlas")
        await asyncio.gather(portal.replay(3), portal.catch_up())
        await portal.service.lifecycle.expire(ANNA, content.content_id)
        await asyncio.gather(portal.replay(3), portal.catch_up())
        rows = await portal.told(*people)
        assert Counter((row.user_id, row.title) for row in rows) == {
            (each.id, title): 1
            for each in people
            for title in ("New: “How to price Atlas”", "“How to price Atlas” has expired")
        }


@pytest.mark.parametrize("edge", ["before", "after"])
async def test_told_once_wherever_a_process_dies(tmp_path: Path, edge: str) -> None:
    """400 subscriptions of which 30 match; the process dies again and again, and another one goes on."""
    with telling_in(tmp_path) as portal:
        portal.account(*(f"reader{number}" for number in range(30)))
        rows = [
            Subscription(
                user_id=f"reader{number}", subscription_id="s", created_at="2026-01-01T00:00:00Z",
                product_suite="Atlas" if number < 30 else "Borea", tags=("x",) if number % 3 else None,
            )
            for number in range(400)
        ]  # fmt: skip
        await portal.kit.store.batch_write(Put(row) for each in rows for row in (each, *matches_of(each)))
        await portal.released(product_suite="Atlas", tags=("X",))
        await portal.worker.drain()
        due = [row async for row in portal.kit.store.stream(schema.due_on("2026-03-02"))]
        (fanout,) = (row for row in due if isinstance(row, Fanout) and row.cause == "approved")
        dice, crashes = random.Random(3), 0
        for _ in range(12):
            service = portal.dying(Fuse(**{edge: dice.randint(1, 40)}))
            now = await portal.kit.store.get(schema.fanout(fanout.change_id))
            assert now is not None
            try:
                await service.fanouts.tell(now, Due("fanout", ""))
            except* Crash:
                crashes += 1
        assert crashes >= 6
        await asyncio.gather(portal.catch_up(), portal.replay(2))
        everybody = viewers(f"reader{number}" for number in range(30))
        told = await portal.told(*everybody)
        assert Counter(row.user_id for row in told) == {each.id: 1 for each in everybody}
        portal.clock.to("2026-03-03")
        for _ in range(2):
            await portal.kit.notifications.send_due_digests(portal.clock.now())
        assert Counter(mail.to for mail in await portal.mails())["reader7@example.org"] == 1


async def _choose(portal: Telling, viewer: Viewer, **rhythms: str) -> None:
    await portal.service.notifications.choose(viewer, PreferencesInput.model_validate(rhythms))


async def test_mail_at_once_waits_ten_minutes_and_is_one(portal: Telling) -> None:
    await portal.service.subscriptions.create(VERA, NewSubscription())
    assert await portal.service.notifications.preferences(VERA) == dict.fromkeys(
        ("my_work", "must_read", "news"), "daily"
    )
    await _choose(portal, VERA, news="at_once")
    one = await portal.released("Atlas prices", product_suite="Atlas")
    await portal.released("Borea prices", product_suite="Borea", product_concept="Pricing")
    await portal.catch_up()
    send = portal.kit.notifications.send_due_digests
    portal.clock.on(minutes=9)
    assert await send(portal.clock.now()) == 0
    portal.clock.on(minutes=7)
    assert await send(portal.clock.now()) == 1
    assert await send(portal.clock.now()) == 0
    mail = next(each for each in await portal.mails() if each.to == "vera@example.org")
    assert mail.subject == "2 new notifications"
    assert mail.text.index("Atlas") < mail.text.index("== Borea · Pricing ==") < mail.text.index("New: “Borea prices”")
    assert "Because you follow everything." in mail.text
    assert f"/enablement/content/{one.content_id}" in mail.text
    assert "unsubscribe" in mail.text


async def test_daily_mail_has_unread_news_alone_and_never_is_never(portal: Telling) -> None:
    for viewer in (VERA, CARL, ARNO):
        await portal.service.subscriptions.create(viewer, NewSubscription())
    await _choose(portal, CARL, news="never")
    await _choose(portal, ARNO, news="weekly")
    await portal.released("One")
    await portal.released("Two")
    await portal.catch_up()
    (first, _) = await portal.told(VERA)
    await portal.service.notifications.read(VERA, first.notification_id)
    portal.clock.to("2026-03-03")  # a Tuesday
    await portal.kit.notifications.send_due_digests(portal.clock.now())
    mails = {mail.to: mail for mail in await portal.mails()}
    assert "carl@example.org" not in mails
    assert "arno@example.org" not in mails
    assert "“One”" in mails["vera@example.org"].text
    assert "“Two”" not in mails["vera@example.org"].text
    portal.clock.to("2026-03-09")
    await portal.kit.notifications.send_due_digests(portal.clock.now())
    assert "arno@example.org" in {mail.to for mail in await portal.mails()}


async def test_the_link_in_a_mail_ends_what_comes_in_it(portal: Telling) -> None:
    await _choose(portal, VERA, news="at_once", my_work="at_once")
    house = portal.kit.notifications
    link = house.preferences.link_for_user(VERA.id, "digest.soon")
    subscription, label = house.subscription(link.partition("token=")[2])
    assert "minutes" in label
    await house.unsubscribe(subscription)
    assert await portal.service.notifications.preferences(VERA) == {
        "my_work": "never",
        "must_read": "daily",
        "news": "never",
    }


async def test_news_have_the_summary_while_readers_have_the_content_and_nothing_of_it_after_its_moment(
    portal: Telling,
) -> None:
    """Nobody has written anything: time alone closes it, in the list, under the bell and in the mail."""
    await portal.service.subscriptions.create(VERA, NewSubscription())
    closing = {"expiry_date": "2026-03-02T20:00:00Z", "expiry_policy": "hard_expire"}
    await portal.released("Secret prices", summary="Only 100.", **closing)
    await portal.released("Open prices", summary="Always 200.")
    await portal.catch_up()
    house = portal.kit.notifications

    async def said() -> list[set[str]]:
        listed = await portal.service.notifications.list(VERA)
        each = [await portal.service.notifications.get(VERA, row.notification_id) for row in listed]
        bell = [told.words.text.partition("\n")[0] for told in (await house.page(VERA)).items]
        return [{row.message for row in listed}, {row.message for row in each}, set(bell)]

    assert await said() == [{"Only 100.", "Always 200."}] * 3
    assert {row.message for row in await portal.told(VERA)} == {""}
    portal.clock.to("2026-03-02", hour=21)
    assert await said() == [{"", "Always 200."}] * 2 + [{"Because you follow everything.", "Always 200."}]
    portal.clock.to("2026-03-03")
    await house.send_due_digests(portal.clock.now())
    (mail,) = [each for each in await portal.mails() if each.to == "vera@example.org"]
    assert ("Secret prices" in mail.text, "Only 100." in mail.text, "Always 200." in mail.text) == (True, False, True)
