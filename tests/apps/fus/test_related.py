"""Related sites share rare tags or people who like them; what is read to find them does not grow with the catalog."""

from __future__ import annotations

import pytest

from partita.apps.fus import changes, schema, system
from partita.apps.fus.inputs import RatingInput, SiteEdit
from partita.apps.fus.schema import RelatedSites, Site
from partita.apps.fus.service import FusService, related
from partita.apps.fus.service.related import find_related
from partita.kit.kit import Kit
from partita.store.store import AsyncStore
from tests.apps.fus.conftest import manager, member, put
from tests.apps.house import replay, worker_of

pytestmark = pytest.mark.anyio


async def settle(kit: Kit) -> None:
    built = system.build(kit)
    await worker_of(kit, built).drain()
    await replay(kit, built, "fus.related")


async def titles(service: FusService, site_id: str) -> list[str]:
    return [site.title for site in await service.related.to(site_id)]


async def test_rare_tags_count_more_than_common_ones_and_follow_an_edit(kit: Kit, service: FusService) -> None:
    for number in range(8):
        await put(service, f"Common {number}", tags=["common"])
    await put(service, "Rare", tags=["rare"])
    site = await put(service, "This", tags=["rare", "common"])
    await settle(kit)
    others = await titles(service, site.site_id)
    assert (others[0], len(others)) == ("Rare", 6)
    assert "This" not in others
    await service.sites.edit(manager(), site.site_id, SiteEdit(tags=("rare",)))
    await settle(kit)
    assert await titles(service, site.site_id) == ["Rare"]


async def test_what_the_same_people_like_is_related_and_what_they_dislike_is_not(kit: Kit, service: FusService) -> None:
    this, liked, disliked = [await put(service, name) for name in ("This", "Liked", "Disliked")]
    for _ in range(4):
        somebody = member()
        await service.ratings.rate(somebody, liked.site_id, RatingInput(stars=5))
        await service.ratings.rate(somebody, disliked.site_id, RatingInput(stars=2))
        await service.ratings.rate(somebody, this.site_id, RatingInput(stars=4))
    await settle(kit)
    assert await titles(service, this.site_id) == ["Liked"]
    await service.sites.delete(manager(), liked.site_id)
    assert await titles(service, this.site_id) == []
    await settle(kit)
    await service.sites.delete(manager(), this.site_id)
    await settle(kit)
    left = [each.site_id async for each in kit.store.scan_whole_table(RelatedSites)]
    assert left == [], "nothing is left of deleted sites"


async def test_a_site_that_changes_often_in_a_moment_is_looked_at_once(
    kit: Kit, service: FusService, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []

    async def look(_store: AsyncStore, site_id: str) -> None:
        looked_at.append(site_id)

    monkeypatch.setattr(changes, "find_related", look)
    sites = [await put(service, tags=["rare"]) for _ in range(2)]
    for number in range(3):
        for site in sites:
            await service.sites.edit(manager(), site.site_id, SiteEdit(tags=(f"tag-{number}",)))
    await worker_of(kit, system.build(kit)).drain()
    assert looked_at == [site.site_id for site in sites]


async def test_what_is_read_is_bounded(kit: Kit, service: FusService) -> None:
    requests: list[object] = []
    kit.store.observe(requests.append)

    async def reads() -> int:
        requests.clear()
        await find_related(kit.store, site.site_id)
        return len(requests)

    site = await put(service, "This", tags=[f"t{number}" for number in range(20)])
    few = await reads()
    for number in range(40):
        await put(service, tags=[f"t{number % 20}", "t0"])
    assert await reads() <= few + 2
    assert await kit.store.get(schema.related_to(site.site_id)) is not None


async def test_nothing_is_kept_of_a_site_that_is_deleted_while_its_relations_are_looked_for(
    kit: Kit, service: FusService, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(service, "Other", tags=["rare"])
    site = await put(service, "This", tags=["rare"])
    look = related._by_fans

    async def deleted_meanwhile(store: AsyncStore, of: Site, scores: dict[str, float]) -> None:
        await look(store, of, scores)
        await service.sites.delete(manager(), of.site_id)

    monkeypatch.setattr(related, "_by_fans", deleted_meanwhile)
    await find_related(kit.store, site.site_id)
    assert await kit.store.get(schema.related_to(site.site_id)) is None
