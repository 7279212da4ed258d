"""Pages are read in the background: of imported sites, and again of those that could not be read."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from io import BytesIO
from pathlib import Path

import orjson
import pytest
from PIL import Image

from partita.apps.fus import schema, system
from partita.apps.fus.inputs import NewSite, SiteEdit
from partita.apps.fus.schema import FUS, Site
from partita.apps.fus.service import FusService, icons
from partita.apps.fus.service.fetching import HOURLY, ICONS, KIND, Fetching
from partita.apps.fus.service.page_text import PAUSES
from partita.kit.clock import stamp
from partita.kit.fetcher import Fetcher
from partita.kit.jobs import JobWorker
from partita.kit.jobs.schema import job_key
from partita.kit.kit import Kit
from partita.table import Update
from tests.apps.fus.conftest import MANAGES, manager
from tests.apps.fus.imports import begun, now
from tests.apps.house import kit_on
from tests.kit.conftest import HandClock
from tests.kit.jobs.conftest import ADMIN, QUICK, at_work
from tests.listening import listening

pytestmark = pytest.mark.anyio


@dataclass(slots=True)
class Web:
    """Sites on this machine, by any name; what they were asked for, and how often at once."""

    port: int = 0
    status: str = "200 OK"
    asked: Counter[str] = field(default_factory=Counter)
    at_once: Counter[str] = field(default_factory=Counter)
    most_at_once: Counter[str] = field(default_factory=Counter)
    most_together: int = 0
    slow: float = 0.0
    iconless: bool = False
    held: asyncio.Event | None = None

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split()[1]
        host = head.lower().split("host: ")[1].split("\r\n")[0].partition(":")[0]
        kind, body = "text/html", f"<title>Title of {host}{path}</title><meta name=description content='Said'>".encode()
        if path.endswith(".ico") and self.iconless:
            kind, body = "text/plain", b"later"
        elif path.endswith(".ico"):
            out = BytesIO()
            Image.new("RGB", (64, 64), "teal").save(out, "PNG")
            kind, body = "image/png", out.getvalue()
        else:
            self.asked[f"{host}{path}"] += 1
        self.at_once[host] += 1
        self.most_at_once[host] = max(self.most_at_once[host], self.at_once[host])
        self.most_together = max(self.most_together, sum(self.at_once.values()))
        if self.held is not None:
            await self.held.wait()
        await asyncio.sleep(self.slow)
        self.at_once[host] -= 1
        writer.write(
            f"HTTP/1.1 {self.status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
            "Connection: close\r\n\r\n".encode()
            + body
        )
        await writer.drain()
        writer.close()


@pytest.fixture
async def web() -> AsyncIterator[Web]:
    web = Web()
    async with listening(web.answer) as web.port:
        yield web


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with kit_on(tmp_path, FUS) as kit:

        async def here(_host: str, _port: int) -> list[str]:
            return ["127.0.0.1"]

        fetcher = Fetcher(contact="test", ports=None, allows=lambda _: True, resolve=here, seconds=5)
        yield replace(kit, fetcher=fetcher, settings=kit.settings.model_copy(update={"fetch": True}))
        fetcher.close()


@pytest.fixture(autouse=True)
def icons_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may need longer for an icon than somebody waits for it."""
    monkeypatch.setattr("partita.kit.icons._SECONDS", 60.0)


@pytest.fixture
def service(kit: Kit) -> FusService:
    service = FusService(kit)
    service.fetching._pause = 0.0
    return service


async def _imported(service: FusService, kit: Kit, *rows: dict[str, object]) -> None:
    await begun(service, manager(), orjson.dumps(rows))
    await JobWorker(kit.jobs).drain()


async def _sites(kit: Kit) -> dict[str, Site]:
    found = [await kit.store.get(schema.site(site.site_id)) async for site in kit.store.stream(schema.newest_sites())]
    return {site.url: site for site in found if site is not None}


async def _due(kit: Kit) -> list[str]:
    return [site.url async for site in kit.store.stream(schema.sites_to_read("9999"))]


