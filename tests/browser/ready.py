"""Servers and other work in processes that need not load the suite."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

from tests.forked import fork_server

T = TypeVar("T")
_START_SECONDS, _STOP_SECONDS = 240.0, 60.0


@dataclass(frozen=True, slots=True)
class Served:
    """Where the suite is served, and what it said."""

    url: str
    greeting: str

    @property
    def password(self) -> str:
        """The administrator's one-time password; only at the first start."""
        found = re.search(r"admin, with the password (\S+)", self.greeting)
        assert found, self.greeting
        return found[1]


def elsewhere(work: Callable[..., Coroutine[None, None, T]], *arguments: object) -> T:
    """What a coroutine returns, run in another process: Playwright has a loop of its own in this thread."""
    with ProcessPoolExecutor(1, mp_context=fork_server()) as pool:
        return pool.submit(_run, work, *arguments).result()


def _run(work: Callable[..., Coroutine[None, None, T]], *arguments: object) -> T:
    return asyncio.run(work(*arguments))


@contextmanager
def serving(folder: Path, environment: dict[str, str]) -> Iterator[Served]:
    """`partita serve --no-demo` on a data folder, ready when this is entered and gone when it is left."""
    said, says = fork_server().Pipe(duplex=False)
    settings = {name: value for name, value in os.environ.items() if name.startswith("PARTITA_")}
    process = fork_server().Process(target=_serve, args=(folder, settings | environment, says))
    process.start()
    says.close()
    try:
        yield _served(said, folder)
    finally:
        said.close()
        process.terminate()
        process.join(_STOP_SECONDS)
        if process.is_alive():
            process.kill()
            process.join()
        process.close()


def _serve(folder: Path, environment: dict[str, str], says: Connection) -> None:
    """In a process of its own: what it says goes to the pipe, and its log to a file."""
    from partita.cli import app

    os.environ.update(environment)
    with (folder / "serve.log").open("wb") as log:
        os.dup2(log.fileno(), 2)
    os.dup2(says.fileno(), 1)
    says.close()
    app(["serve", "--data", str(folder / "data"), "--port", "0", "--no-demo"])


def _served(said: Connection, folder: Path) -> Served:
    """What it says until it serves."""
    greeting = b""
    while b"Ctrl-C" not in greeting:
        assert said.poll(_START_SECONDS), f"it does not start:\n{greeting!r}"
        piece = os.read(said.fileno(), 65536)
        assert piece, f"it ended before it served:\n{greeting!r}\n{(folder / 'serve.log').read_text()}"
        greeting += piece
    text = greeting.decode()
    found = re.search(r"served at (\S+)", text)
    assert found, text
    return Served(found[1], text)
