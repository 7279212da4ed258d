"""Processes with running jobs are killed; every job ends, and everything it does is done once."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from partita.engine import Engine
from partita.kit.clock import RandomIds, SystemClock
from partita.kit.jobs import Job, Jobs
from partita.kit.jobs.schema import job
from partita.kit.schema import HOUSE
from partita.store import EmbeddedStore
from tests.kit.jobs.conftest import ADA, EFFECTS, effect
from tests.kit.jobs.killed import KINDS

KILLS = int(os.environ.get("PARTITA_KILLS", "5"))
STEPS = 25
AT_ONCE = 2


class Victim:
    """A process that runs jobs."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "tests.kit.jobs.killed", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)

    def await_ready(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.read(1) == b"!"

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.mark.timeout(120 + 10 * KILLS)
def test_after_any_number_of_kills_every_job_ends_and_every_effect_is_had_once(tmp_path: Path) -> None:
    dice = random.Random(KILLS)
    with Engine(tmp_path) as engine:
        store = EmbeddedStore(engine)
        store.create(HOUSE, EFFECTS)
        jobs = Jobs(store.asynchronous, SystemClock(), RandomIds())
        jobs.use(KINDS)
        started: list[Job] = []

        async def start(count: int) -> None:
            for number in range(count):
                if number % 3 == 2:
                    started.append(await jobs.start("test.count", {"to": 20, "pause": 0.02}, ADA))
                else:
                    started.append(await jobs.start("test.steps", {"steps": STEPS, "pause": 0.03}, ADA))

        victims = [Victim(tmp_path) for _ in range(AT_ONCE)]
        try:
            asyncio.run(start(6))
            for number in range(KILLS):
                victim = victims.pop(0)
                victim.await_ready()
                time.sleep(dice.uniform(0.05, 0.8))
                if number % 5 == 4:
                    asyncio.run(start(3))
                victim.kill()
                victims.append(Victim(tmp_path))
            _await_ends(store, started)
        finally:
            for victim in victims:
                victim.kill()
        ended = [_now(store, each) for each in started]
        assert {each.state for each in ended} == {"done"}
        assert sum(each.attempts for each in ended) > len(ended)  # somebody was killed at work
        for each in ended:
            if each.kind == "test.steps":
                counts = [
                    found.count if (found := store.get(effect(f"{each.job_id}-{n}"))) else 0 for n in range(STEPS)
                ]
                assert counts == [1] * STEPS
            else:
                assert each.checkpoint == "20"


def _now(store: EmbeddedStore, each: Job) -> Job:
    found = store.get(job(each.job_id).consistently())
    assert found is not None
    return found


def _await_ends(store: EmbeddedStore, started: list[Job]) -> None:
    deadline = time.monotonic() + 60 + KILLS
    while still := [now for each in started if (now := _now(store, each)).is_open]:
        assert time.monotonic() < deadline, still
        time.sleep(0.05)


def test_what_a_killed_process_had_started_ends_with_it(tmp_path: Path) -> None:
    with Engine(tmp_path) as engine:
        store = EmbeddedStore(engine)
        store.create(HOUSE, EFFECTS)
        jobs = Jobs(store.asynchronous, SystemClock(), RandomIds())
        jobs.use(KINDS)
        started = asyncio.run(jobs.start("test.count", {"to": 1, "pause": 60}, ADA))
        victim = Victim(tmp_path)
        try:
            deadline = time.monotonic() + 30
            while _now(store, started).checkpoint is None:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            (child,) = psutil.Process(victim.process.pid).children()
        finally:
            victim.kill()
        _, alive = psutil.wait_procs([child], timeout=10)
        assert alive == []
