"""The public directory: lists, search and views, on a real engine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from partita.apps.kelifax import system
from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.schema import Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.bookkeeping import completed
from partita.apps.kelifax.service.submissions import creation, resource_of
from partita.apps.kelifax.service.views import WORTHWHILE
from partita.apps.kelifax.service.visits import AGAIN, Visits
from partita.dynamo.errors import ThroughputExceededError
from partita.kit.kit import Kit
from partita.kit.problems import NotFound
from partita.store.observe import Observation
from partita.table import Put, Transaction
from tests.apps.house import worker_of
from tests.apps.kelifax.conftest import MOD, approved, slugs_of, submission

pytestmark = pytest.mark.anyio


async def test_only_approved_resources_are_public_and_nothing_private_is_listed(service: KelifaxService) -> None:
    await service.submissions.submit(submission(), "x")
    with pytest.raises(NotFound):
        await service.resources.detail("amazing-dev-tool")
    assert (await service.resources.browse()).items == ()
    await service.moderation.approve(MOD, "amazing-dev-tool")
    assert (await service.resources.detail("amazing-dev-tool")).resource_name == "Amazing Dev Tool"
    for asked in (
        {},
        {"category": "development"},
        {"tags": ["Analysis"]},
        {"tags": ["analysis"], "category": "development"},
    ):
        assert slugs_of(await service.resources.browse(**asked)) == ["amazing-dev-tool"]
    assert (await service.resources.browse(category="design")).items == ()


@pytest.mark.parametrize(
    ("tag", "matches"),
    [("", 1), (" ", 1), ("COMPILERS ", 1), ("cooking", 0), ("caf\u00e9", 1), ("CAFE\u0301", 1), ("\u0130", 1)],
    ids=ascii,
)
async def test_a_tag_is_found_however_it_is_typed_and_an_empty_one_is_none(
    service: KelifaxService, tag: str, matches: int
) -> None:
    await approved(service, resource__tags=["compilers", "Cafe\u0301", "\u0130"])
    assert len((await service.resources.browse(tags=[tag])).items) == matches


@pytest.mark.parametrize("slug", ["", "no such", "URL#https://x.example", "LOG#a#b#c", "../etc", "é"])
async def test_an_unknown_slug_is_not_found(service: KelifaxService, slug: str) -> None:
    with pytest.raises(NotFound):
        await service.resources.detail(slug or " ")


async def test_every_view_is_shown_at_once_and_added_to_its_resource_once(service: KelifaxService) -> None:
    await approved(service)
    await asyncio.gather(*(service.views.count("amazing-dev-tool", 2) for _ in range(10)))
    await service.moderation.edit(
        MOD, "amazing-dev-tool", ResourceEdit(usage_purpose="Helps people even more than before.")
    )
    seen = await service.resources.detail("amazing-dev-tool")
    assert seen.view_count == 20
    assert seen.last_viewed
    assert (await service.moderation.inspect("amazing-dev-tool")).view_count == 0, "not added yet"
    await asyncio.gather(*(service.views.add_waiting() for _ in range(3)), service.views.count("amazing-dev-tool", 3))
    await service.views.add_waiting()
    assert (await service.moderation.inspect("amazing-dev-tool")).view_count == 23
    assert (await service.resources.detail("amazing-dev-tool")).view_count == 23
    assert await service.views.add_waiting() == 0


async def test_few_views_wait_for_the_night_and_those_of_a_deleted_resource_are_forgotten(
    service: KelifaxService,
) -> None:
    await approved(service)
    await service.views.count("amazing-dev-tool", WORTHWHILE - 1)
    assert await service.views.add_waiting(WORTHWHILE) == 0
    await service.views.count("amazing-dev-tool")
    assert await service.views.add_waiting(WORTHWHILE) == 1
    await service.views.count("amazing-dev-tool", 5)
    await service.moderation.delete(MOD, "amazing-dev-tool")
    await service.views.count("amazing-dev-tool", 5)
    assert await service.views.add_waiting() == 1
    await approved(service)
    assert (await service.resources.detail("amazing-dev-tool")).view_count == 0


async def test_a_view_costs_at_most_three_write_units(service: KelifaxService, kit: Kit) -> None:
    long = ["A feature that takes a while to tell, " * 5] * 3
    await approved(service, details__keyFeatures=long, resource__usagePurpose="For all sorts of things. " * 18)
    seen: list[Observation] = []
    kit.store.observe(seen.append)
    for _ in range(WORTHWHILE):
        await service.views.count("amazing-dev-tool")
    await service.views.add_waiting(WORTHWHILE)
    assert sum(call.units for call in seen) <= 3 * WORTHWHILE, [(call.operation, call.units) for call in seen]


async def test_views_of_one_moment_are_one_write_and_none_is_forgotten_at_the_end(service: KelifaxService) -> None:
    await approved(service)
    counted: list[tuple[str, int]] = []

    async def count(slug: str, views: int) -> None:
        counted.append((slug, views))
        await service.views.count(slug, views)

    now = 0.0
    visits = Visits(count, seconds=0.01, clock=lambda: now)
    for visitor in range(30):
        visits.count("amazing-dev-tool", str(visitor))
    while not counted:
        await asyncio.sleep(0)
    visits.count("amazing-dev-tool", "0")
    visits.count("amazing-dev-tool", None)
    now += AGAIN
    visits.count("amazing-dev-tool", "0")
    await visits.finish()
    assert counted == [("amazing-dev-tool", 30), ("amazing-dev-tool", 1)]
    assert (await service.resources.detail("amazing-dev-tool")).view_count == 31


async def test_views_that_are_being_written_when_it_ends_are_written_to_the_end() -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()
    written = 0

    async def count(_slug: str, views: int) -> None:
        nonlocal written
        begun.set()
        await may_end.wait()
        written += views

    visits = Visits(count, seconds=0)
    visits.count("a", "1")
    await begun.wait()
    visits.count("a", "2")
    ending = asyncio.create_task(visits.finish())
    await asyncio.sleep(0)
    may_end.set()
    await ending
    assert written == 2


async def test_similar_resources_share_most_tags(service: KelifaxService) -> None:
    wanted = await approved(service, "Loom", resource__tags=["cloth", "cards", "knots"])
    for name, category, tags in (
        ("Newest", "development", []),
        ("Cards", "design", ["cards"]),
        ("Knots", "development", ["knots"]),
        ("Both", "ai", ["cards", "cloth"]),
        ("Hidden", "development", ["cards", "cloth", "knots"]),
    ):
        await approved(service, name, resource__category=category, resource__tags=tags)
    await service.moderation.reject(MOD, "hidden", "no")
    related = await service.resources.related(wanted)
    assert [each.resource_slug for each in related] == ["both", "knots", "cards", "newest"]


async def test_views_that_could_not_be_written_are_written_with_the_next_ones() -> None:
    written: dict[str, int] = {}
    troubles = 3

    async def count(slug: str, views: int) -> None:
        nonlocal troubles
        if troubles:
            troubles -= 1
            raise ThroughputExceededError("too much")
        written[slug] = written.get(slug, 0) + views

    visits = Visits(count, seconds=0)
    for visitor in range(40):
        visits.count(f"tool-{visitor % 4}", str(visitor))
        await asyncio.sleep(0)
    await visits.finish()
    assert written == {f"tool-{number}": 10 for number in range(4)}


async def test_most_viewed_come_first_everywhere_and_in_a_category(service: KelifaxService) -> None:
    for name, category, views in (("One", "design", 2), ("Two", "ai", 5), ("Three", "design", 4)):
        resource = await approved(service, name, resource__category=category)
        await service.views.count(resource.resource_slug, views)
    await service.views.add_waiting()
    assert slugs_of(await service.resources.browse(sort="popular")) == ["two", "three", "one"]
    assert slugs_of(await service.resources.browse(sort="popular", category="design")) == ["three", "one"]


async def test_featured_resources_leave_the_front_when_they_are_rejected(service: KelifaxService) -> None:
    await approved(service)
    await service.moderation.feature(MOD, "amazing-dev-tool", featured=True)
    assert len(await service.resources.featured()) == 1
    await service.moderation.reject(MOD, "amazing-dev-tool", "no")
    assert await service.resources.featured() == ()


async def test_search_follows_what_is_approved(kit: Kit, service: KelifaxService) -> None:
    worker = worker_of(kit, system.build(kit))
    await approved(service, "Automation Tool")
    await approved(service, "Other", resource__usagePurpose="A tool for automation of all kinds.")
    await service.submissions.submit(submission("Tool for automation, waiting"), "x")
    await worker.drain()
    page = await service.resources.browse(text="tool automat")
    assert slugs_of(page) == ["automation-tool", "other"]
    assert "<mark>Automation</mark>" in str(page.items[0].marks["name"])
    await service.moderation.reject(MOD, "other", "no")
    assert len((await service.resources.browse(text="tool automat")).items) == 1, (
        "not shown before the index has followed"
    )
    await worker.drain()
    assert (await service.resources.browse(text="tool automat")).total == 1


async def test_a_category_is_a_word_to_search_for_and_counts_less_than_a_name(
    kit: Kit, service: KelifaxService
) -> None:
    worker = worker_of(kit, system.build(kit))
    await approved(service, "Typeface", resource__category="design", resource__usagePurpose="Letters for all people.")
    await approved(service, "Design patterns", resource__category="learning")
    await approved(service, "Compiler", resource__category="development")
    await worker.drain()
    assert slugs_of(await service.resources.browse(text="design")) == ["design-patterns", "typeface"]
    assert len((await service.resources.browse(text="typeface design")).items) == 1
    await service.moderation.edit(MOD, "typeface", ResourceEdit(category="other"))
    await worker.drain()
    assert len((await service.resources.browse(text="design")).items) == 1


def _resources(count: int, status: str) -> Iterator[Resource]:
    good = submission()
    for number in range(count):
        name = f"{status}-{number}"
        resource = resource_of(good, name, name, f"2026-01-{number % 28 + 1:02}T00:00:00.{number:06}Z")
        yield completed(
            resource.model_copy(update={"resource_status": status, "resource_url": f"https://{name}.example.org"})
        )


async def test_rejected_resources_of_a_category_cost_nothing_and_pages_are_full(
    kit: Kit, service: KelifaxService
) -> None:
    seen: list[Observation] = []
    for resource in _resources(30, "approved"):
        await kit.store.transact(Transaction(*creation(resource)))
    kit.tables.observe(seen.append)
    before = await service.resources.browse(category="development")
    cost_before = sum(call.units for call in seen)
    await kit.store.batch_write(Put(resource) for resource in _resources(10_000, "rejected"))
    seen.clear()
    after = await service.resources.browse(category="development")
    assert sum(call.units for call in seen) == cost_before
    assert slugs_of(after) == slugs_of(before)
    assert len(after.items) == 20
