"""What another program wrote: adopted once, counted exactly, by its change or all at once."""

from __future__ import annotations

import asyncio
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from partita.apps.worthwatch import schema, system
from partita.apps.worthwatch.inputs import RatingInput
from partita.apps.worthwatch.schema import WORTHWATCH, Movie
from partita.apps.worthwatch.service import WorthWatchService
from partita.dynamo import requests
from partita.dynamo.python_values import item_from_python
from partita.kit.adoption import Report, adopt_all
from partita.kit.changes import ChangeWorker
from partita.kit.kit import Kit
from partita.table.effects import Steps
from tests.apps.house import BAD_WEATHER, kit_on, replay, worker_of
from tests.apps.worthwatch.conftest import POLICY, curator, film, member

pytestmark = pytest.mark.anyio
Row = dict[str, Any]
NOW = "2026-01-26T10:30:00Z"


async def write(kit: Kit, *rows: Row) -> None:
    """Write rows as another program does: what the document says, and not an attribute more."""
    for row in rows:
        await kit.store.run(_put(row))


def _put(row: Row) -> Steps[None]:
    yield requests.PutItem(table=WORTHWATCH.name, item=item_from_python(row))


def _user(user_id: str, **more: Any) -> Row:
    known = {"userId": user_id, "email": f"{user_id}@example.org", "username": f"Person {user_id}", "isCurator": False}
    times = {"createdAt": NOW, "updatedAt": NOW, "entityType": "USER"}
    return {"PK": f"USER#{user_id}", "SK": "PROFILE", **known, **times, **more}


def _list(list_id: str, curator_id: str, **more: Any) -> Row:
    public = more.get("isPublic", True)
    known = {"watchlistId": list_id, "curatorId": curator_id, "title": f"List {list_id}", "description": ""}
    flags = {"isPublic": public, "isPublicStr": "true" if public else "false", "tags": ["noir"], "itemCount": 77}
    times = {"createdAt": NOW, "updatedAt": NOW, "entityType": "WATCHLIST"}
    return {"PK": f"WATCHLIST#{list_id}", "SK": "METADATA", **known, **flags, **times, **more}


def _item(list_id: str, movie_id: str, position: int) -> Row:
    known = {"contentType": "MOVIE", "contentId": movie_id, "position": position, "addedAt": NOW}
    return {
        "PK": f"WATCHLIST#{list_id}",
        "SK": f"ITEM#MOVIE#{movie_id}",
        "entityType": "WATCHLIST_ITEM",
        "curatorNote": "Why",
        **known,
    }


def _movie(movie_id: str, title: str, **more: Any) -> Row:
    known = {"movieId": movie_id, "title": title, "releaseYear": 1950, "genres": ["Drama"], "directors": []}
    times = {"createdAt": NOW, "updatedAt": NOW, "entityType": "MOVIE"}
    return {"PK": f"MOVIE#{movie_id}", "SK": "METADATA", **known, **times, **more}


def _rating(user_id: str, movie_id: str, rating: int) -> Row:
    known = {"contentType": "MOVIE", "contentId": movie_id, "rating": rating, "ratedAt": NOW}
    return {"PK": f"USER#{user_id}", "SK": f"RATING#MOVIE#{movie_id}", "entityType": "RATING", **known}


def _saved(user_id: str, list_id: str) -> Row:
    key = {"PK": f"USER#{user_id}", "SK": f"SAVED#WATCHLIST#{list_id}"}
    return {**key, "watchlistId": list_id, "savedAt": NOW, "entityType": "USER_SAVED_WATCHLIST"}


def _comment(user_id: str, list_id: str) -> Row:
    key = {"PK": f"WATCHLIST#{list_id}", "SK": f"COMMENT#{NOW}#{user_id}"}
    return {**key, "userId": user_id, "commentText": "Well", "createdAt": NOW, "entityType": "COMMENT"}


ROWS = (
    _user("u1", isCurator=True, curatorStatus="approved"),
    _user("u2"),
    _list("w1", "u1"),
    _list("w2", "u2"),
    _list("w3", "u1", isPublic=False),
    _movie("m1", "Laura", imdbId="tt0037008", rating=9),
    _movie("m2", "Gilda"),
    _item("w1", "m1", 1),
    _item("w1", "m2", 2),
    _item("w1", "gone", 3),
    _item("w2", "m1", 1),
    _rating("u2", "m1", 6),
    _rating("u1", "m1", 9),
    _saved("u2", "w1"),
    _comment("u2", "w1"),
)


def following(kit: Kit) -> ChangeWorker:
    built = system.build(kit)
    kit.jobs.use(built.jobs)
    return worker_of(kit, built)


async def everything(kit: Kit) -> Report:
    """As `partita adopt worthwatch` does."""
    return await adopt_all(kit.store, WorthWatchService(kit).adoptions)


async def check(service: WorthWatchService, kit: Kit) -> None:
    first = await service.lists.watchlist("w1")
    assert (first.item_count, first.live, first.published_at) == (3, True, NOW)
    assert [item.content_id for item in await service.items.all_in_order("w1")] == ["m1", "m2", "gone"]
    second = await service.lists.watchlist("w2")
    assert (second.item_count, second.live, second.hidden) == (1, False, True), "its curator is not approved"
    third = await service.lists.watchlist("w3")
    assert (third.item_count, third.live) == (0, False)
    laura = await service.titles.title("MOVIE", "m1")
    assert (laura.listed_in, laura.rating_count, laura.rating_sum, float(laura.rating)) == (2, 2, 15, 7.5)
    assert laura.histogram == (0, 0, 0, 0, 0, 1, 0, 0, 1, 0)
    assert [each.content_id for each in await service.titles.named("laura", "MOVIE")] == ["m1"]
    ada = await service.people.person("u1")
    assert ada.live_list_count == 1
    totals = await kit.store.get(schema.totals("w1"))
    assert totals is not None
    assert (totals.save_count, totals.comment_count) == (1, 1)
    assert await kit.store.get(schema.popularity("w1")) is not None
    tag = await kit.store.get(schema.tag_total("noir"))
    assert tag is not None
    assert tag.count == 1
    mine = await kit.store.get(schema.mine("u2", "MOVIE", "m1"))
    assert mine is not None
    assert (mine.seen, mine.rating) == (True, 6)
    live = [each.watchlist_id async for each in kit.store.stream(schema.live_lists())]
    assert live == ["w1"]


