"""`partita serve`: the suite over HTTP, in one process or several on the same data."""

from __future__ import annotations

import gc
import logging
import os
import shlex
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.commands.suite import without_collection

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI

    from partita.kit.settings import Settings
    from partita.kit.suite import Suite

_log = logging.getLogger(__name__)
_TABLES_BYTES = 20_000_000
"""What tables and search index keep of their files in memory: rows that were read lately are remembered beside it."""
_GRACE_SECONDS = 20
_READY_SECONDS = 60
_WAITING = 2048


def serve(
    data: Annotated[Path | None, typer.Option(help="The data folder; created if it is missing.")] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, max=64, help="The number of server processes.")] = None,
    systems: Annotated[
        str | None,
        typer.Option(help="The systems to serve, with commas: kelifax, fus, …, or packages of yours."),
    ] = None,
    demo: Annotated[bool | None, typer.Option("--demo/--no-demo", help="Fill empty systems with demo data.")] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Begin with empty tables where those of a folder are gone.")
    ] = False,
) -> None:
    """Serve the suite. Options override the settings."""
    from partita.engine.leftovers import lost_tables
    from partita.heaps import bound_heaps
    from partita.kit.backup.taking import clear_left_behind
    from partita.kit.settings import SettingsError, read_settings
    from partita.kit.table_copies import clear_copies
    from partita.web import logs

    bound_heaps()
    _bound_tables()
    options = {"data": data, "host": host, "port": port, "workers": workers, "systems": systems, "demo": demo}
    overrides = {name: value for name, value in options.items() if value is not None}
    with _errors_in_one_line():
        settings = read_settings(**overrides)
        if settings.data.exists() and not settings.data.is_dir():
            raise SettingsError(f"{settings.data} is a file: name a folder with --data")
        lost = None if new or settings.backend != "embedded" else lost_tables(settings.data)
        if lost is not None:
            raise SettingsError(lost)
        clear_left_behind(settings.data)
        clear_copies(settings.data)
        listener = _listen(settings)
        # Server processes read the settings from the environment: pass on the options and the chosen port.
        overrides |= {"host": settings.host, "port": listener.getsockname()[1]}
        os.environ.update({f"PARTITA_{name.upper()}": _variable_text(value) for name, value in overrides.items()})
        settings = read_settings()
    # The greeting reports what is prepared before the start; until then log only warnings.
    logs.configure("warning" if settings.log_level == "info" else settings.log_level)
    for warning in _warnings(settings):
        _log.warning("%s", warning)
    if settings.workers == 1:
        _alone(settings, listener)
    else:
        _together(settings, listener)


def application() -> FastAPI:
    """The application of one process: a suite of its own, on the data that all processes share."""
    from partita.heaps import bound_heaps
    from partita.kit.settings import read_settings
    from partita.web import logs

    bound_heaps()
    _bound_tables()
    settings = read_settings()
    logs.configure(settings.log_level)
    with uncollected():
        from uvicorn.config import STARTUP_FAILURE

        from partita.bootstrap import build
        from partita.dynamo.errors import StorageMissingError
        from partita.web.app import create_app

        try:
            return create_app(build(settings))
        except StorageMissingError as error:
            _log.error("%s", error)
            sys.exit(STARTUP_FAILURE)  # which ends the others as well: then they can start anew


def _bound_tables() -> None:
    import apsw

    apsw.soft_heap_limit(_TABLES_BYTES)


def _warnings(settings: Settings) -> Iterator[str]:
    """What is set in a way that seldom is meant."""
    if settings.secure and not settings.trusted_proxies:
        yield (
            "base_url is https, so a proxy is in front, but trusted_proxies is empty: everybody seems to come from the"
            " proxy's address, and limits by network count them as one. Set PARTITA_TRUSTED_PROXIES to its address."
        )
    if settings.backend == "dynamodb" and settings.secret is None:
        yield (
            "the tables are in DynamoDB, but the secret is in this machine's data folder: cursors, links and messages"
            " that another machine has signed are refused here. Set PARTITA_SECRET to the same text on all of them."
        )
    if settings.backend == "dynamodb" and settings.files == "local":
        yield (
            "the tables are in DynamoDB, but uploaded files are in this machine's data folder: no other machine has"
            " what is sent to this one. Set PARTITA_FILES=s3 and PARTITA_S3_BUCKET, unless there is only this machine."
        )


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """Print an error that prevents the start in one line, without a traceback."""
    from partita.dynamo.errors import DynamoError
    from partita.kit.settings import SettingsError
    from partita.store.aws import NoCredentialsError
    from partita.table import ModelError

    try:
        yield
    except (SettingsError, DynamoError, ModelError, NoCredentialsError, OSError) as error:
        typer.echo(f"partita: {error}", err=True)
        raise typer.Exit(1) from None


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep objects that are made here out of garbage collection: they live as long as the process."""
    with without_collection():
        yield
    gc.freeze()


@dataclass(frozen=True, slots=True)
class _Prepared:
    password: str | None
    """The administrator's one-time password, at the first start."""
    demo: tuple[str, ...]
    systems: tuple[str, ...]


