"""Tables in this process, machines on them, and a proxy between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

import orjson

from partita.apps.kelifax.schema import Resource
from partita.engine import Engine
from partita.engine.door import DoorThread
from partita.kit.changes.schema import Lease, lease
from partita.store import EmbeddedStore
from partita.table import Delete, Put
from tests.forked import Victim, victim
from tests.kit.jobs.conftest import EFFECTS
from tests.machines.clocks import TimeOfDay
from tests.machines.machine import LOG, Orders, machine
from tests.machines.proxy import Proxy

SECONDS = 120
"""Far more than anything here takes."""


@dataclass(frozen=True)
class Answer:
    """What a machine said, and after how many seconds."""

    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float


@dataclass
class Machine:
    """A process that serves, and where."""

    name: str
    orders: Orders
    process: Victim
    url: str = ""
    killed: bool = False

    def await_ready(self) -> None:
        try:
            self.url = f"http://127.0.0.1:{int(self.process.await_ready())}"
        except EOFError:
            raise AssertionError(f"{self.name} died before it served:\n{self.log}") from None

    def kill(self) -> None:
        if not self.killed:
            self.process.kill()
        self.killed = True

    @property
    def log(self) -> str:
        """What it has said in all its lives."""
        return (self.orders.folder / LOG).read_text()

    def get(self, path: str, **headers: str) -> Answer:
        return self.send(Request(self.url + path, headers=headers))

    def post(self, path: str, body: bytes, **headers: str) -> Answer:
        return self.send(Request(self.url + path, body, headers))

    @staticmethod
    def send(request: Request) -> Answer:
        begun = time.monotonic()
        try:
            with urlopen(request, timeout=SECONDS) as answer:
                status, got, body = answer.status, answer.headers, answer.read()
        except HTTPError as refused:
            status, got, body = refused.code, refused.headers, refused.read()
        return Answer(status, {name.lower(): value for name, value in got.items()}, body, time.monotonic() - begun)

    def page(self, cursor: str | None = None, limit: int = 5, word: str = "atlas") -> tuple[list[str], str | None]:
        """Some resources; asked again as long as the tables are slow."""
        after = "" if cursor is None else f"&cursor={quote(cursor)}"
        pages: list[dict[str, Any]] = []

        def answered() -> bool:
            answer = self.get(f"/api/kelifax/resources?q={word}&limit={limit}{after}")
            assert answer.status in (200, 503), answer.body
            pages.extend([orjson.loads(answer.body)] if answer.status == 200 else [])
            return bool(pages)

        until(answered)
        return [each["resourceSlug"] for each in pages[0]["items"]], pages[0]["next_cursor"]

    def finds(self, word: str = "atlas") -> list[str]:
        """A whole list."""
        found, cursor = self.page(limit=50, word=word)
        while cursor is not None:
            more, cursor = self.page(cursor, limit=50, word=word)
            found += more
        return found


class Place:
    """The tables, and the machines on them."""

    def __init__(self, folder: Path, engine: Engine, door: str, stack: ExitStack) -> None:
        self.engine = engine
        self.store = EmbeddedStore(engine)
        self.door = door
        self.proxy = self.new_proxy(stack)
        self.slugs: set[str] = set()
        """Resources that are to be found."""
        self.folder = folder
        self.time_of_day = TimeOfDay(folder / "time-of-day")
        self._stack = stack
        self._numbers = count()

    def new_proxy(self, stack: ExitStack) -> Proxy:
        proxy = Proxy(self.door)
        stack.callback(proxy.close)
        return proxy

    def start(self, name: str, **orders: Any) -> Machine:
        """A machine of that name, which keeps its folder."""
        started = self.begin(name, **orders)
        started.await_ready()
        return started

    def start_all(self, *names: str, **orders: Any) -> list[Machine]:
        """Several at once."""
        begun = [self.begin(name, **orders) for name in names]
        for each in begun:
            each.await_ready()
        return begun

    def begin(self, name: str, **orders: Any) -> Machine:
        """One that is on its way."""
        told = Orders(**{"folder": self.folder / name, "endpoint": self.proxy.url, **orders})
        begun = Machine(name, told, victim(machine, told))
        self._stack.callback(begun.kill)
        return begun

    def write(self, number: int) -> None:
        """Resources with the word atlas."""
        for _ in range(number):
            nth = next(self._numbers)
            slug = f"atlas-{nth}"
            self.store.write(Put(resource(slug, slug, "atlas " * (1 + nth % 5))))
            self.slugs.add(slug)

    def delete(self, slug: str) -> None:
        self.store.write(Delete(Resource.key(Resource.resource_slug(slug))))
        self.slugs.discard(slug)

    def rename(self, slug: str) -> None:
        """From now on it has another word."""
        self.store.write(Put(resource(slug, "Globe", "globe")))
        self.slugs.discard(slug)

    def everybody_finds_everything(self, machines: Iterable[Machine]) -> None:
        until(lambda: all(sorted(each.finds()) == sorted(self.slugs) for each in machines))

    def lease(self, name: str = "changes") -> Lease | None:
        """Which process runs the shared handlers, or those of a machine."""
        return self.store.get(lease(name))

    def holder(self) -> str:
        found = self.lease()
        return "" if found is None else found.holder


@contextmanager
def open_place(folder: Path) -> Iterator[Place]:
    """Empty tables in a new folder."""
    folder.mkdir(exist_ok=True)
    time_of_day = TimeOfDay(folder / "time-of-day")
    tables = Engine(folder / "tables", durability="off", clock=time_of_day.now)
    with tables as engine, DoorThread(engine) as door, ExitStack() as stack:
        EmbeddedStore(engine).create(EFFECTS)
        yield Place(folder, engine, door.url, stack)


def resource(slug: str, name: str, words: str) -> Resource:
    moment = "2026-01-01T00:00:00Z"
    return Resource(
        resource_slug=slug,
        submission_id=slug,
        resource_status="approved",
        created_at=moment,
        submitted_at=moment,
        submitter_first_name="Ada",
        submitter_last_name="Byron",
        submitter_email="ada@example.org",
        resource_name=name,
        resource_url=f"https://{slug}.example.org",
        usage_purpose=words,
        category="design",
        key_features="Maps",
        use_cases="Travel",
    )


def until(condition: Callable[[], bool], seconds: float = SECONDS) -> float:
    """Wait until something is so, and say for how long; a machine that does not answer is asked again."""
    begun = time.monotonic()
    while not _holds(condition):
        assert time.monotonic() - begun < seconds, "it did not happen in time"
        time.sleep(0.05)
    return time.monotonic() - begun


def _holds(condition: Callable[[], bool]) -> bool:
    try:
        return condition()
    except (URLError, ConnectionError):
        return False
