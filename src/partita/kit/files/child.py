"""Runs a function in a process of its own, within time and memory: for what is made of other people's files.

A parser that a file brings down takes nothing with it, one that never ends is ended, and one that a file takes over has
no keys: the process gets no environment, and what it answers is read as plain values only.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

from partita.kit.problems import Problem

T = TypeVar("T")
Reason = Literal["time", "memory", "crash", "error"]

MOST_ANSWER = 64_000_000
"""The most bytes that a process may answer."""

_MAIN = str(Path(__file__).with_name("child_main.py"))
_ROOM: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


class ChildFailed(Exception):
    """The function came to no end in its process; `reason` says why."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


async def in_child(function: Callable[..., T], *arguments: Any, seconds: float = 30, megabytes: int = 512) -> T:
    """What a function of a module makes of its arguments, in a process of its own.

    It may return None, booleans, numbers, text, bytes, and tuples, lists and dicts of them. A `Problem` that it raises
    is raised here too; whatever else goes wrong is a `ChildFailed`. As many run at once as there are cores, but one.
    """
    where = (function.__module__, function.__qualname__)
    asked = pickle.dumps((where, arguments), protocol=5)
    async with _room():
        process = await _begun(str(int(seconds) + 1), str(megabytes))
        try:
            async with asyncio.timeout(seconds):
                answer = await _conversation(process, asked)
        except TimeoutError:
            raise ChildFailed("time", f"{where[1]} took longer than {seconds:g} seconds") from None
        finally:
            await _end(process)
    kind, value = _read(answer, process.returncode, where[1])
    if kind == "problem":
        raise _problem(*value)
    if kind != "done":
        raise ChildFailed("memory" if kind == "memory" else "error", f"{where[1]}: {value}")
    result: T = value
    return result


def _room() -> asyncio.Semaphore:
    return _ROOM.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(max(1, (os.cpu_count() or 2) - 1)))


async def _begun(*limits: str) -> Process:
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            sys.executable,
            "-I",  # nothing of the folder that we were started from, and none of its variables
            _MAIN,
            *limits,
            *(os.path.abspath(entry) for entry in sys.path),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env={},
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # A process that is half started when nobody waits any more would stay as a zombie.
        await _end(await starting)
        raise


async def _conversation(process: Process, asked: bytes) -> bytes:
    async def tell() -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(asked)
            await process.stdin.drain()
            process.stdin.close()
        except (BrokenPipeError, ConnectionResetError):
            pass  # it is gone; its answer, or the lack of one, says why

    async def listen() -> bytes:
        assert process.stdout is not None
        answer = bytearray()
        while chunk := await process.stdout.read(1 << 20):
            answer += chunk
            if len(answer) > MOST_ANSWER:
                raise ChildFailed("error", f"answered more than {MOST_ANSWER:,} bytes")
        return bytes(answer)

    _, answer = await asyncio.gather(tell(), listen())
    await process.wait()
    return answer


async def _end(process: Process) -> None:
    """Let go of a process, ended if it is not yet."""
    transport = process._transport  # type: ignore[attr-defined]
    if process.returncode is None:
        process.kill()
    for number in (0, 1):
        # First the pipes: an answer that nobody reads would be waited for without end.
        pipe = transport.get_pipe_transport(number)
        if pipe is not None:
            pipe.close()
    # Then until it is gone: with a transport that is closed before that, uvloop would leave a zombie.
    await process.wait()
    transport.close()


class _PlainValues(pickle.Unpickler):
    """Values only: a process that a hostile file took over must not be able to name a function for us to call."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no plain value")


def _read(answer: bytes, status: int | None, name: str) -> tuple[str, Any]:
    try:
        kind, value = _PlainValues(BytesIO(answer)).load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, IndexError):
        # Nothing, or nothing that can be read: it was killed, by a limit or by its own fault.
        raise ChildFailed("crash", f"{name} ended with status {status} and without an answer") from None
    return str(kind), value


def _problem(name: str, detail: str, code: str) -> Problem:
    """The problem of that name; one that nobody here knows is a failure like others."""
    waiting: list[type[Problem]] = [Problem]
    while waiting:
        known = waiting.pop()
        if known.__qualname__ == name:
            return known(detail, code=code)
        waiting.extend(known.__subclasses__())
    raise ChildFailed("error", f"{name}: {detail}")
