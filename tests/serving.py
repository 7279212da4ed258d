"""Servers for tests: each in a process of its own, on loopback and a free port, stopped by its process id."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

DYNOXIDE = Path(__file__).parent.parent / "node_modules" / "@dynoxide" / "linux-x64" / "dynoxide"
CREDENTIALS = {"aws_access_key_id": "any", "aws_secret_access_key": "any", "region_name": "us-east-1"}


@dataclass(frozen=True, slots=True)
class Served:
    """Where a server listens, and which process it is."""

    url: str
    pid: int


@contextmanager
def partita_door(
    folder: Path, *arguments: str, environment: dict[str, str] | None = None, errors: IO[bytes] | None = None
) -> Iterator[Served]:
    """`partita dynamodb` as a user starts it; `errors` gets its log."""
    command = [sys.executable, "-m", "partita", "dynamodb", "--data", str(folder), "--port", "0", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, **(environment or {})}
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"served at (\S+)", process.stdout.readline())
            assert found, "the door did not start"
            yield Served(found[1], process.pid)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)


@contextmanager
def moto_server() -> Iterator[Served]:
    """moto's server."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with _running(command, port) as served:
        yield served


@contextmanager
def dynoxide_server(folder: Path) -> Iterator[Served]:
    """dynoxide, on disk."""
    port = free_port()
    command = [str(DYNOXIDE), "serve", "--host", "127.0.0.1", "--port", str(port), "--db-path", str(folder / "dx.db")]
    with _running(command, port) as served:
        yield served


@contextmanager
def _running(command: list[str], port: int) -> Iterator[Served]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for_port(port, process)
            yield Served(f"http://127.0.0.1:{port}", process.pid)
        finally:
            process.kill()
            process.wait(20)


def free_port() -> int:
    """A port nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_port(port: int, process: subprocess.Popen[bytes], seconds: float = 60.0) -> None:
    """Return as soon as something listens there."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert process.poll() is None, f"{process.args!r} ended instead of serving"
        with socket.socket() as probe:
            probe.settimeout(1.0)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError(f"nothing listens on {port}")
