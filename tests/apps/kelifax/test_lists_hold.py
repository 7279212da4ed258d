"""The indexes of lists hold what lists show, and no more: what they show is what the resource says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.apps.kelifax import schema
from partita.apps.kelifax.api.resources import ResourceSummary
from partita.apps.kelifax.schema import APPROVED_INDEX, FEATURED_INDEX, POPULAR_CATEGORY_INDEX, POPULAR_INDEX, RESOURCES
from partita.apps.kelifax.service import KelifaxService
from partita.kit.kit import Kit
from partita.store import EmbeddedStore
from partita.store.observe import Observation
from partita.table.export import index_definition
from tests.apps.house import person
from tests.apps.kelifax.conftest import MOD, approved

pytestmark = pytest.mark.anyio
REPLACED = {index: name for index in RESOURCES.indexes for name in index.replaces}
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "resource__licence": st.sampled_from(["open-source", "proprietary"]),
        "resource__pricing": st.sampled_from(["free", "paid"]),
        "resource__tags": st.lists(st.sampled_from(["maps", "looms", "größe"]), unique=True),
        "resource__category": st.sampled_from(["design", "ai"]),
        "details__learningResources": st.just([]),
    },
)


def _summary(service: KelifaxService, resource: schema.Resource) -> dict[str, Any]:
    return ResourceSummary.of(resource, logo_url=service.resources.logo_url(resource))


async def _lists(service: KelifaxService, category: schema.Category) -> dict[str, list[schema.Resource]]:
    browse = service.resources.browse
    pages = {
        "newest": await browse(category=category),
        "popular": await browse(sort="popular"),
        "popular of a category": await browse(category=category, sort="popular"),
    }
    found = {name: [match.item for match in page] for name, page in pages.items()}
    return {**found, "featured": [*await service.resources.featured()]}


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
async def test_what_a_list_shows_is_what_the_resource_says(service: KelifaxService, changes: dict[str, Any]) -> None:
    number = (await service.analytics.statuses())["approved"]
    resource = await approved(service, f"Shown {number}", **changes)
    slug = resource.resource_slug
    await service.liked.upvote(person("fan"), slug)
    for featured in await service.resources.featured():
        await service.moderation.feature(MOD, featured.resource_slug, featured=False)
    await service.moderation.feature(MOD, slug, featured=True)
    await service.views.count(slug, 2)
    await service.views.add_waiting()
    whole = await service.resources.detail(slug)
    for name, listed in (await _lists(service, resource.category)).items():
        (own,) = [each for each in listed if each.resource_slug == slug]
        assert _summary(service, own) == _summary(service, whole), name
        assert (own.is_approved, own.submission_id) == (True, resource.submission_id)


async def test_a_list_is_one_request_and_its_index_does_not_hold_what_only_the_page_of_a_resource_shows(
    kit: Kit, service: KelifaxService
) -> None:
    await approved(service)
    calls: list[Observation] = []
    kit.tables.observe(calls.append)
    lists = await _lists(service, "development")
    assert [call.operation for call in calls] == ["Query"] * len(lists)
    for index in (APPROVED_INDEX, POPULAR_INDEX, POPULAR_CATEGORY_INDEX, FEATURED_INDEX):
        assert not {"keyFeatures", "useCases", "learningResources", "searchText"} & set(index.include)
        assert len(index.include) < 20, "one more is there if its key is spread"


async def test_indexes_of_the_first_edition_are_replaced_and_every_list_stays(
    kit: Kit, service: KelifaxService
) -> None:
    for number in range(3):
        await approved(service, f"Kept {number}")
    resource = await service.moderation.feature(MOD, "kept-1", featured=True)
    assert isinstance(kit.tables, EmbeddedStore)
    engine = kit.tables.engine
    types = engine.call("DescribeTable", {"TableName": RESOURCES.name})["Table"]["AttributeDefinitions"]
    for index, name in REPLACED.items():
        earlier = {**index_definition(index), "IndexName": name, "Projection": {"ProjectionType": "ALL"}}
        for change in ({"Create": earlier}, {"Delete": {"IndexName": index.name}}):
            request = {"TableName": RESOURCES.name, "AttributeDefinitions": types}
            engine.call("UpdateTable", {**request, "GlobalSecondaryIndexUpdates": [change]})
            engine.maintenance.run()
    kit.tables.create(RESOURCES)
    described = engine.call("DescribeTable", {"TableName": RESOURCES.name})["Table"]["GlobalSecondaryIndexes"]
    assert {each["IndexName"] for each in described} == {index.name for index in RESOURCES.indexes}
    assert {name: len(found) for name, found in (await _lists(service, "development")).items()} == {
        "newest": 3,
        "popular": 3,
        "popular of a category": 3,
        "featured": 1,
    }
    assert await service.submissions.status(resource.submission_id) == resource
    assert await kit.store.count(schema.resources_from("engine.example")) == 3
