"""Broken links of the directory: found by night, told on pages, forgotten when they work again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from partita.apps.kelifax import schema
from partita.apps.kelifax.inputs import ResourceEdit
from partita.apps.kelifax.schema import RESOURCES, Resource
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.service.links import KIND
from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit
from partita.kit.links import Link
from tests.apps.house import kit_on
from tests.apps.kelifax.conftest import MOD, submission
from tests.kit.fetcher.sites import Site, answer, serving, visitor
from tests.kit.nights import Nights

pytestmark = pytest.mark.anyio


@pytest.fixture
def nights() -> Nights:
    return Nights()


@pytest.fixture
def kit(tmp_path: Path, nights: Nights) -> Iterator[Kit]:
    with kit_on(tmp_path, RESOURCES, clock=nights) as kit:
        fetcher = visitor()
        yield replace(kit, fetcher=fetcher, settings=kit.settings.model_copy(update={"fetch": True}))
        fetcher.close()


@pytest.fixture
def service(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> KelifaxService:
    monkeypatch.setattr("partita.kit.links.is_due", lambda _slug, _day: True)
    service = KelifaxService(kit)
    service.links._pause = 0.0
    kit.jobs.use((service.links.kind,))
    return service


async def _added(service: KelifaxService, site: Site, name: str) -> str:
    url = f"{site.url}/{name.lower()}"
    resource = await service.submissions.submit(submission(f"Resource {name}", url), name)
    return (await service.moderation.approve(MOD, resource.resource_slug)).resource_slug


async def _resource(kit: Kit, slug: str) -> Resource:
    resource = await kit.store.get(schema.resource(slug).consistently())
    assert resource is not None
    return resource


async def _broken(service: KelifaxService) -> list[str]:
    return [each.resource.resource_slug for each in await service.links.broken()]


async def test_a_link_that_fails_for_three_nights_is_told_until_it_works_again(
    kit: Kit, service: KelifaxService, nights: Nights
) -> None:
    answers = {"/works": answer(), "/fails": answer(status=404)}
    async with serving(answers) as site:
        works, fails = await _added(service, site, "Works"), await _added(service, site, "Fails")
        revision = (await _resource(kit, fails)).revision
        for _ in range(2):
            await nights.run(kit, KIND)
            assert await _broken(service) == []
        await nights.run(kit, KIND)
        assert await _broken(service) == [fails]
        broken = await service.resources.detail(fails)
        assert broken.is_broken
        assert broken.broken_since == "2026-11-01T02:00:00.000000Z"
        assert broken.revision == revision, "who edits it is not too late"
        assert not (await service.resources.detail(works)).is_broken
        answers["/fails"] = answer()
        await nights.run(kit, KIND)
    assert await _broken(service) == []
    assert not (await service.resources.detail(fails)).is_broken
    assert await kit.store.get(schema.link_check(fails)) is None


async def test_a_night_that_is_run_twice_counts_once(kit: Kit, service: KelifaxService, nights: Nights) -> None:
    async with serving({"/fails": answer(status=410)}) as site:
        slug = await _added(service, site, "Fails")
        link = Link(slug, f"{site.url}/fails")
        for _ in range(5):
            await service.links.record(link, "It is gone.")
    check = await kit.store.get(schema.link_check(slug))
    assert check is not None
    assert (check.days, check.state) == (1, "failing")


async def test_another_address_is_not_broken_and_what_is_deleted_leaves_nothing(
    kit: Kit, service: KelifaxService, nights: Nights
) -> None:
    async with serving({"/moved": answer(status=404), "/gone": answer(status=404)}) as site:
        moved, gone = await _added(service, site, "Moved"), await _added(service, site, "Gone")
        for _ in range(3):
            await nights.run(kit, KIND)
        assert sorted(await _broken(service)) == [gone, moved]
        await service.moderation.edit(MOD, moved, ResourceEdit(resource_url="https://elsewhere.example.org"))
        await service.moderation.delete(MOD, gone)
        assert await _broken(service) == []
        assert await kit.store.get(schema.link_check(gone)) is None
        await service.links.record(Link(gone, f"{site.url}/gone"), "It is gone.")
        await service.links.record(Link(moved, f"{site.url}/moved"), None)
    assert await kit.store.get(schema.link_check(moved)) is None


async def test_a_night_without_a_network_accuses_nobody(
    kit: Kit, service: KelifaxService, nights: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("partita.kit.links._ENOUGH", 2)
    async with serving({}) as site:
        slugs = [await _added(service, site, name) for name in ("One", "Two")]
    job = await kit.jobs.start(KIND, {}, None)
    await JobWorker(kit.jobs).drain()
    assert "network of this machine" in (await kit.jobs.ended_within(job, 5)).error
    assert [await kit.store.get(schema.link_check(slug)) for slug in slugs] == [None, None]