async def _prepare(suite: Suite) -> _Prepared:
    """Prepare the start: the first administrator, demo data and its search index."""
    settings = suite.kit.settings
    password = await suite.kit.accounts.registration.ensure_admin()
    demo: list[str] = []
    for system in suite.systems if settings.demo else ():
        if system.demo is not None:
            if password is not None:  # the first start: it takes a while
                typer.echo(f"filling {system.title} with demo data …")
            demo.append(await system.demo())
    if demo:
        await suite.worker.drain()
    return _Prepared(password, tuple(demo), tuple(system.title for system in suite.systems))


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(_WAITING)  # now: only listening fails if another process has the port
    except OSError as error:
        raise OSError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror}. Choose another --port."
        ) from None
    listener.set_inheritable(True)
    return listener


def _alone(settings: Settings, listener: socket.socket) -> None:
    """Serve in this process."""
    import asyncio

    import uvicorn

    from partita.web import logs

    async def run() -> None:
        with _errors_in_one_line(), uncollected():
            from partita.bootstrap import build
            from partita.web.app import create_app

            suite = build(settings)
        try:
            with _errors_in_one_line():
                prepared = await _prepare(suite)
            with uncollected():
                app = create_app(suite)  # only now, so that metrics do not count the preparation
        except BaseException:
            await suite.close()
            raise
        logs.configure(settings.log_level)

        class Greeting(uvicorn.Server):
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                _greet(settings, prepared)

        # uvicorn raises the signal again that stopped it; by then everything is closed, so exit with 0.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
        await Greeting(_config(settings, app)).serve([listener])

    with asyncio.Runner(loop_factory=_config(settings, application).get_loop_factory()) as runner:
        runner.run(run())


def _together(settings: Settings, listener: socket.socket) -> None:
    """Serve in several processes on the same data; prepare before they start."""
    import asyncio

    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    with uncollected():
        from partita.bootstrap import build

    async def prepare() -> _Prepared:
        suite = build(settings)
        try:
            return await _prepare(suite)
        finally:
            await suite.close()

    with _errors_in_one_line():
        prepared = asyncio.run(prepare())

    class Greeting(Multiprocess):
        def init_processes(self) -> None:
            super().init_processes()
            if all(process.wait_until_ready(_READY_SECONDS, self.should_exit) for process in self.processes):
                _greet(settings, prepared)

    with tempfile.TemporaryDirectory(prefix="partita-metrics-") as metrics_folder:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = metrics_folder
        processes = Greeting(_config(settings, "partita.commands.serve:application"), [listener])
        processes.run()
    if any(process.exitcode == STARTUP_FAILURE for process in processes.processes):
        raise typer.Exit(1)


def _config(settings: Settings, app: FastAPI | Callable[[], FastAPI] | str) -> uvicorn.Config:
    import uvicorn
    from fastapi import FastAPI

    from partita.web.connections import Connection

    return uvicorn.Config(
        app,
        factory=not isinstance(app, FastAPI),
        workers=settings.workers,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        http=Connection,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        # X-Forwarded headers count only from trusted proxies.
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


def _greet(settings: Settings, prepared: _Prepared) -> None:
    # Without it, these commands would change the folder of the settings, which may be another one.
    folder = f" --data {shlex.quote(os.path.relpath(settings.data))}"
    lines: list[tuple[str, Any]] = [("systems", ", ".join(prepared.systems) or "none")]
    if prepared.password is not None:
        lines.append(("sign in", f"admin, with the password {prepared.password} (you choose your own at once)"))
    else:
        lines.append(("sign in", f"as before; if you forgot the password: {_command()} user password admin{folder}"))
    lines += [("demo", summary) for summary in prepared.demo]
    if prepared.demo and prepared.password is None:
        people = (
            f"{_command()} user list{folder} shows the demo people, {_command()} user password NAME{folder} makes a new"
            " password"
        )
        lines.append(("demo", people))
    lines += [("data", settings.data.resolve()), ("API", f"{settings.base_url}/api/docs")]
    typer.echo(f"Partita is served at {settings.base_url}")
    for name, value in lines:
        typer.echo(f"{name:8} {value}")
    typer.echo("\nCtrl-C stops it.")
    sys.stdout.flush()


def _command() -> str:
    """How to call this program from the current folder."""
    return "partita" if shutil.which("partita") else os.path.relpath(sys.argv[0])


def _variable_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
