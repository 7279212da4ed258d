"""The long run: `python -m tests.machines --rounds 6`. It prints what it measured, and ends with 1 if a law broke."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import orjson

from partita.kit.changes.pace import OVER_THE_NETWORK
from partita.kit.changes.schema import Checkpoint, lease
from partita.store.dynamo import DynamoStore, fixed
from partita.table import Put
from tests.machines.place import resource, until
from tests.machines.proxy import Proxy
from tests.serving import partita_door
from tests.web.serving import Suite, serving

_MACHINES = 3
_KEYS = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_REGION": "us-east-1"}
_TAKEOVER_SECONDS = 10.0
_READY_SECONDS, _PAGE_SECONDS = 2.0, 5.0
_LATE = 3.0
"""What a busy computer may take beside."""


class Machine:
    """A server with a data folder of its own, which can be killed and started again."""

    def __init__(self, folder: Path, endpoint: str, systems: str) -> None:
        folder.mkdir()
        self._folder = folder
        self._environment = {
            **_KEYS,
            "PARTITA_BACKEND": "dynamodb",
            "PARTITA_ENDPOINT_URL": endpoint,
            "PARTITA_SECRET": "the same on all machines, and long enough for that",
        }
        self._systems = systems
        self._life = ExitStack()
        self.suite: Suite

    def start(self) -> None:
        arguments = ("--systems", self._systems)
        self.suite = self._life.enter_context(serving(self._folder, *arguments, environment=self._environment))

    def kill(self) -> None:
        self.suite.stop(signal.SIGKILL)
        self.stop()

    def stop(self) -> None:
        self._life.close()

    def page(self, cursor: str | None) -> tuple[list[str], str | None]:
        after = "" if cursor is None else f"&cursor={cursor}"
        status, body = self.suite.get(f"/api/kelifax/resources?q=atlas&limit=7{after}")
        assert status == 200, body
        answer: dict[str, Any] = orjson.loads(body)
        return [each["resourceSlug"] for each in answer["items"]], answer["next_cursor"]


class Run:
    """What has been written, and what was wrong."""

    def __init__(self, store: DynamoStore, proxy: Proxy, machines: list[Machine]) -> None:
        self._store = store
        self._proxy = proxy
        self._machines = machines
        self._slugs: set[str] = set()
        self.wrong: list[str] = []

    def write(self, number: int) -> None:
        for _ in range(number):
            count = len(self._slugs)
            slug = f"atlas-{count}"
            words = "atlas " * (1 + count % 5) + "map " * (count % 17)
            self._store.write(Put(resource(slug, f"Atlas {count}", words)))
            self._slugs.add(slug)

    def walk(self, what: str) -> None:
        """Every list, begun at each machine and gone on with at the others, has everything once."""
        for first in range(len(self._machines)):
            found: list[str] = []
            cursor: str | None = None
            for turn in range(1000):
                shown, cursor = self._machines[(first + turn) % len(self._machines)].page(cursor)
                found += shown
                if cursor is None:
                    break
            twice, missed = len(found) - len(set(found)), len(self._slugs - set(found))
            if twice or missed:
                self.wrong.append(f"{what}: of {len(self._slugs)} resources {twice} came twice, {missed} were missed")

    def found_everywhere(self) -> float:
        """Wait until every machine finds everything; how long that took."""
        return until(lambda: all(self._found(each) == len(self._slugs) for each in self._machines), 60)

    def _found(self, machine: Machine) -> int:
        found, cursor = machine.page(None)
        total = len(found)
        while cursor is not None:
            found, cursor = machine.page(cursor)
            total += len(found)
        return total

    def takeover(self, machine: Machine) -> float | None:
        """Kill a machine; if it was the one that ran the shared handlers, the seconds until another does."""
        before = self._store.get(lease("changes"))
        assert before is not None
        machine.kill()
        killed = time.monotonic()
        beats = before.beats
        while time.monotonic() - killed < 60:
            now = self._store.get(lease("changes"))
            assert now is not None
            if now.holder != before.holder:
                return time.monotonic() - killed
            if now.beats > beats + 2:
                return None
            time.sleep(0.05)
        self.wrong.append("nobody took over within a minute")
        return None

    def silence(self) -> None:
        """The endpoint falls silent: nobody waits for long, and all is well when it talks again."""
        self._proxy.fall_silent()
        for machine in self._machines:
            for path, most in (
                ("/readyz", _READY_SECONDS),
                ("/kelifax/moderation", _PAGE_SECONDS),
                ("/api/kelifax/resources/atlas-0", _PAGE_SECONDS),
            ):
                begun = time.monotonic()
                status, _ = machine.suite.get(path, cookie="session=none")
                took = time.monotonic() - begun
                print(f"machines: silent endpoint: {path} {status} after {took:.1f} s", flush=True)
                if took > most + _LATE or (path == "/readyz" and status != 503):
                    self.wrong.append(f"a silent endpoint: {path} answered {status} after {took:.1f} s")
            if machine.suite.get("/healthz")[0] != 200:
                self.wrong.append("a silent endpoint: a machine counts as dead")
        self._proxy.be_well()
        well = until(lambda: all(each.suite.get("/readyz")[0] == 200 for each in self._machines), 30)
        print(f"machines: all were ready {well:.1f} s after it talked again", flush=True)

    def idle(self, seconds: float) -> None:
        """If nothing happens, each machine reads each shard once in the longest pause."""
        time.sleep(seconds)  # until all have noticed
        before, begun = self._proxy.requests["GetRecords"], time.monotonic()
        time.sleep(seconds)
        reads = (self._proxy.requests["GetRecords"] - before) / (time.monotonic() - begun)
        print(f"machines: {reads:.1f} reads of streams a second on {_MACHINES} idle machines", flush=True)
        shards = len({each.shard for each in self._store.scan_whole_table(Checkpoint)})
        most = _MACHINES * shards * (1 / OVER_THE_NETWORK.idle + 1 / seconds)
        if reads > most:
            self.wrong.append(f"idle machines read streams {reads:.1f} times a second, not {most:.1f}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.machines")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--idle", type=float, default=10.0, help="how many seconds nothing happens")
    parser.add_argument("--systems", default="kelifax", help="with commas; kelifax must be one of them")
    given = parser.parse_args()
    with _running(given.systems) as run:
        run.write(40)
        print(f"machines: 40 resources are found by all after {run.found_everywhere():.1f} s", flush=True)
        run.walk("at first")
        run.idle(given.idle)
        for number in range(given.rounds):
            machine = run._machines[number % _MACHINES]
            taken = run.takeover(machine)
            if taken is not None:
                print(f"machines: round {number + 1}: another took over after {taken:.1f} s", flush=True)
                if taken > _TAKEOVER_SECONDS + _LATE:
                    run.wrong.append(f"another took over after {taken:.1f} s")
            run.write(10)
            machine.start()
            print(f"machines: round {number + 1}: found by all after {run.found_everywhere():.1f} s", flush=True)
            run.walk(f"round {number + 1}")
        run.silence()
        run.write(10)
        run.found_everywhere()
        run.walk("at the end")
    for each in run.wrong:
        print(f"machines: {each}")
    print(f"machines: {given.rounds} kills, {len(run.wrong)} laws broken")
    return bool(run.wrong)


@contextmanager
def _running(systems: str) -> Iterator[Run]:
    with tempfile.TemporaryDirectory(prefix="partita-machines-") as name, ExitStack() as stack:
        folder = Path(name)
        door = stack.enter_context(partita_door(folder / "door"))
        proxy = Proxy(door.url)
        stack.callback(proxy.close)
        machines = [Machine(folder / f"machine-{number}", proxy.url, systems) for number in range(_MACHINES)]
        for machine in machines:
            stack.callback(machine.stop)
        # All at once, on empty tables: each makes what is missing.
        with ThreadPoolExecutor(_MACHINES) as threads:
            list(threads.map(Machine.start, machines))
        store = DynamoStore(endpoint_url=door.url, region="us-east-1", credentials=fixed("any", "any"))
        stack.callback(store.close)
        yield Run(store, proxy, machines)


if __name__ == "__main__":
    sys.exit(main())
