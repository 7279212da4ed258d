"""A suite that runs as a process of its own, with people who may do different things in it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path

from playwright.sync_api import APIRequestContext, Browser, StorageState, ViewportSize

from tests.browser.ready import elsewhere, serving
from tests.demo_folder import copy_demo
from tests.web.walk import Walked, walk

EVERYTHING = os.environ.get("PARTITA_BROWSER") == "everything"
"""Whether pages are looked at in every way, however long it takes: `make browser`."""

PASSWORD = "correct horse battery"

ADMIN, MEMBER, MODERATOR, MANAGER = "ada-admin", "mina-member", "moa-moderator", "malik-manager"
PEOPLE: dict[str, tuple[str, ...]] = {
    ADMIN: ("admin",),
    MEMBER: (),
    MODERATOR: ("kelifax:moderator",),
    MANAGER: ("fus:manager",),
}
"""Username → roles."""

NARROW: ViewportSize = {"width": 390, "height": 844}
WIDE: ViewportSize = {"width": 1280, "height": 900}


NO_FETCH = {"PARTITA_FETCH": "false"}
_ENVIRONMENT = {
    **NO_FETCH,
    "PARTITA_STYLEGUIDE": "true",
    "PARTITA_TRUSTED_PROXIES": "127.0.0.1",
    # People sign in once for all stories, however long those take.
    "PARTITA_ADMIN_IDLE_MINUTES": "1440",
    "PARTITA_CONFIRM_MINUTES": "1440",
}


_NETWORKS = count()


def from_elsewhere() -> dict[str, str]:
    """The header of somebody in a network of their own, for which a proxy vouches: how many sign up or guess in an hour
    from one is limited, and stories of many people share a house."""
    number = next(_NETWORKS)
    return {"X-Forwarded-For": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"}


def chromium_path() -> str | None:
    """The browser of the system; the one without a screen is twice as fast."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((found for found in map(shutil.which, names) if found), None)


@dataclass(frozen=True)
class House:
    """Where it is served, and who has an account."""

    url: str
    browser: Browser
    systems: frozenset[str]
    """Those that have an API and pages."""
    keys: dict[str, StorageState] = field(default_factory=dict)
    """Username → the cookies of somebody who has signed in."""
    greeting: str = ""
    """What was said when demo data was added, with the passwords of the demo's people."""

    @cached_property
    def pages(self) -> tuple[Walked, ...]:
        """Every page that there is to open, and those that only lead to another one."""
        return elsewhere(_pages)

    @property
    def fronts(self) -> frozenset[str]:
        """Pages of systems without pages: they lead to their design."""
        designs = {page.path.removesuffix("/design") for page in self.pages if page.path.endswith("/design")}
        return frozenset(designs - {f"/{name}" for name in self.systems})

    def demo_person(self, username: str) -> str:
        """Somebody of the demo, signed in; returns the username."""
        if username not in self.keys:
            found = re.search(rf"{username} .*with the password (\S+)", self.greeting)
            assert found, self.greeting
            with self.program() as somebody:
                answer = somebody.post("/sign-in", form={"identity": username, "password": found[1]})
                assert answer.ok, answer.text()
                self.keys[username] = somebody.storage_state()
        return username

    @contextmanager
    def program(self, username: str | None = None) -> Iterator[APIRequestContext]:
        """Requests of somebody's browser, without a window."""
        context = self.browser.new_context(
            base_url=self.url,
            storage_state=self.keys[username] if username else None,
            extra_http_headers={"Sec-Fetch-Site": "same-origin", **from_elsewhere()},
        )
        try:
            yield context.request
        finally:
            context.close()


@contextmanager
def house_with(browser: Browser, folder: Path, *, demo: bool = True, people: Iterable[str] = PEOPLE) -> Iterator[House]:
    """The suite on a new folder, and in it these people."""
    greeting = copy_demo(folder / "data") if demo else ""
    with serving(folder, _ENVIRONMENT) as suite:
        house = House(suite.url, browser, frozenset())
        with house.program() as program:
            described = program.get("/api/openapi.json").json()["paths"]
        systems = frozenset(path.split("/")[2] for path in described) - {"account", "jobs"}  # which are the house's
        house = House(suite.url, browser, systems, greeting=greeting)
        move_in(house, suite.password, people)
        yield house


def move_in(house: House, password: str, people: Iterable[str] = PEOPLE) -> None:
    """These people make accounts; the administrator of the first start gives out the roles."""
    people = tuple(people)
    for username in people:
        with house.program() as somebody:
            name = username.replace("-", " ").title()
            answer = somebody.post(
                "/sign-up",
                form={"username": username, "email": f"{username}@example.org", "name": name, "password": PASSWORD},
            )
            assert answer.ok, answer.text()
            house.keys[username] = somebody.storage_state()
    with house.program() as first:
        answer = first.post("/sign-in", form={"identity": "admin", "password": password})
        answer = first.post("/account/password", form={"old": password, "new": PASSWORD})
        assert answer.ok, answer.text()
        known = first.get("/admin/users/new").text()
        for username in people:
            given = [role for role in PEOPLE[username] if f'value="{role}"' in known]
            found = re.search(r'href="(/admin/users/\w{26})"', first.get(f"/admin/users?q={username}").text())
            assert found is not None
            answer = first.post(f"{found[1]}/roles", form={"roles": given[0]} if given else {})
            assert answer.ok, answer.text()
            confirm_address(house, first, username)


def confirm_address(house: House, admin: APIRequestContext, username: str) -> None:
    """Somebody who has signed up opens the link that came by mail; an administrator finds it in the outbox."""
    address = f"{username}@example.org"
    with house.program(username) as somebody:
        answer = somebody.post("/account/address", form={"token": mailed_token(admin, address)})
        assert answer.ok, answer.text()
        assert f"{address} is confirmed." in answer.text()


def mailed_token(admin: APIRequestContext, address: str) -> str:
    """The token of the link in the newest mail to an address; mail is sent after the answer."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        rows = re.findall(
            r'href="(/admin/outbox/[^"]+)">[^<]*</a></th><td[^>]*>([^<]*)', admin.get("/admin/outbox").text()
        )
        for path, to in rows:
            if to == address and (found := re.search(r"token=([\w.-]+)", admin.get(path).text())):
                return found[1]
        time.sleep(0.05)
    raise AssertionError(f"no link was sent to {address}")


async def _pages() -> tuple[Walked, ...]:
    from partita.bootstrap import build
    from partita.kit.settings import Settings
    from partita.web.app import create_app

    with tempfile.TemporaryDirectory() as folder:
        suite = build(Settings(data=Path(folder), fetch=False, styleguide=True))
        try:
            routes = [route for route in walk(create_app(suite)) if route.method == "GET"]
        finally:
            await suite.close()
    return tuple(route for route in routes if not route.path.startswith("/api/") or route.path == "/api/docs")
