"""`partita serve --workers 2` is killed while it imports, reads pages and rebuilds the search index: a worker that has
one of these jobs, or all of it. Every job ends, and everything it does is done once."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import psutil
import pytest

from partita.apps.fus import schema
from partita.apps.fus.search import CATALOG
from partita.apps.fus.service import FusService
from partita.apps.fus.service.fetching import HOURLY
from partita.apps.fus.service.fetching import KIND as FETCH_PAGES
from partita.bootstrap import build
from partita.kit.jobs import Job
from partita.kit.jobs.schema import job
from partita.kit.kit import Kit
from partita.kit.search.rebuilding import REBUILD
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from tests.kit.jobs.conftest import ADA
from tests.kit.jobs.quick import system as quick
from tests.web.serving import serving

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("PARTITA_SERVER_KILLS", "4"))
SITES = 60
AIMS = ("fus.import", FETCH_PAGES, REBUILD, "everything")
_SECONDS = 120.0 + 2 * KILLS


class _Page(BaseHTTPRequestHandler):
    """A page of any host, slow enough to be killed over."""

    asked: Counter[str]

    def do_GET(self) -> None:
        if self.path == "/":
            self.asked[self.headers["Host"].partition(":")[0]] += 1
            time.sleep(0.05)
        body = f"<title>Read</title><p>Of {self.headers['Host']}".encode()
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@contextmanager
def _pages() -> Iterator[tuple[int, Counter[str]]]:
    """The port of all pages, and how often each was asked for."""
    asked = Counter[str]()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Page", (_Page,), {"asked": asked}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1], asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class _Servers:
    """The server that runs now; another one follows it when it is killed."""

    folder: Path
    opened: ExitStack = field(default_factory=ExitStack)
    pid: int = 0

    def start(self) -> None:
        environment = {"PARTITA_SYSTEMS": "tests.kit.jobs.quick", "PARTITA_FETCH": "true"}
        self.pid = self.opened.enter_context(serving(self.folder, "--workers", "2", environment=environment)).pid

    def workers(self) -> list[psutil.Process]:
        """Its server processes; not the one that watches over what they share."""
        found = []
        for each in psutil.Process(self.pid).children():
            with suppress(psutil.NoSuchProcess):  # one that was killed, until its parent has noticed
                if "spawn_main" in " ".join(each.cmdline()):
                    found.append(each)
        return found

    def kill_everything(self) -> None:
        parent = psutil.Process(self.pid)
        family = [parent, *parent.children(recursive=True)]
        for each in family:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        self.opened.close()  # waits for it
        psutil.wait_procs(family[1:], timeout=30)
        self.start()


@contextmanager
def _kit(folder: Path) -> Iterator[Kit]:
    suite = build(Settings(data=folder / "data", fetch=True), builders=[quick.build])
    try:
        yield suite.kit
    finally:
        asyncio.run(_close(suite))


async def _close(suite: Suite) -> None:
    await suite.close()


async def _begin(kit: Kit, number: int, port: int) -> list[Job]:
    """An import, after which pages are read, and some rebuilds of the index, each of which is quick."""
    rows = [{"url": f"http://{number}-{row}.example:{port}/", "tags": ["all"]} for row in range(SITES)]
    transfer = FusService(kit).transfer
    somebody = replace(ADA, user_id=f"ada-{number}")  # how much one may import in an hour is limited
    file = await transfer.keep(orjson.dumps(rows), f"{number}.json")
    rebuilds = [await kit.jobs.start(REBUILD, {}, ADA) for _ in range(4)]
    return [await transfer.begin_import(somebody, file), *rebuilds]


async def _all(kit: Kit) -> list[Job]:
    found: list[Job] = []
    cursor: str | None = None
    while True:
        page = await kit.jobs.all(limit=100, cursor=cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            return found


def _owner(kit: Kit, aim: str, begun: list[Job]) -> int | None:
    """The process that has a job of this kind now: of those that were just begun, or one that they have started."""
    known = [each for each in begun if each.kind == aim]
    now = [kit.tables.get(job(each.job_id)) for each in known] if known else asyncio.run(_all(kit))
    for each in now:
        if each is not None and each.kind == aim and each.state == "running" and each.owner:
            return int(each.owner.rpartition("/")[2])
    return None


def _kill_a_worker(kit: Kit, servers: _Servers, aim: str, begun: list[Job]) -> bool:
    """Kill the worker that has such a job, as soon as there is one; else any. Whether it was at such a job."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        owner = _owner(kit, aim, begun)
        for each in servers.workers() if owner is not None else ():
            if each.pid == owner:
                each.kill()
                return True
    for each in servers.workers()[:1]:
        each.kill()
    return False


