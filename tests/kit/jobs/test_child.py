from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import uvloop
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.kit.jobs import in_child
from partita.kit.jobs.child import (
    ChildCrashedError,
    ChildFailedError,
    ChildMemoryError,
    ChildTimeoutError,
)
from partita.kit.jobs.plain import NotPlainError, decode, encode
from partita.kit.jobs.slots import most_children
from tests.kit.jobs import functions

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=10,
)


def _gone(pid: int) -> bool:
    """Whether a process has ended; what nobody has waited for has ended too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def _until_gone(*pids: int) -> None:
    deadline = time.monotonic() + 5
    while not all(map(_gone, pids)):
        assert time.monotonic() < deadline, f"{pids} live"
        await asyncio.sleep(0.01)


def test_a_function_runs_in_another_process_and_its_result_comes_back() -> None:
    assert asyncio.run(in_child(functions.add, 2, 3)) == 5
    assert asyncio.run(in_child(os.getpid)) != os.getpid()


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(PLAIN))
def test_plain_values_come_back_equal(values: list[Any]) -> None:
    assert asyncio.run(in_child(functions.echo, values)) == values


def test_what_it_raises_is_told() -> None:
    with pytest.raises(ChildFailedError, match="ValueError: no") as failed:
        asyncio.run(in_child(functions.shout))
    assert "in shout" in failed.value.trace


def test_too_long_is_killed() -> None:
    begun = time.monotonic()
    with pytest.raises(ChildTimeoutError, match=r"longer than 0\.5 seconds"):
        asyncio.run(in_child(functions.spin, seconds=0.5))
    assert time.monotonic() - begun < 5


def test_too_much_memory_is_refused_and_less_is_not() -> None:
    assert asyncio.run(in_child(functions.eat, 100, megabytes=200)) == 100_000_000
    with pytest.raises(ChildMemoryError, match="more than 200 MB"):
        asyncio.run(in_child(functions.eat, 400, megabytes=200))


def test_a_crash_is_told() -> None:
    with pytest.raises(ChildCrashedError, match="SIGKILL"):
        asyncio.run(in_child(functions.crash))


def test_only_plain_values_come_back() -> None:
    with pytest.raises(ChildFailedError, match="no plain value"):
        asyncio.run(in_child(functions.hostile))


@given(PLAIN | st.sets(st.integers()) | st.frozensets(st.text()))
def test_what_is_encoded_is_decoded_equal(value: Any) -> None:
    decoded = decode(encode(value))
    assert decoded == value
    assert type(decoded) is type(value)


@given(
    st.binary(max_size=200)
    | PLAIN.map(encode).flatmap(lambda data: st.integers(0, len(data)).map(lambda at: data[:at]))
)
def test_any_bytes_are_a_value_or_refused(data: bytes) -> None:
    with suppress(NotPlainError):
        decode(data)


def test_secrets_of_the_environment_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARTITA_SECRET", "correct horse battery")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    seen = asyncio.run(in_child(functions.environment))
    assert "PATH" in seen
    assert not [name for name in seen if name.startswith(("PARTITA", "AWS"))]


def test_a_function_that_cannot_be_imported_is_refused() -> None:
    with pytest.raises(ValueError, match="by name"):
        asyncio.run(in_child(lambda: None))


def test_cancelled_it_is_killed_with_what_it_started() -> None:
    async def story() -> None:
        others = set(psutil.Process().children(recursive=True))  # of other tests in this process
        task = asyncio.create_task(in_child(functions.with_another_process, 60.0, seconds=60))
        while len(started := set(psutil.Process().children(recursive=True)) - others) < 2:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await _until_gone(*(process.pid for process in started))

    asyncio.run(story())


def test_never_more_at_once_than_there_are_cores_but_one(tmp_path: Path) -> None:
    async def story() -> list[int]:
        return await asyncio.gather(
            *(in_child(functions.at_work, str(tmp_path), str(number)) for number in range(most_children() + 3))
        )

    assert max(asyncio.run(story())) <= most_children()


def test_a_function_may_write_no_file(tmp_path: Path) -> None:
    assert asyncio.run(in_child(functions.write_here, str(tmp_path / "x"))) == "OSError"


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_whoever_stops_waiting_leaves_no_process_behind(loop: Any) -> None:
    async def story() -> None:
        others = set(psutil.Process().children())  # of other tests in this process
        for pause in (0.0, 0.005, 0.05, 0.2):
            task = asyncio.create_task(in_child(functions.answer_much))
            await asyncio.sleep(pause)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert set(psutil.Process().children()) == others

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(story())
