"""`partita serve`: the suite over HTTP, in one process or several on the same data."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from fastapi import FastAPI

    from partita.kit.settings import Settings

_GRACE_SECONDS = 20
_READY_SECONDS = 60


def serve(
    data: Annotated[
        Path | None, typer.Option(help="The folder that holds everything; made if it is not there.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="0 takes a free one.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, max=64, help="Processes that serve the same data.")] = None,
    demo: Annotated[bool | None, typer.Option("--demo/--no-demo", help="Fill empty systems with demo data.")] = None,
) -> None:
    """Serve the five systems. What is not given here comes from the settings."""
    import asyncio

    from partita.dynamo.errors import DynamoError
    from partita.kit.settings import SettingsError, read_settings
    from partita.table import ModelError
    from partita.web import logs

    given = {"data": data, "host": host, "port": port, "workers": workers, "demo": demo}
    known = {name: value for name, value in given.items() if value is not None}
    try:
        settings = read_settings(**known)
        listener = _listen(settings)
        # The processes read the settings themselves: what was given here, and the port that was free.
        known |= {"host": settings.host, "port": listener.getsockname()[1]}
        os.environ.update({f"PARTITA_{name.upper()}": _spelled(value) for name, value in known.items()})
        settings = read_settings()
        # What is done before anything is served is told in the greeting; here only what goes wrong.
        logs.configure("warning" if settings.log_level == "info" else settings.log_level)
        lines = asyncio.run(_prepare(settings))
    except (SettingsError, DynamoError, ModelError, OSError) as error:
        typer.echo(f"partita: {error}", err=True)
        raise typer.Exit(1) from None
    _run(settings, listener, lambda: _greet(settings, lines))


def application() -> FastAPI:
    """What a process serves: a suite of its own, on the data that all of them share."""
    from partita.bootstrap import build
    from partita.kit.settings import read_settings
    from partita.web import logs
    from partita.web.app import create_app

    settings = read_settings()
    logs.configure(settings.log_level)
    return create_app(build(settings))


@dataclass(frozen=True, slots=True)
class _Prepared:
    password: str | None
    """That of the administrator, at the first start."""
    demo: tuple[str, ...]
    systems: tuple[str, ...]


async def _prepare(settings: Settings) -> _Prepared:
    """What happens once before anything is served: tables, the first administrator, demo data and its search index."""
    from partita.bootstrap import build

    suite = build(settings)
    try:
        password = await suite.kit.accounts.ensure_admin()
        fills = [system.demo for system in suite.systems if system.demo is not None] if settings.demo else []
        demo = tuple([await fill() for fill in fills])
        if demo:
            await suite.worker.drain()
        return _Prepared(password, demo, tuple(system.title for system in suite.systems))
    finally:
        await suite.close()


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        raise OSError(
            f"{settings.host}:{settings.port} cannot be used: {error.strerror}. Choose another --port."
        ) from None
    listener.set_inheritable(True)
    return listener


def _run(settings: Settings, listener: socket.socket, greet: Callable[[], None]) -> None:
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    config = uvicorn.Config(
        "partita.commands.serve:application",
        factory=True,
        workers=settings.workers,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        http="httptools",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        # Only those who are trusted say who asks; everybody else is asked from where they are.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )

    class Alone(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            greet()

    class Together(Multiprocess):
        def init_processes(self) -> None:
            super().init_processes()
            if all(process.wait_until_ready(_READY_SECONDS, self.should_exit) for process in self.processes):
                greet()

    if settings.workers == 1:
        # The server ends with the signal that stopped it; by then everything is closed, and that is no failure.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
        Alone(config).run([listener])
        return
    with tempfile.TemporaryDirectory(prefix="partita-metrics-") as counted:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = counted
        Together(config, [listener]).run()


def _greet(settings: Settings, prepared: _Prepared) -> None:
    lines: list[tuple[str, Any]] = [("systems", ", ".join(prepared.systems) or "none")]
    if prepared.password is not None:
        lines.append(("sign in", f"admin, with the password {prepared.password} (you choose your own at once)"))
    lines += [("demo", made) for made in prepared.demo]
    lines += [("data", settings.data.resolve()), ("API", f"{settings.base_url}/api/docs")]
    typer.echo(f"Partita is served at {settings.base_url}")
    for name, value in lines:
        typer.echo(f"{name:8} {value}")
    typer.echo("\nCtrl-C stops it.")
    sys.stdout.flush()


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
