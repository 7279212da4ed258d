"""Somebody is erased on one machine: the words of their name leave the search index of every other one as well."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest
from pydantic import SecretStr

from partita.apps.kelifax.schema import Resource
from partita.bootstrap import build
from partita.engine import Engine
from partita.engine.door import DoorThread
from partita.kit.changes import ChangeWorkers
from partita.kit.personal_data import service
from partita.kit.personal_data.forgetting import NAME
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.table import Delete, Put
from tests.machines.machine import SECRET

pytestmark = pytest.mark.anyio
WORD = "qwertzuiop"


@pytest.fixture
async def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[Suite]]:
    """Two, each with a data folder of its own."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    monkeypatch.setattr(service, "_OVER_THE_NETWORK", 0)
    with Engine(tmp_path / "tables", durability="off") as engine, DoorThread(engine) as door:
        suites = [
            build(
                Settings(
                    data=tmp_path / name,
                    backend="dynamodb",
                    endpoint_url=door.url,
                    region="us-east-1",
                    secret=SecretStr(SECRET),
                    systems=("kelifax",),
                    fetch=False,
                )
            )
            for name in ("one", "two")
        ]
        yield suites
        for suite in suites:
            await suite.close()


async def test_words_of_whoever_is_erased_leave_every_machine(machines: list[Suite]) -> None:
    one, _ = machines
    accounts = one.kit.accounts
    made = await accounts.administration.create_account(accounts.operator(), "ada", "ada@example.org", "Ada")
    theirs = _resource(made.account.user_id)
    await one.kit.store.write(Put(theirs))
    await _follow(machines)
    assert all(map(_knows, machines))
    await one.kit.store.write(Delete(theirs.own_key))
    await _follow(machines)
    await _erase(one, made.account.user_id)
    await _follow(machines)
    assert not any(map(_knows, machines))


async def test_a_machine_that_is_behind_lets_go_of_them_too(machines: list[Suite]) -> None:
    """Its handlers come to what was deleted when the account is gone, and the one that forgets is the fastest."""
    one, two = machines
    accounts = one.kit.accounts
    made = await accounts.administration.create_account(accounts.operator(), "ada", "ada@example.org", "Ada")
    await _follow(machines)
    theirs = _resource(made.account.user_id)
    await one.kit.store.write(Put(theirs))
    await _follow(machines)
    await one.kit.store.write(Delete(theirs.own_key))
    await _follow([one])
    await _erase(one, made.account.user_id)
    assert isinstance(two.worker, ChangeWorkers)
    local = two.worker._workers[-1]
    (forgetting,) = (each for each in local._followers if each.handler.name == NAME)
    while await forgetting.step(since=time.monotonic()):
        pass
    await _follow(machines)
    assert not any(map(_knows, machines))


async def _erase(suite: Suite, user_id: str) -> None:
    following = asyncio.create_task(suite.worker.run())
    try:
        job = await suite.personal_data.erase(suite.kit.accounts.operator(), user_id)
        await suite.jobs.drain()
        assert (await suite.kit.jobs.ended_within(job, 60)).state == "done"
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def _follow(machines: list[Suite]) -> None:
    for suite in machines:
        await suite.worker.drain()


def _knows(suite: Suite) -> bool:
    """Whether a word stands in a search index, in use or not."""
    connection = apsw.Connection(str(suite.kit.settings.data / "search.db"))
    named = "SELECT name FROM sqlite_schema WHERE name GLOB 'terms_*' AND type = 'table'"
    names = [str(name) for (name,) in connection.execute(named)]
    found = any(connection.execute(f"SELECT 1 FROM {name} WHERE term = ?", (WORD,)).get for name in names)
    connection.close()
    return found


def _resource(user_id: str) -> Resource:
    now = "2026-01-01T00:00:00Z"
    return Resource(
        resource_slug="theirs",
        submission_id="1",
        resource_status="approved",
        created_at=now,
        submitted_at=now,
        approved_at=now,
        submitter_first_name="Ada",
        submitter_last_name="A",
        submitter_email="ada@example.org",
        submitted_by=user_id,
        resource_name=WORD,
        resource_url="https://theirs.example",
        usage_purpose="To look at",
        category="other",
    )
