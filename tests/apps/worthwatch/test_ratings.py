"""Ratings: one per person and title; count, sum, bars and average exact, whoever rates at the same moment."""

from __future__ import annotations

import asyncio
import random
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import ValidationError

from partita.apps.worthwatch import schema, system
from partita.apps.worthwatch.inputs import NewShow, RatingInput
from partita.apps.worthwatch.schema import WORTHWATCH, Movie, Rating, User
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.labels import Title
from partita.engine import FaultPlan
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.store.observe import Observation
from partita.table import Put, Update
from tests.apps.house import BAD_WEATHER, kit_on, worker_of
from tests.apps.worthwatch.conftest import LIBRARIAN, POLICY, curator, film, member, ratings_of, suspend

pytestmark = pytest.mark.anyio


async def rate(service: WorthWatchService, viewer: Viewer, title: Movie, rating: int, **more: object) -> Rating:
    wanted = RatingInput.model_validate({"rating": rating, **more})
    return await service.ratings.rate(viewer, "MOVIE", title.movie_id, wanted)


def _sums(title: Title) -> tuple[int, int, Decimal | None, dict[int, int]]:
    bars = {number: count for number, count in enumerate(title.histogram, 1) if count}
    return title.rating_count or 0, title.rating_sum or 0, title.rating, bars


async def _now(service: WorthWatchService, title: Movie) -> tuple[int, int, Decimal | None, dict[int, int]]:
    return _sums(await service.titles.title("MOVIE", title.movie_id))


@pytest.mark.parametrize("rating", [0, 11, 7.5, -1, "many", None])
def test_a_rating_is_whole_and_from_one_to_ten(rating: object) -> None:
    with pytest.raises(ValidationError):
        RatingInput.model_validate({"rating": rating})


