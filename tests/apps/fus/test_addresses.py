"""One page is in the catalog once, however its address is spelled, and also if an older rule has stored it."""

from __future__ import annotations

from typing import Any

import pytest

from partita.apps.fus.inputs import NewSite, SiteEdit
from partita.apps.fus.schema import Site, SiteUrl
from partita.apps.fus.service import FusService
from partita.apps.fus.service.sites import AlreadyThere
from partita.kit.kit import Kit
from partita.table import Delete, Put, Transaction
from tests.apps.fus.conftest import manager, put

pytestmark = pytest.mark.anyio


async def add(service: FusService, url: str, **fields: Any) -> Site:
    return await put(service, url=url, **fields)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://www.example.org/a", "example.org/a"),
        ("http://example.org/a", "https://www.example.org/a/"),
        ("https://example.org:443", "www.example.org"),
    ],
)
async def test_a_page_is_added_once_with_or_without_www(service: FusService, first: str, second: str) -> None:
    there = await add(service, first)
    with pytest.raises(AlreadyThere) as refused:
        await add(service, second)
    assert refused.value.site_id == there.site_id
    assert (await service.sites.preview(manager(), NewSite(url=second).url)).known_as == there


async def test_two_at_once_do_not_both_get_a_page(service: FusService) -> None:
    """The look before the transaction finds nothing for either: the transaction itself must refuse."""
    one = await add(service, "https://example.org/one")
    two = one.model_copy(update={"site_id": "two", "url": "https://www.example.org/one"})
    with pytest.raises(AlreadyThere) as refused:
        await service.sites.put(two)
    assert refused.value.site_id == one.site_id


async def test_an_address_is_shown_as_it_was_typed_and_completed_with_https(service: FusService) -> None:
    assert (await add(service, "http://www.Example.org/A")).url == "http://www.Example.org/A"
    assert (await add(service, "bare.example.org")).url == "https://bare.example.org"


async def test_a_site_changes_between_the_two_spellings_and_is_free_again_when_deleted(service: FusService) -> None:
    site = await add(service, "https://www.example.org")
    for url in ("https://example.org", "http://www.example.org"):
        site = await service.sites.edit(manager(), site.site_id, SiteEdit(url=url))
        assert site.url == url
    await service.sites.delete(manager(), site.site_id)
    await add(service, "https://example.org")


async def test_two_sites_of_the_time_when_www_was_another_page_can_be_edited_and_deleted(
    kit: Kit, service: FusService
) -> None:
    bare = await add(service, "https://example.org/old")
    other = await add(service, "https://other.example.org")
    www = other.with_(Site.url("https://www.example.org/old"))
    await kit.store.transact(
        Transaction(
            Put(www),
            Delete(SiteUrl.key(SiteUrl.url("https://other.example.org"))),
            Put(SiteUrl(url="https://www.example.org/old", of_site=www.site_id)),
        )
    )
    assert (await service.sites.edit(manager(), bare.site_id, SiteEdit(title="Bare"))).title == "Bare"
    assert (await service.sites.edit(manager(), www.site_id, SiteEdit(title="With www"))).title == "With www"
    await service.sites.delete(manager(), bare.site_id)
    with pytest.raises(AlreadyThere) as refused:
        await add(service, "https://example.org/old")
    assert refused.value.site_id == www.site_id
    await service.sites.delete(manager(), www.site_id)
    await add(service, "https://example.org/old")
