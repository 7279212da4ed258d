"""Collections hold each site once, count exactly, and only their owner and those who have the link see them."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.fus import schema, system
from partita.apps.fus.inputs import CollectionEdit, CollectionInput, ProfileEdit, RatingInput
from partita.apps.fus.schema import FUS, CollectedSite, Collection, CollectionLink, CollectionMark, CollectionRemoval
from partita.apps.fus.service import FusService
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import Conflict, NotFound
from partita.table import Update
from tests.apps.fus.conftest import account, as_viewer, manager, member, put
from tests.apps.house import kit_on, replay, worker_of

pytestmark = pytest.mark.anyio
NAMED = CollectionInput(name="For the trip")


async def contents(service: FusService, viewer: Viewer, collection: Collection) -> list[str]:
    """The titles of its sites; it counts as many."""
    now = await service.collections.collection(viewer, collection.collection_id)
    sites = (await service.collections.sites(now, limit=100)).items
    assert now.site_count == len(sites)
    return [site.title for site in sites]


async def settle(kit: Kit) -> None:
    """What follows changes, and everything once more: a handler may get a change twice."""
    built = system.build(kit)
    await worker_of(kit, built).drain()
    await replay(kit, built, "fus.removal")


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "add", "remove", "delete site"]), st.integers(0, 1), st.integers(0, 2)),
    max_size=14,
)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.booleans())
async def test_whatever_happens_collections_and_sites_agree_and_nothing_is_left_behind(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]], deleted: bool
) -> None:
    with kit_on(tmp_path_factory.mktemp("collected"), FUS) as kit:
        service, viewer = FusService(kit), member()
        sites = [await put(service, f"Site {number}") for number in range(3)]
        mine = [await service.collections.create(viewer, NAMED) for _ in range(2)]
        expected: list[list[str]] = [[], []]
        gone: set[int] = set()
        for step, place, number in steps:
            collection, site = mine[place], sites[number]
            try:
                if step == "add":
                    await service.collections.add(viewer, collection.collection_id, site.site_id)
                    expected[place] = (
                        [site.title, *expected[place]] if site.title not in expected[place] else expected[place]
                    )
                elif step == "remove":
                    await service.collections.remove(viewer, collection.collection_id, site.site_id)
                    expected[place].remove(site.title)
                elif number not in gone:
                    await service.sites.delete(manager(), site.site_id)
                    gone.add(number)
                    expected = [[title for title in each if title != site.title] for each in expected]
                    await settle(kit)
            except NotFound:
                assert number in gone or site.title not in expected[place]
        for collection, titles in zip(mine, expected, strict=True):
            assert await contents(service, viewer, collection) == titles
        inside = [(await service.collections.with_site(viewer, site.site_id)) for site in sites]
        assert [[has for _, has in each] for each in inside] == [
            [site.title in titles for titles in reversed(expected)] for site in sites
        ]
        if deleted:
            for collection in mine:
                await service.collections.delete(viewer, collection.collection_id)
            await settle(kit)
            for kind in (CollectedSite, CollectionMark, CollectionRemoval, Collection):
                assert [each async for each in kit.store.scan_whole_table(kind)] == []


async def test_several_presses_at_once_add_a_site_once(service: FusService) -> None:
    viewer, site = member(), await put(service, "Maps")
    collection = await service.collections.create(viewer, NAMED)
    adding = (service.collections.add(viewer, collection.collection_id, site.site_id) for _ in range(4))
    await asyncio.gather(*adding)
    assert await contents(service, viewer, collection) == ["Maps"]


async def test_collections_and_their_sites_are_bounded(kit: Kit, service: FusService) -> None:
    viewer, site = member(), await put(service)
    collection = await service.collections.create(viewer, NAMED)
    await kit.store.write(Update(collection.own_key, Collection.site_count.set(schema.MOST_COLLECTED)))
    with pytest.raises(Conflict, match="at most 500"):
        await service.collections.add(viewer, collection.collection_id, site.site_id)
    profile = await service.profiles.mine(viewer)
    await kit.store.write(Update(profile.own_key, type(profile).collection_count.set(schema.MOST_COLLECTIONS)))
    with pytest.raises(Conflict, match="50 collections"):
        await service.collections.create(viewer, NAMED)


async def test_a_link_shows_a_collection_until_it_is_closed_and_the_next_one_is_another(
    kit: Kit, service: FusService
) -> None:
    viewer, site = member(), await put(service)
    made = await service.collections.create(viewer, NAMED)
    await service.collections.add(viewer, made.collection_id, site.site_id)
    shared = await service.collections.share(viewer, made.collection_id)
    assert shared.secret is not None
    assert (await service.collections.share(viewer, made.collection_id)).secret == shared.secret
    found = (await service.collections.shared(shared.secret)).collection
    assert [each.site_id for each in await service.collections.sites(found)] == [site.site_id]
    await service.collections.unshare(viewer, made.collection_id)
    with pytest.raises(NotFound, match="closed"):
        await service.collections.shared(shared.secret)
    again = (await service.collections.share(viewer, made.collection_id)).secret
    assert again not in (None, shared.secret)
    await service.collections.delete(viewer, made.collection_id)
    with pytest.raises(NotFound):
        await service.collections.shared(str(again))
    assert [each async for each in kit.store.scan_whole_table(CollectionLink)] == []


async def test_nobody_sees_or_changes_a_collection_of_somebody_else(service: FusService) -> None:
    owner, other, site = member(), member(), await put(service)
    made = await service.collections.create(owner, NAMED)
    for attempt in (
        service.collections.collection(other, made.collection_id),
        service.collections.edit(other, made.collection_id, CollectionEdit(name="Mine now")),
        service.collections.add(other, made.collection_id, site.site_id),
        service.collections.share(other, made.collection_id),
        service.collections.delete(other, made.collection_id),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert await service.collections.mine(other) == ()


async def test_what_somebody_likes_is_seen_only_if_they_want_it_and_never_their_notes(
    kit: Kit, service: FusService
) -> None:
    viewer = await as_viewer(kit, await account(kit, "Ada"))
    liked, other = await put(service, "Liked"), await put(service, "Other")
    await service.ratings.rate(viewer, liked.site_id, RatingInput(stars=5, note="secret note"))
    await service.ratings.rate(viewer, other.site_id, RatingInput(stars=3))
    for name in (viewer.username, "nobody", "x" * 5000, ""):
        with pytest.raises(NotFound):
            await service.profiles.public(name)
    await service.collections.create(viewer, NAMED)
    await service.profiles.save(viewer, ProfileEdit(is_public=True, about="Maps."))
    found = await service.profiles.public(viewer.username)
    assert [(each.site.title, each.stars) for each in found.likes] == [("Liked", 5)]
    assert "secret note" not in repr(found)
    assert (await service.profiles.mine(viewer)).collection_count == 1, "the profile's other half stays"
    await service.profiles.save(viewer, ProfileEdit(is_public=False))
    with pytest.raises(NotFound):
        await service.profiles.public(viewer.username)