@asynccontextmanager
async def _run(kit: Kit) -> AsyncIterator[None]:
    async with at_work(JobWorker(kit.jobs, pace=QUICK)):
        yield


async def test_after_an_import_what_the_sites_lack_is_taken_from_their_pages(
    service: FusService, kit: Kit, web: Web
) -> None:
    bare, full = web.url("bare.example.org"), web.url("full.example.org")
    await _imported(service, kit, {"url": bare}, {"url": full, "title": "Typed", "description": "By hand"})
    sites = await _sites(kit)
    assert (sites[bare].title, sites[bare].description) == ("Title of bare.example.org/", "Said")
    assert (sites[full].title, sites[full].description) == ("Typed", "By hand")
    assert all(site.icon_file and site.fetched_at and not site.fetch_due for site in sites.values())
    assert await _due(kit) == []
    assert set(web.asked.values()) == {1}
    kept = {file.name async for file in kit.files.listed(icons.FOLDER)}
    assert kept == {site.icon_file for site in sites.values()}


async def test_what_a_person_types_meanwhile_is_never_overwritten(service: FusService, kit: Kit, web: Web) -> None:
    url = web.url("busy.example.org")
    web.held = asyncio.Event()
    await begun(service, manager(), orjson.dumps([{"url": url}]))
    async with _run(kit):
        while not web.asked:
            await asyncio.sleep(0)
        (site,) = (await _sites(kit)).values()
        await service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Typed", description="Meanwhile"))
        web.held.set()
        while await _due(kit):
            await asyncio.sleep(0)
    (after,) = (await _sites(kit)).values()
    assert (after.title, after.description) == ("Typed", "Meanwhile")
    assert after.fetched_at is not None
    assert after.icon_file is not None


async def test_a_form_that_is_open_is_stale_only_if_the_words_have_changed(
    service: FusService, kit: Kit, web: Web
) -> None:
    bare, full = web.url("bare.example.org"), web.url("full.example.org")
    await _imported(service, kit, {"url": bare}, {"url": full, "title": "Typed", "description": "By hand"})
    sites = await _sites(kit)
    assert sites[full].revision < sites[bare].revision


async def test_pages_of_a_host_are_read_one_after_the_other_and_of_some_hosts_at_once(
    service: FusService, kit: Kit, web: Web
) -> None:
    web.slow = 0.002
    rows: list[dict[str, object]] = [
        {"url": web.url(f"{number % 10}.example.org", f"/{number}")} for number in range(40)
    ]
    await _imported(service, kit, *rows)
    assert set(web.asked.values()) == {1}
    assert len(web.asked) == 40
    assert set(web.most_at_once.values()) == {1}
    assert 1 < web.most_together <= 6


async def test_two_jobs_at_once_read_no_page_twice(service: FusService, kit: Kit, web: Web) -> None:
    at = stamp(kit.clock)
    for number in range(12):
        site = await service.sites.add(manager(), NewSite(url=web.url(f"{number}.example.org"), fetch=False))
        await _wanted(kit, site, at)
    kit.jobs.use([service.fetching.kind])
    for _ in range(3):
        await kit.jobs.start(KIND, {}, None)
    await JobWorker(kit.jobs, at_once=3).drain()
    assert set(web.asked.values()) == {1}
    assert len(web.asked) == 12


async def _wanted(kit: Kit, site: Site, at: str) -> None:
    await kit.store.write(Update(site.own_key, Site.fetch_due.set(at)))


