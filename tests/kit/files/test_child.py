"""What runs in a process of its own stays within time and memory, and can do nothing to us."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

import psutil
import pytest

from partita.kit.files.child import ChildFailed, in_child
from partita.kit.problems import NotFound
from tests.kit.files.child_tasks import (
    crash,
    endless,
    fail,
    much,
    never,
    refuse,
    see_environment,
    sleep,
    trap,
    twice,
    write_here,
)

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return "asyncio", {"use_uvloop": request.param == "uvloop"}


async def test_plain_values_go_there_and_back() -> None:
    value = {"text": "é", "bytes": b"\0" * 3_000_000, "list": [1, 2.5, None, True, ("a",)]}
    assert await in_child(twice, value) == (value, value)


async def test_a_problem_is_raised_here_as_it_was_there() -> None:
    with pytest.raises(NotFound, match="There is none") as refused:
        await in_child(refuse)
    assert refused.value.code == "none_here"


@pytest.mark.parametrize(
    ("function", "arguments", "reason"),
    [(fail, (), "error"), (crash, (), "crash"), (much, (600,), "memory"), (trap, (), "crash"), (endless, (), "error")],
)
async def test_what_goes_wrong_is_told_and_takes_nothing_with_it(function: Any, arguments: Any, reason: str) -> None:
    with pytest.raises(ChildFailed) as failed:
        await in_child(function, *arguments, megabytes=400)
    assert failed.value.reason == reason


@pytest.mark.parametrize("function", [never, sleep])
async def test_what_takes_too_long_is_ended(function: Any) -> None:
    begun = time.monotonic()
    with pytest.raises(ChildFailed) as failed:
        await in_child(function, seconds=1)
    assert failed.value.reason == "time"
    assert time.monotonic() - begun < 5
    assert not psutil.Process().children()


async def test_whoever_stops_waiting_ends_the_process() -> None:
    task = asyncio.create_task(in_child(sleep))
    while not psutil.Process().children():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not psutil.Process().children()


async def test_it_has_no_secrets_and_writes_nothing(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARTITA_SECRET", "hunter2hunter2hunter2")
    assert "PARTITA_SECRET" not in await in_child(see_environment)
    assert await in_child(write_here, str(tmp_path / "x")) in ("OSError", "PermissionError")


async def test_no_more_run_at_once_than_there_are_cores_but_one() -> None:
    running = 0
    tasks = [asyncio.create_task(in_child(twice, number)) for number in range(6)]
    while not all(task.done() for task in tasks):
        running = max(running, len(psutil.Process().children()))
        await asyncio.sleep(0.005)
    assert [await task for task in tasks] == [(number, number) for number in range(6)]
    assert running <= max(1, (os.cpu_count() or 2) - 1)
