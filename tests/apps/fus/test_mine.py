"""What somebody has rated and written: found, sorted and counted as a plain loop would, whatever is in the catalog."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.fus import system
from partita.apps.fus.inputs import CommentInput, NewGroup, RatingInput
from partita.apps.fus.schema import FUS
from partita.apps.fus.service import FusService
from partita.apps.fus.service.mine import RatingSort
from partita.kit.kit import Kit
from partita.kit.lists import page_of
from partita.kit.permissions import Viewer
from partita.store.observe import Observation
from partita.table import CursorKeys, InvalidCursorError
from tests.apps.fus.conftest import account, as_viewer, member, put
from tests.apps.house import kit_on, worker_of

pytestmark = pytest.mark.anyio
KEYS = CursorKeys(b"k" * 32)
TITLES = ("Old maps", "New maps", "Knots", "Birds", "Bird maps", "Zebras")
NOTES = ("", "for the journey", "maps for the journey", "")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def kit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kit]:
    with kit_on(tmp_path_factory.mktemp("mine"), FUS) as kit:
        yield kit


@pytest.fixture(scope="module")
async def service(kit: Kit) -> FusService:
    return FusService(kit)


@pytest.fixture(scope="module")
async def rater(kit: Kit, service: FusService) -> Viewer:
    """Somebody with ratings of six sites, among others that they have not rated."""
    viewer = member()
    for number, title in enumerate(TITLES):
        site = await put(service, title)
        await put(service, f"{title} of others")
        rating = RatingInput(stars=1 + number % 3, note=NOTES[number % 4])
        await service.ratings.rate(viewer, site.site_id, rating)
        await service.comments.write(viewer, site.site_id, CommentInput(body=f"Comment {number} on a thing"))
    await worker_of(kit, system.build(kit)).drain()
    return viewer


async def _all(service: FusService, viewer: Viewer, limit: int, **asked: Any) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    cursor = None
    while True:
        page = await service.mine.ratings(viewer, limit=limit, cursor=cursor, **asked)
        found += [(each.site.title, each.rating.stars) for each in page]
        cursor = page.next_cursor
        if cursor is None:
            assert page.total == len(found)
            return found


@pytest.mark.parametrize("text", ["", "maps", "JOURNEY", "bird", "nothing"])
@pytest.mark.parametrize("sort", ["newest", "oldest", "most", "fewest", "title"])
async def test_ratings_are_what_a_plain_loop_finds(
    service: FusService, rater: Viewer, text: str, sort: RatingSort
) -> None:
    mine = [(title, 1 + number % 3, NOTES[number % 4]) for number, title in enumerate(TITLES)][::-1]
    wanted = [(title, stars) for title, stars, note in mine if text.lower() in f"{title} {note}".lower()]
    order: dict[str, Any] = {"oldest": lambda: wanted[::-1], "newest": lambda: wanted}
    order["most"] = lambda: sorted(wanted, key=lambda each: -each[1])
    order["fewest"] = lambda: sorted(wanted, key=lambda each: each[1])
    order["title"] = lambda: sorted(wanted)
    assert await _all(service, rater, 2, text=text, sort=sort) == order[sort]()
    page = await service.mine.ratings(rater, text=text, stars=2, sort=sort)
    assert [each.rating.stars for each in page] == [2] * len([each for each in wanted if each[1] == 2])
    assert dict(page.by_stars or {}) == Counter(stars for _, stars in wanted), "the counts are those of the words"
    assert page.of_all == len(TITLES)


async def test_comments_are_found_by_their_words_and_by_their_site(service: FusService, rater: Viewer) -> None:
    maps = await service.mine.comments(rater, text="maps")
    assert {each.site.title for each in maps} == {"Old maps", "New maps", "Bird maps"}
    (one,) = (await service.mine.comments(rater, text="comment 3")).items
    assert one.site.title == "Birds"
    newest = [each.comment.body for each in await service.mine.comments(rater)]
    oldest = [each.comment.body for each in await service.mine.comments(rater, sort="oldest")]
    assert newest == oldest[::-1]
    first = await service.mine.comments(rater, limit=4)
    rest = await service.mine.comments(rater, limit=4, cursor=first.next_cursor)
    assert [each.comment.body for each in (*first, *rest)] == newest
    assert (first.total, first.of_all, rest.next_cursor) == (6, 6, None)


async def test_groups_are_found_by_name_and_description(kit: Kit, service: FusService) -> None:
    somebody = await account(kit, "Mia")
    operator = kit.accounts.operator()
    for name, description in (("alpha", "Maps"), ("beta", "Birds"), ("gamma", "")):
        await service.groups.create(operator, NewGroup(name=name, description=description))
        await service.groups.add_member(operator, name, somebody.user_id)
    viewer = await as_viewer(kit, somebody)
    for text, names in (("", ["alpha", "beta", "gamma"]), ("map", ["alpha"]), ("GAM", ["gamma"]), ("x", [])):
        page = await service.mine.groups(viewer, text=text)
        assert [group.name for group in page] == names
        assert page.of_all == 3


async def test_what_somebody_has_not_rated_is_the_rest_of_the_catalog(service: FusService, rater: Viewer) -> None:
    rated = await service.mine.rated(rater)
    titles: list[str] = []
    cursor = None
    while True:
        page = await service.catalog.browse(text="maps", without=rated, sort="title", limit=2, cursor=cursor)
        titles += [match.item.title for match in page]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert titles == ["Bird maps of others", "New maps of others", "Old maps of others"]
    assert await service.mine.rated(Viewer()) == frozenset()


async def test_whoever_rates_their_first_site_goes_on_with_the_list_of_those_they_have_not_rated(
    rater: Viewer, service: FusService
) -> None:
    first = await service.catalog.browse(sort="title", limit=2, without=frozenset())
    rated = frozenset({first.items[0].item.site_id})
    second = await service.catalog.browse(sort="title", limit=2, cursor=first.next_cursor, without=rated)
    assert [match.item.title for match in (*first, *second)] == [
        *("Bird maps", "Bird maps of others"),
        *("Birds", "Birds of others"),
    ]


async def test_a_level_of_stars_has_as_many_sites_as_it_says(service: FusService, rater: Viewer) -> None:
    everything = await service.catalog.browse(most_tags=5)
    counts = {int(each.value): each.count for each in everything.stars}
    assert counts == {1: 2, 2: 2, 3: 2}
    for least in range(1, 6):
        page = await service.catalog.browse(stars=least, most_tags=5)
        assert page.total == len(page.items) == sum(count for stars, count in counts.items() if stars >= least)
        assert all((match.item.rating_average or 0) >= least for match in page)
        assert {int(each.value): each.count for each in page.stars if each.count} == counts, "others can be chosen"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text("abcdef", min_size=1, max_size=2), unique=True, max_size=12), st.integers(1, 5), st.data())
def test_pages_of_a_list_are_the_whole_list_and_go_on_if_one_of_them_goes(
    entries: list[str], limit: int, data: st.DataObject
) -> None:
    seen: list[str] = []
    left, cursor = list(entries), None
    while True:
        page = page_of(KEYS, "list", left, str, limit=limit, cursor=cursor)
        seen += page.items
        assert page.total == len(left)
        cursor = page.next_cursor
        if cursor is None:
            break
        if data.draw(st.booleans()):
            left.remove(page.items[-1])  # somebody takes the last one back
    assert seen == entries
    with pytest.raises(InvalidCursorError):
        page_of(KEYS, "list", entries, str, limit=limit, cursor="forged")


async def test_a_rating_costs_what_it_did_and_ones_own_lists_do_not_grow_with_the_catalog(
    kit: Kit, service: FusService, rater: Viewer
) -> None:
    async def cost(work: Awaitable[object]) -> float:
        seen: list[Observation] = []
        kit.tables.observe(seen.append)
        await work
        kit.tables.observers.remove(seen.append)
        assert "Scan" not in {call.operation for call in seen}
        return sum(call.units for call in seen)

    site = await put(service, tags=["a", "b"])
    viewer = member()
    assert await cost(service.ratings.rate(viewer, site.site_id, RatingInput(stars=3))) <= 17
    assert await cost(service.ratings.rate(viewer, site.site_id, RatingInput(stars=4))) <= 21
    before = [
        await cost(service.mine.ratings(rater, text="maps")),
        await cost(service.mine.ratings(rater, sort="title")),
    ]
    for _ in range(30):
        await put(service, "More maps")
    await worker_of(kit, system.build(kit)).drain()
    after = [
        await cost(service.mine.ratings(rater, text="maps")),
        await cost(service.mine.ratings(rater, sort="title")),
    ]
    assert before == after
