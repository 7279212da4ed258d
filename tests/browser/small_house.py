"""A small suite of Kelifax and fus in a thread: empty, and it may read the pages of one site that tests make up."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from playwright.sync_api import Browser

from partita.apps.fus.service import FusService
from partita.apps.fus.system import build as build_fus
from partita.apps.kelifax.service import KelifaxService
from partita.apps.kelifax.system import build as build_kelifax
from partita.bootstrap import build
from partita.kit.kit import Kit
from partita.kit.links import Link, NightlyLinks, ask
from partita.kit.settings import Settings
from partita.web.app import create_app
from tests.browser.house import PASSWORD, PEOPLE, House
from tests.kit.fetcher.sites import Answer, Site, serving, visitor

T = TypeVar("T")
_SECONDS = 60


@dataclass
class _Thread:
    """What the thread tells when it serves, and how it is ended."""

    serves: threading.Event = field(default_factory=threading.Event)
    loop: asyncio.AbstractEventLoop | None = None
    kit: Kit | None = None
    site: Site | None = None
    server: uvicorn.Server | None = None


@dataclass(frozen=True)
class SmallHouse(House):
    """With the services behind its pages."""

    kit: Kit = field(kw_only=True)
    answers: dict[str, Answer] = field(kw_only=True)
    """What the site answers, by path."""
    site: str = field(kw_only=True)
    """The address of the site."""
    loop: asyncio.AbstractEventLoop = field(kw_only=True)

    @property
    def kelifax(self) -> KelifaxService:
        return KelifaxService(self.kit)

    @property
    def fus(self) -> FusService:
        return FusService(self.kit)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something behind the pages, where they are served."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(_SECONDS)

    def ask_on_nights(self, links: Callable[[Kit], NightlyLinks], link: Link, nights: int) -> None:
        """Ask an address, as the nightly round does, on so many days up to today."""
        today = datetime.now(UTC)

        async def asked() -> None:
            for days in reversed(range(nights)):
                kit = replace(self.kit, clock=_Day(today - timedelta(days=days)))
                await links(kit).record(link, await ask(kit.fetcher, link.url))

        self.run(asked())


class _Day:
    """A clock that stands still."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        return self._at


@contextmanager
def small_house(browser: Browser, folder: Path) -> Iterator[SmallHouse]:
    """Everybody has an account and their role."""
    answers: dict[str, Answer] = {}
    listening = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    settings = Settings(data=folder, base_url=url, admin_idle_minutes=1440, confirm_minutes=1440)
    told = _Thread()
    thread = threading.Thread(target=lambda: asyncio.run(_serve(settings, answers, listening, told)))
    thread.start()
    try:
        assert told.serves.wait(_SECONDS)
        assert told.loop is not None
        assert told.kit is not None
        assert told.site is not None
        house = SmallHouse(
            url,
            browser,
            frozenset({"kelifax", "fus"}),
            kit=told.kit,
            answers=answers,
            site=told.site.url,
            loop=told.loop,
        )
        house.run(_move_in(told.kit))
        for username in PEOPLE:
            with house.program() as somebody:
                assert somebody.post("/sign-in", form={"identity": username, "password": PASSWORD}).ok
                house.keys[username] = somebody.storage_state()
        yield house
    finally:
        if told.server is not None:
            told.server.should_exit = True
        thread.join(_SECONDS)
        listening.close()


async def _serve(settings: Settings, answers: dict[str, Answer], listening: socket.socket, told: _Thread) -> None:
    fetcher = visitor()

    def reading(kit: Kit) -> Kit:
        told.kit = replace(kit, fetcher=fetcher)
        return told.kit

    suite = build(settings, builders=[lambda kit: build_kelifax(reading(kit)), lambda kit: build_fus(reading(kit))])
    told.loop = asyncio.get_running_loop()
    told.server = uvicorn.Server(uvicorn.Config(create_app(suite), log_config=None, access_log=False))
    async with serving(answers) as told.site:
        serves = asyncio.ensure_future(_tell_when_it_serves(told))
        await told.server.serve([listening])
        await serves
    fetcher.close()


async def _tell_when_it_serves(told: _Thread) -> None:
    assert told.server is not None
    while not told.server.started and not told.server.should_exit:
        await asyncio.sleep(0)
    told.serves.set()


async def _move_in(kit: Kit) -> None:
    for username, roles in PEOPLE.items():
        name = username.replace("-", " ").title()
        await kit.accounts.registration.create(username, f"{username}@example.org", name, PASSWORD, roles=roles)
