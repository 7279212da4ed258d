"""Notices and mails come once for each cause, however often handlers and jobs run and wherever they are interrupted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from partita.apps.worthwatch.inputs import ApplicationInput, CommentInput, ListEdit, ProfileEdit
from partita.apps.worthwatch.schema import WORTHWATCH, SavedWatchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.system import build
from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit
from partita.kit.notifications import Told
from partita.kit.permissions import Viewer
from partita.kit.schema import newest_mail
from partita.kit.system import System
from partita.store.observe import Observation
from partita.table import Put
from tests.apps.house import jobs_of, replay, worker_of
from tests.apps.worthwatch.conftest import MODERATOR, add, film, new_list, published, signed_up

pytestmark = pytest.mark.anyio
HANDLER = "worthwatch.notices"
APPROVED = {"is_curator": True, "curator_status": "approved"}


class House:
    """The system with what follows its changes."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.system: System = build(kit)
        self.worker = worker_of(kit, self.system)
        self.jobs: JobWorker = jobs_of(kit, self.system)

    async def settle(self) -> None:
        """Everything that follows, three times at once and again."""
        await self.worker.drain()
        await self.jobs.drain()
        await replay(self.kit, self.system, HANDLER)
        await self.jobs.drain()
        await self.kit.notifications.finish()

    async def inbox(self, viewer: Viewer) -> list[str]:
        return [each.words.title for each in await self.told(viewer)]

    async def told(self, viewer: Viewer) -> list[Told]:
        return list(await self.kit.notifications.page(viewer))


@pytest.fixture
def house(kit: Kit) -> House:
    return House(kit)


async def save(kit: Kit, viewer: Viewer, watchlist_id: str, **fields: Any) -> None:
    saved = SavedWatchlist(
        user_id=viewer.id, watchlist_id=watchlist_id, saved_at="2026-05-01T09:30:00.000000Z", **fields
    )
    await kit.store.write(Put(saved))


async def test_savers_hear_once_a_day_and_read_the_number_as_it_is(
    kit: Kit, house: House, service: WorthWatchService
) -> None:
    ada = await signed_up(kit, service, "Ada", **APPROVED)
    ben, eve = await signed_up(kit, service, "Ben"), await signed_up(kit, service, "Eve")
    watchlist = await published(service, ada, title="Night trains")
    await house.settle()
    await save(kit, ben, watchlist.watchlist_id)
    await save(kit, eve, watchlist.watchlist_id, tell_me=False)
    passes: list[Observation] = []
    kit.tables.observe(lambda call: passes.append(call) if call.index == "savers" else None)
    titles = [await film(service) for _ in range(4)]
    for number, title in enumerate(titles, 1):  # what it was published with is no news
        await add(service, ada, watchlist, title)
        await house.settle()
        news = "A new title" if number == 1 else f"{number} new titles"
        assert await house.inbox(ben) == [f"{news} on “Night trains”"]
    await service.items.remove(ada, watchlist.watchlist_id, "MOVIE", titles[0].movie_id)
    await house.settle()
    assert await house.inbox(ben) == ["3 new titles on “Night trains”"]
    assert await kit.notifications.unread_count(ben.id) == 1
    assert await house.inbox(eve) == await house.inbox(ada) == []
    assert len(passes) <= 1, "one pass over the savers"


async def test_a_days_number_goes_on_when_the_table_has_a_new_stream(
    kit: Kit, house: House, service: WorthWatchService
) -> None:
    ada, ben = await signed_up(kit, service, "Ada", **APPROVED), await signed_up(kit, service, "Ben")
    watchlist = await published(service, ada, title="Night trains")
    await house.settle()
    await save(kit, ben, watchlist.watchlist_id)
    for _ in range(3):
        await add(service, ada, watchlist, await film(service))
    await house.settle()
    name = WORTHWATCH.name
    for specification in ({"StreamEnabled": False}, {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}):
        kit.tables.transport.call("UpdateTable", {"TableName": name, "StreamSpecification": specification})
    await House(kit).settle()
    await add(service, ada, watchlist, await film(service))
    after = House(kit)
    await after.settle()
    assert await after.inbox(ben) == ["4 new titles on “Night trains”"]


async def test_a_notice_names_no_list_that_was_taken_back(kit: Kit, house: House, service: WorthWatchService) -> None:
    ada, ben = await signed_up(kit, service, "Ada", **APPROVED), await signed_up(kit, service, "Ben")
    await service.follows.follow(ben, ada.id)
    watchlist = await published(service, ada, title="Night trains")
    await house.settle()
    assert await house.inbox(ben) == [
        f"{(await service.people.person(ada.id)).username} has a new list: “Night trains”"
    ]
    await service.lists.edit(ada, watchlist.watchlist_id, ListEdit(is_public=False))
    (told,) = await house.told(ben)
    assert "Night trains" not in told.words.title + told.words.text
    assert told.link == ""
    await service.lists.edit(ada, watchlist.watchlist_id, ListEdit(is_public=True))
    await house.settle()
    assert len(await house.inbox(ben)) == 1, "published again it is no new list"
    await service.curators.suspend(MODERATOR, ada.id, "So.")
    (told,) = await house.told(ben)
    assert "Night trains" not in told.words.title + told.words.text


