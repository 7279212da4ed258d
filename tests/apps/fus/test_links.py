"""Broken links of the catalog: found by night, told on the page of the site, forgotten when they work again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from partita.apps.fus import schema, system
from partita.apps.fus.inputs import NewSite, SiteEdit
from partita.apps.fus.schema import FUS, Site
from partita.apps.fus.service import FusService
from partita.apps.fus.service.links import KIND
from partita.kit.kit import Kit
from partita.kit.links import Link
from tests.apps.fus.conftest import manager
from tests.apps.fus.served import serve
from tests.apps.house import kit_on, worker_of
from tests.kit.fetcher.sites import answer, serving, visitor
from tests.kit.nights import Nights

pytestmark = pytest.mark.anyio


@pytest.fixture
def nights() -> Nights:
    return Nights()


@pytest.fixture
def kit(tmp_path: Path, nights: Nights) -> Iterator[Kit]:
    with kit_on(tmp_path, FUS, clock=nights) as kit:
        fetcher = visitor()
        yield replace(kit, fetcher=fetcher)
        fetcher.close()


@pytest.fixture
def service(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> FusService:
    monkeypatch.setattr("partita.kit.links.is_due", lambda _site, _day: True)
    service = FusService(kit)
    service.links._pause = 0.0
    kit.jobs.use((service.links.kind,))
    return service


async def _added(service: FusService, url: str) -> Site:
    return await service.sites.add(manager(), NewSite(url=url, fetch=False))


async def _broken(service: FusService) -> list[str]:
    return sorted(each.site.url for each in await service.links.broken())


async def test_an_address_that_fails_for_three_nights_is_told_until_it_works_again(
    kit: Kit, service: FusService, nights: Nights
) -> None:
    answers = {"/works": answer(), "/fails": answer(status=404)}
    async with serving(answers) as site:
        works, fails = await _added(service, f"{site.url}/works"), await _added(service, f"{site.url}/fails")
        for _ in range(2):
            await nights.run(kit, KIND)
            assert await _broken(service) == []
        await nights.run(kit, KIND)
        assert await _broken(service) == [fails.url]
        check = await service.links.broken_link(fails)
        assert check is not None
        assert check.since == "2026-11-01T02:00:00.000000Z"
        assert await service.links.broken_link(works) is None
        assert (await service.sites.site(fails.site_id)).revision == fails.revision, "who edits it is not too late"
        answers["/fails"] = answer()
        await nights.run(kit, KIND)
    assert await _broken(service) == []
    assert await kit.store.get(schema.link_check(fails.site_id)) is None


async def test_a_night_that_is_run_twice_counts_once(kit: Kit, service: FusService) -> None:
    site = await _added(service, "https://fails.example.org")
    for _ in range(5):
        await service.links.record(Link(site.site_id, site.url), "It is gone.")
    check = await kit.store.get(schema.link_check(site.site_id))
    assert check is not None
    assert (check.days, check.entity_type) == (1, "FAILING")


async def test_another_address_is_not_broken_and_what_is_deleted_leaves_nothing(
    kit: Kit, service: FusService, nights: Nights
) -> None:
    moved, gone = await _added(service, "https://moved.example.org"), await _added(service, "https://gone.example.org")
    for _ in range(3):
        for site in (moved, gone):
            await service.links.record(Link(site.site_id, site.url), "It answers 404 Not Found.")
        nights.at += timedelta(days=1)
    assert await _broken(service) == [gone.url, moved.url]
    now = await service.sites.edit(manager(), moved.site_id, SiteEdit(url="https://elsewhere.example.org"))
    await service.sites.delete(manager(), gone.site_id)
    await worker_of(kit, system.build(kit)).drain()
    assert await _broken(service) == []
    assert await service.links.broken_link(now) is None
    for site in (moved, gone):  # an answer that comes late
        await service.links.record(Link(site.site_id, site.url), "It answers 404 Not Found.")
        assert await kit.store.get(schema.link_check(site.site_id)) is None


async def test_its_page_says_so_to_everybody_and_a_list_to_those_who_edit_sites(kit: Kit, nights: Nights) -> None:
    fus = serve(kit)
    site = await _added(fus.service, "https://broken.example.org")
    for _ in range(3):
        await fus.service.links.record(Link(site.site_id, site.url), "It answers 410 Gone.")
        nights.at += timedelta(days=1)
    manager, member = await fus.person("Manager", "fus:manager"), await fus.person("Member")
    assert "has not answered since" in (await fus.visitor().get(f"/fus/sites/{site.site_id}")).shown
    assert "It answers 410 Gone." in (await manager.get("/fus/broken")).shown
    (told,) = (await manager.api("GET", "/broken-links")).json["items"]
    assert (told["site"]["url"], told["reason"]) == (site.url, "It answers 410 Gone.")
    assert (await member.get("/fus/broken")).status == 403
