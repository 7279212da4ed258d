"""The commands. Each imports what it needs when it runs, so that all start fast."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from partita import __version__
from partita.commands import changes, doctor, files, jobs, migrate, notifications, schemas, search, user
from partita.commands.adopt import adopt
from partita.commands.backup import backup, restore
from partita.commands.copy import copy
from partita.commands.demo import demo
from partita.commands.insights import insights
from partita.commands.serve import serve
from partita.commands.sql import sql

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.add_typer(migrate.app, name="migrate")
app.add_typer(user.app, name="user")
app.add_typer(changes.app, name="changes")
app.add_typer(jobs.app, name="jobs")
app.add_typer(search.app, name="search")
app.add_typer(files.app, name="files")
app.add_typer(notifications.app, name="notifications")
app.command()(serve)
for command in (
    schemas.explain,
    schemas.check,
    schemas.tables,
    schemas.patterns,
    schemas.export,
    doctor.doctor,
    doctor.row,
):
    app.command()(command)
app.command()(demo)
app.command()(adopt)
app.command()(sql)
app.command()(copy)
app.command()(insights)
app.command()(backup)
app.command()(restore)

_DATA = Path("data")


def _show_version(show: bool) -> None:
    if show:
        typer.echo(f"partita {__version__}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Five content systems for one instrument, the DynamoDB table."""


@app.command()
def dynamodb(
    data: Annotated[Path, typer.Option(help="The folder of the tables; created if it is missing.")] = _DATA,
    host: Annotated[str, typer.Option(help="The address to listen on; others than loopback need keys.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")] = 8000,
    keys: Annotated[
        Path | None, typer.Option(help="A file of access keys, one `id:secret` per line: requests must be signed.")
    ] = None,
    durability: Annotated[
        str, typer.Option(help="full: survives power loss; normal: survives a killed process; off: neither.")
    ] = "full",
    region: Annotated[str, typer.Option(help="The region in ARNs.")] = "us-east-1",
    faults: Annotated[Path | None, typer.Option(help="A JSON file with a fault plan, for testing.")] = None,
    exports: Annotated[
        Path | None, typer.Option(help="The folder for ExportTable and ImportTable: a bucket is a folder in it.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(help="A web site whose pages may use the server; * for all, which opens it to every page."),
    ] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Create a sample table, and show how to use it.")] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="The number of server processes.")] = 1,
) -> None:
    """Serve DynamoDB's protocol to any AWS SDK."""
    settings = {"durability": durability, "exports": exports}
    if workers > 1 and faults is not None:
        raise typer.BadParameter(
            "a fault plan needs one worker: with several, chance decides which one answers, and no run is repeatable",
            param_hint="--workers",
        )
    _serve(data, host, port, _keys(keys), settings, region, faults, allow_origin or [], sample=sample, workers=workers)


def _serve(
    data: Path,
    host: str,
    port: int,
    keys: dict[str, str] | None,
    settings: dict[str, Any],
    region: str,
    faults: Path | None,
    origins: list[str],
    *,
    sample: bool,
    workers: int,
) -> None:
    from partita.dynamo.errors import DynamoError
    from partita.engine import Engine, FaultPlan, Place
    from partita.engine.door import UnprotectedHostError
    from partita.engine.door import run as run_door
    from partita.engine.faults import FaultPlanError

    if settings["durability"] not in ("full", "normal", "off"):
        raise typer.BadParameter("choose full, normal or off", param_hint="--durability")
    try:
        plan = None if faults is None else FaultPlan.from_json(faults.read_bytes())
        place = Place(region=region, endpoint=f"{host}:{port}")
        together = workers > 1
        with Engine(data, place=place, faults=plan, background=not together, **settings) as engine:
            if sample:
                from partita.engine.sample import make_sample

                make_sample(engine)
            tables = engine.call("ListTables", {})["TableNames"]
            if not together:
                run_door(
                    engine,
                    host=host,
                    port=port,
                    keys=keys,
                    origins=origins,
                    ready=lambda door: _greet(door.url, data, tables, sample=sample),
                )
        if together:
            from partita.engine.door.workers import WorkerSettings, run_workers

            run_workers(
                workers,
                WorkerSettings(
                    lambda bound: Engine(data, place=Place(region=region, endpoint=f"{host}:{bound}"), **settings),
                    host=host,
                    port=port,
                    keys=keys,
                    origins=origins,
                ),
                ready=lambda url: _greet(url, data, tables, sample=sample),
            )
    except (DynamoError, UnprotectedHostError, FaultPlanError, OSError) as error:
        typer.echo(f"partita: {error}", err=True)
        raise typer.Exit(1) from None


def _greet(url: str, data: Path, tables: list[str], *, sample: bool) -> None:
    typer.echo(f"DynamoDB is served at {url}")
    typer.echo(f"data     {data.resolve()}")
    typer.echo(f"tables   {', '.join(tables) or 'none yet'}")
    if sample:
        key = '{"pk": {"S": "FILM#metropolis"}, "sk": {"S": "METADATA"}}'
        typer.echo(
            "\nTry it from another terminal, or with any AWS SDK, this endpoint and any credentials:\n\n"
            f"  curl -s {url} -H 'X-Amz-Target: DynamoDB_20120810.GetItem' "
            f'-d \'{{"TableName": "films", "Key": {key}}}\''
        )
    typer.echo("\nCtrl-C stops it.")


def _keys(file: Path | None) -> dict[str, str] | None:
    """Access keys from a file or the environment; not from the command line, which other users could read."""
    keys: dict[str, str] = {}
    if file is not None:
        if os.name == "posix" and file.stat().st_mode & 0o077:
            raise typer.BadParameter(f"others can read {file}; run chmod 600 {file} first", param_hint="--keys")
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if line.strip():
                name, colon, secret = line.strip().partition(":")
                if not (name and colon and secret):
                    raise typer.BadParameter(f"line {number} of {file} is not `id:secret`", param_hint="--keys")
                keys[name] = secret
    from_environment = os.environ.get("PARTITA_ACCESS_KEY_ID"), os.environ.get("PARTITA_SECRET_ACCESS_KEY")
    if all(from_environment):
        keys[str(from_environment[0])] = str(from_environment[1])
    return keys or None


if __name__ == "__main__":
    app()
