"""Why a title is on lists: notes of live lists alone, of those one follows first, whatever the title's fame."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch import system
from partita.apps.worthwatch.inputs import ListEdit, NewItem, RatingInput
from partita.apps.worthwatch.schema import Follow, Merged, Movie, Watchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY, Viewer
from partita.store.observe import Observation
from partita.table import Put
from tests.apps.house import worker_of
from tests.apps.worthwatch.conftest import curator, film, member, new_list, suspend

pytestmark = pytest.mark.anyio


async def _listed(
    service: WorthWatchService, by: Viewer, title: Movie, note: str = "", *, public: bool = True
) -> Watchlist:
    watchlist = await new_list(service, by, is_public=public)
    item = NewItem(content_type="MOVIE", content_id=title.movie_id, curator_note=note)
    await service.items.add(by, watchlist.watchlist_id, item)
    return watchlist


async def _follow_changes(kit: Kit) -> None:
    await worker_of(kit, system.build(kit)).drain()


async def test_only_live_lists_are_named_at_every_moment(service: WorthWatchService, kit: Kit) -> None:
    """The feed of a title follows its lists later; who reads it looks at the list."""
    title, ada, ben, cy = await film(service), await curator(kit), await curator(kit), await curator(kit)
    kept = await _listed(service, ada, title, "Kept")
    taken_back = await _listed(service, ben, title, "Taken back")
    await _listed(service, ben, title, "Never public", public=False)
    await _listed(service, cy, title, "Suspended")
    await _follow_changes(kit)
    await service.lists.edit(ben, taken_back.watchlist_id, ListEdit.model_validate({"isPublic": False}))
    await suspend(kit, cy)
    page = await service.reasons.on_lists("MOVIE", title.movie_id)
    assert [each.watchlist.watchlist_id for each in page.items] == [kept.watchlist_id]
    why = await service.reasons.why(NOBODY, "MOVIE", title.movie_id)
    assert [each.item.curator_note for each in why.notes] == ["Kept"]
    assert [each.watchlist.watchlist_id for each in why.lists] == [kept.watchlist_id]


async def test_three_notes_of_different_people_those_one_follows_first(service: WorthWatchService, kit: Kit) -> None:
    title, who = await film(service), await member(kit)
    people = [await curator(kit) for _ in range(4)]
    for place, each in enumerate(people):
        await _listed(service, each, title, f"Note {place}")
    await _listed(service, people[3], title, "Another of the fourth")
    await _follow_changes(kit)
    follow = Follow(user_id=who.id, curator=people[0].id, followed_at="2026-01-01T00:00:00Z")
    await kit.store.write(Put(follow))
    notes = [each.item.curator_note for each in (await service.reasons.why(who, "MOVIE", title.movie_id)).notes]
    assert notes[0] == "Note 0"
    assert len(notes) == 3
    assert not {"Another of the fourth", "Note 3"} <= set(notes), "one of each curator"


async def test_a_merged_title_leads_to_where_it_went_and_a_circle_ends(service: WorthWatchService, kit: Kit) -> None:
    now = "2026-01-01T00:00:00Z"
    for one, into in (("a", "b"), ("b", "c"), ("x", "y"), ("y", "x")):
        await kit.store.write(Put(Merged(content_type="MOVIE", content_id=one, into=into, merged_at=now)))
    assert await service.reasons.merged_into("MOVIE", "a") == ("MOVIE", "c")
    assert await service.reasons.merged_into("MOVIE", "c") is None
    assert await service.reasons.merged_into("MOVIE", "no#thing") is None
    assert await service.reasons.merged_into("MOVIE", "x") == ("MOVIE", "y")


async def test_a_title_costs_at_most_sixteen_read_units_however_famous(service: WorthWatchService, kit: Kit) -> None:
    """All that its page reads: title, mark, notes and lists with curators, and reviews with their people."""
    title, who = await film(service, synopsis="x" * 800), await member(kit)
    people = [await curator(kit) for _ in range(10)]
    for number in range(40):
        await _listed(service, people[number % 10], title, "A note of some length. " * 12)
    for each in people:
        wanted = RatingInput(rating=7, review="A review of some length. " * 10)
        await service.ratings.rate(each, "MOVIE", title.movie_id, wanted)
    await _follow_changes(kit)
    calls: list[Observation] = []
    kit.tables.observe(calls.append)
    await service.titles.title("MOVIE", title.movie_id)
    await service.people.mine(who)
    await service.shelves.mine(who, "MOVIE", title.movie_id)
    await service.reasons.why(who, "MOVIE", title.movie_id)
    await service.ratings.reviews("MOVIE", title.movie_id, limit=4)
    kit.tables.observers.remove(calls.append)
    units = sum(call.units for call in calls)
    assert units <= 16, (units, [(call.operation, call.index, call.units) for call in calls])
