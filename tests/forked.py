"""Processes that need not load the suite: they are forked from one that has. To load it takes most of the time in which
a process starts."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Any

_START, _END = 90, 20


@cache
def fork_server(loaded: str = "tests.loaded") -> ForkServerContext:
    """Makes processes of one that has loaded everything. There is one in a process: the first caller says what it
    has loaded."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([loaded])
    return context


@dataclass(frozen=True, slots=True)
class Victim:
    """A process at work, to be killed."""

    process: ForkServerProcess
    _ready: Connection

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def await_ready(self) -> bytes:
        """Until a kill may come; what it says then."""
        assert self._ready.poll(_START), "a process did not begin"
        return self._ready.recv_bytes()

    def runs(self) -> bool:
        return self.process.is_alive()

    def kill(self) -> None:
        self.process.kill()
        self.process.join(_END)
        self.process.close()
        self._ready.close()


def victim(work: Callable[..., None], *arguments: Any) -> Victim:
    """Start `work(*arguments, ready)`, which sends something by `ready` as soon as a kill may come; with the
    environment of this process."""
    ready, its_end = fork_server().Pipe(duplex=False)
    process = fork_server().Process(target=_run, args=(dict(os.environ), work, *arguments, its_end), daemon=True)
    process.start()
    its_end.close()
    return Victim(process, ready)


def _run(environment: dict[str, str], work: Callable[..., None], *arguments: Any) -> None:
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # as the environment has it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who stops the tests by Ctrl-C stops those who started this
    work(*arguments)
