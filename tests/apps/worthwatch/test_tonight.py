"""Tonight: three titles that fit, each with a reason; the same three until others are asked for."""

from __future__ import annotations

import pytest

from partita.apps.worthwatch.inputs import ListEdit, NewItem, NewShow
from partita.apps.worthwatch.schema import Follow, Mine, Movie, Popularity, Queued, Rating, SavedWatchlist, Watchlist
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.labels import label_of
from partita.apps.worthwatch.service.tonight import MOST_LISTS, Evening
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY, Viewer
from partita.store.observe import Observation
from partita.table import Put
from tests.apps.worthwatch.conftest import LIBRARIAN, curator, film, member, new_list, suspend

pytestmark = pytest.mark.anyio
VISITOR = NOBODY


def names(evening: Evening) -> list[str]:
    return [pick.tile.title for pick in evening.picks]


async def recommend(
    service: WorthWatchService, kit: Kit, *films: Movie, note: str = "Because.", by: Viewer | None = None
) -> tuple[Viewer, Watchlist]:
    """A live list of a curator with these films."""
    ada = by or await curator(kit)
    watchlist = await new_list(service, ada, is_public=True)
    for each in films:
        new = NewItem(content_type="MOVIE", content_id=each.movie_id, curator_note=note)
        await service.items.add(ada, watchlist.watchlist_id, new)
    return ada, watchlist


async def save(kit: Kit, viewer: Viewer, watchlist: Watchlist) -> None:
    now = stamp(kit.clock)
    await kit.store.write(Put(SavedWatchlist(user_id=viewer.id, watchlist_id=watchlist.watchlist_id, saved_at=now)))


async def mark(kit: Kit, viewer: Viewer, title: Movie, **marks: object) -> None:
    mine = {"user_id": viewer.id, "content_type": "MOVIE", "content_id": title.movie_id, **marks}
    await kit.store.write(Put(Mine.model_validate(mine)))


async def test_visitors_get_three_titles_of_popular_lists_with_what_a_curator_says(
    service: WorthWatchService, kit: Kit
) -> None:
    films = [await film(service, runtime=100) for _ in range(8)]
    ada, _ = await recommend(service, kit, *films, note="The last shot earns it all.")
    evening = await service.tonight.choose(VISITOR)
    assert len(set(names(evening))) == 3
    for pick in evening.picks:
        assert pick.reason.note == "The last shot earns it all."
        assert pick.reason.curator is not None
        assert pick.reason.curator.user_id == ada.id


async def test_they_stay_the_same_until_three_others_are_asked_for(service: WorthWatchService, kit: Kit) -> None:
    await recommend(service, kit, *[await film(service, runtime=100) for _ in range(8)])
    viewer = await member(kit)
    for who in (VISITOR, viewer):
        first = await service.tonight.choose(who)
        assert names(await service.tonight.choose(who)) == names(first)
        second = await service.tonight.choose(who, skip=3)
        third = await service.tonight.choose(who, skip=6)
        assert [first.more, second.more, third.more] == [True, True, False]
        shown = names(first) + names(second) + names(third)
        assert len(shown) == len(set(shown)) == 8


@pytest.mark.parametrize(("minutes", "fit"), [(90, 1), (120, 2), (150, 3), (None, 5)])
async def test_only_what_fits_the_time_and_series_only_without_limit(
    service: WorthWatchService, kit: Kit, minutes: object, fit: int
) -> None:
    films = [await film(service, runtime=runtime) for runtime in (90, 120, 150)]
    films.append(await film(service))  # nobody knows how long it is
    ada, watchlist = await recommend(service, kit, *films)
    series = await service.titles.add(LIBRARIAN, NewShow(title="Series"))
    await service.items.add(
        ada, watchlist.watchlist_id, NewItem(content_type="SHOW", content_id=series.content_id, curator_note="So.")
    )
    found: list[str] = []
    for skip in (0, 3):
        found += names(await service.tonight.choose(VISITOR, minutes=minutes, skip=skip))  # type: ignore[arg-type]
    assert len(found) == fit


async def test_if_nothing_fits_it_is_known_which_condition_to_loosen(service: WorthWatchService, kit: Kit) -> None:
    await recommend(service, kit, await film(service, runtime=140, genres=("Drama",)))
    evening = await service.tonight.choose(VISITOR, minutes=90, genre="Drama")
    assert evening.picks == ()
    assert (evening.without_time, evening.without_genre) == (1, 0)
    evening = await service.tonight.choose(VISITOR, minutes=150, genre="Horror")
    assert (evening.without_time, evening.without_genre) == (0, 1)
    assert names(await service.tonight.choose(VISITOR, minutes=150, genre="Drama")) != []


async def test_what_was_seen_or_put_aside_is_left_out(service: WorthWatchService, kit: Kit) -> None:
    films = [await film(service, runtime=100) for _ in range(20)]
    _, watchlist = await recommend(service, kit, *films[:16])
    viewer = await member(kit)
    await save(kit, viewer, watchlist)
    for each in films[:7]:
        await mark(kit, viewer, each, marked_at=stamp(kit.clock))
    for each in films[7:14]:
        await mark(kit, viewer, each, not_for_me=True)
    assert set(names(await service.tonight.choose(viewer))) == {each.title for each in films[14:16]}


