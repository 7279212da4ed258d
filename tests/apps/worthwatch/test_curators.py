"""Members apply, moderators decide; who is suspended has nothing that others can see, and has it all again later."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import ApplicationInput, ListEdit
from partita.apps.worthwatch.schema import WORTHWATCH, Watchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.curators import AlreadyApplied, AlreadyCurator, NothingToDecide, TooEarly
from partita.apps.worthwatch.service.live import NotACurator
from partita.apps.worthwatch.system import build
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound
from tests.apps.house import BAD_WEATHER, kit_on, replay, worker_of
from tests.apps.worthwatch.conftest import (
    MODERATOR,
    POLICY,
    Stopped,
    add,
    curator,
    film,
    member,
    new_list,
    published,
)

pytestmark = pytest.mark.anyio
WHY = ApplicationInput(statement="I have run a film club in Leeds for ten years, and write a note on every evening.")


async def test_an_approved_applicant_publishes_and_nobody_else(kit: Kit, service: WorthWatchService) -> None:
    viewer = await member(kit)
    draft = await new_list(service, viewer)
    await add(service, viewer, draft, await film(service))
    sample = WHY.model_copy(update={"sample_list": draft.watchlist_id})
    await service.curators.apply(viewer, sample)
    user = await service.people.person(viewer.id)
    assert (user.curator_status, user.is_curator) == ("pending", False)
    with pytest.raises(NotACurator):
        await service.lists.edit(viewer, draft.watchlist_id, ListEdit(is_public=True))
    (applicant,) = await service.curators.waiting()
    shown = await service.curators.sample(applicant)
    assert shown is not None
    assert (applicant.application.statement, shown.watchlist_id) == (WHY.statement, draft.watchlist_id)
    await service.curators.approve(MODERATOR, viewer.id, "Welcome.")
    user = await service.people.person(viewer.id)
    assert (user.curator_status, user.is_curator, user.updated_by) == ("approved", True, MODERATOR.id)
    assert (await service.curators.waiting()).items == ()
    assert (await service.lists.edit(viewer, draft.watchlist_id, ListEdit(is_public=True))).live
    with pytest.raises(AlreadyCurator):
        await service.curators.apply(viewer, WHY)


async def test_a_sample_is_one_of_the_applicants_own_lists(kit: Kit, service: WorthWatchService) -> None:
    other = await new_list(service, await member(kit))
    with pytest.raises(Invalid, match="none of your lists"):
        await service.curators.apply(await member(kit), WHY.model_copy(update={"sample_list": other.watchlist_id}))


async def test_after_a_decline_one_applies_again_after_thirty_days(kit: Kit) -> None:
    clock = Stopped(datetime(2026, 5, 1, 9, 30, tzinfo=UTC))
    service = WorthWatchService(replace(kit, clock=clock))
    viewer = await member(kit)
    await service.curators.apply(viewer, WHY)
    with pytest.raises(AlreadyApplied):
        await service.curators.apply(viewer, WHY)
    user = await service.curators.decline(MODERATOR, viewer.id, "Write more notes first.")
    assert (user.curator_status, user.is_curator) == (None, False)
    assert await kit.store.count(schema.curators("pending")) == 0
    standing = await service.curators.standing(viewer)
    assert standing.application is not None
    assert (standing.application.decision, standing.application.reason) == ("declined", "Write more notes first.")
    assert (standing.again_on, standing.may_apply) == ("2026-05-31", False)
    clock.moment += timedelta(days=30, seconds=-1)
    with pytest.raises(TooEarly, match="2026-05-31"):
        await service.curators.apply(viewer, WHY)
    clock.moment += timedelta(seconds=2)
    assert (await service.curators.standing(viewer)).may_apply
    await service.curators.apply(viewer, WHY)
    assert await kit.store.count(schema.applications_of(viewer.id)) == 2


@pytest.mark.parametrize("decision", ["approve", "decline", "suspend"])
async def test_what_is_not_open_cannot_be_decided(kit: Kit, service: WorthWatchService, decision: str) -> None:
    viewer = await member(kit)
    with pytest.raises(NothingToDecide):
        await getattr(service.curators, decision)(MODERATOR, viewer.id, "Because.")
    with pytest.raises(NotFound):
        await getattr(service.curators, decision)(MODERATOR, "nobody", "Because.")


async def test_suspending_hides_everything_at_once_and_approval_brings_it_back(
    kit: Kit, service: WorthWatchService
) -> None:
    system = build(kit)
    worker = worker_of(kit, system)
    viewer = await curator(kit)
    lists = [await published(service, viewer, tags=("noir",)) for _ in range(3)]
    private = await new_list(service, viewer)
    await service.curators.suspend(MODERATOR, viewer.id, "Copied notes.")
    user = await service.people.person(viewer.id)
    assert (user.curator_status, user.is_curator) == ("suspended", False)
    for each in lists:  # before the handler has run
        with pytest.raises(NotFound):
            await service.lists.visible(NOBODY, each.watchlist_id)
    with pytest.raises(NotFound):
        await service.curators.curator(viewer.id)
    with pytest.raises(Forbidden):
        await service.curators.apply(viewer, WHY)
    await worker.drain()
    await replay(kit, system, "worthwatch.hiding")
    assert await kit.store.count(schema.live_lists()) == 0
    assert await kit.store.count(schema.live_lists_with_tag("noir")) == 0
    await service.curators.approve(MODERATOR, viewer.id, "Settled.")
    await worker.drain()
    await replay(kit, system, "worthwatch.hiding")
    assert {each.watchlist_id async for each in kit.store.stream(schema.live_lists())} == {
        each.watchlist_id for each in lists
    }
    assert (await service.people.person(viewer.id)).live_list_count == 3
    assert (await service.lists.visible(NOBODY, lists[0].watchlist_id)).watchlist.live
    assert not (await service.lists.own(viewer, private.watchlist_id)).hidden


async def test_a_curator_of_another_program_is_suspended_with_the_reason_kept(
    kit: Kit, service: WorthWatchService
) -> None:
    viewer = await curator(kit)
    await service.curators.suspend(MODERATOR, viewer.id, "Copied notes.")
    application = (await service.curators.applicant(viewer.id)).application
    assert (application.decision, application.reason, application.statement) == ("suspended", "Copied notes.", "")


@pytest.mark.parametrize("weather", [False, True], ids=["good weather", "bad weather"])
async def test_of_sixty_four_applications_at_once_one_counts_and_one_decision_holds(
    tmp_path: Path, weather: bool
) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=BAD_WEATHER if weather else None) as kit:
        kit.accounts.use(POLICY, ())
        service = WorthWatchService(kit)
        viewer = await member(kit)
        made = await asyncio.gather(*(service.curators.apply(viewer, WHY) for _ in range(64)), return_exceptions=True)
        outcomes = Counter(type(each).__name__ for each in made)
        assert outcomes == {"Application": 1, "AlreadyApplied": 63}
        decide = [service.curators.approve, service.curators.decline] * 16
        decided = await asyncio.gather(*(each(MODERATOR, viewer.id, "So.") for each in decide), return_exceptions=True)
        assert sum(not isinstance(each, Exception) for each in decided) == 1
        user = await service.people.person(viewer.id)
        application = (await service.curators.applicant(viewer.id)).application
        assert application.decision == ("approved" if user.is_curator else "declined")
        assert await kit.store.count(schema.applications_of(viewer.id)) == 1


@pytest.mark.parametrize("weather", [False, True], ids=["good weather", "bad weather"])
async def test_publishing_against_suspending_leaves_nothing_hidden_live(tmp_path: Path, weather: bool) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=BAD_WEATHER if weather else None) as kit:
        kit.accounts.use(POLICY, ())
        service, system = WorthWatchService(kit), build(kit)
        worker = worker_of(kit, system)
        viewer = await curator(kit)
        drafts = [await new_list(service, viewer, tags=("noir",)) for _ in range(16)]
        for each in drafts:
            await add(service, viewer, each, await film(service))

        async def publish(watchlist: Watchlist, viewer: Viewer = viewer) -> None:
            with suppress(NotACurator, Conflict):
                await service.lists.edit(viewer, watchlist.watchlist_id, ListEdit(is_public=True))

        for _ in range(3):
            await asyncio.gather(
                *map(publish, drafts[:8]),
                service.curators.suspend(MODERATOR, viewer.id, "So."),
                worker.drain(),
                *map(publish, drafts[8:]),
            )
            await worker.drain()
            assert await kit.store.count(schema.live_lists()) == 0
            assert await kit.store.count(schema.live_lists_of(viewer.id)) == 0
            assert await kit.store.count(schema.live_lists_with_tag("noir")) == 0
            assert not (await service.people.person(viewer.id)).live_list_count
            await asyncio.gather(service.curators.approve(MODERATOR, viewer.id, "So."), worker.drain())
            await worker.drain()
            live = {each.watchlist_id async for each in kit.store.stream(schema.live_lists())}
            public = [each async for each in kit.store.stream(schema.watchlists_of(viewer.id)) if each.is_public]
            assert live == {each.watchlist_id for each in public}
            assert not any(each.hidden for each in public)


async def test_the_page_of_curators_shows_the_newest_list_that_everybody_sees(
    kit: Kit, service: WorthWatchService
) -> None:
    ada, ben, suspended = await curator(kit), await curator(kit), await curator(kit)
    await published(service, ada, title="Old")
    await published(service, ada, title="New")
    await new_list(service, ada, title="Private")
    await published(service, suspended)
    await service.curators.suspend(MODERATOR, suspended.id, "So.")
    entries = await service.curators.approved()
    assert {each.curator.user_id: each.newest and each.newest.title for each in entries} == {
        ada.id: "New",
        ben.id: None,
    }
