"""Many people at once, in good weather and bad."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from partita.apps.kelifax import schema
from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.schema import RESOURCES, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.bookkeeping import completed
from tests.apps.house import BAD_WEATHER, kit_on
from tests.apps.kelifax.conftest import MOD, slugs_of, submission

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("weather", [None, BAD_WEATHER], ids=["good weather", "bad weather"])
class TestManyAtOnce:
    async def test_fifty_submissions_of_one_name_get_fifty_slugs(self, tmp_path: Path, weather: Any) -> None:
        with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
            service = KelifaxService(kit)
            resources = await asyncio.gather(
                *(service.submissions.submit(submission(url=f"https://{n}.example.org"), str(n)) for n in range(50))
            )
            slugs = {resource.resource_slug for resource in resources}
            assert slugs == {"amazing-dev-tool", *(f"amazing-dev-tool-{n}" for n in range(2, 51))}
            assert (await service.analytics.overview()).by_status["pending"] == 50

    async def test_of_fifty_submissions_of_one_address_one_wins(self, tmp_path: Path, weather: Any) -> None:
        with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
            service = KelifaxService(kit)
            results = await asyncio.gather(
                *(service.submissions.submit(submission(f"Name {n}"), str(n)) for n in range(50)),
                return_exceptions=True,
            )
            kinds = Counter(type(result).__name__ for result in results)
            assert kinds == {"Resource": 1, "AddressTaken": 49}
            assert (await service.analytics.overview()).by_status["pending"] == 1

    async def test_approving_and_rejecting_at_once_leaves_a_state_that_all_counts_agree_with(
        self, tmp_path: Path, weather: Any
    ) -> None:
        with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
            service = KelifaxService(kit)
            await service.submissions.submit(submission(), "x")
            decisions = (
                service.moderation.approve(MOD, "amazing-dev-tool")
                if n % 2
                else service.moderation.reject(MOD, "amazing-dev-tool", "no")
                for n in range(50)
            )
            results = await asyncio.gather(*decisions, return_exceptions=True)
            assert {type(result).__name__ for result in results} <= {"Resource", "Conflict"}
            log = [entry async for entry in kit.store.stream(schema.decisions())]
            assert len(log) == sum(isinstance(result, Resource) for result in results)
            resource = await service.moderation.inspect("amazing-dev-tool")
            overview = await service.analytics.overview()
            expected = {"pending": 0, "approved": 0, "rejected": 0, resource.resource_status: 1}
            assert overview.by_status == expected
            approved = resource.resource_status == "approved"
            assert sum(overview.by_category.values()) == int(approved)
            assert len((await service.resources.browse(tags=["compilers"])).items) == int(approved)
            guard = await kit.store.get(schema.resource_with_url("https://amazing.example.org"))
            assert (guard is not None) == approved

    async def test_of_many_who_edit_what_they_saw_one_wins(self, tmp_path: Path, weather: Any) -> None:
        with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
            service = KelifaxService(kit)
            seen = (await service.submissions.submit(submission(), "x")).revision
            edits = [
                ResourceEdit(tags=[f"t{n}"], revision=seen)
                if n % 2
                else ResourceEdit(resource_name=f"Name {n}", revision=seen)
                for n in range(20)
            ]
            results = await asyncio.gather(
                *(service.moderation.edit(MOD, "amazing-dev-tool", edit) for edit in edits), return_exceptions=True
            )
            kinds = Counter(type(result).__name__ for result in results)
            assert kinds == {"Resource": 1, "StaleEdit": 19}
            assert len((await service.moderation.log()).items) == 1

    async def test_deciding_and_editing_at_once_leaves_lists_that_agree_with_the_resource(
        self, tmp_path: Path, weather: Any
    ) -> None:
        with kit_on(tmp_path, RESOURCES, faults=weather) as kit:
            service = KelifaxService(kit)
            for number in range(12):
                slug = (
                    await service.submissions.submit(submission(url=f"https://{number}.example.org"), "x")
                ).resource_slug
                await asyncio.gather(
                    service.moderation.approve(MOD, slug),
                    service.moderation.edit(MOD, slug, ResourceEdit(tags=[f"after-{number}"])),
                    service.moderation.edit(MOD, slug, ResourceEdit(category="design")),
                )
                resource = await service.moderation.inspect(slug)
                assert resource == completed(resource)
                assert (resource.tags, resource.approved_category) == (f"after-{number}", "design")
                assert slugs_of(await service.resources.browse(tags=[f"after-{number}"], category="design")) == [slug]
            assert (await service.resources.browse(tags=["compilers"])).items == ()
            counts = {each.category: each.count for each in await service.resources.categories() if each.count}
            assert counts == {"design": 12}
