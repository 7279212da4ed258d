"""Heavy work and hostile input: a function in a process of its own, with limits of time and memory."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import struct
import sys
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from partita.kit.jobs import runner
from partita.kit.jobs.kinds import Arguments, JobFailed, JobKind, Result
from partita.kit.jobs.plain import NotPlainError, decode
from partita.kit.jobs.running import Running
from partita.kit.jobs.slots import slot

T = TypeVar("T")
Progress = Callable[[str, Any], Awaitable[None]]
MOST_BYTES = 64_000_000
"""The largest answer."""
_KEPT_ENVIRONMENT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_",
    "TZ",
    "TMPDIR",
    "PYTHON",
    "LD_LIBRARY_PATH",
    "COVERAGE",
    "VIRTUAL_ENV",
)
"""Secrets are in the environment too, and the function may work for whoever sent the input."""
_TOLD_BYTES = 4_000


class ChildError(Exception):
    """The function gave no result."""


class ChildTimeoutError(ChildError):
    """It took too long and was killed."""


class ChildMemoryError(ChildError):
    """It wanted more memory than it may have."""


class ChildCrashedError(ChildError):
    """Its process ended without an answer."""


class ChildFailedError(ChildError):
    """It raised; `kind` is the name of the exception."""

    def __init__(self, kind: str, message: str, trace: str) -> None:
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind = kind
        self.message = message
        self.trace = trace


async def in_child(function: Callable[..., T], *arguments: Any, seconds: float = 30.0, megabytes: int = 512) -> T:
    """Call a function of a module in a process of its own; at most `max(1, cores - 1)` of them run at once.

    Arguments may be anything that can be pickled. The result must be plain: None, text, bytes, numbers, and lists,
    tuples, sets and dicts of them, since what read hostile input is not trusted to say which code to run here. It may
    write no file.
    """
    result: T = await _call(function, arguments, seconds, megabytes, None, None)
    return result


def child_kind(
    name: str,
    title: str,
    function: Callable[[runner.ChildJob, dict[str, Any]], Any],
    *,
    seconds: float = 3600.0,
    megabytes: int = 1024,
    retries: int = 3,
    kept_days: int = 14,
) -> JobKind:
    """A kind of job whose function runs in a child process. It gets a `ChildJob` and the arguments, and returns None, a
    message, or the fields of a `Result`. Cancelled, its process is killed."""

    async def run(running: Running, arguments: Arguments) -> Result | None:
        async def told(what: str, value: Any) -> None:
            if what == "checkpoint":
                await running.checkpoint(value)
            else:
                await running.progress(value.pop("step", None), **value)

        about = {"saved": running.saved, "attempt": running.attempt}
        calling = asyncio.ensure_future(_call(function, (dict(arguments),), seconds, megabytes, about, told))
        stopping = asyncio.ensure_future(running.stopping.wait())
        try:
            await asyncio.wait((calling, stopping), return_when=asyncio.FIRST_COMPLETED)
            if not calling.done():
                running.check()
            return _result(await calling)
        except ChildMemoryError as error:
            raise JobFailed(str(error)) from error
        except ChildTimeoutError as error:
            raise TimeoutError(str(error)) from error
        finally:
            for task in (calling, stopping):
                task.cancel()
            await asyncio.gather(calling, stopping, return_exceptions=True)

    return JobKind(name, title, run, retries=retries, seconds=seconds + 60, kept_days=kept_days)


def _result(value: Any) -> Result | None:
    if value is None or isinstance(value, str):
        return Result(value) if value else None
    return Result(**value)


async def _call(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    seconds: float,
    megabytes: int,
    job: dict[str, Any] | None,
    told: Progress | None,
) -> Any:
    ask = pickle.dumps(
        {
            "function": _name(function),
            "arguments": arguments,
            "path": sys.path,
            "seconds": seconds,
            "megabytes": megabytes,
            "job": job,
        }
    )
    async with slot():
        process = await _start()
        complaints = asyncio.create_task(_last_of(process.stderr))
        try:
            async with asyncio.timeout(seconds) as limit:
                return await _talk(process, ask, told, complaints)
        except TimeoutError:
            if not limit.expired():
                raise
            raise ChildTimeoutError(f"It took longer than {seconds:g} seconds.") from None
        except MemoryError:
            raise ChildMemoryError(f"It needs more than {megabytes} MB of memory.") from None
        finally:
            complaints.cancel()
            await asyncio.gather(complaints, return_exceptions=True)
            await _end(process)


async def _start() -> Process:
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # the folder of the runner is no place to import from
            runner.__file__,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if name.startswith(_KEPT_ENVIRONMENT)},
            start_new_session=True,  # so that what it starts can be killed with it
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        # A process that is half started when nobody waits any more would stay as a zombie.
        await _end(await starting)
        raise


async def _end(process: Process) -> None:
    """Kill a process and all that it started, and let go of it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    transport = process._transport  # type: ignore[attr-defined]
    for number in (0, 1, 2):
        # First the pipes: an answer that nobody reads would be waited for without end.
        pipe = transport.get_pipe_transport(number)
        if pipe is not None:
            pipe.close()
    # Then until it is gone: with a transport that is closed before that, uvloop would leave a zombie.
    await process.wait()
    transport.close()


async def _talk(process: Process, ask: bytes, told: Progress | None, complaints: asyncio.Task[str]) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(struct.pack("!Q", len(ask)) + ask)
        await process.stdin.drain()
        while True:
            what, value = await _answer(process.stdout)
            if what == "done":
                return value
            if what == "memory":
                raise MemoryError
            if what == "failed":
                raise ChildFailedError(*value)
            if told is not None:
                await told(what, value)
            if what == "checkpoint":
                answer = pickle.dumps(True)
                process.stdin.write(struct.pack("!Q", len(answer)) + answer)
                await process.stdin.drain()
    except (asyncio.IncompleteReadError, ConnectionError) as error:
        code = await process.wait()
        said = await complaints
        if "MemoryError" in said or "cannot allocate memory" in said.lower():
            raise MemoryError from error
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with status {code}"
        raise ChildCrashedError(f"The process ended {how} without an answer. {said[-500:]}".strip()) from error


async def _answer(stream: asyncio.StreamReader) -> tuple[str, Any]:
    """The next thing that the process says, which may be anything."""
    (length,) = struct.unpack("!Q", await stream.readexactly(8))
    if length > MOST_BYTES:
        raise ChildCrashedError(f"Its answer has {length:,} bytes, and {MOST_BYTES:,} are the most.")
    try:
        match decode(await stream.readexactly(length)):
            case ("failed", (str(), str(), str()) as value):
                return "failed", value
            case ("progress", dict() as value):
                return "progress", value
            case (("done" | "memory" | "checkpoint") as what, value):
                return what, value
    except NotPlainError as error:
        raise ChildCrashedError(f"Its answer cannot be read: {error}") from None
    raise ChildCrashedError("Its answer is none.")


async def _last_of(stream: asyncio.StreamReader | None) -> str:
    assert stream is not None
    last = b""
    while piece := await stream.read(65_536):
        last = (last + piece)[-_TOLD_BYTES:]
    return last.decode(errors="replace")


def _name(function: Callable[..., Any]) -> str:
    name = f"{function.__module__}:{function.__qualname__}"
    if "<" in name or function.__module__ == "__main__":
        raise ValueError(f"A child process imports its function by name, so {name} must be one of a module's own.")
    return name
