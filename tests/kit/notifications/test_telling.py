"""Telling somebody: once, whatever dies on the way; as they have chosen; and only what they may know."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from partita.kit.accounts import Account
from partita.kit.notifications import Channels, InMail, Kind, Notifications, Words
from partita.kit.notifications.service import TO_ADDRESS
from partita.kit.problems import NotFound
from partita.table import InvalidCursorError
from tests.kit.notifications.conftest import COMMENTED, DAILY, MAILED, PASSWORD, PUBLISHED, SECRET, Crash, Fuse, World

pytestmark = pytest.mark.anyio


async def _tell(notifications: Notifications, who: Account, kind: Kind, cause: str, at: str, **more: Any) -> None:
    data = {"title": f"Story {cause}"}
    await notifications.tell(who.user_id, kind, cause=cause, at=at, data=data, link=f"/press/{cause}", **more)


async def test_three_handlers_at_once_tell_once(stormy: World) -> None:
    ada = await stormy.person("ada")
    at = stormy.at(minutes=1)
    await asyncio.gather(*(_tell(stormy.process(), ada, MAILED, "c1", at) for _ in range(3)))
    page = await stormy.process().page(await stormy.viewer(ada))
    assert [(told.words.title, told.entry.at, told.link) for told in page] == [("1 × Story c1", at, "/press/c1")]
    assert await stormy.process().unread_count(ada.user_id) == 1
    assert [mail.subject for mail in await stormy.mails()] == ["1 × Story c1"]


@pytest.mark.parametrize("group", ["", "story"])
@pytest.mark.parametrize("mail", ["once", "daily"])
async def test_a_handler_that_dies_after_any_write_and_runs_again_tells_once(
    world: World, group: str, mail: Any
) -> None:
    """However many writes a handler makes: it dies before and after each of them, then others run at once."""
    deaths = 0
    for when in ("before", "after"):
        for number in range(1, 9):
            who = await world.person(f"{when}-{number}-{mail}-{len(group)}")
            await world.process().preferences.choose(who.user_id, {MAILED.name: Channels(True, mail)})
            at = world.at(minutes=1)
            dying = world.dying(Fuse(**{when: number}))
            try:
                await _tell(dying, who, MAILED, "c1", at, group=group)
            except Crash:
                deaths += 1
            await dying.finish()
            await asyncio.gather(*(_tell(world.process(), who, MAILED, "c1", at, group=group) for _ in range(3)))
            (told,) = await world.process().page(await world.viewer(who))
            assert (told.entry.count, told.entry.unread) == (1, True)
            assert await world.process().unread_count(who.user_id) == 1
    assert deaths >= 6
    world.clock.forward(days=1)
    await world.process().send_due_digests(world.clock.now())
    mails = await world.mails()
    if mail == "once":  # a mail whose process died while it was sent waits for the sweep
        world.clock.forward(minutes=66)
        await world.process().send_waiting_mail()
        mails = await world.mails()
    assert len(mails) == 16
    assert len({each.to for each in mails}) == 16


async def test_a_burst_by_mail_is_one_mail_until_it_is_read(world: World) -> None:
    ada = await world.person("ada")
    process = world.process()
    for number in range(4):
        await _tell(process, ada, MAILED, f"c{number}", world.at(minutes=9 - number), group="story")
    assert [mail.subject for mail in await world.mails()] == ["1 × Story c0"]
    viewer = await world.viewer(ada)
    (told,) = await process.page(viewer)
    assert told.words.title == "4 × Story c3"
    await process.read(viewer, told.store, told.entry.id)
    await _tell(process, ada, MAILED, "c9", world.at(), group="story")
    assert len(await world.mails()) == 2


@pytest.mark.parametrize("suite", [True, False])
@pytest.mark.parametrize("mail", ["never", "once", "daily", "weekly"])
async def test_people_hear_of_a_kind_as_they_have_chosen(world: World, suite: bool, mail: Any) -> None:
    ada = await world.person("ada")
    process = world.process()
    await process.preferences.choose(ada.user_id, {COMMENTED.name: Channels(suite, mail)})
    await _tell(process, ada, COMMENTED, "c1", world.at(minutes=1))
    await _tell(process, ada, PUBLISHED, "c2", world.at(minutes=1))  # has its defaults
    assert await process.unread_count(ada.user_id) == 1 + suite
    assert len(await world.mails()) == (mail == "once")
    world.clock.forward(days=8)
    assert await process.send_due_digests(world.clock.now()) == (mail in ("daily", "weekly"))
    assert len(await world.mails()) == (mail != "never")


async def test_choices_of_two_forms_at_once_are_both_kept(stormy: World) -> None:
    ada = await stormy.person("ada")
    preferences = stormy.process().preferences
    changes = [{PUBLISHED.name: Channels(False)}, {COMMENTED.name: Channels(False)}, {MAILED.name: Channels(False)}]
    await asyncio.gather(*(preferences.choose(ada.user_id, each) for each in changes))
    kinds = {kind.name: kind for kind in (PUBLISHED, COMMENTED, MAILED)}
    assert [each.suite for each in (await preferences.channels(ada.user_id, kinds)).values()] == [False] * 3


async def test_nobody_hears_of_what_they_may_not_see(world: World) -> None:
    reader, editor = await world.person("reader"), await world.person("editor", "press:editor")
    suspended = await world.person("suspended", "press:editor")
    operator = world.accounts.operator()
    await world.accounts.administration.suspend(operator, suspended.user_id)
    process = world.process()
    for each in (reader, editor, suspended):
        await _tell(process, each, SECRET, "c1", world.at(minutes=1))
    counts = [await process.unread_count(each.user_id) for each in (reader, editor, suspended)]
    assert counts == [0, 1, 0]
    assert [kind.name for kind, _ in await process.choices(await world.viewer(reader))] == [
        *(PUBLISHED.name, COMMENTED.name, MAILED.name),
        "press.daily",
    ]
    # Whoever may no longer see it still counts it, and learns nothing.
    after = await world.accounts.administration.set_roles(operator, editor.user_id, [])
    (told,) = await process.page(await world.viewer(after))
    assert (told.words, told.link) == (Words("You no longer have access to this."), "")
    world.clock.forward(days=1)
    assert await process.send_due_digests(world.clock.now()) == 0


async def test_nobody_is_told_of_what_is_long_ago_and_no_mail_comes_late(world: World) -> None:
    ada = await world.person("ada")
    process = world.process()
    await _tell(process, ada, MAILED, "c1", world.at(days=91))
    assert await process.unread_count(ada.user_id) == 0
    await _tell(process, ada, MAILED, "c2", world.at(days=3))
    assert await process.unread_count(ada.user_id) == 1
    await process.tell("nobody", MAILED, cause="c", at=world.at(), data={"title": "x"})
    assert await world.mails() == []


async def test_an_address_that_is_not_confirmed_gets_no_mail_whatever_is_chosen(world: World) -> None:
    """Else anybody could have mail sent to anybody, by an account with their address."""
    eve = await world.accounts.registration.sign_up("eve", "victim@example.org", "Eve", PASSWORD)
    process = world.process()
    private = InMail("victim@example.org", {"title": "secret"}, "/private")
    for kind in (MAILED, DAILY):
        await process.tell(eve.user_id, kind, cause="c", at=world.at(), data={"title": "x"}, in_mail=private)
    await process.tell(eve.user_id, DAILY, cause="d", at=world.at(), data={"title": "y"})
    world.clock.forward(days=2)
    assert await process.send_due_digests(world.clock.now()) == 0
    await process.finish()
    await world.accounts.finish()
    assert [mail.subject for mail in await world.mails()] == ["Confirm your email address"]
    assert len(await process.page(await world.viewer(eve))) == 3, "under the bell it is told"


async def test_what_only_the_address_may_know_goes_to_that_address_alone(world: World) -> None:
    ada = await world.person("ada")
    process = world.process()
    for address in ("ada@example.org", "other@example.org"):
        private = InMail(address, {"title": "secret"}, "/private")
        await process.tell(
            ada.user_id, MAILED, cause=address, at=world.at(), data={"title": "public"}, link="/open", in_mail=private
        )
    told = {mail.subject: mail.text for mail in await world.mails()}
    assert set(told) == {"1 × secret", "1 × public"}
    assert "/private" in told["1 × secret"]
    assert "/private" not in told["1 × public"]
    assert {each.words.title for each in await process.page(await world.viewer(ada))} == {"1 × public"}


async def test_an_address_without_an_account_gets_one_mail_and_can_end_them(world: World) -> None:
    process = world.process()

    async def tell(cause: str, address: str = "Eve@Example.org") -> None:
        await process.tell_address(
            address, MAILED, cause=cause, at=world.at(), data={"title": cause}, link="/s/1", name="Eve"
        )

    await asyncio.gather(*(tell("c1") for _ in range(3)))
    (mail,) = await world.mails()
    assert mail.text.startswith("Hello Eve,\n\n1 × c1\nhttps://partita.example.org/s/1\n")
    assert mail.unsubscribe in mail.text
    subscription, label = process.subscription(mail.unsubscribe.partition("token=")[2])
    assert (subscription.of, label) == ("address", "A letter")
    await process.unsubscribe(subscription)
    await tell("c2")
    await tell("c3", "eve@example.org ")
    assert len(await world.mails()) == 1
    with pytest.raises(ValueError, match="by_address"):
        await process.tell_address("eve@example.org", PUBLISHED, cause="c", at=world.at(), data={"title": "x"})


async def test_a_link_ends_mail_of_its_kind_and_nothing_else(world: World) -> None:
    ada = await world.person("ada")
    process = world.process()
    await process.preferences.choose(ada.user_id, {COMMENTED.name: Channels(True, "once")})
    await _tell(process, ada, MAILED, "c1", world.at())
    (mail,) = await world.mails()
    subscription, _ = process.subscription(mail.unsubscribe.partition("token=")[2])
    for _ in range(2):
        await process.unsubscribe(subscription)
    kinds = {kind.name: kind for kind in (MAILED, COMMENTED)}
    now = await process.preferences.channels(ada.user_id, kinds)
    assert now == {MAILED.name: Channels(True, "never"), COMMENTED.name: Channels(True, "once")}


async def test_a_cursor_is_signed_and_somebodys_own(world: World) -> None:
    ada, ben = await world.person("ada"), await world.person("ben")
    process = world.process()
    for number in range(5):
        await _tell(process, ada, PUBLISHED, f"c{number}", world.at(hours=number))
    viewer = await world.viewer(ada)
    first = await process.page(viewer, limit=3)
    assert first.next_cursor is not None
    rest = await world.process().page(viewer, limit=3, cursor=first.next_cursor)
    assert [told.entry.data["title"] for told in (*first, *rest)] == [f"Story c{number}" for number in range(5)]
    assert rest.next_cursor is None
    for bad in (first.next_cursor[:-3] + "AAA", "x", ""):
        with pytest.raises(InvalidCursorError):
            await process.page(viewer, cursor=bad)
    with pytest.raises(InvalidCursorError):
        await process.page(await world.viewer(ben), cursor=first.next_cursor)
    with pytest.raises(NotFound):
        await process.read(await world.viewer(ben), "house", first.items[0].entry.id)
    with pytest.raises(NotFound):
        await process.read(viewer, "cellar", first.items[0].entry.id)


def test_kinds_have_names_of_their_own(world: World) -> None:
    process = world.process()
    with pytest.raises(ValueError, match="another kind"):
        process.use([PUBLISHED, PUBLISHED])
    with pytest.raises(ValueError, match="no name of a kind"):
        Kind("published", "x", PUBLISHED.words, "x")
    with pytest.raises(ValueError, match="there is none of that name"):
        process.use([Kind("a.b", "x", PUBLISHED.words, "x", store="cellar")])


async def test_an_address_gets_only_so_many_mails_a_day(world: World) -> None:
    process = world.process()
    for number in range(TO_ADDRESS.most + 5):
        for _ in range(2):  # a retry counts once
            await process.tell_address(
                "eve@example.org", MAILED, cause=str(number), at=world.at(), data={"title": str(number)}
            )
    assert len(await world.mails()) == TO_ADDRESS.most


async def test_a_notification_that_cannot_be_put_in_words_does_not_hide_the_others(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    ada = await world.person("ada")
    process = world.process()
    await process.tell(ada.user_id, PUBLISHED, cause="old", at=world.at(minutes=1), data={"named": "otherwise"})
    await process.tell(ada.user_id, DAILY, cause="older", at=world.at(minutes=2), data={})
    await _tell(process, ada, PUBLISHED, "new", world.at())
    titles = [told.words.title for told in await process.page(await world.viewer(ada))]
    assert titles == ["1 × Story new", PUBLISHED.label, DAILY.label]
    assert "cannot be made" in caplog.text
    world.clock.forward(days=1)
    assert await process.send_due_digests(world.clock.now()) == 1
    assert [mail.subject for mail in await world.mails()] == [DAILY.label]
