"""Three machines on one DynamoDB, one with a clock that is an hour ahead: it is killed, and the tables fall silent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import orjson
import pytest

from partita.engine import Engine
from partita.engine.door import DoorThread
from partita.kit.changes.schema import lease
from partita.kit.jobs.schema import Job, all_jobs, schedule_mark
from partita.kit.notifications.stores import moment
from partita.store import EmbeddedStore
from partita.table import Put
from tests.forked import Victim, victim
from tests.kit.jobs.conftest import EFFECTS, effect
from tests.machines.__main__ import resource
from tests.machines.machine import BEATS, STEPS, machine
from tests.machines.proxy import Proxy

HOUR = 3600.0
SECONDS = 120
"""Far more than anything here takes."""


@dataclass
class Machine:
    """A process that serves, and where."""

    process: Victim
    url: str = ""
    killed: bool = False

    def kill(self) -> None:
        if not self.killed:
            self.process.kill()
        self.killed = True

    def get(self, path: str) -> tuple[int, bytes]:
        try:
            with urlopen(self.url + path, timeout=SECONDS) as answer:
                return answer.status, answer.read()
        except HTTPError as refused:
            return refused.code, refused.read()

    def page(self, cursor: str | None = None, limit: int = 5) -> tuple[list[str], str | None]:
        """Some resources; asked again as long as the tables are slow."""
        after = "" if cursor is None else f"&cursor={cursor}"
        pages: list[dict[str, Any]] = []

        def answered() -> bool:
            status, body = self.get(f"/api/kelifax/resources?q=atlas&limit={limit}{after}")
            assert status in (200, 503), body
            pages.extend([orjson.loads(body)] if status == 200 else [])
            return bool(pages)

        until(answered)
        return [each["resourceSlug"] for each in pages[0]["items"]], pages[0]["next_cursor"]


class Place:
    """The tables, and the machines on them."""

    def __init__(self, folder: Path, engine: Engine, proxy: Proxy, stack: ExitStack) -> None:
        self.store = EmbeddedStore(engine)
        self.proxy = proxy
        self.slugs: set[str] = set()
        self._folder = folder
        self._stack = stack

    def start(self, name: str, *, ahead: float = 0.0, begins: bool = False) -> Machine:
        started = Machine(victim(machine, self._folder / name, self.proxy.url, ahead, begins))
        self._stack.callback(started.kill)
        started.url = f"http://127.0.0.1:{int(started.process.await_ready())}"
        return started

    def write(self, number: int) -> None:
        for _ in range(number):
            slug = f"atlas-{len(self.slugs)}"
            self.store.write(Put(resource(slug, slug, "atlas " * (1 + len(self.slugs) % 5))))
            self.slugs.add(slug)

    def everybody_finds_everything(self, machines: list[Machine]) -> None:
        until(lambda: all(set(each.page(limit=50)[0]) == self.slugs for each in machines))

    def holder(self) -> str:
        """Which process runs the shared handlers."""
        found = self.store.get(lease("changes"))
        return "" if found is None else found.holder

    def job(self, kind: str) -> Job:
        return next(job for job in self.store.stream(all_jobs()) if job.kind == kind)

    def count(self, what: str) -> int:
        found = self.store.get(effect(what))
        return 0 if found is None else found.count


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    with Engine(tmp_path / "tables", durability="off") as engine, DoorThread(engine) as door, ExitStack() as stack:
        EmbeddedStore(engine).create(EFFECTS)
        proxy = Proxy(door.url)
        stack.callback(proxy.close)
        yield Place(tmp_path, engine, proxy, stack)


@pytest.mark.timeout(600)
def test_an_hour_ahead_killed_and_cut_off_they_lose_nothing_and_do_nothing_twice(place: Place) -> None:
    wrong = place.start("wrong", ahead=HOUR, begins=True)
    until(lambda: place.count(f"step {STEPS // 2 - 1}") == 1)
    until(lambda: place.count("beats") > 0)
    until(lambda: place.holder() != "")
    first_holder = place.holder()
    right = [place.start("one"), place.start("two")]
    place.write(12)
    machines = [wrong, *right]
    place.everybody_finds_everything(machines)

    # Cursors: a list that is begun at one machine goes on at the others.
    for first in range(3):
        found: list[str] = []
        cursor, turn = None, first
        while cursor is not None or turn == first:
            slugs, cursor = machines[turn % 3].page(cursor)
            found += slugs
            turn += 1
        assert sorted(found) == sorted(place.slugs)

    # Leases: whatever the one with the wrong clock had, others take over.
    wrong.kill()
    until(lambda: place.job("test.steps").state == "done")
    assert [place.count(f"step {step}") for step in range(STEPS)] == [1] * STEPS
    assert place.job("test.steps").attempts > 1
    until(lambda: place.holder() not in ("", first_holder))

    # The tables fall silent: it is told, nobody waits for ever, and all is well when they talk again.
    place.proxy.fall_silent()
    for each in right:
        assert each.get("/readyz")[0] == 503
        assert each.get("/healthz")[0] == 200
    place.write(3)
    place.proxy.talk_again()
    until(lambda: all(each.get("/readyz")[0] == 200 for each in right))
    place.everybody_finds_everything(right)

    # Schedules: each due time, by whichever clock, started at most one job, and it did its work once.
    jobs = [job for job in place.store.stream(all_jobs()) if job.kind == BEATS.kind]
    mark = place.store.get(schedule_mark(BEATS.name))
    assert mark is not None
    created = [moment(job.created_at) for job in jobs]
    assert min(created) > datetime.now(UTC) + timedelta(minutes=30), (
        "what was started an hour early is not started again"
    )
    assert len(jobs) <= (moment(mark.last_due) - min(created)).total_seconds() + 2
    assert 1 <= place.count("beats") <= len(jobs)


def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so; a machine that does not answer is asked again."""
    end = time.monotonic() + SECONDS
    while not _holds(condition):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


def _holds(condition: Callable[[], bool]) -> bool:
    try:
        return condition()
    except URLError:
        return False