async def test_a_table_of_another_program_is_adopted_whole_and_once(service: WorthWatchService, kit: Kit) -> None:
    await write(kit, *ROWS)
    done = await everything(kit)
    assert (done.refused, done.unreadable) == ([], [])
    assert dict(done.adopted) == {
        "person": 2,
        "film": 2,
        "series": 0,
        "list": 3,
        "title on a list": 4,
        "saved list": 1,
        "comment": 1,
        "rating": 2,
    }
    await check(service, kit)
    assert not any((await everything(kit)).adopted.values())
    await check(service, kit)


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["calm", "bad weather"])
async def test_by_its_changes_by_several_at_once_it_is_the_same(tmp_path: Path, weather: Any) -> None:
    with kit_on(tmp_path, WORTHWATCH, faults=weather) as kit:
        kit.accounts.use(POLICY, ())
        built = system.build(kit)
        kit.jobs.use(built.jobs)
        await write(kit, *ROWS)
        await asyncio.gather(everything(kit), worker_of(kit, built).drain(), everything(kit))
        await replay(kit, built, "worthwatch.adoption")
        await check(WorthWatchService(kit), kit)


_OF_A_CURATOR = _user("u1", isCurator=True, curatorStatus="approved"), _movie("m1", "Laura"), _rating("u1", "m1", 9)


async def check_counted_and_shown(service: WorthWatchService) -> None:
    laura = await service.titles.title("MOVIE", "m1")
    assert (laura.rating_count, laura.rating_sum) == (1, 9)
    shown = (await service.ratings.public("MOVIE", "m1")).items
    assert [(each.rating.user_id, each.rating.rating) for each in shown] == [("u1", 9)]


@pytest.mark.parametrize(
    "rows", list(permutations(_OF_A_CURATOR)), ids=lambda rows: "-".join(row["entityType"] for row in rows)
)
async def test_a_curators_rating_is_counted_and_shown_whatever_comes_first(
    service: WorthWatchService, kit: Kit, rows: tuple[Row, ...]
) -> None:
    worker = following(kit)
    for row in rows:
        await write(kit, row)
        await worker.drain()
    await everything(kit)
    await worker.drain()
    await check_counted_and_shown(service)


async def test_what_shows_a_curators_rating_does_not_say_that_it_is_counted(
    service: WorthWatchService, kit: Kit
) -> None:
    """It may get the change before adoption does."""
    await write(kit, *_OF_A_CURATOR)
    rating = await kit.store.get(schema.rating("u1", "MOVIE", "m1"))
    assert rating is not None
    await service.ratings.show(rating)
    await service.ratings.show_all_of("u1")
    await everything(kit)
    await following(kit).drain()
    await check_counted_and_shown(service)


async def test_what_another_program_overwrites_keeps_its_numbers(service: WorthWatchService, kit: Kit) -> None:
    worker = following(kit)
    ada, bob = await curator(kit), await member(kit)
    title = await film(service, "Laura", imdb_id="tt0037008")
    await service.ratings.rate(bob, "MOVIE", title.movie_id, RatingInput(rating=8))
    await write(kit, _list("w1", ada.id), _item("w1", title.movie_id, 1))
    await worker.drain()
    before = await service.titles.title("MOVIE", title.movie_id)
    assert (before.rating_count, before.listed_in) == (1, 1)
    await write(kit, _movie(title.movie_id, "Laura, again"), _list("w1", ada.id, tags=["cities"]))
    await write(kit, _rating(bob.id, title.movie_id, 3))
    await worker.drain()
    now = await service.titles.title("MOVIE", title.movie_id)
    assert isinstance(now, Movie)
    assert (now.title, now.rating_count, now.rating_sum, now.listed_in) == ("Laura, again", 1, 3, 1)
    watchlist = await service.lists.watchlist("w1")
    assert (watchlist.live, watchlist.item_count, watchlist.tags) == (True, 1, ("cities",))
    tags = {each.tag: each.count async for each in kit.store.stream(schema.tags_by_use())}
    assert tags == {"cities": 1}
    assert (await service.people.person(ada.id)).live_list_count == 1


async def test_what_cannot_be_adopted_is_named(service: WorthWatchService, kit: Kit) -> None:
    ada = await member(kit)
    taken = await film(service, imdb_id="tt0037008")
    await write(
        kit,
        _user("u9", email=f"{ada.id}@EXAMPLE.org"),
        _movie("m9", "Laura", imdbId="tt0037008"),
        _item("nowhere", "m9", 1),
        _rating("u9", "none", 3),
    )
    done = await everything(kit)
    assert len(done.refused) == 2, done.refused
    assert taken.movie_id in "".join(done.refused)
    assert done.adopted["title on a list"] == done.adopted["rating"] == 0


async def test_one_row_that_does_not_fit_stops_nothing_but_what_belongs_to_it(
    service: WorthWatchService, kit: Kit
) -> None:
    await write(kit, *ROWS, _user("u8", username=""), _list("w8", "u8"))
    await following(kit).drain()
    done = await everything(kit)
    assert len(done.unreadable) == len(done.refused) == 1
    await check(service, kit)
