"""`partita serve` as a user starts it: a process of its own on a free port, stopped by its process id."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen


@dataclass(frozen=True, slots=True)
class Suite:
    """Where the suite is served, which process it is, what it said, and where its log is."""

    url: str
    pid: int
    greeting: str
    log: Path
    process: subprocess.Popen[str]

    @property
    def password(self) -> str:
        """The administrator's one-time password; only at the first start."""
        found = re.search(r"admin, with the password (\S+)", self.greeting)
        assert found, self.greeting
        return found[1]

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        """Ask for something, by a connection of its own."""
        asked = Request(self.url + path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        try:
            with urlopen(asked, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as refused:
            return refused.code, refused.read().decode()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ask the process to stop; returns how it ended."""
        os.kill(self.pid, how)
        return self.process.wait(60)


@contextmanager
def serving(
    folder: Path, *arguments: str, environment: dict[str, str] | None = None, through: tuple[str, ...] = ()
) -> Iterator[Suite]:
    """The suite on a data folder, ready when this is entered and gone when it is left; `through` a command that becomes
    it."""
    command = [
        *through,
        sys.executable,
        "-m",
        "partita.cli",
        "serve",
        "--data",
        str(folder / "data"),
        "--port",
        "0",
        *arguments,
    ]
    log = folder / "serve.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, **(environment or {})}
        ) as process,
    ):
        try:
            greeting = _greeting(process, log)
            found = re.search(r"served at (\S+)", greeting)
            assert found, greeting
            yield Suite(found[1], process.pid, greeting, log, process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()


def _greeting(process: subprocess.Popen[str], log: Path, seconds: float = 240.0) -> str:
    """What it says until it serves."""
    assert process.stdout is not None
    said, deadline = "", time.monotonic() + seconds
    while "Ctrl-C" not in said:
        line = process.stdout.readline()
        assert line, f"it ended before it served:\n{said}{log.read_text()}"
        assert time.monotonic() < deadline, said
        said += line
    return said
