"""Ratings: one per person and site, sums that are always exact, notes that only their author ever sees."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from partita.apps.fus import schema, system
from partita.apps.fus.formats import rating_rank
from partita.apps.fus.inputs import RatingInput
from partita.apps.fus.schema import FUS, STARS, Comment, Site
from partita.apps.fus.service import FusService
from partita.apps.fus.service.bookkeeping import new_comment
from partita.engine import FaultPlan
from partita.kit.kit import Kit
from partita.kit.problems import NotFound
from partita.store.observe import Observation
from partita.table import Put, Transaction
from tests.apps.fus.conftest import MANAGES, READS, member, put
from tests.apps.house import BAD_WEATHER, kit_on, worker_of

pytestmark = pytest.mark.anyio


def _sums(site: Site) -> tuple[int, int, tuple[int, ...]]:
    return site.rating_count or 0, site.rating_sum or 0, site.rating_histogram


async def test_a_rating_is_stored_as_the_document_says(service: FusService, kit: Kit) -> None:
    site = await put(service)
    await service.ratings.rate(READS, site.site_id, RatingInput(stars=4, note="Mine"))
    rating = await kit.store.get(schema.my_rating(READS.id, site.site_id))
    assert rating is not None
    row = rating.to_row()
    assert row["PK"] == {"S": f"USER#{READS.id}"}
    assert row["SK"] == row["siteId"] == {"S": f"SITE#{site.site_id}"}
    assert row["stars"] == row["starRating"] == {"N": "4"}
    assert row["note"] == {"S": "Mine"}


@pytest.mark.parametrize("stars", [0, 6, 2.5, -1, "many", None])
def test_stars_are_whole_and_from_one_to_five(stars: object) -> None:
    with pytest.raises(ValidationError):
        RatingInput.model_validate({"stars": stars})


def test_a_note_has_at_most_two_thousand_characters() -> None:
    assert RatingInput(stars=1, note="é" * 2000).note == "é" * 2000
    with pytest.raises(ValidationError):
        RatingInput(stars=1, note="x" * 2001)


async def test_rating_again_replaces_and_taking_it_back_undoes_it(service: FusService) -> None:
    site = await put(service)
    other = member()
    await service.ratings.rate(other, site.site_id, RatingInput(stars=5))
    await service.ratings.rate(READS, site.site_id, RatingInput(stars=1, note="First"))
    assert _sums(await service.sites.site(site.site_id)) == (2, 6, (1, 0, 0, 0, 1))
    await service.ratings.rate(READS, site.site_id, RatingInput(stars=3))
    assert _sums(await service.sites.site(site.site_id)) == (2, 8, (0, 0, 1, 0, 1))
    await service.ratings.remove(READS, site.site_id)
    assert _sums(await service.sites.site(site.site_id)) == (1, 5, (0, 0, 0, 0, 1))
    assert await service.ratings.mine(READS, site.site_id) is None
    with pytest.raises(NotFound, match="not rated"):
        await service.ratings.remove(READS, site.site_id)


async def test_a_note_that_is_not_mentioned_stays_and_an_empty_one_goes(service: FusService) -> None:
    site = await put(service)
    await service.ratings.rate(READS, site.site_id, RatingInput(stars=1, note="Kept"))
    assert (await service.ratings.rate(READS, site.site_id, RatingInput(stars=2))).note == "Kept"
    assert (await service.ratings.rate(READS, site.site_id, RatingInput(stars=2, note=""))).note == ""


async def test_the_same_stars_again_count_once(service: FusService) -> None:
    site = await put(service)
    for _ in range(3):
        await service.ratings.rate(READS, site.site_id, RatingInput(stars=4))
    assert _sums(await service.sites.site(site.site_id)) == (1, 4, (0, 0, 0, 1, 0))


async def test_a_site_that_is_not_there_cannot_be_rated_and_leaves_nothing(service: FusService, kit: Kit) -> None:
    with pytest.raises(NotFound):
        await service.ratings.rate(READS, "nothing", RatingInput(stars=4))
    assert await kit.store.get(schema.my_rating(READS.id, "nothing")) is None
    assert await kit.store.get(schema.site("nothing")) is None, "no fragment of a site is made"


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_fifty_people_rate_one_site_at_once_and_every_star_counts(
    tmp_path: Path, weather: FaultPlan | None
) -> None:
    """Each rates twice, and every fifth takes it back, all at the same time; what is left must add up exactly."""
    with kit_on(tmp_path, FUS, faults=weather) as kit:
        service = FusService(kit)
        site = await put(service)
        people = [member() for _ in range(50)]
        dice = random.Random(5)

        async def rate(place: int) -> int | None:
            who = people[place]
            first, second = dice.randint(1, 5), dice.randint(1, 5)
            await service.ratings.rate(who, site.site_id, RatingInput(stars=first))
            await service.ratings.rate(who, site.site_id, RatingInput(stars=second))
            if place % 5 == 0:
                await service.ratings.remove(who, site.site_id)
                return None
            return second

        given = [stars for stars in await asyncio.gather(*map(rate, range(50))) if stars is not None]
        found = await service.sites.site(site.site_id)
        assert _sums(found) == (40, sum(given), tuple(given.count(stars) for stars in range(1, 6)))
        kept = [rating.stars async for rating in kit.store.stream(schema.ratings_with(5))]
        assert len(kept) == given.count(5)


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_one_person_who_clicks_many_stars_at_once_has_one_rating(
    tmp_path: Path, weather: FaultPlan | None
) -> None:
    with kit_on(tmp_path, FUS, faults=weather) as kit:
        service = FusService(kit)
        site = await put(service)
        clicks = [service.ratings.rate(READS, site.site_id, RatingInput(stars=1 + click % 5)) for click in range(10)]
        await asyncio.gather(*clicks)
        mine = await service.ratings.mine(READS, site.site_id)
        assert mine is not None
        found = await service.sites.site(site.site_id)
        assert (found.rating_count, found.rating_sum) == (1, mine.stars)
        assert found.rating_histogram[mine.stars - 1] == sum(found.rating_histogram) == 1


async def test_my_ratings_are_newest_first_in_full_pages_with_their_sites(service: FusService) -> None:
    sites = [await put(service) for _ in range(7)]
    for site in sites:
        await service.ratings.rate(READS, site.site_id, RatingInput(stars=3, note=site.title))
    await service.sites.delete(MANAGES, sites[5].site_id)
    found, cursor, sizes = [], None, []
    while True:
        page = await service.ratings.my_ratings(READS, limit=2, cursor=cursor)
        found += [(each.site.site_id, each.rating.note) for each in page.items]
        sizes.append(len(page.items))
        cursor = page.next_cursor
        if cursor is None:
            break
    kept = [site for site in reversed(sites) if site is not sites[5]]
    assert found == [(site.site_id, site.title) for site in kept]
    assert sizes == [2, 2, 2], "a page is full though one of its ratings leads nowhere"


async def test_my_ratings_cost_the_same_beside_five_thousand_comments(service: FusService, kit: Kit) -> None:
    sites = [await put(service) for _ in range(20)]
    for site in sites:
        await service.ratings.rate(READS, site.site_id, RatingInput(stars=3))

    async def cost() -> tuple[int, float]:
        seen: list[Observation] = []
        kit.tables.observe(seen.append)
        page = await service.ratings.my_ratings(READS, limit=10)
        kit.tables.observers.remove(seen.append)
        assert len(page.items) == 10
        return len(seen), sum(call.units for call in seen)

    before = await cost()
    now = sites[0].created_at
    await kit.store.batch_write(
        Put(
            Comment(
                user_id=READS.id,
                site_id=sites[number % 20].site_id,
                comment_id=f"c{number}",
                body="x" * 200,
                created_at=now,
                updated_at=now,
            )
        )
        for number in range(5000)
    )
    assert await cost() == before
    assert before[0] == 2, "one query and one batch"


async def test_everybody_sees_who_gave_how_many_stars_and_nobody_a_note(service: FusService) -> None:
    site = await put(service)
    for stars in (5, 5, 3):
        await service.ratings.rate(member(), site.site_id, RatingInput(stars=stars, note="secret"))
    page = await service.ratings.with_stars(5, limit=1)
    rest = await service.ratings.with_stars(5, limit=1, cursor=page.next_cursor)
    assert [each.stars for each in (*page.items, *rest.items)] == [5, 5]
    assert rest.next_cursor is None
    assert "secret" not in repr(page) + repr(rest)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ((6, 29), (1, 5)),
        ((100, 499), (2, 10)),
        ((2, 10), (1, 5)),
        ((3, 13), (3, 12)),
        ((1, 1), (0, 0)),
        ((1, 1), (None, None)),
    ],
)
def test_many_good_ratings_rank_before_a_single_perfect_one(
    better: tuple[int, int], worse: tuple[int | None, int | None]
) -> None:
    assert rating_rank(*better) > rating_rank(*worse)


@given(st.integers(1, 10_000), st.integers(1, 10_000), st.floats(1, 5), st.floats(1, 5))
def test_of_as_many_ratings_the_better_average_ranks_first(count: int, more: int, low: float, high: float) -> None:
    worse, better = sorted((round(low * count), round(high * count)))
    assert rating_rank(count, worse) <= rating_rank(count, better)
    if better > 3 * count:
        assert rating_rank(count, better) < rating_rank(count * (more + 1), better * (more + 1)), "more people agree"


async def test_the_rank_follows_the_ratings_and_a_change_seen_twice_changes_nothing(
    service: FusService, kit: Kit
) -> None:
    site = await put(service)
    worker = worker_of(kit, system.build(kit))
    people = [member() for _ in range(6)]
    for stars, who in enumerate(people, 1):
        await service.ratings.rate(who, site.site_id, RatingInput(stars=min(stars, 5)))
    await service.ratings.remove(people[0], site.site_id)
    await worker.drain()
    found = await service.sites.site(site.site_id)
    assert STARS.mean(found) is not None
    assert found.rating_rank == found.rank == rating_rank(5, 19)


async def test_a_comment_under_the_same_site_is_no_rating(service: FusService, kit: Kit) -> None:
    site = await put(service)
    now = site.created_at
    comment = Comment(user_id=READS.id, site_id=site.site_id, comment_id="1", body="x", created_at=now, updated_at=now)
    await kit.store.transact(Transaction(*new_comment(comment)))
    assert await service.ratings.mine(READS, site.site_id) is None
    assert (await service.ratings.my_ratings(READS)).items == ()
