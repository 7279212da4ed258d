"""The child process: calls one function with limits of memory and time, and answers over a pipe.

Started as a file of its own, so that it imports nothing but Python's library and what the function needs.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import queue
import resource
import struct
import sys
import threading
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, BinaryIO


def _encoder() -> Any:
    """The file beside this one, without the package around it, which imports much."""
    spec = spec_from_file_location("plain", Path(__file__).with_name("plain.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.encode


encode = _encoder()


class ChildJob:
    """A job as a function in a child process sees it; the process that started it does the writing."""

    def __init__(self, pipe: _Pipe, saved: Any, attempt: int) -> None:
        self._pipe = pipe
        self.saved = saved
        """What the last checkpoint saved; None at the beginning."""
        self.attempt = attempt

    def progress(self, step: str | None = None, **more: Any) -> None:
        """How far it is: `done`, `total`, `message`."""
        self._pipe.send(("progress", {"step": step, **more}))

    def checkpoint(self, saved: Any) -> None:
        """Save where to go on after a kill; returns when it is written."""
        self._pipe.send(("checkpoint", saved))
        self._pipe.answers.get()
        self.saved = saved


class _Pipe:
    """Length and value, one after the other. When the parent is gone, so is this process."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._sending = threading.Lock()
        self.answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def receive(self) -> Any:
        header = self._incoming.read(8)
        if len(header) < 8:
            os._exit(1)
        return pickle.loads(self._incoming.read(struct.unpack("!Q", header)[0]))

    def send(self, message: Any) -> None:
        data = encode(message)
        with self._sending, contextlib.suppress(BrokenPipeError):
            self._outgoing.write(struct.pack("!Q", len(data)) + data)
            self._outgoing.flush()

    def listen(self) -> None:
        while True:
            self.answers.put(self.receive())


def main() -> None:
    """Read what to do, do it, answer."""
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the function prints must not get between the answers
    pipe = _Pipe(os.fdopen(os.dup(0), "rb"), outgoing)
    ask = pipe.receive()
    os.nice(5)
    _limit(ask["seconds"], ask["megabytes"], writes=ask["job"] is not None)
    threading.Thread(target=pipe.listen, daemon=True).start()
    try:
        sys.path[:] = ask["path"]
        module, _, name = ask["function"].partition(":")
        function: Any = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
        about = ask["job"]
        given = () if about is None else (ChildJob(pipe, about["saved"], about["attempt"]),)
        pipe.send(("done", function(*given, *ask["arguments"])))
    except MemoryError:
        pipe.send(("memory", None))
    except BaseException as error:
        told = "".join(traceback.format_exception(error))[-4000:]
        pipe.send(("failed", (type(error).__name__, str(error)[:2000], told)))
    sys.stderr.flush()
    os._exit(0)  # nothing that the function left behind holds the end up


def _limit(seconds: float, megabytes: int, *, writes: bool) -> None:
    """The kernel's limits; the parent keeps the time on the wall. On Linux RLIMIT_DATA counts what is written to, and
    not libraries and the address space that threads put aside."""
    wanted = megabytes * 1_000_000
    memory = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    limits = [(memory, wanted), (resource.RLIMIT_CPU, int(seconds) + 2), (resource.RLIMIT_CORE, 0)]
    if not writes:
        limits.append((resource.RLIMIT_FSIZE, 0))
    for limit, most in limits:
        _, hard = resource.getrlimit(limit)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (most, most))


if __name__ == "__main__":
    main()
