"""The demo: a platform in use, whose every sum is what its parts add up to."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.demo import fill
from partita.apps.worthwatch.demo.texts import demo_texts
from partita.apps.worthwatch.schema import Movie, Rating, Show, Watchlist, WatchlistItem
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.finding import Wanted
from partita.bootstrap import build
from partita.kit.kit import Kit
from partita.kit.permissions import NOBODY
from partita.kit.settings import Settings
from tests.apps.house import person
from tests.demo_folder import MOST_SECONDS, copy_demo, told_of

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(MOST_SECONDS + 300)]
TEXTS = demo_texts()
Filled = tuple[WorthWatchService, Kit, str]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def filled(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Filled]:
    data = tmp_path_factory.mktemp("demo") / "data"
    told = told_of("WorthWatch", copy_demo(data))
    suite = build(Settings(data=data, fetch=False, systems=("worthwatch",)))
    await suite.worker.drain()
    yield WorthWatchService(suite.kit), suite.kit, told
    await suite.close()


async def _titles(kit: Kit) -> list[Movie | Show]:
    movies = [each async for each in kit.store.stream(schema.all_movies())]
    return [*movies, *[each async for each in kit.store.stream(schema.all_shows())]]


async def _items(kit: Kit, watchlist_id: str) -> list[WatchlistItem]:
    return [each async for each in kit.store.stream(schema.items_in_order(watchlist_id))]


async def _lists(kit: Kit) -> list[Watchlist]:
    return [each async for each in kit.store.stream(schema.all_watchlists())]


async def test_it_says_what_it_made_and_how_to_sign_in(filled: Filled) -> None:
    service, kit, told = filled
    counted = re.match(r"WorthWatch: added (\d+) titles, (\d+) lists, (\d+) people, ([\d,]+) ratings", told)
    assert counted is not None
    assert int(counted[1]) == len(await _titles(kit)) >= 160
    password = told.rpartition(" ")[2]
    for username, permission in (("teodora", "worthwatch:list:write"), ("sigrun", "worthwatch:catalog:edit")):
        session = await kit.accounts.sessions.sign_in(username, password, user_agent="Test/1.0")
        assert (await kit.accounts.recognition.from_session(session.token)).may(permission)
    ada = await kit.accounts.people.by_username("adabrandvold")
    assert ada is not None
    assert (await service.people.person(ada.user_id)).approved
    assert (await fill(service, kit)).startswith("WorthWatch: nothing added")


async def test_titles_add_up_to_their_ratings_and_uses(filled: Filled) -> None:
    _, kit, _ = filled
    uses: Counter[tuple[str, str]] = Counter()
    for watchlist in await _lists(kit):
        items = await _items(kit, watchlist.watchlist_id)
        assert watchlist.item_count == len(items)
        uses.update((item.content_type, item.content_id) for item in items)
    given: dict[tuple[str, str], list[int]] = defaultdict(list)
    async for each in kit.store.scan_whole_table(Rating):
        given[each.content_type, each.content_id].append(each.rating)
    ratings = 0
    for title in await _titles(kit):
        ref = title.content_type, title.content_id
        assert (title.listed_in or 0) == uses[ref], ref
        stars = given[ref]
        assert (title.rating_count or 0, title.rating_sum or 0) == (len(stars), sum(stars))
        assert title.histogram == tuple(stars.count(number) for number in range(1, 11))
        if stars:
            assert abs(Decimal(title.rating) - Decimal(sum(stars)) / len(stars)) <= Decimal("0.005")
        ratings += len(stars)
    assert ratings >= 2000


async def test_lists_and_people_add_up_to_saves_comments_followers_and_live_lists(filled: Filled) -> None:
    _, kit, _ = filled
    tags: Counter[str] = Counter()
    live: Counter[str] = Counter()
    for watchlist in await _lists(kit):
        totals = await kit.store.get(schema.totals(watchlist.watchlist_id))
        saves = [each async for each in kit.store.stream(schema.savers_of(watchlist.watchlist_id))]
        comments = [each async for each in kit.store.stream(schema.comments_on(watchlist.watchlist_id))]
        assert ((totals.save_count if totals else 0) or 0) == len(saves)
        assert ((totals.comment_count if totals else 0) or 0) == len(comments)
        replies = Counter(each.reply_to for each in comments if each.reply_to)
        assert {each.name: each.reply_count for each in comments if each.reply_count} == replies
        assert watchlist.live == watchlist.should_be_live
        if watchlist.live:
            live[watchlist.curator_id] += 1
            tags.update(watchlist.tags)
    async for user in kit.store.stream(schema.all_users()):
        followers = [each async for each in kit.store.stream(schema.followers_of(user.user_id))]
        assert (user.follower_count or 0) == len(followers)
        assert (user.live_list_count or 0) == live[user.user_id]
    totals_of_tags = {each.tag: each.count async for each in kit.store.stream(schema.tags_by_use())}
    assert totals_of_tags == tags


async def test_everything_that_the_pages_need_is_there(filled: Filled) -> None:
    service, kit, _ = filled
    assert len((await kit.store.page(schema.open_applications(), limit=10)).items) == 3
    unchecked = (await kit.store.page(schema.unchecked_titles(), limit=50)).items
    assert len(unchecked) >= 3
    assert sum(title.maybe_same is not None for title in unchecked) == 1
    assert (await service.finding.totals(Wanted()))["curators"] == 8
    suspended = [user async for user in kit.store.stream(schema.curators("suspended"))]
    assert len(suspended) == 1
    hidden = [each async for each in kit.store.stream(schema.watchlists_of(suspended[0].user_id))]
    assert hidden
    assert all(each.hidden and not each.live for each in hidden)
    member = await kit.accounts.people.by_username("teodora")
    assert member is not None
    seen = [each async for each in kit.store.stream(schema.seen_shelf(member.user_id))]
    assert len(seen) >= 100
    waiting = await kit.accounts.people.by_username(TEXTS.imports[0].by)
    assert waiting is not None
    (begun,) = (await kit.store.page(schema.imports_of(waiting.user_id), limit=5)).items
    review = await service.imports.review(person(waiting.user_id), begun.import_id)
    assert review.counts["check"] >= 1
    assert review.counts["found"] >= 5
    assert review.counts["left-out"] == 1
    newcomer = await kit.accounts.people.by_username("newhere")
    assert newcomer is not None
    assert await service.people.find(newcomer.user_id) is None
    assert len((await service.tonight.choose(NOBODY, minutes=120)).picks) == 3


async def test_nothing_is_in_the_future_and_lists_are_in_their_order(filled: Filled) -> None:
    _, kit, _ = filled
    now = kit.clock.now().isoformat()[:19]
    for entry in TEXTS.lists:
        items = await _items(kit, entry.id)
        assert [item.content_id for item in items] == [item.title for item in entry.items]
        assert all(item.added_at[:19] <= now for item in items)
    for entry in TEXTS.lists:
        comments = {each.name: each.created_at async for each in kit.store.stream(schema.comments_on(entry.id))}
        async for each in kit.store.stream(schema.comments_on(entry.id)):
            assert each.created_at[:19] <= now
            assert each.reply_to is None or comments[each.reply_to] < each.created_at
