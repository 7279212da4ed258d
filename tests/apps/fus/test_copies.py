"""A copy of a page is kept for those who may read it, found by its words, replaced by the next one, and goes with its
site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from partita.apps.fus import system
from partita.apps.fus.inputs import NewSite
from partita.apps.fus.permissions import MANAGER
from partita.apps.fus.schema import FUS
from partita.apps.fus.service import FusService
from partita.apps.fus.service.copies import FOLDER
from partita.kit.fetcher import Fetcher
from partita.kit.files.schema import Upload
from partita.kit.kit import Kit
from partita.kit.problems import Conflict, NotFound
from tests.apps.fus.conftest import manager, put
from tests.apps.fus.served import serve
from tests.apps.fus.test_icons import site_with
from tests.apps.house import kit_on, person, worker_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with kit_on(tmp_path, FUS) as kit:

        async def here(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        fetcher = Fetcher(contact="test", ports=None, allows=lambda _: True, resolve=here, seconds=5)
        yield replace(kit, fetcher=fetcher)
        fetcher.close()


async def files(kit: Kit) -> list[str]:
    return [file.name async for file in kit.files.listed(FOLDER)]


async def test_a_copy_has_text_and_page_is_found_replaced_and_goes_with_its_site(kit: Kit, service: FusService) -> None:
    built = system.build(kit)
    worker = worker_of(kit, built)
    html = "<title>Old page</title><script>alert(1)</script><p>The heron waits.</p>"
    async with site_with(html, {}) as url:
        site = await service.sites.add(manager(), NewSite(url=url, title="Herons", fetch=False))
        first = await service.copies.make(manager(), site.site_id)
        assert (first.title, first.text, first.size) == ("Old page", "The heron waits.", len(html))
        assert (await service.copies.page(site.site_id)).data == html.encode()
        await worker.drain()
        (match,) = await service.copies.browse(text="heron waits")
        assert (match.item.site.title, match.item.copy) == ("Herons", first)
        second = await service.copies.make(manager(), site.site_id)
    await worker.drain()
    assert await files(kit) == [second.file], "the older file is deleted"
    assert [upload async for upload in kit.store.scan_whole_table(Upload)] == []
    await service.sites.delete(manager(), site.site_id)
    await worker.drain()
    assert await files(kit) == []
    assert (await service.copies.browse(text="heron")).items == ()
    with pytest.raises(NotFound):
        await service.copies.copy(site.site_id)


async def test_a_page_that_cannot_be_read_leaves_the_older_copy_and_no_file(kit: Kit, service: FusService) -> None:
    site = await put(service, url="http://127.0.0.1:1/")
    with pytest.raises(Conflict, match="could not be read"):
        await service.copies.make(manager(), site.site_id)
    assert await files(kit) == []


async def test_only_those_who_may_keep_copies_see_them_and_pages_are_saved_and_never_shown(kit: Kit) -> None:
    fus = serve(kit)
    manager, member = await fus.person("Manager", "fus:manager"), await fus.person("Member")
    async with site_with("<title>T</title><p>Only <b>for</b> us</p>", {}) as url:
        site = await fus.service.sites.add(person("adder", *MANAGER), NewSite(url=url, title="Ours", fetch=False))
        place = f"/fus/sites/{site.site_id}/copy"
        assert "There is no copy of this page" in (await manager.get(place)).shown
        assert (await manager.post(place)).location == place
    assert "Only for us" in (await manager.get(place)).shown
    page = await manager.get(f"{place}/page")
    assert page.headers["content-type"] == "application/octet-stream"
    assert page.headers["content-disposition"] == 'attachment; filename="page.html"'
    for path in (place, f"{place}/page", f"{place}/delete", "/fus/copies"):
        assert (await member.get(path)).status == 403
    for path in (f"/sites/{site.site_id}/copy", "/copies"):
        assert (await member.api("GET", path)).status == 403
    assert "/copy" not in (await member.get(f"/fus/sites/{site.site_id}")).text
    await fus.worker.drain()
    assert "Ours" in (await manager.get("/fus/copies?q=us")).shown
    assert [each["title"] for each in (await manager.api("GET", "/copies?q=only")).json["items"]] == ["Ours"]
    await manager.post(f"{place}/delete")
    assert (await manager.api("GET", f"/sites/{site.site_id}/copy")).status == 404
