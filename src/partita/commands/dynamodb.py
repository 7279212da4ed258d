"""`partita dynamodb`: the engine's server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from partita.commands.door import DURABILITIES, Served, environment_keys, serve

_DATA = Path("data")

alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
"""The command without all others, whose modules would take a quarter of the time until it listens."""


@alone.callback()
def _one_of_many() -> None:
    """There are other commands, so this one is named."""


@alone.command()
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
    if workers > 1 and faults is not None:
        raise typer.BadParameter(
            "a fault plan needs one worker: with several, chance decides which one answers, and no run is repeatable",
            param_hint="--workers",
        )
    if durability not in DURABILITIES:
        raise typer.BadParameter("choose full, normal or off", param_hint="--durability")
    served = Served(
        data=data,
        host=host,
        port=port,
        durability=durability,
        region=region,
        exports=exports,
        allow_origin=tuple(allow_origin or ()),
        sample=sample,
        workers=workers,
    )
    raise typer.Exit(serve(served, _keys(keys), faults))


def _keys(file: Path | None) -> dict[str, str] | None:
    """Access keys from a file or the environment; not from the command line, which other users could read."""
    keys: dict[str, str] = {}
    if file is not None:
        if not file.is_file():
            raise typer.BadParameter(f"there is no file {file}", param_hint="--keys")
        if os.name == "posix" and file.stat().st_mode & 0o077:
            raise typer.BadParameter(f"others can read {file}; run chmod 600 {file} first", param_hint="--keys")
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if line.strip():
                name, colon, secret = line.strip().partition(":")
                if not (name and colon and secret):
                    raise typer.BadParameter(f"line {number} of {file} is not `id:secret`", param_hint="--keys")
                keys[name] = secret
    return {**keys, **environment_keys()} or None
