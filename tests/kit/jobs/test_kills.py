"""Processes with running jobs are killed; every job ends, and everything it does is done once."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import orjson
import psutil
import pytest

from partita.apps.fus import schema
from partita.apps.fus.service import FusService
from partita.apps.fus.service.transfer.report import FOLDER
from partita.kit.jobs import Job
from partita.kit.jobs.schema import job
from partita.kit.kit import Kit
from partita.kit.suite import Suite
from tests.forked import victim
from tests.kit.jobs.conftest import ADA, effect
from tests.kit.jobs.killed import suite_in, work

KILLS = int(os.environ.get("PARTITA_KILLS", "5"))
STEPS = 25
SITES = 40
AT_ONCE = 2


@contextmanager
def _kit(folder: Path) -> Iterator[Kit]:
    suite = suite_in(folder)
    try:
        yield suite.kit
    finally:
        asyncio.run(_close(suite))


async def _close(suite: Suite) -> None:
    await suite.close()


async def _start(kit: Kit, started: list[Job]) -> None:
    """One job of each kind."""
    started.append(await kit.jobs.start("test.steps", {"steps": STEPS, "pause": 0.03}, ADA))
    started.append(await kit.jobs.start("test.count", {"to": 20, "pause": 0.02}, ADA))
    number = len(started)
    rows: list[object] = [
        {"url": f"https://{number}-{row}.example.org", "tags": [f"import {number}", "all"]} for row in range(SITES)
    ]
    transfer = FusService(kit).transfer
    data = orjson.dumps([*rows, {"url": "no address"}, rows[0]])
    somebody = replace(ADA, user_id=f"ada-{number}")  # how much one may import in an hour is limited
    started.append(await transfer.begin_import(somebody, await transfer.keep(data, f"{number}.json")))


@pytest.mark.timeout(120 + 10 * KILLS)
def test_after_any_number_of_kills_every_job_ends_and_every_effect_is_had_once(tmp_path: Path) -> None:
    dice = random.Random(KILLS)
    started: list[Job] = []
    with _kit(tmp_path) as kit:
        victims = [victim(work, tmp_path) for _ in range(AT_ONCE)]
        try:
            asyncio.run(_start(kit, started))
            for number in range(KILLS):
                first = victims.pop(0)
                first.await_ready()
                if number % 2:
                    asyncio.run(_start(kit, started))
                time.sleep(dice.uniform(0.05, 0.8))
                first.kill()
                victims.append(victim(work, tmp_path))
            _await_ends(kit, started)
        finally:
            for running in victims:
                running.kill()
        ended = [_now(kit, each) for each in started]
        assert {each.state for each in ended} == {"done"}, [(each.kind, each.error, each.detail) for each in ended]
        assert sum(each.attempts for each in ended) > len(ended)  # somebody was killed at work
        for each in ended:
            if each.kind == "test.steps":
                counts = [
                    found.count if (found := kit.tables.get(effect(f"{each.job_id}-{n}"))) else 0 for n in range(STEPS)
                ]
                assert counts == [1] * STEPS
            elif each.kind == "test.count":
                assert each.checkpoint == "20"
        asyncio.run(_check_imports(kit, [each for each in ended if each.kind == "fus.import"]))
        interrupted = sum(each.attempts - 1 for each in ended)
        print(f"{KILLS} kills, {len(ended)} jobs, {interrupted} attempts after the first", flush=True)


async def _check_imports(kit: Kit, imports: list[Job]) -> None:
    """Every row is reported once, every site is there once, and nothing else."""
    service = FusService(kit)
    added = set()
    for each in imports:
        report = await service.transfer.report(each)
        assert [row.row for row in report.rows] == list(range(1, SITES + 3))
        assert (report.added, report.there, report.refused) == (SITES, 1, 1)
        added |= {row.site_id for row in report.rows if row.outcome == "added"}
    sites = [site async for site in kit.store.stream(schema.newest_sites())]
    assert {site.site_id for site in sites} == added
    assert len({site.url for site in sites}) == len(sites) == len(imports) * SITES == await service.sites.total()
    everywhere = await kit.store.get(schema.tag_total("all"))
    assert everywhere is not None
    assert everywhere.count == len(sites)
    assert [file.name async for file in kit.files.listed(FOLDER)] == []


def _now(kit: Kit, each: Job) -> Job:
    found = kit.tables.get(job(each.job_id).consistently())
    assert found is not None
    return found


def _await_ends(kit: Kit, started: list[Job]) -> None:
    deadline = time.monotonic() + 60 + KILLS
    while still := [now for each in started if (now := _now(kit, each)).is_open]:
        assert time.monotonic() < deadline, still
        time.sleep(0.05)


def test_what_a_killed_process_had_started_ends_with_it(tmp_path: Path) -> None:
    with _kit(tmp_path) as kit:
        started = asyncio.run(kit.jobs.start("test.count", {"to": 1, "pause": 60}, ADA))
        killed = victim(work, tmp_path)
        try:
            deadline = time.monotonic() + 30
            while _now(kit, started).checkpoint is None:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            (child,) = psutil.Process(killed.pid).children()
        finally:
            killed.kill()
        _, alive = psutil.wait_procs([child], timeout=10)
        assert alive == []
