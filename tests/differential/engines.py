"""The engines to compare: ours behind its door, moto's server, ministack and dynoxide, each with a boto3 client."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

from partita.engine import Engine
from partita.engine.door import DoorThread

OURS, MOTO, MINISTACK, DYNOXIDE = "partita", "moto", "ministack", "dynoxide"
ALL = (OURS, MOTO, MINISTACK, DYNOXIDE)
DYNOXIDE_BINARY = Path(__file__).parents[2] / "node_modules" / "@dynoxide" / "linux-x64" / "dynoxide"


def missing() -> str:
    """Why engines cannot be compared here, if they cannot."""
    if not DYNOXIDE_BINARY.exists():
        return "dynoxide is not installed (npm ci, Linux on x86-64 only)"
    return "" if find_spec("ministack") else "ministack is not installed (make setup)"


@dataclass(frozen=True)
class Peer:
    """One engine to talk to; `revive` starts it again, empty, after a request that killed it."""

    name: str
    client: Any
    revive: Callable[[], None]


@contextmanager
def peers(names: tuple[str, ...] = ALL) -> Iterator[list[Peer]]:
    """The named engines, empty, running until the block ends."""
    with ExitStack() as stack:
        found = []
        for name in names:
            server: _Partita | _Process
            if name == OURS:
                server = stack.enter_context(_Partita())
            else:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="differential-"))
                server = stack.enter_context(_Process(name, Path(folder)))
            client = _client(server.url)
            stack.callback(client.close)
            found.append(Peer(name, client, server.start))
        yield found


def _client(url: str) -> Any:
    return boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name="eu-central-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
        # What the SDK would refuse is for the engines to refuse; and the first answer counts.
        config=Config(parameter_validation=False, retries={"total_max_attempts": 1}, proxies={}, read_timeout=10),
    )


class _Partita:
    """Our engine in a temporary folder, behind its door. There is no second start: it must not die."""

    def __enter__(self) -> _Partita:
        with ExitStack() as stack:
            engine = stack.enter_context(Engine.temporary())
            self.url = stack.enter_context(DoorThread(engine)).url
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stack.close()

    def start(self) -> None:
        raise AssertionError("our engine is not to be started again")


_QUIETLY = {"BIND_HOST": "127.0.0.1", "LOG_LEVEL": "ERROR", "SFTP_ENABLED": "0", "IOT_MTLS_ENABLED": "0"}
"""What ministack is told: to listen here only, and on no other ports for services that nobody asks for."""


class _Process:
    """Another engine in a process of its own, always on the same port."""

    def __init__(self, name: str, folder: Path) -> None:
        self._port = _free_port()
        self._folder = folder
        self._starts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._name = name
        self.url = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> _Process:
        self.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop()

    def start(self) -> None:
        """Start it without contents, again if need be."""
        self._stop()
        self._starts += 1
        # Coverage of another engine is of no interest, and slow.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
        if self._name == MINISTACK:
            environment |= {**_QUIETLY, "GATEWAY_PORT": str(self._port), "TMPDIR": str(self._folder)}
        self._process = subprocess.Popen(
            self._command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        _await_listener(self._process, self._port)

    def _stop(self) -> None:
        if self._process is not None:
            # moto, stuck in a request, does not hear the gentler signal.
            self._process.kill()
            self._process.wait()

    def _command(self) -> list[str]:
        if self._name == MOTO:
            return [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self._port)]
        if self._name == MINISTACK:
            return [sys.executable, "-m", "ministack"]
        data = self._folder / f"{self._starts}.db"
        return [str(DYNOXIDE_BINARY), "serve", "--port", str(self._port), "--db-path", str(data)]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_listener(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError as error:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{process.args!r} does not listen on port {port}") from error
            time.sleep(0.05)
        else:
            return
