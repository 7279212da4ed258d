"""Merging two titles: nothing that lists, people and diaries say of them is lost, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from partita.apps.worthwatch import schema, system
from partita.apps.worthwatch.inputs import (
    ItemEdit,
    MovieEdit,
    NewItem,
    NewShow,
    NewViewing,
    QueueInput,
    RatingInput,
    SeenInput,
)
from partita.apps.worthwatch.schema import WORTHWATCH, ExternalId, Movie
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.items import item_version
from partita.apps.worthwatch.service.labels import Ref
from partita.apps.worthwatch.service.titles import title_version
from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, Forbidden, Invalid, NotFound
from partita.table import Put
from tests.apps.house import BAD_WEATHER, jobs_of, kit_on, worker_of
from tests.apps.worthwatch.conftest import LIBRARIAN, POLICY, add, curator, film, member, new_list, ratings_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def jobs(kit: Kit) -> JobWorker:
    return jobs_of(kit, system.build(kit))


async def merge(service: WorthWatchService, jobs: JobWorker, title: Movie, into: Movie) -> None:
    await service.merging.begin(LIBRARIAN, "MOVIE", title.movie_id, into.movie_id)
    await jobs.drain()


async def check_sums(kit: Kit, title: Movie) -> Movie:
    """The title as it is, if its sums are what its ratings and uses add up to."""
    now = await kit.store.get(schema.movie(title.movie_id).consistently())
    assert now is not None
    stars = [each.rating for each in await ratings_of(kit, "MOVIE", title.movie_id)]
    uses = [each async for each in kit.store.stream(schema.lists_with("MOVIE", title.movie_id))]
    assert (now.rating_count or 0, now.rating_sum or 0) == (len(stars), sum(stars))
    assert now.histogram == tuple(stars.count(number) for number in range(1, 11))
    if stars:
        mean = (Decimal(sum(stars)) / len(stars)).quantize(Decimal("0.01"), ROUND_HALF_UP)
        assert Decimal(now.rating) == mean
    assert (now.listed_in or 0) == len(uses)
    return now


async def nothing_left(kit: Kit, title: Movie) -> None:
    ref: Ref = "MOVIE", title.movie_id
    for query in (schema.lists_with, schema.marks_of, schema.viewings_of):
        assert [each async for each in kit.store.stream(query(*ref))] == [], query.__name__
    assert await ratings_of(kit, *ref) == []


async def test_lists_ratings_marks_queue_and_diary_move_with_their_counts(
    service: WorthWatchService, kit: Kit, jobs: JobWorker
) -> None:
    same, twin = await film(service, "Cléo from 5 to 7"), await film(service, "Cleo 5-7")
    ada, bob, eve = await curator(kit), await member(kit), await member(kit)
    one, both = await new_list(service, ada, is_public=True), await new_list(service, ada)
    await add(service, ada, one, twin)
    for title in (twin, same):
        await add(service, ada, both, title)
        item = await service.items.item(both.watchlist_id, "MOVIE", title.movie_id)
        note = ItemEdit(curator_note=f"Note on {title.title}", version=item_version(item))
        await service.items.edit(ada, both.watchlist_id, "MOVIE", title.movie_id, note)
    await service.ratings.rate(bob, "MOVIE", twin.movie_id, RatingInput(rating=4, review="Twin"))
    await service.ratings.rate(eve, "MOVIE", twin.movie_id, RatingInput(rating=3))
    await service.ratings.rate(eve, "MOVIE", same.movie_id, RatingInput(rating=9))
    await service.diary.log(
        bob, NewViewing(content_type="MOVIE", content_id=twin.movie_id, day=date(2024, 1, 1), note="Rain")
    )
    await service.marks.want(ada, "MOVIE", twin.movie_id, QueueInput())
    await merge(service, jobs, twin, same)
    await nothing_left(kit, twin)
    now = await check_sums(kit, same)
    assert (now.rating_count, now.rating_sum, now.listed_in) == (2, 13, 2)
    assert (await service.ratings.mine(bob, "MOVIE", same.movie_id)).review == "Twin"
    assert (await service.ratings.mine(eve, "MOVIE", same.movie_id)).rating == 9, "the later one"
    joined = await service.items.all_in_order(both.watchlist_id)
    assert [item.content_id for item in joined] == [same.movie_id]
    assert joined[0].curator_note == "Note on Cleo 5-7\n\nNote on Cléo from 5 to 7"
    lists = await service.lists.by_id([one.watchlist_id, both.watchlist_id])
    assert {each.item_count for each in lists.values()} == {1}
    marks = {each.user_id: each async for each in kit.store.stream(schema.marks_of("MOVIE", same.movie_id))}
    assert (marks[bob.id].times, marks[bob.id].last_seen_on, marks[bob.id].rating) == (1, "2024-01-01", 4)
    assert marks[eve.id].rating == 9
    assert marks[ada.id].queued
    queue = [each.content_id async for each in kit.store.stream(schema.queue_shelf(ada.id))]
    assert queue == [same.movie_id]
    diary = [(each.content_id, each.note) async for each in kit.store.stream(schema.diary_of(bob.id))]
    assert diary == [(same.movie_id, "Rain")]


async def test_names_and_ids_go_to_the_other_and_the_address_redirects_for_good(
    service: WorthWatchService, kit: Kit, jobs: JobWorker
) -> None:
    same = await film(service, "Breathless", imdb_id="tt0053472")
    twin = await film(service, "À bout de souffle", tmdb_id="269", imdb_id="tt9999999", other_titles=("Breathless 2",))
    final = await film(service, "Breathless, again")
    await merge(service, jobs, twin, same)
    now = await service.titles.title("MOVIE", same.movie_id)
    assert now.other_titles == ("À bout de souffle", "Breathless 2")
    assert (now.imdb_id, now.tmdb_id) == ("tt0053472", "269")
    guard = ExternalId(source="tmdb", external_id="movie/269", of_content="")
    assert await service.titles.with_external_id(guard) == ("MOVIE", same.movie_id)
    free = ExternalId(source="imdb", external_id="tt9999999", of_content="")
    assert await service.titles.with_external_id(free) is None
    named = await service.titles.named("a bout de souffle", "MOVIE")
    assert [each.content_id for each in named] == [same.movie_id]
    with pytest.raises(NotFound):
        await service.titles.title("MOVIE", twin.movie_id)
    assert await service.merging.resolve("MOVIE", twin.movie_id) == ("MOVIE", same.movie_id)
    await merge(service, jobs, Movie.model_validate(now.model_dump()), final)
    assert await service.merging.resolve("MOVIE", twin.movie_id) == ("MOVIE", final.movie_id)
    assert await service.merging.resolve("MOVIE", final.movie_id) is None
    edit = MovieEdit(title="Breathless", version=title_version(await service.titles.title("MOVIE", final.movie_id)))
    await service.titles.edit(LIBRARIAN, final.movie_id, edit)
    mark = await kit.store.get(schema.merged("MOVIE", twin.movie_id))
    assert mark is not None
    assert mark.done_at is not None


async def test_what_cannot_be_merged_is_refused(service: WorthWatchService, kit: Kit, jobs: JobWorker) -> None:
    one, other, third = [await film(service) for _ in range(3)]
    series = await service.titles.add(LIBRARIAN, NewShow(title="Series"))
    with pytest.raises(Forbidden):
        await service.merging.begin(await member(kit), "MOVIE", one.movie_id, other.movie_id)
    with pytest.raises(Invalid):
        await service.merging.begin(LIBRARIAN, "MOVIE", one.movie_id, one.movie_id)
    for into in (series.content_id, "none"):
        with pytest.raises(NotFound):
            await service.merging.begin(LIBRARIAN, "MOVIE", one.movie_id, into)
    await merge(service, jobs, one, other)
    with pytest.raises(Conflict):
        await service.merging.begin(LIBRARIAN, "MOVIE", one.movie_id, third.movie_id)
    await merge(service, jobs, one, other)  # once more is no harm


async def test_what_is_written_while_a_title_is_merged_moves_by_its_change(
    service: WorthWatchService, kit: Kit, jobs: JobWorker
) -> None:
    same, twin = await film(service), await film(service)
    bob = await member(kit)
    await merge(service, jobs, twin, same)
    late = schema.Mine(user_id=bob.id, content_type="MOVIE", content_id=twin.movie_id, marked_at="2026-01-01T00:00:00Z")
    entry = schema.Viewing(
        user_id=bob.id, day="2026-01-01", viewing_id="v", content_type="MOVIE", content_id=twin.movie_id
    )
    await kit.store.write(Put(late))
    await kit.store.write(Put(entry))
    await worker_of(kit, system.build(kit)).drain()
    await nothing_left(kit, twin)
    mine = await kit.store.get(schema.mine(bob.id, "MOVIE", same.movie_id))
    assert mine is not None
    assert mine.seen


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["calm", "bad weather"])
async def test_nothing_is_lost_while_people_rate_list_and_mark(tmp_path: Path, weather: object) -> None:
    """24 people rate, list and mark one of two titles, some both, while one is merged into the other."""
    with kit_on(tmp_path, WORTHWATCH, faults=weather) as kit:  # type: ignore[arg-type]
        kit.accounts.use(POLICY, ())
        service, built = WorthWatchService(kit), system.build(kit)
        jobs = jobs_of(kit, built)
        same, twin = await film(service, "Same"), await film(service, "Twin")
        people = [await member(kit) for _ in range(24)]
        lists = [await new_list(service, each) for each in people]
        done: set[tuple[str, str]] = set()
        ratings: dict[str, list[str]] = {}

        async def live(number: int, viewer: Viewer) -> None:
            for title in (twin, same) if number % 3 == 0 else (twin,) if number % 3 == 1 else (same,):
                ref: Ref = "MOVIE", title.movie_id
                steps = [
                    ("rated", service.ratings.rate(viewer, *ref, RatingInput(rating=1 + number % 10))),
                    ("seen", service.marks.mark_seen(viewer, *ref, SeenInput(day=date(2025, 1, 1 + number)))),
                    (
                        "listed",
                        service.items.add(
                            viewer, lists[number].watchlist_id, NewItem(content_type="MOVIE", content_id=title.movie_id)
                        ),
                    ),
                ]
                for name, step in steps:
                    try:
                        await step
                        done.add((name, viewer.id))
                        if name == "rated":
                            ratings.setdefault(viewer.id, []).append(title.movie_id)
                    except (NotFound, Conflict):
                        pass  # it was merged already, and they are told so

        async def merge_them() -> None:
            await asyncio.sleep(0)
            await service.merging.begin(LIBRARIAN, "MOVIE", twin.movie_id, same.movie_id)
            await jobs.drain()

        await asyncio.gather(*(live(*each) for each in enumerate(people)), merge_them())
        job = await service.merging.begin(LIBRARIAN, "MOVIE", twin.movie_id, same.movie_id)
        for _ in range(5):
            await jobs.drain()
            state = await kit.jobs.find(LIBRARIAN, job.job_id)
            if state.state == "failed":
                await kit.jobs.retry(LIBRARIAN, job.job_id)
        await worker_of(kit, built).drain()
        await nothing_left(kit, twin)
        await check_sums(kit, same)
        rated = {each.user_id for each in await ratings_of(kit, "MOVIE", same.movie_id)}
        assert rated == {user for what, user in done if what == "rated"}
        seen = {each.user_id async for each in kit.store.stream(schema.marks_of("MOVIE", same.movie_id)) if each.seen}
        assert seen == {user for what, user in done if what != "listed"}
        for viewer, watchlist in zip(people, lists, strict=True):
            items = await service.items.all_in_order(watchlist.watchlist_id)
            now = await service.lists.own(viewer, watchlist.watchlist_id)
            assert now.item_count == len(items) == (("listed", viewer.id) in done)
