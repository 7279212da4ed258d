"""Search: words, filters, what was seen; only what everybody may see, and few reads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from partita.apps.worthwatch import system
from partita.apps.worthwatch.inputs import ListEdit, MovieEdit, NewShow
from partita.apps.worthwatch.schema import WORTHWATCH, Mine, Movie, User, Watchlist
from partita.apps.worthwatch.search import FILMS, lengths_of
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.finding import Found, Kind, Wanted
from partita.apps.worthwatch.service.titles import title_version
from partita.kit.changes import ChangeWorker
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY, Viewer
from partita.store.observe import Observation
from partita.table import Put, Update
from tests.apps.house import kit_on, worker_of
from tests.apps.worthwatch.conftest import LIBRARIAN, add, curator, film, member, new_list, suspend

pytestmark = pytest.mark.anyio
VISITOR = NOBODY


@pytest.fixture
def worker(kit: Kit) -> ChangeWorker:
    built = system.build(kit)
    kit.jobs.use(built.jobs)
    return worker_of(kit, built)


def names(found: Found) -> list[str]:
    return [tile.title for tile in found.tiles]


async def test_films_are_found_by_title_other_titles_makers_cast_and_other_forms_of_a_word(
    service: WorthWatchService, worker: ChangeWorker
) -> None:
    await film(
        service,
        "Seven Samurai",
        other_titles=("七人の侍", "Shichinin no samurai"),
        directors=("Akira Kurosawa",),
        cast=("Toshirō Mifune",),
    )
    await film(service, "Something else")
    await worker.drain()
    for words in ("samurais", "seven sam", "七人の侍", "kurosawa", "mifune"):
        assert names(await service.finding.find(VISITOR, "films", Wanted(words))) == ["Seven Samurai"], words


async def test_filters_narrow_with_and_without_words_and_facets_count(
    service: WorthWatchService, worker: ChangeWorker
) -> None:
    await film(service, "Short noir", release_year=1948, runtime=82, genres=("Crime",))
    await film(service, "Long noir", release_year=1949, runtime=152, genres=("Crime", "Drama"))
    await film(service, "Late noir", release_year=1997, runtime=138, genres=("Crime",))
    await film(service, "Comedy", release_year=1941, runtime=95, genres=("Comedy",))
    await worker.drain()

    async def found(**wanted: object) -> list[str]:
        return sorted(names(await service.finding.find(VISITOR, "films", Wanted(**wanted))))  # type: ignore[arg-type]

    assert await found(genres=frozenset({"Crime"}), decades=frozenset({"1940s"})) == ["Long noir", "Short noir"]
    assert await found(genres=frozenset({"Crime", "Comedy"}), length="120") == ["Comedy", "Short noir"]
    assert await found(length="longer") == ["Long noir"]
    assert await found(text="noir", length="150") == ["Late noir", "Short noir"]
    page = await service.finding.find(VISITOR, "films", Wanted("noir"))
    assert {each.value: each.count for each in page.facets["decade"]} == {"1940s": 2, "1990s": 1}
    assert {each.value: each.count for each in page.facets["length"]} == {"90": 1, "120": 1, "150": 2, "longer": 1}


def test_a_length_holds_all_shorter_films() -> None:
    assert lengths_of(None) == lengths_of(0) == ()
    assert lengths_of(90) == ("90", "120", "150")
    assert lengths_of(91) == ("120", "150")
    assert lengths_of(151) == ("longer",)


async def test_sorts_put_the_most_listed_the_best_rated_or_the_newest_first(
    service: WorthWatchService, kit: Kit, worker: ChangeWorker
) -> None:
    old = await film(service, "Old", release_year=1930)
    loved = await film(service, "Loved", release_year=1960)
    new = await film(service, "New", release_year=2020)

    async def set_numbers(title: Movie, listed: int, ratings: int, average: int) -> None:
        numbers = Movie.listed_in.set(listed), Movie.rating_count.set(ratings), Movie.rating.set(average)
        await kit.store.write(Update(title.own_key, *numbers))

    await set_numbers(old, 9, 5, 6)
    await set_numbers(loved, 5, 50, 9)
    await set_numbers(new, 1, 4, 10)  # four ratings make no average
    await worker.drain()
    for sort, order in {
        "fit": ["Old", "Loved", "New"],
        "listed": ["Old", "Loved", "New"],
        "average": ["Loved", "Old", "New"],
        "year": ["New", "Loved", "Old"],
    }.items():
        assert names(await service.finding.find(VISITOR, "films", Wanted(sort=sort))) == order, sort  # type: ignore[arg-type]


async def test_what_somebody_has_seen_can_be_left_out_and_pages_stay_full(
    service: WorthWatchService, kit: Kit, worker: ChangeWorker
) -> None:
    films = [await film(service, f"Train {number:02}", release_year=1950 + number) for number in range(20)]
    viewer = await member(kit)
    for each in films[::2]:
        mine = Mine(user_id=viewer.id, content_type="MOVIE", content_id=each.movie_id, marked_at=stamp(kit.clock))
        await kit.store.write(Put(mine))
    await worker.drain()
    wanted = Wanted("train", unseen=True, sort="year")
    first = await service.finding.find(viewer, "films", wanted, limit=6)
    rest = await service.finding.find(viewer, "films", wanted, limit=6, cursor=first.next_cursor)
    assert names(first) + names(rest) == [f"Train {number:02}" for number in range(19, 0, -2)]
    everything = await service.finding.find(viewer, "films", Wanted("train", sort="year"), limit=6)
    assert [tile.seen for tile in everything.tiles] == [False, True] * 3


async def test_series_and_films_are_apart_and_each_tab_has_its_number(
    service: WorthWatchService, kit: Kit, worker: ChangeWorker
) -> None:
    await film(service, "Night train")
    await service.titles.add(LIBRARIAN, NewShow(title="Night manager", start_year=2016))
    ada = await curator(kit)
    watchlist = await new_list(service, ada, title="Night trains", is_public=True)
    await add(service, ada, watchlist, await film(service))
    await kit.store.write(Update(User.key(User.user_id(ada.id)), User.username.set("Night Owl")))
    await worker.drain()
    totals = await service.finding.totals(Wanted("night"))
    assert totals == {"lists": 1, "films": 1, "series": 1, "curators": 1}
    assert names(await service.finding.find(VISITOR, "series", Wanted("night"))) == ["Night manager"]


async def test_lists_are_found_by_title_tags_and_first_titles_only_while_they_are_live(
    service: WorthWatchService, kit: Kit, worker: ChangeWorker
) -> None:
    ada = await curator(kit)
    live = await new_list(service, ada, title="Rails at night", tags=("noir",), is_public=True)
    await add(service, ada, live, await film(service, "The Lady Vanishes"))
    draft = await new_list(service, ada, title="Rails, draft")
    await add(service, ada, draft, await film(service))
    await new_list(service, ada, title="Rails, empty", is_public=True)
    await worker.drain()

    async def found(words: str) -> list[str]:
        page = await service.finding.find(VISITOR, "lists", Wanted(words))
        return [card.watchlist.title for card in page.cards]

    for words in ("rail", "noir", "lady vanishes"):
        assert await found(words) == ["Rails at night"], words
    await service.lists.edit(ada, live.watchlist_id, ListEdit(is_public=False))
    assert await found("rails") == [], "at once, before the index has followed"
    await worker.drain()
    assert (await service.finding.totals(Wanted("rails")))["lists"] == 0
    await service.lists.edit(ada, live.watchlist_id, ListEdit(is_public=True, title="Tracks"))
    await worker.drain()
    assert await found("tracks") == ["Tracks"]
    await suspend(kit, ada)
    assert await found("tracks") == [], "the lists of a suspended curator"
    await kit.store.write(Update(Watchlist.key(Watchlist.watchlist_id(live.watchlist_id)), Watchlist.hidden.set(True)))


async def test_only_approved_curators_are_found(service: WorthWatchService, kit: Kit, worker: ChangeWorker) -> None:
    ada, _ = await curator(kit), await member(kit)
    await worker.drain()
    page = await service.finding.find(VISITOR, "curators", Wanted())
    assert [user.user_id for user in page.people] == [ada.id]
    await suspend(kit, ada)
    assert (await service.finding.find(VISITOR, "curators", Wanted())).people == ()
    await worker.drain()
    assert (await service.finding.totals(Wanted()))["curators"] == 0


async def test_a_title_is_found_by_its_new_name(service: WorthWatchService, worker: ChangeWorker) -> None:
    made = await film(service, "Wrong nmae")
    await worker.drain()
    edit = MovieEdit(title="Right name", version=title_version(made))
    await service.titles.edit(LIBRARIAN, made.movie_id, edit)
    await worker.drain()
    assert names(await service.finding.find(VISITOR, "films", Wanted("right"))) == ["Right name"]
    assert names(await service.finding.find(VISITOR, "films", Wanted("nmae"))) == []


@pytest.fixture(scope="module")
async def filled(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Kit, WorthWatchService, Viewer]]:
    folder: Path = tmp_path_factory.mktemp("search")
    with kit_on(folder, WORTHWATCH) as kit:
        service = WorthWatchService(kit)
        facts = {"synopsis": "Somebody takes a train at night. " * 20, "cast": ("Somebody",) * 1, "genres": ("Drama",)}
        for number in range(30):
            await film(service, f"Night train {number}", runtime=100, **facts)
            await service.titles.add(LIBRARIAN, NewShow.model_validate({"title": f"Night series {number}", **facts}))
        shared = await film(service, "On all lists")
        for number in range(5):
            ada = await curator(kit)
            await kit.store.write(Update(User.key(User.user_id(ada.id)), User.username.set(f"Night {number}")))
            each = await new_list(service, ada, title=f"Night {number}", description="x" * 900, is_public=True)
            await add(service, ada, each, shared)
        built = system.build(kit)
        kit.jobs.use(built.jobs)
        await worker_of(kit, built).drain()
        yield kit, service, await member(kit)


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(("kinds", "limit"), [(("films",), 24), (("lists", "films", "series", "curators"), 4)])
async def test_a_search_reads_at_most_fourteen_units(
    filled: tuple[Kit, WorthWatchService, Viewer], kinds: tuple[Kind, ...], limit: int
) -> None:
    """24 titles, or four of each kind. The marks of a member are twelve more."""
    kit, service, viewer = filled
    for who, most in ((VISITOR, 14), (viewer, 26)):
        seen: list[Observation] = []
        kit.tables.observe(seen.append)
        await service.finding.totals(Wanted("night"))
        found = [await service.finding.find(who, kind, Wanted("night"), limit=limit) for kind in kinds]
        kit.tables.observers.remove(seen.append)
        assert all(len(each.tiles) + len(each.cards) + len(each.people) == limit for each in found)
        units = sum(call.units for call in seen)
        assert units <= most, (units, [(call.operation, call.index, call.units) for call in seen])


def test_titles_without_words_are_in_the_order_of_their_lists() -> None:
    assert FILMS.order == "-listed"