async def test_what_many_curators_recommend_comes_first_then_those_one_agrees_with(
    service: WorthWatchService, kit: Kit
) -> None:
    both, akin, apart = [await film(service, title, runtime=100) for title in ("Both", "Akin", "Apart")]
    viewer = await member(kit)
    ada, first = await recommend(service, kit, akin, both)
    bob, second = await recommend(service, kit, apart, both)
    for number in range(6):
        rated = await film(service)
        for who, stars in ((viewer, 9), (ada, 9 - number % 2), (bob, 2)):
            key = {"content_type": "MOVIE", "content_id": rated.movie_id}
            rating = {"user_id": who.id, **key, "rating": stars, "rated_at": stamp(kit.clock)}
            await kit.store.write(Put(Rating.model_validate(rating)))
    await save(kit, viewer, first)
    await kit.store.write(Put(Follow(user_id=viewer.id, curator=bob.id, followed_at=stamp(kit.clock))))
    assert second.curator_id == bob.id
    evening = await service.tonight.choose(viewer)
    assert names(evening) == ["Both", "Akin", "Apart"]
    assert [pick.others for pick in evening.picks] == [1, 0, 0]


async def test_a_title_of_to_watch_gets_the_reason_of_any_live_list(service: WorthWatchService, kit: Kit) -> None:
    wanted = await film(service, "Wanted", runtime=100)
    viewer = await member(kit)
    await recommend(service, kit, wanted, note="Trust me.")
    queued = Queued(
        user_id=viewer.id,
        content_type="MOVIE",
        content_id=wanted.movie_id,
        queued_at=stamp(kit.clock),
        label=label_of(wanted),
    )
    await kit.store.write(Put(queued))
    _, other = await recommend(service, kit, await film(service, "Other", runtime=90))
    await save(kit, viewer, other)
    picks = {pick.tile.title: pick for pick in (await service.tonight.choose(viewer)).picks}
    assert picks["Wanted"].queued
    assert picks["Wanted"].reason.note == "Trust me."


async def test_each_has_a_persons_reason_so_popular_lists_help_out_if_ones_own_say_too_little(
    service: WorthWatchService, kit: Kit
) -> None:
    """Neither a saved list without notes nor To watch alone is a reason."""
    viewer = await member(kit)
    silent = [await film(service, f"Silent {number}", runtime=90) for number in range(4)]
    _, saved = await recommend(service, kit, *silent, note="")
    await save(kit, viewer, saved)
    assert names(await service.tonight.choose(viewer)) == []
    assert names(await service.tonight.choose(VISITOR)) == []
    praised = [await film(service, f"Praised {number}", runtime=90) for number in range(3)]
    _, popular = await recommend(service, kit, *praised, silent[0], note="Trust me.")
    await kit.store.write(Put(Popularity(watchlist_id=popular.watchlist_id, heat="1")))
    for who in (viewer, VISITOR):
        evening = await service.tonight.choose(who)
        shown = [*evening.picks, *(await service.tonight.choose(who, skip=3)).picks]
        assert {pick.reason.note for pick in shown} == {"Trust me."}
        assert len(shown) == len({pick.tile.ref for pick in shown}) == 4
        assert evening.lists == 2


async def test_nothing_of_private_hidden_or_suspended_lists_is_shown(service: WorthWatchService, kit: Kit) -> None:
    viewer = await member(kit)
    ada, private = await recommend(service, kit, await film(service, runtime=80))
    bob, suspended = await recommend(service, kit, await film(service, runtime=80))
    for each in (private, suspended):
        await save(kit, viewer, each)
    await service.lists.edit(ada, private.watchlist_id, ListEdit(is_public=False))
    await suspend(kit, bob)
    for who in (viewer, VISITOR):
        assert (await service.tonight.choose(who)).picks == ()


async def test_an_evening_reads_at_most_sixty_units_and_twelve_lists(service: WorthWatchService, kit: Kit) -> None:
    """Fifteen saved lists of forty titles with long notes, six curators followed, everybody with many ratings."""
    viewer = await member(kit)
    films = [await film(service, runtime=100, genres=("Drama", "Crime")) for _ in range(60)]
    for number in range(15):
        ada, watchlist = await recommend(service, kit, *films[number : number + 40], note="Because of it. " * 20)
        await save(kit, viewer, watchlist)
        if number < 6:
            await kit.store.write(Put(Follow(user_id=viewer.id, curator=ada.id, followed_at=stamp(kit.clock))))
        for each in films:
            for who in (ada, viewer):
                key = {"content_type": "MOVIE", "content_id": each.movie_id}
                rating = {"user_id": who.id, **key, "rating": 7, "rated_at": stamp(kit.clock)}
                await kit.store.write(Put(Rating.model_validate(rating)))
    for each in films[:10]:
        await mark(kit, viewer, each, marked_at=stamp(kit.clock))
    seen: list[Observation] = []
    kit.tables.observe(seen.append)
    evening = await service.tonight.choose(viewer)
    kit.tables.observers.remove(seen.append)
    units = sum(call.units for call in seen)
    assert len(evening.picks) == 3
    assert evening.lists <= MOST_LISTS
    assert units <= 60, (units, [(call.operation, call.index, call.units) for call in seen])
