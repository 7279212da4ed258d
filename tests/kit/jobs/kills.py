"""The end of a process as far as a job can tell, at any place of its work."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from partita.kit.jobs import Jobs, JobWorker


def kill(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, *, at: Iterable[tuple[int, bool]]) -> None:
    """End the process when it calls a method for the n-th time: before it is done, or (True) just after."""
    call = getattr(owner, name)
    calls = 0
    left = dict(at)

    async def called(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        after = left.pop(calls, None)
        answer = await call(*arguments, **named) if after is not False else None
        if after is not None:
            raise asyncio.CancelledError
        return answer

    monkeypatch.setattr(owner, name, called)


async def go_on(jobs: Jobs, kills: int) -> None:
    """One process after the other, until so many were killed and one was not."""
    for _ in range(kills + 1):
        await asyncio.gather(asyncio.create_task(JobWorker(jobs).drain()), return_exceptions=True)