async def test_a_page_that_cannot_be_read_is_tried_again_after_growing_pauses_and_then_given_up(
    kit: Kit, web: Web
) -> None:
    clock = HandClock()
    kit = replace(kit, clock=clock)
    service = FusService(kit)
    kit.jobs.use([service.fetching.kind])
    web.status = "503 Service Unavailable"
    url = web.url("broken.example.org")
    site = await service.sites.add(manager(), NewSite(url=url))
    tries = []
    for hour in range(40 * 24):
        if await _due(kit) == []:
            break
        await kit.jobs.start(KIND, {}, None, key=HOURLY.key)
        before = sum(web.asked.values())
        await JobWorker(kit.jobs).drain()
        if sum(web.asked.values()) > before:
            tries.append(hour)
        clock.forward(hours=1)
    (given_up,) = (await _sites(kit)).values()
    assert given_up.fetch_note is not None
    assert "503" in given_up.fetch_note
    assert (given_up.fetch_due, given_up.title) == (None, site.title)
    pauses = [later - earlier for earlier, later in zip([0, *tries], tries, strict=False)]
    assert pauses == [pause.total_seconds() / 3600 for pause in PAUSES]
    assert sum(web.asked.values()) == len(PAUSES) + 1


async def test_a_page_that_works_again_is_read(kit: Kit, web: Web) -> None:
    clock = HandClock()
    kit = replace(kit, clock=clock)
    service = FusService(kit)
    kit.jobs.use([service.fetching.kind])
    web.status = "503 Service Unavailable"
    await service.sites.add(manager(), NewSite(url=web.url("back.example.org"), title="Mine"))
    web.status = "200 OK"
    clock.forward(hours=1)
    await kit.jobs.start(KIND, {}, None)
    await JobWorker(kit.jobs).drain()
    (site,) = (await _sites(kit)).values()
    assert (site.title, site.description, site.fetch_note) == ("Mine", "Said", None)
    assert (site.fetch_due, site.fetch_tries) == (None, None)


async def _pauses(kit: Kit, clock: HandClock) -> list[float]:
    """After how many hours each page is read, until none waits any more."""
    pauses = []
    while due := [site.fetch_due for site in (await _sites(kit)).values() if site.fetch_due]:
        pause = datetime.fromisoformat(min(due)) - clock.now()
        pauses.append(pause.total_seconds() / 3600)
        clock.forward(hours=pauses[-1])
        await kit.jobs.start(KIND, {}, None)
        await JobWorker(kit.jobs).drain()
    return pauses


async def test_an_icon_that_did_not_come_is_looked_for_again_and_then_given_up(kit: Kit, web: Web) -> None:
    clock = HandClock()
    kit = replace(kit, clock=clock)
    service = FusService(kit)
    kit.jobs.use([service.fetching.kind])
    web.iconless = True
    url = web.url("plain.example.org")
    site = await service.sites.add(manager(), NewSite(url=url))
    assert (site.icon_file, site.icon_tries, site.fetch_tries) == (None, 1, None)
    edited = await service.sites.edit(MANAGES, site.site_id, SiteEdit(title="Typed", description="By hand"))
    assert await _pauses(kit, clock) == [1, 24, 168]
    assert sum(web.asked.values()) == 4
    (given_up,) = (await _sites(kit)).values()
    assert (given_up.fetch_due, given_up.icon_file, given_up.fetch_note) == (None, None, None)
    assert given_up.revision == edited.revision
    web.iconless = False
    again = await service.sites.edit(MANAGES, site.site_id, SiteEdit(fetch=True))
    assert (bool(again.icon_file), again.icon_tries, again.fetch_due) == (True, None, None)


async def test_an_icon_that_comes_later_is_kept_and_a_page_that_is_down_meanwhile_stays_read(
    kit: Kit, web: Web
) -> None:
    clock = HandClock()
    kit = replace(kit, clock=clock)
    service = FusService(kit)
    web.iconless = True
    await _imported(service, kit, {"url": web.url("late.example.org")})
    web.iconless, web.status = False, "503 Service Unavailable"
    clock.forward(hours=1)
    await kit.jobs.start(KIND, {}, None)
    await JobWorker(kit.jobs).drain()
    (down,) = (await _sites(kit)).values()
    assert (down.fetch_note, down.icon_tries, down.fetch_tries) == (None, 2, None)
    web.status = "200 OK"
    clock.forward(hours=24)
    await kit.jobs.start(KIND, {}, None)
    await JobWorker(kit.jobs).drain()
    (site,) = (await _sites(kit)).values()
    assert (bool(site.icon_file), site.icon_tries, site.fetch_due) == (True, None, None)
    assert [file.name async for file in kit.files.listed(icons.FOLDER)] == [site.icon_file]


