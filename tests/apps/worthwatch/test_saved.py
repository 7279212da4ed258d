"""Saved lists: idempotent, exactly counted, with what is new since the last visit; private ones tell nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema, system
from partita.apps.worthwatch.inputs import ListEdit, SavedInput
from partita.apps.worthwatch.schema import WORTHWATCH, Mine, SavedWatchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.reading import Progress
from partita.apps.worthwatch.service.saved import OwnList
from partita.engine import FaultPlan
from partita.kit.kit import Kit
from partita.kit.problems import NotFound
from partita.store.observe import Observation
from partita.table import Put
from tests.apps.house import BAD_WEATHER, kit_on, worker_of
from tests.apps.worthwatch.conftest import POLICY, add, curator, film, member, new_list, suspend

pytestmark = pytest.mark.anyio


class Watch:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 5, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        self.moment += timedelta(microseconds=1)
        return self.moment


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def service(kit: Kit, watch: Watch) -> WorthWatchService:
    return WorthWatchService(replace(kit, clock=watch))


async def _saves(kit: Kit, watchlist_id: str) -> int:
    totals = await kit.store.get(schema.totals(watchlist_id))
    return (totals.save_count if totals else 0) or 0


async def test_saving_twice_is_once_and_removing_twice_too(service: WorthWatchService, kit: Kit) -> None:
    ada, who = await curator(kit), await member(kit)
    watchlist = await new_list(service, ada, is_public=True)
    for _ in range(2):
        await service.saved.save(who, watchlist.watchlist_id)
    assert await _saves(kit, watchlist.watchlist_id) == 1
    assert await service.saved.remove(who, watchlist.watchlist_id)
    assert not await service.saved.remove(who, watchlist.watchlist_id)
    assert await _saves(kit, watchlist.watchlist_id) == 0


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_64_savers_at_once_are_counted_exactly_and_heat_follows(
    tmp_path: Path, weather: FaultPlan | None
) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=weather) as kit:
        kit.accounts.use(POLICY, ())
        service = WorthWatchService(kit)
        ada = await curator(kit)
        watchlist = await new_list(service, ada, is_public=True)
        await add(service, ada, watchlist, await film(service))
        people = [await member(kit) for _ in range(32)]

        async def press(number: int) -> None:
            who = people[number % 32]
            await service.saved.save(who, watchlist.watchlist_id)
            if number % 4 == 0:
                await service.saved.remove(who, watchlist.watchlist_id)

        await asyncio.gather(*map(press, range(64)))
        kept = [each async for each in kit.store.stream(schema.savers_of(watchlist.watchlist_id))]
        assert await _saves(kit, watchlist.watchlist_id) == len(kept)
        before = await kit.store.get(schema.popularity(watchlist.watchlist_id))
        await worker_of(kit, system.build(kit)).drain()
        (popular,) = [each async for each in kit.store.stream(schema.popular_lists())]
        assert before is not None
        assert popular.heat > before.heat, "more saves are more heat"


async def test_a_private_hidden_or_own_list_cannot_be_saved(service: WorthWatchService, kit: Kit) -> None:
    ada, who = await curator(kit), await member(kit)
    private, public = await new_list(service, ada), await new_list(service, ada, is_public=True)
    with pytest.raises(NotFound):
        await service.saved.save(who, private.watchlist_id)
    with pytest.raises(OwnList):
        await service.saved.save(ada, public.watchlist_id)
    await suspend(kit, ada)
    with pytest.raises(NotFound):
        await service.saved.save(who, public.watchlist_id)


async def test_news_are_the_titles_since_the_last_visit(service: WorthWatchService, kit: Kit, watch: Watch) -> None:
    ada, who = await curator(kit), await member(kit)
    watchlist = await new_list(service, ada, is_public=True)
    old, new = await film(service), await film(service)
    await add(service, ada, watchlist, old)
    await service.saved.save(who, watchlist.watchlist_id)
    (saved,) = (await service.saved.lists(who)).items
    assert (saved.has_news, saved.progress) == (False, Progress(0, 1))
    watch.moment += timedelta(days=1)
    await add(service, ada, watchlist, new)
    await service.marks.mark_seen(who, "MOVIE", old.movie_id)
    (saved,) = (await service.saved.lists(who)).items
    assert [each.content_id for each in saved.new] == [new.movie_id]
    assert saved.progress == Progress(1, 2)
    await service.saved.visit(saved.saved)
    assert not (await service.saved.lists(who)).items[0].has_news


async def test_a_visit_counts_at_most_every_ten_minutes(service: WorthWatchService, kit: Kit, watch: Watch) -> None:
    ada, who = await curator(kit), await member(kit)
    watchlist = await new_list(service, ada, is_public=True)
    saved = await service.saved.save(who, watchlist.watchlist_id)
    watch.moment += timedelta(minutes=9)
    await service.saved.visit(saved)
    assert await service.saved.find(who, watchlist.watchlist_id) == saved
    watch.moment += timedelta(minutes=2)
    await asyncio.gather(*(service.saved.visit(saved) for _ in range(4)))
    moved = await service.saved.find(who, watchlist.watchlist_id)
    assert moved is not None
    assert (moved.visited_at or "") > (saved.visited_at or "")
    await service.saved.remove(who, watchlist.watchlist_id)
    watch.moment += timedelta(minutes=11)
    await service.saved.visit(moved)
    assert await service.saved.find(who, watchlist.watchlist_id) is None, "a visit saves nothing"


async def test_news_come_first_and_what_is_not_available_last(
    service: WorthWatchService, kit: Kit, watch: Watch
) -> None:
    ada, who = await curator(kit), await member(kit)
    lists = [await new_list(service, ada, is_public=True) for _ in range(15)]
    for each in lists:
        await add(service, ada, each, await film(service))
        await service.saved.save(who, each.watchlist_id)
    watch.moment += timedelta(days=1)
    await add(service, ada, lists[0], await film(service))
    await service.lists.delete(ada, lists[14].watchlist_id)
    first = await service.saved.news_first(who)
    assert first.items[0].saved.watchlist_id == lists[0].watchlist_id
    assert (len(first.items), first.of, first.older, first.next_start) == (12, 15, False, 12)
    assert len(first.with_news) == 1
    rest = await service.saved.news_first(who, 12)
    assert [each.available for each in rest.items] == [True, True, False]
    assert rest.next_start is None
    found = [each.saved.watchlist_id for each in (*first.items, *rest.items)]
    assert sorted(found) == sorted(each.watchlist_id for each in lists)


async def test_a_list_that_became_private_or_is_gone_shows_only_the_title_it_had(
    service: WorthWatchService, kit: Kit
) -> None:
    ada, who = await curator(kit), await member(kit)
    lists = [await new_list(service, ada, is_public=True, title=f"Public {number}") for number in range(3)]
    for watchlist in lists:
        await add(service, ada, watchlist, await film(service))
        await service.saved.save(who, watchlist.watchlist_id)
    secret = ListEdit.model_validate({"title": "Secret", "isPublic": False})
    await service.lists.edit(ada, lists[0].watchlist_id, secret)
    await service.lists.delete(ada, lists[1].watchlist_id)
    found = {each.saved.watchlist_id: each for each in (await service.saved.lists(who)).items}
    for watchlist in lists[:2]:
        each = found[watchlist.watchlist_id]
        assert (each.available, each.title, each.progress) == (False, watchlist.title, None)
    assert "Secret" not in repr(found)
    await suspend(kit, ada)
    assert not any(each.available for each in (await service.saved.lists(who)).items)
    for watchlist in lists:
        assert await service.saved.remove(who, watchlist.watchlist_id)


async def test_removing_waits_for_nothing_when_the_totals_are_gone(service: WorthWatchService, kit: Kit) -> None:
    ada, who = await curator(kit), await member(kit)
    watchlist = await new_list(service, ada, is_public=True)
    await service.saved.save(who, watchlist.watchlist_id)
    await service.lists.delete(ada, watchlist.watchlist_id)
    await worker_of(kit, system.build(kit)).drain()
    assert await kit.store.get(schema.totals(watchlist.watchlist_id)) is None
    assert await service.saved.remove(who, watchlist.watchlist_id)
    assert await kit.store.get(schema.totals(watchlist.watchlist_id)) is None, "no fragment of totals is made"


async def test_what_another_program_saved_is_not_subtracted(service: WorthWatchService, kit: Kit) -> None:
    ada, who, other = await curator(kit), await member(kit), await member(kit)
    watchlist = await new_list(service, ada, is_public=True)
    await service.saved.save(other, watchlist.watchlist_id)
    foreign = SavedWatchlist(user_id=who.id, watchlist_id=watchlist.watchlist_id, saved_at="2026-01-01T00:00:00Z")
    row = {name: value for name, value in foreign.to_row().items() if name != "counted"}
    kit.tables.transport.call("PutItem", {"TableName": "worthwatch", "Item": row})
    assert await service.saved.remove(who, watchlist.watchlist_id)
    assert await _saves(kit, watchlist.watchlist_id) == 1


async def test_the_bell_of_a_list_is_turned_off_and_on(service: WorthWatchService, kit: Kit) -> None:
    ada, who = await curator(kit), await member(kit)
    watchlist = await new_list(service, ada, is_public=True)
    await service.saved.save(who, watchlist.watchlist_id)
    for wanted in (False, True):
        told = await service.saved.save(who, watchlist.watchlist_id, SavedInput(tell_me=wanted))
        assert told.tell_me is wanted
        kept = await service.saved.save(who, watchlist.watchlist_id)
        assert kept.tell_me is wanted, "what is not mentioned stays"
    assert await _saves(kit, watchlist.watchlist_id) == 1


async def test_saving_costs_eight_units_and_twelve_lists_with_a_thousand_seen_at_most_seventy(
    service: WorthWatchService, kit: Kit
) -> None:
    ada, who = await curator(kit), await member(kit)
    films = [await film(service, runtime=100, genres=["Drama", "Crime"]) for _ in range(24)]
    for _ in range(12):
        watchlist = await new_list(service, ada, is_public=True)
        for each in films:
            await add(service, ada, watchlist, each)
        seen: list[Observation] = []
        kit.tables.observe(seen.append)
        await service.saved.save(who, watchlist.watchlist_id)
        kit.tables.observers.remove(seen.append)
        assert sum(call.units for call in seen if call.operation == "TransactWriteItems") <= 8
    now = "2026-05-01T12:00:00.000000Z"
    ids = [kit.ids.new() for _ in range(976)] + [each.movie_id for each in films]
    marks = [
        Mine(
            user_id=who.id,
            content_type="MOVIE",
            content_id=each,
            marked_at=now,
            rating=7,
            times=1,
            last_seen_on=now[:10],
        )
        for each in ids
    ]
    await kit.store.batch_write(map(Put, marks))
    calls: list[Observation] = []
    kit.tables.observe(calls.append)
    page = await service.saved.news_first(who)
    kit.tables.observers.remove(calls.append)
    assert [each.progress for each in page.items] == [Progress(24, 24, "2026-05-01")] * 12
    units = sum(call.units for call in calls)
    assert units <= 70, (units, [(call.operation, call.index, call.units) for call in calls])
