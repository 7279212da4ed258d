"""Seen, To watch, Not for me: one press each, twice is harmless, and what is seen is not to watch."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable
from datetime import date, timedelta
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import NewShow, QueueInput, RatingInput, SeenInput
from partita.apps.worthwatch.schema import WORTHWATCH, ContentType, Mine, Movie
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.labels import Ref, ref_of
from partita.apps.worthwatch.service.marks import InTheDiary, StillRated
from partita.apps.worthwatch.service.reading import Progress, progress_of
from partita.engine import FaultPlan
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Invalid, NotFound
from partita.store.observe import Observation
from partita.table import Put
from tests.apps.house import BAD_WEATHER, kit_on
from tests.apps.worthwatch.conftest import LIBRARIAN, POLICY, account, add, curator, film, member, new_list, suspend

pytestmark = pytest.mark.anyio


async def _mine(service: WorthWatchService, viewer: Viewer, title: Movie) -> Mine | None:
    return await service.shelves.mine(viewer, "MOVIE", title.movie_id)


async def _units(kit: Kit, doing: Awaitable[object]) -> float:
    seen: list[Observation] = []
    kit.tables.observe(seen.append)
    await doing
    kit.tables.observers.remove(seen.append)
    return sum(call.units for call in seen if call.operation in ("TransactWriteItems", "PutItem", "UpdateItem"))


async def test_one_press_marks_seen_and_one_takes_it_back(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    for _ in range(2):
        await service.marks.mark_seen(who, "MOVIE", title.movie_id)
    mine = await _mine(service, who, title)
    assert mine is not None
    assert (mine.seen, mine.times) == (True, None), "undated: the diary has nothing"
    for _ in range(2):
        await service.marks.take_seen_back(who, "MOVIE", title.movie_id)
    assert await _mine(service, who, title) is None, "a mark that says nothing is not kept"


async def test_what_is_seen_leaves_to_watch_in_the_same_transaction(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    await service.marks.want(who, "MOVIE", title.movie_id)
    assert [each.place.content_id for each in (await service.shelves.to_watch(who)).items] == [title.movie_id]
    await service.marks.mark_seen(who, "MOVIE", title.movie_id)
    assert not (await service.shelves.to_watch(who)).items
    mine = await _mine(service, who, title)
    assert mine is not None
    assert mine.queued is None


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_64_presses_at_once_leave_the_mark_and_the_shelf_agreeing(
    tmp_path: Path, weather: FaultPlan | None
) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=weather) as kit:
        kit.accounts.use(POLICY, ())
        service = WorthWatchService(kit)
        who = await member(kit)
        films = [await film(service) for _ in range(8)]
        dice = random.Random(3)

        async def press(number: int) -> None:
            title = films[number % 8].movie_id
            marks = service.marks
            doing = (marks.mark_seen, marks.take_seen_back, marks.want, marks.drop, marks.put_aside)
            await dice.choice(doing)(who, "MOVIE", title)

        await asyncio.gather(*map(press, range(64)))
        on_shelf = {each.place.content_id for each in (await service.shelves.to_watch(who)).items}
        mine = await service.shelves.among(who, (("MOVIE", each.movie_id) for each in films))
        assert on_shelf == {ref[1] for ref, mark in mine.items() if mark.queued}
        assert not any(mark.queued and mark.not_for_me for mark in mine.values())
        seen = {each.mine.content_id for each in (await service.shelves.seen(who)).items}
        assert seen == {ref[1] for ref, mark in mine.items() if mark.seen}


async def test_seen_on_a_day_is_an_entry_of_the_diary_once(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    day = SeenInput(day=date(2026, 5, 1))
    await asyncio.gather(*(service.marks.mark_seen(who, "MOVIE", title.movie_id, day) for _ in range(8)))
    await service.marks.mark_seen(who, "MOVIE", title.movie_id, SeenInput(day=date(2026, 4, 1)))
    mine = await _mine(service, who, title)
    assert mine is not None
    assert (mine.times, mine.last_seen_on) == (2, "2026-05-01")
    entries = (await service.diary.entries(who)).items
    assert [(each.day, each.label and each.label.title) for each in entries] == [
        ("2026-05-01", title.title),
        ("2026-04-01", title.title),
    ]


async def test_a_day_to_come_and_one_before_there_were_films_are_refused(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    for day in (kit.clock.now().date() + timedelta(days=2), date(1894, 12, 31)):
        with pytest.raises(Invalid) as refused:
            await service.marks.mark_seen(who, "MOVIE", title.movie_id, SeenInput(day=day))
        assert refused.value.errors[0].field == "day"
    assert await _mine(service, who, title) is None


async def test_seen_is_not_taken_back_while_a_rating_or_the_diary_says_otherwise(
    service: WorthWatchService, kit: Kit
) -> None:
    who, one, two = await member(kit), await film(service), await film(service)
    await service.ratings.rate(who, "MOVIE", one.movie_id, RatingInput(rating=8))
    with pytest.raises(StillRated, match="8 of 10"):
        await service.marks.take_seen_back(who, "MOVIE", one.movie_id)
    await service.marks.mark_seen(who, "MOVIE", two.movie_id, SeenInput(day=date(2026, 5, 1)))
    with pytest.raises(InTheDiary, match="an entry"):
        await service.marks.take_seen_back(who, "MOVIE", two.movie_id)


async def test_not_for_me_leaves_to_watch_and_wanting_it_takes_that_back(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    await service.marks.want(who, "MOVIE", title.movie_id)
    await service.marks.put_aside(who, "MOVIE", title.movie_id)
    assert not (await service.shelves.to_watch(who)).items
    (aside,) = (await service.shelves.not_for_me(who)).items
    assert aside.title is not None
    assert aside.title.title == title.title
    await service.marks.want(who, "MOVIE", title.movie_id)
    assert not (await service.shelves.not_for_me(who)).items
    await service.marks.put_aside(who, "MOVIE", title.movie_id)
    await service.marks.mark_seen(who, "MOVIE", title.movie_id)
    assert not (await service.shelves.not_for_me(who)).items, "what was seen is on that shelf alone"
    assert len((await service.shelves.seen(who)).items) == 1
    await service.marks.take_seen_back(who, "MOVIE", title.movie_id)
    assert len((await service.shelves.not_for_me(who)).items) == 1
    await service.marks.take_up_again(who, "MOVIE", title.movie_id)
    assert await _mine(service, who, title) is None


async def test_to_watch_remembers_the_list_that_gave_the_idea_while_it_can_be_seen(
    service: WorthWatchService, kit: Kit
) -> None:
    ada, who = await curator(kit), await member(kit)
    titles = [await film(service) for _ in range(3)]
    public = await new_list(service, ada, is_public=True, title="Night trains")
    private = await new_list(service, ada, title="My secret")
    for title in titles:
        await add(service, ada, public, title)
    await service.marks.want(who, "MOVIE", titles[0].movie_id, QueueInput(from_list=public.watchlist_id))
    await service.marks.want(who, "MOVIE", titles[1].movie_id, QueueInput(from_list=private.watchlist_id))
    await service.marks.want(who, "MOVIE", titles[2].movie_id, QueueInput(from_list="nothing"))
    await service.marks.want(who, "MOVIE", titles[0].movie_id)  # again: the idea stays
    shown = [each.from_list and each.from_list.title for each in (await service.shelves.to_watch(who)).items]
    assert shown == [None, None, "Night trains"]
    stored = await kit.store.get(schema.queued(who.id, "MOVIE", titles[1].movie_id))
    assert stored is not None
    assert stored.from_list is None, "nothing is kept that could tell of a private list"
    await suspend(kit, ada)
    assert not any(each.from_list or each.curator for each in (await service.shelves.to_watch(who)).items)


async def test_a_title_that_is_not_there_cannot_be_marked(service: WorthWatchService, kit: Kit) -> None:
    who = await member(kit)
    for mark in (service.marks.mark_seen, service.marks.want, service.marks.put_aside):
        with pytest.raises(NotFound):
            await mark(who, "MOVIE", "nothing")
        with pytest.raises(NotFound):
            await mark(who, "MOVIE", "no#thing")
    assert await service.marks.drop(who, "MOVIE", "nothing") is None
    assert await service.shelves.among(who, [("MOVIE", "no#thing"), ("SHOW", "nothing")]) == {}


async def test_the_first_press_makes_the_profile(service: WorthWatchService, kit: Kit) -> None:
    ada = await account(kit, "Ada")
    viewer = Viewer(user_id=ada.user_id, username=ada.username, name=ada.name, via="session")
    show = await service.titles.add(LIBRARIAN, NewShow(title="Night shift"))
    await service.marks.mark_seen(viewer, "SHOW", show.content_id)
    assert (await service.people.person(ada.user_id)).user_id == ada.user_id


async def test_a_visitor_has_no_marks(service: WorthWatchService) -> None:
    title = await film(service)
    assert await service.shelves.among(NOBODY, [("MOVIE", title.movie_id)]) == {}


async def test_progress_counts_what_was_seen_and_not_what_was_only_rated_once_or_wanted(
    service: WorthWatchService, kit: Kit
) -> None:
    ada, who = await curator(kit), await member(kit)
    watchlist = await new_list(service, ada, is_public=True)
    films = [await film(service) for _ in range(5)]
    for each in films:
        await add(service, ada, watchlist, each)
    await service.marks.mark_seen(who, "MOVIE", films[0].movie_id)
    await service.ratings.rate(who, "MOVIE", films[1].movie_id, RatingInput(rating=5))
    await service.marks.want(who, "MOVIE", films[2].movie_id)
    items = await service.items.all_in_order(watchlist.watchlist_id)
    mine = await service.shelves.among(who, ((each.content_type, each.content_id) for each in items))
    assert progress_of(map(ref_of, items), mine) == Progress(2, 5)
    assert not progress_of(map(ref_of, items), mine).finished


async def test_marks_of_many_titles_are_read_in_a_row_as_far_as_that_is_cheaper(
    service: WorthWatchService, kit: Kit
) -> None:
    """Whatever the titles are called, and however many other marks somebody has."""
    who = await member(kit)
    names = [f"{letter}{number}" for number in range(300) for letter in ("tt", "é", "Z", "\U0001f3ac", "a b", "~")]
    kinds: tuple[ContentType, ...] = ("MOVIE", "SHOW")
    seen = [(kinds[number % 2], name) for number, name in enumerate(names) if number % 3]
    now = stamp(kit.clock)
    marks = [Mine(user_id=who.id, content_type=kind, content_id=name, marked_at=now) for kind, name in seen]
    await kit.store.batch_write(map(Put, marks))
    for many in (101, 180, 900):
        asked: list[Ref] = [(kind, name) for name in names[:: len(names) // many] for kind in kinds][: many + 1]
        calls: list[Observation] = []
        kit.store.observe(calls.append)
        found = await service.shelves.among(who, asked)
        kit.store.observers.remove(calls.append)
        assert sorted(found) == sorted(set(asked) & set(seen))
        assert sum(call.units for call in calls) <= 0.6 * len(asked) + 1, "all marks would be 30 units and more"


async def test_what_presses_cost(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    press: Ref = ("MOVIE", title.movie_id)
    assert await _units(kit, service.marks.mark_seen(who, *press)) == 3
    await service.marks.take_seen_back(who, *press)
    assert await _units(kit, service.marks.want(who, *press)) <= 8
    assert await _units(kit, service.marks.mark_seen(who, *press)) <= 8