async def test_sites_that_were_read_before_get_their_icons_by_one_job(service: FusService, kit: Kit, web: Web) -> None:
    web.iconless = True
    for name in ("old", "given-up", "unread"):
        site = await service.sites.add(manager(), NewSite(url=web.url(f"{name}.example.org"), fetch=name != "unread"))
        # As it was stored before: nothing was due, and nobody had counted.
        gone = Site.fetch_due.remove(), *(() if name == "given-up" else (Site.icon_tries.remove(),))
        await kit.store.write(Update(site.own_key, *gone))
    web.iconless = False
    kit.jobs.use([service.fetching.kind, service.fetching.icons_kind])
    for _ in range(2):
        job = await kit.jobs.start(ICONS, {}, None)
        await JobWorker(kit.jobs).drain()
    sites = await _sites(kit)
    assert {url.split("//")[1].split(".")[0] for url, site in sites.items() if site.icon_file} == {"old"}
    assert (await kit.jobs.find(ADMIN, job.job_id)).result_values == {"asked": 0}


async def test_cancelled_it_stops_and_leaves_the_others_for_later(service: FusService, kit: Kit, web: Web) -> None:
    web.held = asyncio.Event()
    rows = [{"url": web.url("one.example.org", f"/{number}")} for number in range(20)]
    await begun(service, manager(), orjson.dumps(rows))
    async with _run(kit):
        while not web.asked:
            await asyncio.sleep(0)
        guard = await kit.store.get(job_key(KIND, HOURLY.key))
        assert guard is not None
        cancelled = await kit.jobs.cancel(ADMIN, guard.of_job)
        # The next heartbeat learns of it.
        while (await now(kit, cancelled)).heartbeat_at == cancelled.heartbeat_at:
            await asyncio.sleep(0)
        web.held.set()
        ended = await kit.jobs.ended_within(cancelled, 20)
    assert ended.state == "cancelled"
    assert sum(web.asked.values()) < 20
    assert len(await _due(kit)) >= 19


async def test_a_site_that_is_deleted_meanwhile_stays_deleted(service: FusService, kit: Kit, web: Web) -> None:
    web.held = asyncio.Event()
    await begun(service, manager(), orjson.dumps([{"url": web.url("gone.example.org")}]))
    async with _run(kit):
        while not web.asked:
            await asyncio.sleep(0)
        (site,) = (await _sites(kit)).values()
        await service.sites.delete(MANAGES, site.site_id)
        web.held.set()
        guard = await kit.store.get(job_key(KIND, HOURLY.key))
        if guard is not None:
            await kit.jobs.ended_within(await kit.jobs.find(ADMIN, guard.of_job), 20)
    assert await _sites(kit) == {}
    assert [file.name async for file in kit.files.listed(icons.FOLDER)] == []


async def test_where_fetching_is_switched_off_nothing_waits_to_be_read(tmp_path: Path) -> None:
    with kit_on(tmp_path / "off", FUS) as kit:
        service = FusService(kit)
        await _imported(service, kit, {"url": "https://example.org"})
        assert await _due(kit) == []
        assert system.build(kit).schedules == ()
        assert (await service.sites.add(manager(), NewSite(url="https://example.com"))).fetch_due is None


async def test_the_hourly_look_and_the_one_after_an_import_are_one_job(kit: Kit) -> None:
    service = FusService(kit)
    assert HOURLY in system.build(kit).schedules
    kit.jobs.use([service.fetching.kind])
    await service.fetching.begin()
    await service.fetching.begin()
    assert len((await kit.jobs.all()).items) == 1
    assert Fetching(kit)._pause == 1.0, "a second between two pages of a host"
