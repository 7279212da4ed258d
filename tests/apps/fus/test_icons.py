"""Icons of sites: fetched with their pages from a real server, kept as long as a site names them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from partita.apps.fus import system
from partita.apps.fus.inputs import NewSite, SiteEdit
from partita.apps.fus.schema import FUS, Site
from partita.apps.fus.service import FusService, icons
from partita.apps.fus.service.sites import AlreadyThere
from partita.kit.fetcher import Fetcher
from partita.kit.files import sweep
from partita.kit.files.schema import Upload
from partita.kit.kit import Kit
from partita.kit.problems import NotFound
from partita.table import Put
from tests.apps.fus.conftest import MANAGES, manager, put
from tests.apps.house import kit_on, worker_of
from tests.listening import listening

pytestmark = pytest.mark.anyio
ICON = "<title>The Page</title><link rel=icon sizes=64x64 href=/icon.png>"


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with kit_on(tmp_path, FUS) as kit:

        async def here(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        fetcher = Fetcher(contact="test", ports=None, allows=lambda _: True, resolve=here, seconds=5)
        yield replace(kit, fetcher=fetcher)
        fetcher.close()


def picture(width: int, height: int | None = None) -> bytes:
    out = BytesIO()
    Image.new("RGB", (width, height or width), "teal").save(out, "PNG")
    return out.getvalue()


@asynccontextmanager
async def site_with(html: str, files: Mapping[str, bytes], *, silent: bool = False) -> AsyncIterator[str]:
    """A site with one page and some files; its address. A silent one never sends a file."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        if asked == "/":
            kind, status, body = "text/html", "200 OK", html.encode()
        elif silent:
            await reader.read()
            writer.close()
            return
        else:
            kind, status, body = "image/png", "200 OK" if asked in files else "404 Not Found", files.get(asked, b"")
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    async with listening(answer) as port:
        yield f"http://site.example.org:{port}/"


async def _kept(kit: Kit) -> list[str]:
    return [file.name async for file in kit.files.listed(icons.FOLDER)]


async def _waiting(kit: Kit) -> list[str]:
    return [upload.name async for upload in kit.store.scan_whole_table(Upload)]


async def test_a_new_site_names_the_icon_of_its_page_in_every_list(service: FusService, kit: Kit) -> None:
    async with site_with(ICON, {"/icon.png": picture(300)}) as url:
        site = await service.sites.add(manager(), NewSite(url=url, tags=("a",)))
    assert site.icon_file is not None
    with Image.open(BytesIO((await kit.files.load(site.icon_file)).data)) as kept:
        assert (kept.format, kept.size) == ("WEBP", (192, 192))
    assert await _waiting(kit) == [], "it is claimed"
    for sort in ("newest", "rating", "title"):
        for tags in ((), ("a",)):
            page = await service.catalog.browse(sort=sort, tags=tags)
            assert [match.item.icon_file for match in page] == [site.icon_file]


async def test_the_first_icon_that_is_large_enough_is_kept_and_otherwise_the_picture_of_the_page(
    service: FusService, kit: Kit
) -> None:
    page = "<title>P</title><link rel=icon href=/small.png><meta property=og:image content=/large.png>"
    async with site_with(page, {"/small.png": picture(16), "/large.png": picture(400, 200)}) as url:
        site = await service.sites.add(manager(), NewSite(url=url))
    with Image.open(BytesIO((await kit.files.load(str(site.icon_file))).data)) as kept:
        assert kept.size == (192, 96)


@pytest.mark.parametrize(
    "files", [{}, {"/icon.png": b"no picture"}, {"/icon.png": picture(31)}, {"/icon.png": picture(200, 8)}]
)
async def test_a_site_is_saved_whatever_its_icons_are(service: FusService, kit: Kit, files: dict[str, bytes]) -> None:
    async with site_with(ICON, files) as url:
        site = await service.sites.add(manager(), NewSite(url=url))
    assert (site.title, site.icon_file, site.fetch_note) == ("The Page", None, None)
    assert await _kept(kit) == []


async def test_a_server_that_never_sends_its_icon_keeps_nobody_waiting(
    service: FusService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("partita.kit.icons._SECONDS", 0.2)
    async with site_with(ICON, {}, silent=True) as url:
        async with asyncio.timeout(3):
            site = await service.sites.add(manager(), NewSite(url=url))
    assert (site.title, site.icon_file) == ("The Page", None)


async def test_a_page_that_is_read_again_replaces_the_icon_and_the_old_file_is_deleted(
    service: FusService, kit: Kit
) -> None:
    worker = worker_of(kit, system.build(kit))
    files = {"/icon.png": picture(64)}
    async with site_with(ICON, files) as url:
        before = await service.sites.add(manager(), NewSite(url=url))
        after = await service.sites.edit(MANAGES, before.site_id, SiteEdit(fetch=True))
        await worker.drain()
        assert after.icon_file != before.icon_file
        assert await _kept(kit) == [after.icon_file]
        files.clear()
        same = await service.sites.edit(MANAGES, before.site_id, SiteEdit(fetch=True))
        assert same.icon_file == after.icon_file, "an icon that cannot be fetched now may still be right"
    moved = await service.sites.edit(MANAGES, before.site_id, SiteEdit(url="https://elsewhere.example.org"))
    assert moved.icon_file is None, "another host has another icon"
    await worker.drain()
    assert await _kept(kit) == []


async def test_the_icon_of_a_deleted_site_is_deleted(service: FusService, kit: Kit) -> None:
    worker = worker_of(kit, system.build(kit))
    async with site_with(ICON, {"/icon.png": picture(64)}) as url:
        site = await service.sites.add(manager(), NewSite(url=url))
    await worker.drain()
    assert await _kept(kit) == [site.icon_file]
    await service.sites.delete(MANAGES, site.site_id)
    await worker.drain()
    assert await _kept(kit) == []


async def test_an_edit_that_is_refused_leaves_no_icon_behind(service: FusService, kit: Kit) -> None:
    async with site_with(ICON, {"/icon.png": picture(64)}) as url:
        other = await put(service)
        site = await put(service, url=url)
        with pytest.raises(AlreadyThere):
            await service.sites.edit(MANAGES, other.site_id, SiteEdit(url=url, fetch=True))
        await service.sites.delete(MANAGES, site.site_id)
        with pytest.raises(NotFound):
            await service.sites.edit(MANAGES, site.site_id, SiteEdit(url=url, fetch=True))
    assert await _kept(kit) == []
    assert await _waiting(kit) == []


async def test_a_file_of_another_folder_that_a_site_names_is_not_deleted(service: FusService, kit: Kit) -> None:
    await kit.files.save("kelifax/logos/1.png", picture(64), "image/png")
    site = await put(service)
    await kit.store.write(Put(site.with_(Site.icon_file("kelifax/logos/1.png"))))
    await service.sites.delete(MANAGES, site.site_id)
    await worker_of(kit, system.build(kit)).drain()
    assert (await kit.files.load("kelifax/logos/1.png")).data == picture(64)


async def test_the_sweep_finds_icons_that_no_site_names(service: FusService, kit: Kit) -> None:
    async with site_with(ICON, {"/icon.png": picture(64)}) as url:
        site = await service.sites.add(manager(), NewSite(url=url))
    await kit.files.save("fus/icons/lost.webp", picture(64), "image/png")
    owners = system.build(kit).files
    swept = await sweep(kit.files, kit.store, owners, now=kit.clock.now(), grace=timedelta(0))
    assert [file.name for file in swept.unnamed] == ["fus/icons/lost.webp"]
    assert site.icon_file in await _kept(kit)
