"""A table that the original program wrote: read, adopted once, counted exactly, and never below zero."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from partita.apps.fus import schema, system
from partita.apps.fus.inputs import CommentInput, GroupEdit, NewGroup, RatingInput, SiteEdit
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import FUS, Site
from partita.apps.fus.service import FusService
from partita.apps.fus.service.grants import GroupGrants
from partita.engine import FaultPlan
from partita.kit.adoption import Report
from partita.kit.kit import Kit
from partita.store.observe import Observation
from tests.apps.fus import original
from tests.apps.fus.conftest import MANAGES, POLICY, READS, account, adopt_everything, member, put
from tests.apps.house import BAD_WEATHER, kit_on, person, worker_of

pytestmark = pytest.mark.anyio
ADMIN = person("admin", *POLICY.known)


def _numbers(site: Site) -> tuple[int, int, tuple[int, ...], int]:
    return site.rating_count or 0, site.rating_sum or 0, site.rating_histogram, site.comment_count or 0


def _told(done: Report) -> tuple[int, int, int, int]:
    adopted = done.adopted
    return adopted["site"], adopted["rating"], adopted["comment"], adopted["membership"]


async def _old_table(kit: Kit) -> None:
    """Two sites, three ratings, two comments, a group with two members."""
    await original.write(
        kit,
        *original.site("1", "", "maps", "paths"),
        *original.site("2"),
        original.rating(READS.id, "1", 4),
        original.rating("u2", "1", 5),
        original.rating("u2", "2", 2),
        original.comment(READS.id, "1", "c1"),
        original.comment("u3", "1", "c2", "Said by somebody who never gave a star"),
        original.group("keepers", Fus.EDIT),
        original.membership(READS.id, "keepers"),
        original.membership("u2", "keepers"),
    )


async def test_a_table_of_the_original_program_is_taken_in_whole_and_once(service: FusService, kit: Kit) -> None:
    await _old_table(kit)
    done = await adopt_everything(kit)
    assert _told(done) == (2, 3, 2, 2)
    assert (done.refused, done.unreadable) == ([], [])
    assert _numbers(await service.sites.site("1")) == (2, 9, (0, 0, 0, 1, 1), 2)
    assert _numbers(await service.sites.site("2")) == (1, 2, (0, 1, 0, 0, 0), 0)
    assert (await service.groups.group("keepers")).member_count == 2
    best = await service.catalog.browse(sort="rating")
    assert [each.item.site_id for each in best.items] == ["1", "2"], "ranked, before any change was followed"
    assert [each.item.site_id for each in (await service.catalog.browse(tags=["maps"])).items] == ["1"]
    mine = await service.ratings.my_ratings(READS)
    assert [(each.site.site_id, each.rating.stars, each.rating.note) for each in mine.items] == [
        ("1", 4, "To look at again")
    ]
    said = await service.comments.of_site("1")
    assert {each.comment.user_id for each in said.items} == {READS.id, "u3"}
    assert len((await service.comments.mine(READS)).items) == 1
    assert _told(await adopt_everything(kit)) == (0, 0, 0, 0)


async def test_what_is_taken_in_keeps_every_documented_attribute(kit: Kit) -> None:
    await original.write(kit, *original.site("1"), original.rating("u", "1", 4, colour="blue"))
    before = (await kit.store.get(schema.my_rating("u", "1"))).to_row()  # type: ignore[union-attr]
    await adopt_everything(kit)
    after = (await kit.store.get(schema.my_rating("u", "1"))).to_row()  # type: ignore[union-attr]
    assert after == {**before, "countedStars": {"N": "4"}}
    assert after["colour"] == {"S": "blue"}


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
async def test_taken_in_beside_people_who_rate_comment_and_leave_everything_adds_up(
    tmp_path: Path, weather: FaultPlan | None
) -> None:
    with kit_on(tmp_path, FUS, faults=weather) as kit:
        kit.accounts.use(POLICY, (GroupGrants(kit),))
        service = FusService(kit)
        people = [person(f"u{number}", Fus.RATE, Fus.COMMENT) for number in range(30)]
        rows = [original.rating(who.id, "1", 1 + place % 5) for place, who in enumerate(people)]
        rows += [original.comment(who.id, "1", "c") for who in people]
        rows += [original.membership(who.id, "keepers") for who in people]
        await original.write(kit, *original.site("1"), original.group("keepers", Fus.EDIT), *rows)

        async def live(place: int) -> None:
            who = people[place]
            if place % 3 == 0:
                await service.ratings.rate(who, "1", RatingInput(stars=5))
                await service.comments.write(who, "1", CommentInput(body="More"))
            elif place % 3 == 1:
                await service.ratings.remove(who, "1")
                await service.comments.delete(who, "1", f"{who.id}.c")
                await service.groups.remove_member(ADMIN, "keepers", who.id)

        worker = worker_of(kit, system.build(kit))
        await asyncio.gather(adopt_everything(kit), adopt_everything(kit), worker.drain(), *map(live, range(30)))
        await adopt_everything(kit)
        await worker.drain()
        given = [5 if place % 3 == 0 else 1 + place % 5 for place in range(30) if place % 3 != 1]
        site = await service.sites.site("1")
        histogram = tuple(given.count(stars) for stars in range(1, 6))
        assert _numbers(site) == (20, sum(given), histogram, 30)
        assert len([each async for each in kit.store.stream(schema.comments_of("1"))]) == 30
        assert site.rating_rank == site.rank
        assert (await service.groups.group("keepers")).member_count == 20


async def test_an_interrupted_intake_goes_on_and_counts_nothing_twice(service: FusService, kit: Kit) -> None:
    await original.write(kit, *original.site("1"), *(original.rating(f"u{number}", "1", 4) for number in range(40)))
    seen = 0
    working = asyncio.create_task(adopt_everything(kit))

    def interrupt(call: Observation) -> None:
        nonlocal seen
        seen += call.operation == "TransactWriteItems"
        if seen == 10:
            working.cancel()

    kit.tables.observe(interrupt)
    with pytest.raises(asyncio.CancelledError):
        await working
    kit.tables.observers.remove(interrupt)
    counted = (await service.sites.site("1")).rating_count or 0
    assert 0 < counted < 40
    done = await adopt_everything(kit)
    missing = 40 - counted - done.adopted["rating"]
    assert missing in (0, 1), "a write that was on its way at the interruption may have arrived"
    assert _numbers(await service.sites.site("1")) == (40, 160, (0, 0, 0, 40, 0), 0)


async def test_what_the_original_program_writes_is_taken_in_by_its_change(service: FusService, kit: Kit) -> None:
    await _old_table(kit)
    worker = worker_of(kit, system.build(kit))
    await worker.drain()
    assert _numbers(await service.sites.site("1")) == (2, 9, (0, 0, 0, 1, 1), 2)
    assert (await service.groups.group("keepers")).member_count == 2
    assert _told(await adopt_everything(kit)) == (0, 0, 0, 0)
    await original.write(
        kit,
        original.rating("u2", "1", 1),
        original.comment("u3", "1", "c2", "Said anew"),
        original.membership("u2", "keepers"),
    )
    await worker.drain()
    assert _numbers(await service.sites.site("1")) == (2, 5, (1, 0, 0, 1, 0), 2), "written over, and still counted once"
    assert (await service.groups.group("keepers")).member_count == 2
    assert "Said anew" in {each.comment.body for each in (await service.comments.of_site("1")).items}


async def test_a_site_that_is_written_over_keeps_its_numbers_and_its_place(service: FusService, kit: Kit) -> None:
    worker = worker_of(kit, system.build(kit))
    site = await put(service, "Ours", url="https://ours.example.org/", tags=["maps", "old"])
    await service.ratings.rate(READS, site.site_id, RatingInput(stars=4))
    await service.comments.write(READS, site.site_id, CommentInput(body="Good"))
    await worker.drain()
    await original.write(kit, *original.site(site.site_id, "https://other.example.org/", "maps", "new"))
    await service.ratings.rate(member(), site.site_id, RatingInput(stars=5))
    await worker.drain()
    after = await service.sites.site(site.site_id)
    assert _numbers(after) == (2, 9, (0, 0, 0, 1, 1), 1)
    assert (after.title, after.rating_rank) == (f"Über {site.site_id}", after.rank)
    assert await service.sites.total() == 1
    totals = {total.tag: total.count for total in await service.catalog.tags()}
    assert totals == {"maps": 1, "new": 1}
    await put(service, url="https://ours.example.org/")


async def test_a_group_that_is_written_over_keeps_its_number(service: FusService, kit: Kit) -> None:
    worker = worker_of(kit, system.build(kit))
    group = await service.groups.create(ADMIN, NewGroup(name="keepers", permissions=(Fus.EDIT,)))
    for name in ("Ada", "Ben"):
        await service.groups.add_member(ADMIN, "keepers", (await account(kit, name)).user_id)
    await worker.drain()
    await original.write(kit, original.group("keepers", Fus.DELETE, createdAt=group.created_at))
    await worker.drain()
    after = await service.groups.group("keepers")
    assert (after.permissions, after.member_count) == ((Fus.DELETE,), 2)
    assert _told(await adopt_everything(kit)) == (0, 0, 0, 0)


async def test_a_site_that_was_written_over_unseen_is_listed_again(service: FusService, kit: Kit) -> None:
    site = await put(service, "Ours", url="https://ours.example.org/")
    await original.write(kit, *original.site(site.site_id, "https://ours.example.org/"))
    assert _told(await adopt_everything(kit)) == (1, 0, 0, 0)
    assert [each.item.site_id for each in (await service.catalog.browse()).items] == [site.site_id]
    assert await service.sites.total() == 1


# ---- without being adopted


async def _lists_are_readable(service: FusService) -> None:
    for sort in ("newest", "rating", "title"):
        await service.catalog.browse(sort=sort)
    await service.groups.groups()


async def test_what_was_never_counted_up_is_never_counted_down(service: FusService, kit: Kit) -> None:
    await _old_table(kit)
    await service.ratings.remove(READS, "1")
    await service.comments.delete(READS, "1", f"{READS.id}.c1")
    await service.groups.remove_member(ADMIN, "keepers", READS.id)
    assert _numbers(await service.sites.site("1")) == (0, 0, (0, 0, 0, 0, 0), 0)
    assert (await service.groups.group("keepers")).member_count in (None, 0)
    await _lists_are_readable(service)
    assert _told(await adopt_everything(kit)) == (2, 2, 1, 1)
    assert _numbers(await service.sites.site("1")) == (1, 5, (0, 0, 0, 0, 1), 1)
    assert (await service.groups.group("keepers")).member_count == 1
    await _lists_are_readable(service)


async def test_a_rating_nobody_counted_is_counted_as_new_when_it_is_given_again(service: FusService, kit: Kit) -> None:
    await original.write(kit, *original.site("1"), original.rating(READS.id, "1", 4))
    rating = await service.ratings.rate(READS, "1", RatingInput(stars=2))
    assert rating.note == "To look at again"
    assert _numbers(await service.sites.site("1")) == (1, 2, (0, 1, 0, 0, 0), 0)
    await service.ratings.rate(READS, "1", RatingInput(stars=2))
    await adopt_everything(kit)
    assert _numbers(await service.sites.site("1")) == (1, 2, (0, 1, 0, 0, 0), 0)
    await service.ratings.remove(READS, "1")
    assert _numbers(await service.sites.site("1")) == (0, 0, (0, 0, 0, 0, 0), 0)


async def test_stars_that_another_program_changed_are_taken_out_as_they_were_counted(
    service: FusService, kit: Kit
) -> None:
    site = await put(service)
    await service.ratings.rate(READS, site.site_id, RatingInput(stars=4))
    changed = original.rating(READS.id, site.site_id, 5, countedStars=4)  # as by an update of stars alone
    await original.write(kit, changed)
    await service.ratings.remove(READS, site.site_id)
    assert _numbers(await service.sites.site(site.site_id)) == (0, 0, (0, 0, 0, 0, 0), 0)
    await _lists_are_readable(service)


async def test_where_a_site_or_a_group_was_written_over_nothing_goes_below_zero(service: FusService, kit: Kit) -> None:
    site = await put(service)
    other = member()
    for who in (READS, other):
        await service.ratings.rate(who, site.site_id, RatingInput(stars=4))
    said = await service.comments.write(READS, site.site_id, CommentInput(body="Good"))
    ada = await account(kit, "Ada")
    await service.groups.create(ADMIN, NewGroup(name="keepers"))
    await service.groups.add_member(ADMIN, "keepers", ada.user_id)
    await original.write(kit, *original.site(site.site_id, site.url), original.group("keepers"))
    await service.ratings.remove(READS, site.site_id)
    await service.ratings.rate(other, site.site_id, RatingInput(stars=1))
    await service.comments.delete(READS, site.site_id, f"{READS.id}.{said.comment.comment_id}")
    # The membership still counts: it is not older than the group as it was written over.
    await service.groups.remove_member(ADMIN, "keepers", ada.user_id)
    assert _numbers(await service.sites.site(site.site_id)) == (1, 1, (1, 0, 0, 0, 0), 0)
    assert (await service.groups.group("keepers")).member_count is None
    await _lists_are_readable(service)


async def test_what_the_document_calls_examples_may_be_left_out(service: FusService, kit: Kit) -> None:
    site, group, rating = original.site("1")[0], original.group("keepers"), original.rating(READS.id, "1", 4)
    for row, names in ((site, ("description", "scrapedContent", "tags")), (group, ("description", "permissions"))):
        for name in names:
            del row[name]
    del rating["note"]
    await original.write(kit, site, group, rating)
    assert _told(await adopt_everything(kit)) == (1, 1, 0, 0)
    assert (await service.sites.edit(MANAGES, "1", SiteEdit(description="Now"))).description == "Now"
    assert (await service.groups.edit(ADMIN, "keepers", GroupEdit(description="Now"))).description == "Now"
    ada = await account(kit, "Ada")
    await service.groups.add_member(ADMIN, "keepers", ada.user_id)
    assert (await service.ratings.rate(READS, "1", RatingInput(stars=3))).stars == 3


async def test_tags_in_capitals_are_taken_in_in_our_spelling(service: FusService, kit: Kit) -> None:
    await original.write(kit, *original.site("1", "", "JavaScript"))
    assert (await adopt_everything(kit)).adopted["site"] == 1
    assert (await service.catalog.browse(tags=["javascript"])).total == 1
    assert (await service.sites.edit(MANAGES, "1", SiteEdit(tags=("maps",)))).tags == ("maps",)


async def test_a_rating_or_comment_of_a_site_that_is_gone_counts_nowhere(kit: Kit) -> None:
    await original.write(
        kit,
        original.rating("u", "gone", 4),
        original.comment("u", "gone", "c"),
        original.membership("u", "gone"),
    )
    assert _told(await adopt_everything(kit)) == (0, 0, 0, 0)
    assert await kit.store.get(schema.site("gone")) is None


async def test_what_does_not_fit_its_type_is_named_and_the_rest_taken_in(service: FusService, kit: Kit) -> None:
    await original.write(kit, *original.site("1"), original.rating("u1", "1", 9), original.rating("u2", "1", 4))
    done = await adopt_everything(kit)
    assert done.adopted["rating"] == 1
    (told,) = done.unreadable
    assert "USER#u1" in told
    assert "To look at again" not in told, "a note is nobody's but its author's"


async def test_what_fus_wrote_itself_is_counted_already(service: FusService, kit: Kit) -> None:
    site = await put(service)
    await service.ratings.rate(READS, site.site_id, RatingInput(stars=4))
    await service.comments.write(READS, site.site_id, CommentInput(body="Good"))
    await service.groups.create(ADMIN, NewGroup(name="keepers"))
    await service.groups.add_member(ADMIN, "keepers", (await account(kit, "Ada")).user_id)
    assert _told(await adopt_everything(kit)) == (0, 0, 0, 0)