@pytest.mark.timeout(300 + 20 * KILLS)
def test_after_any_number_of_killed_servers_every_job_has_ended_and_was_done_once(tmp_path: Path) -> None:
    started: list[Job] = []
    hits = Counter[str]()
    with _pages() as (port, asked), _kit(tmp_path) as kit, ExitStack() as opened:
        servers = _Servers(tmp_path)
        opened.callback(lambda: servers.opened.close())
        servers.start()
        for number in range(KILLS):
            begun = asyncio.run(_begin(kit, number, port))
            started += begun
            aim = AIMS[number % len(AIMS)]
            if aim == "everything":
                servers.kill_everything()
                hits[aim] += 1
            else:
                hits[aim] += _kill_a_worker(kit, servers, aim, begun)
        _ended(kit, started)
        # What was imported while another job read pages waits for the next one, which the clock starts; if it finds
        # nothing to read, it is gone at once.
        asyncio.run(kit.jobs.start(FETCH_PAGES, {}, None, key=HOURLY.key))
        ended = _ended(kit, started)
        assert {each.state for each in ended} == {"done"}, [(each.kind, each.error, each.detail) for each in ended]
        assert hits["fus.import"], "a worker was killed while it imported"
        assert hits[FETCH_PAGES], "and one while it read pages"
        assert sum(each.attempts for each in ended) > len(ended)
        asyncio.run(_check(kit, [each for each in ended if each.kind == "fus.import"], asked))
    print(f"{KILLS} kills, {len(ended)} jobs, at {dict(hits)}", flush=True)


def _ended(kit: Kit, started: list[Job]) -> list[Job]:
    """All jobs, when those that were started and those that these started have ended."""
    until = time.monotonic() + _SECONDS
    while True:
        everything = asyncio.run(_all(kit))
        assert {each.job_id for each in started} <= {each.job_id for each in everything}
        still = [each for each in everything if each.is_open]
        if not still:
            return [found for each in everything if (found := kit.tables.get(job(each.job_id).consistently()))]
        assert time.monotonic() < until, still
        time.sleep(0.1)


async def _check(kit: Kit, imports: list[Job], asked: Counter[str]) -> None:
    """Every site is there once, its page was asked for once, and the index has all of them."""
    service = FusService(kit)
    for each in imports:
        report = await service.transfer.report(each)
        assert [row.row for row in report.rows] == list(range(1, SITES + 1))
        assert (report.added, report.there, report.refused) == (SITES, 0, 0)
    sites = [site async for site in kit.store.stream(schema.newest_sites())]
    assert len({site.url for site in sites}) == len(sites) == len(imports) * SITES == await service.sites.total()
    assert max(asked.values()) == 1, "a page that was claimed is not asked for again by whoever goes on"
    whole = [site async for site in kit.store.scan_whole_table(schema.Site)]
    assert len(whole) == len(sites)
    unread = [site for site in whole if site.fetched_at is None]
    # A worker reads six hosts at once; what it was at when it was killed is tried again in an hour.
    assert len(unread) <= 12 * KILLS
    assert all(site.fetch_tries == 1 for site in unread)
    assert all(asked[f"{urlsplit(site.url).hostname}"] for site in whole if site not in unread)
    until = time.monotonic() + _SECONDS
    while (await kit.search.find(CATALOG, "example")).total < len(sites):
        assert time.monotonic() < until
        await asyncio.sleep(0.1)
    assert (await kit.search.find(CATALOG, "example")).total == len(sites)