async def test_a_rating_is_stored_as_the_document_says(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    await rate(service, who, title, 8, review="The last act earns it.", hasSpoilers=True)
    stored = await kit.store.get(schema.rating(who.id, "MOVIE", title.movie_id))
    assert stored is not None
    row = stored.to_row()
    assert row["PK"] == {"S": f"USER#{who.id}"}
    assert row["SK"] == {"S": f"RATING#MOVIE#{title.movie_id}"}
    assert (row["rating"], row["countedRating"], row["hasSpoilers"]) == ({"N": "8"}, {"N": "8"}, {"BOOL": True})


async def test_rating_again_replaces_and_taking_it_back_undoes_it(service: WorthWatchService, kit: Kit) -> None:
    one, two, title = await member(kit), await member(kit), await film(service)
    await rate(service, one, title, 9)
    await rate(service, two, title, 4)
    assert await _now(service, title) == (2, 13, Decimal("6.5"), {4: 1, 9: 1})
    await rate(service, two, title, 10)
    assert await _now(service, title) == (2, 19, Decimal("9.5"), {9: 1, 10: 1})
    await service.ratings.remove(viewer=one, content_type="MOVIE", content_id=title.movie_id)
    assert await _now(service, title) == (1, 10, Decimal(10), {10: 1})
    await service.ratings.remove(viewer=two, content_type="MOVIE", content_id=title.movie_id)
    assert await _now(service, title) == (0, 0, None, {})
    with pytest.raises(NotFound, match="not rated"):
        await service.ratings.remove(two, "MOVIE", title.movie_id)


async def test_rating_marks_seen_takes_it_off_to_watch_and_stays_seen_without_the_rating(
    service: WorthWatchService, kit: Kit
) -> None:
    who, title = await member(kit), await film(service)
    await service.marks.want(who, "MOVIE", title.movie_id)
    await rate(service, who, title, 7)
    mine = await service.shelves.mine(who, "MOVIE", title.movie_id)
    assert mine is not None
    assert (mine.seen, mine.rating, mine.queued) == (True, 7, None)
    assert await kit.store.get(schema.queued(who.id, "MOVIE", title.movie_id)) is None
    await service.ratings.remove(who, "MOVIE", title.movie_id)
    mine = await service.shelves.mine(who, "MOVIE", title.movie_id)
    assert mine is not None
    assert (mine.seen, mine.rating) == (True, None)


async def test_a_review_that_is_not_mentioned_stays_and_an_empty_one_goes(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    await rate(service, who, title, 5, review="Kept", hasSpoilers=True)
    again = await rate(service, who, title, 6)
    assert (again.review, again.has_spoilers) == ("Kept", True)
    gone = await rate(service, who, title, 6, review="")
    assert (gone.review, gone.has_spoilers) == (None, None)
    assert not (await service.ratings.reviews("MOVIE", title.movie_id)).items


async def test_the_same_rating_again_counts_once(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    for _ in range(3):
        await rate(service, who, title, 4)
    assert await _now(service, title) == (1, 4, Decimal(4), {4: 1})


async def test_series_are_rated_as_films_are(service: WorthWatchService, kit: Kit) -> None:
    show = await service.titles.add(LIBRARIAN, NewShow(title="Night shift"))
    await service.ratings.rate(await member(kit), "SHOW", show.content_id, RatingInput(rating=3))
    assert _sums(await service.titles.title("SHOW", show.content_id)) == (1, 3, Decimal(3), {3: 1})


async def test_a_title_that_is_not_there_cannot_be_rated_and_leaves_nothing(
    service: WorthWatchService, kit: Kit
) -> None:
    who = await member(kit)
    with pytest.raises(NotFound):
        await service.ratings.rate(who, "MOVIE", "nothing", RatingInput(rating=4))
    assert await kit.store.get(schema.rating(who.id, "MOVIE", "nothing")) is None
    assert await kit.store.get(schema.mine(who.id, "MOVIE", "nothing")) is None
    assert await kit.store.get(schema.movie("nothing")) is None, "no fragment of a title is made"


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_64_people_rate_one_title_at_once_and_everybody_is_served(
    tmp_path: Path, weather: FaultPlan | None
) -> None:
    """Each rates twice, and every fourth takes it back; what is left must add up exactly."""
    with kit_on(tmp_path, WORTHWATCH, faults=weather) as kit:
        kit.accounts.use(POLICY, ())
        service = WorthWatchService(kit)
        title = await film(service)
        people = [await member(kit) for _ in range(64)]
        dice = random.Random(64)

        async def both(place: int) -> int | None:
            who, first, second = people[place], dice.randint(1, 10), dice.randint(1, 10)
            await rate(service, who, title, first)
            await rate(service, who, title, second)
            if place % 4 == 0:
                await service.ratings.remove(who, "MOVIE", title.movie_id)
                return None
            return second

        given = [each for each in await asyncio.gather(*map(both, range(64))) if each is not None]
        bars = {number: given.count(number) for number in range(1, 11) if given.count(number)}
        average = (Decimal(sum(given)) / 48).quantize(Decimal("0.01"))
        assert await _now(service, title) == (48, sum(given), average, bars)
        kept = [each.rating for each in await ratings_of(kit, "MOVIE", title.movie_id)]
        assert sorted(kept) == sorted(given)


async def test_one_person_who_presses_many_keys_at_once_has_one_rating(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    await asyncio.gather(*(rate(service, who, title, 1 + press % 10) for press in range(16)))
    mine = await service.ratings.mine(who, "MOVIE", title.movie_id)
    assert await _now(service, title) == (1, mine.rating, Decimal(mine.rating), {mine.rating: 1})
    mark = await service.shelves.mine(who, "MOVIE", title.movie_id)
    assert mark is not None
    assert mark.rating == mine.rating


async def test_what_another_program_wrote_is_counted_once_and_never_subtracted_uncounted(
    service: WorthWatchService, kit: Kit
) -> None:
    """A rating without `countedRating` is in no sum; a title that was overwritten has lost its sums."""
    one, two, title = await member(kit), await member(kit), await film(service)
    foreign = Rating(
        user_id=one.id, content_type="MOVIE", content_id=title.movie_id, rating=2, rated_at="2026-01-01T00:00:00Z"
    )
    row = {name: value for name, value in foreign.to_row().items() if name != "countedRating"}
    kit.tables.transport.call("PutItem", {"TableName": "worthwatch", "Item": row})
    await rate(service, one, title, 6)
    assert await _now(service, title) == (1, 6, Decimal(6), {6: 1})
    await rate(service, two, title, 8)
    bare = Movie(movie_id=title.movie_id, title=title.title, created_at=title.created_at, updated_at=title.updated_at)
    await kit.store.write(Put(bare))
    await service.ratings.remove(two, "MOVIE", title.movie_id)
    assert await _now(service, title) == (0, 0, None, {})
    await rate(service, one, title, 9)
    assert await _now(service, title) == (1, 9, Decimal(9), {9: 1})


async def test_a_rating_goes_though_its_title_is_gone(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    await rate(service, who, title, 6)
    await service.titles.delete(LIBRARIAN, "MOVIE", title.movie_id)
    (mine,) = (await service.ratings.my_ratings(who)).items
    assert (mine.rating.rating, mine.title) == (6, None), "the row stays and says so"
    await service.ratings.remove(who, "MOVIE", title.movie_id)
    assert not (await service.ratings.my_ratings(who)).items


async def test_everybody_sees_reviews_and_curators_ratings_and_nobody_a_members_bare_rating(
    service: WorthWatchService, kit: Kit
) -> None:
    title = await film(service)
    quiet, writes, curates, gone = [await member(kit), await member(kit), await curator(kit), await curator(kit)]
    await rate(service, quiet, title, 3)
    await rate(service, writes, title, 6, review="A review")
    await rate(service, curates, title, 9)
    await rate(service, gone, title, 1, review="Of a suspended curator")
    await suspend(kit, gone)
    await worker_of(kit, system.build(kit)).drain()
    shown = {each.rating.user_id for each in (await service.ratings.public("MOVIE", title.movie_id)).items}
    assert shown == {writes.id, curates.id}
    (review,) = (await service.ratings.reviews("MOVIE", title.movie_id)).items
    assert (review.rating.review, review.by and review.by.user_id) == ("A review", writes.id)


async def test_my_reviews_are_those_of_my_ratings_that_have_words(service: WorthWatchService, kit: Kit) -> None:
    who = await member(kit)
    films = [await film(service) for _ in range(4)]
    for number, title in enumerate(films):
        await rate(service, who, title, 5, **({"review": "Words"} if number % 2 else {}))
    found = [each.rating.content_id for each in (await service.ratings.my_reviews(who, limit=10)).items]
    assert found == [films[3].movie_id, films[1].movie_id]
    assert len((await service.ratings.my_ratings(who, limit=10)).items) == 4


async def test_what_rating_costs(service: WorthWatchService, kit: Kit) -> None:
    """In a transaction everything counts twice, the entries of indexes too: the rating is in one index, the mark in
    two; with a review three more know it. Rating anew moves its entry, which is a deletion as well."""
    who, other = await member(kit), await member(kit)
    title = await film(service, synopsis="Somebody is on a train. " * 12, directors=["Ada Fox"], genres=["Drama"])
    seen: list[Observation] = []
    kit.tables.observe(seen.append)
    await rate(service, who, title, 8)
    first = sum(call.units for call in seen if call.operation == "TransactWriteItems")
    seen.clear()
    await rate(service, who, title, 9)
    again = sum(call.units for call in seen if call.operation == "TransactWriteItems")
    seen.clear()
    await rate(service, other, title, 9, review="On a train, in the rain.")
    reviewed = sum(call.units for call in seen if call.operation == "TransactWriteItems")
    wanted = await film(service)
    await service.marks.want(who, "MOVIE", wanted.movie_id)
    seen.clear()
    await rate(service, who, wanted, 7)
    queued = sum(call.units for call in seen if call.operation == "TransactWriteItems")
    kit.tables.observers.remove(seen.append)
    assert (first, again, reviewed, queued) == (12, 12, 18, 14)


async def test_what_somebody_rated_before_they_became_a_curator_is_seen_by_everybody(
    service: WorthWatchService, kit: Kit
) -> None:
    title, who = await film(service), await member(kit)
    await rate(service, who, title, 7)
    worker = worker_of(kit, system.build(kit))
    await worker.drain()
    assert not (await service.ratings.public("MOVIE", title.movie_id)).items
    key = User.key(User.user_id(who.id))
    await kit.store.write(Update(key, User.curator_status.set("approved"), User.is_curator.set(True)))
    await worker.drain()
    (found,) = (await service.ratings.public("MOVIE", title.movie_id)).items
    assert (found.rating.rating, found.rating.user_id) == (7, who.id)
    await rate(service, who, title, 8)
    (found,) = (await service.ratings.public("MOVIE", title.movie_id)).items
    assert found.rating.rating == 8, "a new rating stays visible"


async def test_an_edit_of_facts_and_a_rating_at_one_moment_both_hold(service: WorthWatchService, kit: Kit) -> None:
    who, title = await member(kit), await film(service)
    key = Movie.key(Movie.movie_id(title.movie_id))
    await asyncio.gather(rate(service, who, title, 5), kit.store.write(Update(key, Movie.synopsis.set("New words"))))
    found = await service.titles.title("MOVIE", title.movie_id)
    assert (found.synopsis, found.rating_count) == ("New words", 1)
