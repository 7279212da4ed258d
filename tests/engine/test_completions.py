"""Answers from other threads."""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import Any, NoReturn

import pytest

from partita.engine.completions import Completions, Loops


def test_all_that_is_posted_runs_in_order_and_on_the_loop() -> None:
    async def main() -> list[int]:
        ran: list[int] = []
        everything = asyncio.Event()
        completions = Completions(asyncio.get_running_loop())

        def post() -> None:
            for number in range(1000):
                completions.post(lambda number=number: ran.append(number))  # type: ignore[misc]
            completions.post(everything.set)

        thread = Thread(target=post)
        thread.start()
        await asyncio.wait_for(everything.wait(), 20)
        thread.join()
        return ran

    assert asyncio.run(main()) == list(range(1000))


def test_one_that_fails_does_not_hold_up_the_others() -> None:
    async def main() -> list[str]:
        problems: list[str] = []
        everything = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: problems.append(repr(context["exception"])))
        completions = Completions(loop)

        def fail() -> None:
            raise RuntimeError("broken")

        for step in (fail, fail, everything.set):
            completions.post(step)
        await asyncio.wait_for(everything.wait(), 20)
        return problems

    assert asyncio.run(main()) == ["RuntimeError('broken')"] * 2


def test_ctrl_c_while_something_is_posted_leaves_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        completions, arrived = Completions(loop), asyncio.Event()
        wake = loop.call_soon_threadsafe

        def interrupted(*_: Any) -> NoReturn:
            monkeypatch.setattr(loop, "call_soon_threadsafe", wake)
            raise KeyboardInterrupt

        monkeypatch.setattr(loop, "call_soon_threadsafe", interrupted)
        with pytest.raises(KeyboardInterrupt):
            completions.post(arrived.set)
        await asyncio.wait_for(arrived.wait(), 20)
        arrived.clear()
        completions.post(arrived.set)
        await asyncio.wait_for(arrived.wait(), 20)

    asyncio.run(main())


def test_posting_to_a_loop_that_is_gone_does_nothing() -> None:
    ran: list[Any] = []
    loop = asyncio.new_event_loop()
    completions = Completions(loop)
    loop.close()
    completions.post(lambda: ran.append(1))
    completions.post(lambda: ran.append(2))
    assert ran == []


def test_a_loop_keeps_its_completions_and_the_next_one_in_the_same_thread_has_its_own() -> None:
    loops = Loops()

    async def own() -> tuple[Completions, Completions]:
        loop = asyncio.get_running_loop()
        return loops.of(loop), loops.of(loop)

    first, again = asyncio.run(own())
    other, _ = asyncio.run(own())
    assert first is again
    assert other is not first
    assert other.loop is not first.loop