async def test_nobody_hears_of_drafts(kit: Kit, house: House, service: WorthWatchService) -> None:
    ada, ben = await signed_up(kit, service, "Ada", **APPROVED), await signed_up(kit, service, "Ben")
    await service.follows.follow(ben, ada.id)
    draft = await new_list(service, ada)
    await add(service, ada, draft, await film(service))
    await save(kit, ben, draft.watchlist_id)
    await house.settle()
    assert await house.inbox(ben) == []


async def test_curators_hear_of_comments_and_people_of_replies(
    kit: Kit, house: House, service: WorthWatchService
) -> None:
    ada, ben = await signed_up(kit, service, "Ada", **APPROVED), await signed_up(kit, service, "Ben")
    eve = await signed_up(kit, service, "Eve")
    watchlist = (await published(service, ada, title="Night trains")).watchlist_id
    first = await service.comments.write(ben, watchlist, CommentInput(comment_text="One"))
    await service.comments.write(eve, watchlist, CommentInput(comment_text="Two", reply_to=first.name))
    await service.comments.write(ada, watchlist, CommentInput(comment_text="Three", reply_to=first.name))
    rude = await service.comments.write(eve, watchlist, CommentInput(comment_text="Rude"))
    await service.comments.delete(ada, watchlist, rude.name)
    await house.settle()
    assert await house.inbox(ben) == ["2 replies to your comment on “Night trains”"]
    assert await house.inbox(ada) == ["2 new comments on “Night trains”"]
    assert await house.inbox(eve) == []


async def test_a_decision_is_told_and_mailed_once_with_its_reason(
    kit: Kit, house: House, service: WorthWatchService
) -> None:
    ben = await signed_up(kit, service, "Ben")
    chief = await kit.accounts.registration.create(
        "chief", "chief@example.org", "Chief", "correct horse battery", roles=frozenset({"worthwatch:moderator"})
    )
    await service.curators.apply(ben, ApplicationInput(statement="I have run a film club in Leeds for ten years." * 2))
    await house.settle()
    moderator = replace(MODERATOR, user_id=chief.user_id)
    (waits,) = await house.told(moderator)
    assert waits.words.title.endswith("applies as a curator")
    await service.curators.approve(MODERATOR, ben.id, "Your notes are a pleasure.")
    await house.settle()
    await house.settle()
    (told,) = await house.told(ben)
    assert (told.words.title, told.link) == ("You are a curator now", "/worthwatch/apply")
    mails = [mail for mail in [each async for each in kit.store.stream(newest_mail())] if "curator" in mail.subject]
    assert len(mails) == 1
    assert "Your notes are a pleasure." in mails[0].text


async def test_telling_thousands_of_savers_is_one_pass_a_day(
    kit: Kit, house: House, service: WorthWatchService
) -> None:
    ada = await signed_up(kit, service, "Ada", **APPROVED)
    watchlist = await published(service, ada)
    await house.settle()
    await kit.store.batch_write(
        Put(
            SavedWatchlist(
                user_id=f"u{number:05}",
                watchlist_id=watchlist.watchlist_id,
                saved_at=f"2026-05-01T09:30:00.{number:06}Z",
            )
        )
        for number in range(2_000)
    )
    calls: list[Observation] = []
    kit.tables.observe(calls.append)
    for _ in range(5):
        await add(service, ada, watchlist, await film(service))
    await house.settle()
    read = sum(call.items for call in calls if call.index == "savers")
    assert 2_000 <= read < 2_020, "a page looks one saver ahead"


async def test_the_weekly_mail_is_the_digest_of_the_house(kit: Kit, house: House, service: WorthWatchService) -> None:
    ben = await signed_up(kit, service, "Ben")

    async def paces() -> set[str]:
        chosen = await kit.notifications.choices(ben)
        news = ("worthwatch.list-news", "worthwatch.new-list")
        return {channels.mail for kind, channels in chosen if kind.name in news}

    assert await paces() == {"never"}
    await service.people.edit(ben, ProfileEdit(mail="weekly"))
    assert await paces() == {"weekly"}
    await service.people.edit(ben, ProfileEdit(mail="never"))
    assert await paces() == {"never"}


async def test_a_handler_that_dies_after_any_of_its_calls_tells_and_mails_once(
    kit: Kit, house: House, service: WorthWatchService
) -> None:
    ada, ben = await signed_up(kit, service, "Ada", **APPROVED), await signed_up(kit, service, "Ben")
    watchlist = (await published(service, ada, title="Night trains")).watchlist_id
    comment = (await service.comments.write(ben, watchlist, CommentInput(comment_text="One"))).comment
    await service.curators.suspend(MODERATOR, ada.id, "So.")
    await service.curators.approve(MODERATOR, ada.id, "Settled.")
    decided = (await service.curators.applicant(ada.id)).application
    died = 0
    for last in range(1, 30):
        left = last

        def dies(_call: Observation) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise _Killed

        kit.tables.observe(dies)
        for tell in (service.notices.tell_commented(comment), service.notices.tell_decided(decided)):
            try:
                await tell
            except _Killed:
                died += 1
        kit.tables.observers.remove(dies)
    assert died >= 10
    await house.settle()
    assert sorted(await house.inbox(ada)) == ["A new comment on “Night trains”", "You are a curator now"]
    assert await kit.notifications.unread_count(ada.id) == 2
    mails = [each async for each in kit.store.stream(newest_mail())]
    assert len([mail for mail in mails if mail.subject == "You are a curator now"]) == 1


class _Killed(BaseException):
    """The process is gone."""
