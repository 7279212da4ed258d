"""Adding a site reads its page: from a real server, by the real fetcher, which here may talk to this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from partita.apps.fus import system
from partita.apps.fus.inputs import NewSite, SiteEdit
from partita.apps.fus.schema import FUS
from partita.apps.fus.service import FusService
from partita.kit.fetcher import Fetcher
from partita.kit.kit import Kit
from partita.kit.problems import TooMany
from tests.apps.fus.conftest import MANAGES, manager, put
from tests.apps.house import kit_on, worker_of
from tests.listening import listening

pytestmark = pytest.mark.anyio
PAGE = "<title>  The   Page </title><meta name=description content='What it is'><p>Lighthouses of the north.</p>"


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with kit_on(tmp_path, FUS) as kit:

        async def here(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        fetcher = Fetcher(contact="test", ports=None, allows=lambda _: True, resolve=here, seconds=5)
        yield replace(kit, fetcher=fetcher)
        fetcher.close()


@asynccontextmanager
async def page(html: str, *, kind: str = "text/html; charset=utf-8", status: str = "200 OK") -> AsyncIterator[str]:
    """A site that has one page; its address."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = html.encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    async with listening(answer) as port:
        yield f"http://site.example.org:{port}/"


async def test_a_new_site_has_title_description_and_text_of_its_page(service: FusService, kit: Kit) -> None:
    async with page(PAGE) as url:
        site = await service.sites.add(manager(), NewSite(url=url))
    assert (site.title, site.description) == ("The Page", "What it is")
    assert "Lighthouses" in site.scraped_content
    assert site.fetched_at is not None
    assert site.fetch_note is None
    await worker_of(kit, system.build(kit)).drain()
    found = await service.catalog.browse(text="lighthouses north")
    assert [each.item.site_id for each in found.items] == [site.site_id]
    assert "<mark>Lighthouses</mark>" in found.items[0].marks["page"]


async def test_what_people_write_themselves_stays(service: FusService) -> None:
    async with page(PAGE) as url:
        site = await service.sites.add(manager(), NewSite(url=url, title="Mine", description="My words"))
    assert (site.title, site.description) == ("Mine", "My words")
    assert site.title_key == f"mine#{site.site_id}"
    assert site.scraped_content


async def test_where_a_page_cannot_be_read_the_site_is_saved_and_says_why(service: FusService) -> None:
    async with page("gone", status="404 Not Found") as url:
        site = await service.sites.add(manager(), NewSite(url=url))
    assert (site.title, site.fetched_at) == ("site.example.org", None)
    assert site.fetch_note is not None
    assert "404" in site.fetch_note
    assert (await service.sites.site(site.site_id)).fetch_note == site.fetch_note


async def test_a_preview_saves_nothing(service: FusService) -> None:
    async with page(PAGE) as url:
        seen = await service.sites.preview(manager(), url)
        assert (seen.title, seen.description, seen.note, seen.known_as) == ("The Page", "What it is", None, None)
        assert await service.sites.total() == 0
        site = await put(service, url=url)
        again = await service.sites.preview(manager(), url)
        assert again.known_as is not None
        assert again.known_as.site_id == site.site_id
    async with page("%PDF", kind="application/pdf") as url:
        refused = await service.sites.preview(manager(), url)
        assert "none of HTML, PDF, DOCX" in str(refused.note)


async def test_a_page_can_be_read_again(service: FusService) -> None:
    async with page(PAGE) as url:
        site = await put(service, "Mine", url=url)
        assert site.fetched_at is None
        after = await service.sites.edit(MANAGES, site.site_id, SiteEdit(fetch=True))
    assert after.title == "Mine"
    assert "Lighthouses" in after.scraped_content
    assert after.fetched_at is not None
    late = await service.sites.edit(MANAGES, site.site_id, SiteEdit(fetch=True))
    assert late.fetch_note is not None, "its server is gone by now"
    assert late.scraped_content == after.scraped_content, "what was read stays"


async def test_a_page_of_long_words_in_any_script_fits_into_an_item(service: FusService) -> None:
    async with page("<title>" + "標" * 400 + "</title><p>" + "語" * 200_000) as url:
        site = await service.sites.add(manager(), NewSite(url=url))
    assert len(site.scraped_content.encode()) <= 100_000
    assert len(site.title) <= 300
    assert (await service.sites.site(site.site_id)).scraped_content == site.scraped_content


async def test_script_of_a_page_is_not_kept(service: FusService) -> None:
    async with page("<title>&lt;script&gt;alert(1)&lt;/script&gt;</title><script>alert(2)</script><p>Text") as url:
        site = await service.sites.add(manager(), NewSite(url=url))
    assert site.title == "<script>alert(1)</script>"
    assert "alert(2)" not in site.scraped_content


async def test_looking_at_pages_is_limited(service: FusService) -> None:
    busy = manager()
    async with page(PAGE) as url:
        for _ in range(60):
            await service.sites.preview(busy, url)
        with pytest.raises(TooMany):
            await service.sites.preview(busy, url)
