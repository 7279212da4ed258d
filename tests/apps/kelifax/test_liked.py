"""Upvotes, saved resources, and what is popular this month, on a real engine."""

from __future__ import annotations

import asyncio

import pytest

from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.permissions import MEMBERS
from partita.apps.kelifax.service import KelifaxService
from partita.kit.problems import NotFound
from tests.apps.house import person
from tests.apps.kelifax.conftest import MOD, approved, submission

pytestmark = pytest.mark.anyio

ADA, BOB = person("ada", *MEMBERS), person("bob", *MEMBERS)


async def test_each_member_counts_once_however_often_and_at_once_they_press(service: KelifaxService) -> None:
    resource = await approved(service, "Loom")
    await asyncio.gather(*(service.liked.upvote(who, "loom") for who in [ADA, BOB] * 4))
    assert (await service.resources.detail("loom")).upvotes == 2
    assert (await service.liked.marks(ADA, [resource])).upvoted == {"loom"}
    await asyncio.gather(*(service.liked.take_back(ADA, "loom") for _ in range(4)))
    assert (await service.resources.detail("loom")).upvotes == 1
    assert (await service.liked.marks(ADA, [resource])).upvoted == frozenset()
    await service.moderation.edit(MOD, "loom", ResourceEdit(tags=["new"]))
    assert (await service.resources.detail("loom")).upvotes == 1, "an edit leaves them alone"


async def test_only_what_is_public_is_liked(service: KelifaxService) -> None:
    await service.submissions.submit(submission(), "x")
    for act in (service.liked.upvote, service.liked.save, service.liked.take_back):
        with pytest.raises(NotFound):
            await act(ADA, "amazing-dev-tool")
    await approved(service, "Loom")
    await service.liked.save(ADA, "loom")
    await service.moderation.reject(MOD, "loom", "no")
    assert (await service.liked.saved(ADA)).items == ()


async def test_saved_resources_are_ones_own_in_the_order_of_saving(service: KelifaxService) -> None:
    for name in ("One", "Two", "Three"):
        await approved(service, name)
    for slug in ("two", "one", "three", "two"):
        await service.liked.save(ADA, slug)
    first = await service.liked.saved(ADA, limit=2)
    rest = await service.liked.saved(ADA, limit=2, cursor=first.next_cursor)
    assert [each.resource_slug for each in (*first, *rest)] == ["three", "one", "two"]
    assert (await service.liked.saved(BOB)).items == ()
    await service.liked.forget(ADA, "one")
    await service.liked.forget(ADA, "never-saved")
    assert [each.resource_slug for each in await service.liked.saved(ADA)] == ["three", "two"]


async def test_marks_do_not_pass_to_another_resource_with_the_same_slug(service: KelifaxService) -> None:
    await approved(service, "Loom")
    await service.liked.upvote(ADA, "loom")
    await service.liked.save(ADA, "loom")
    await service.moderation.delete(MOD, "loom")
    second = await approved(service, "Loom")
    assert (await service.liked.marks(ADA, [second])).upvoted == frozenset()
    assert (await service.liked.saved(ADA)).items == ()
    await service.liked.take_back(ADA, "loom")
    await asyncio.gather(*(service.liked.upvote(ADA, "loom") for _ in range(8)))
    assert (await service.resources.detail("loom")).upvotes == 1


async def test_views_and_upvotes_make_a_resource_popular_this_month(service: KelifaxService) -> None:
    for name, views in (("Viewed", 15), ("Liked", 1), ("Neither", 0)):
        resource = await approved(service, name)
        if views:
            await service.views.count(resource.resource_slug, views)
    await service.views.add_waiting()
    assert [each.resource_slug for each in await service.liked.popular()] == ["viewed", "liked"]
    await service.liked.upvote(ADA, "liked")
    await service.liked.upvote(BOB, "liked")
    assert [each.resource_slug for each in await service.liked.popular()] == ["liked", "viewed"]
