"""The commands. What a command needs is imported inside it, so that each starts fast."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita import __version__
from partita.commands import changes, migrate, search, user
from partita.commands.demo import demo
from partita.commands.serve import serve

if TYPE_CHECKING:
    from partita.engine import Engine
    from partita.engine.door import Door
    from partita.table import Table

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.add_typer(migrate.app, name="migrate")
app.add_typer(user.app, name="user")
app.add_typer(changes.app, name="changes")
app.add_typer(search.app, name="search")
app.command()(serve)
app.command()(demo)

_DATA = Path("data")

Schema = Annotated[
    str,
    typer.Option(help="A schema of your own, a file (lending.py) or a module (shop.schema), not the five systems'."),
]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"partita {__version__}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    """Five content systems for one instrument, the DynamoDB table."""


@app.command()
def dynamodb(
    data: Annotated[Path, typer.Option(help="The folder that holds the tables; made if it is not there.")] = _DATA,
    host: Annotated[str, typer.Option(help="Any other than loopback needs access keys.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000,
    keys: Annotated[
        Path | None, typer.Option(help="A file of access keys, one `id:secret` a line: requests must be signed.")
    ] = None,
    durability: Annotated[
        str, typer.Option(help="full: survives power loss; normal: survives a killed process; off: neither.")
    ] = "full",
    region: Annotated[str, typer.Option(help="The region that ARNs name.")] = "us-east-1",
    faults: Annotated[Path | None, typer.Option(help="A JSON file with a fault plan, for testing.")] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Make a sample table, and say how to talk to it.")] = False,
) -> None:
    """Serve DynamoDB's protocol to any AWS SDK."""
    _serve(data, host, port, _keys(keys), durability, region, faults, sample=sample)


@app.command()
def explain(
    pattern: Annotated[str, typer.Argument(help="As in fus.my_ratings; none: all of them, a line each.")] = "",
    items: Annotated[int, typer.Option(min=1, help="Items on a page, for the cost.")] = 25,
    schema: Schema = "",
) -> None:
    """Show what an access pattern sends and costs."""
    from partita.table import ModelError
    from partita.table.explain import explain as explained

    known = [each for table in _tables(schema) for each in table.patterns]
    found = [each for each in known if pattern in ("", each.label, each.function.__name__)]
    if pattern and not found:
        listing = f"`partita explain --schema {schema}` lists" if schema else "`partita explain` lists"
        own = "" if schema else "; for a schema of your own, add --schema FILE"
        raise _failed(f"there is no pattern {pattern}; {listing} all of them{own}")
    for each in found:
        try:
            typer.echo(explained(each, items=items) if pattern else f"{each.label:40} {each.name}")
        except ModelError as error:
            raise _failed(f"{each.label}: {error}") from None


@app.command()
def check(schema: Schema = "") -> None:
    """Read the schemas for trouble; exits with 1 where something cannot work."""
    from partita.table.check import check as checked

    findings = list(checked(_tables(schema)))
    for finding in findings:
        typer.echo(str(finding))
    errors = sum(finding.level == "error" for finding in findings)
    typer.echo(f"{_counted(errors, 'error')}, {_counted(len(findings) - errors, 'warning')}")
    if errors:
        raise typer.Exit(1)


@app.command()
def tables(
    name: Annotated[str, typer.Argument(help="A table's name; none: all of them.")] = "",
    schema: Schema = "",
) -> None:
    """Show the tables: keys, indexes, item types, access patterns."""
    from partita.table import ModelError
    from partita.table.document import document

    every = _tables(schema)
    found = [table for table in every if name in ("", table.name)]
    if not found:
        raise _failed(f"there is no table {name}; there are {', '.join(table.name for table in every)}")
    try:
        typer.echo("\n".join(document(table) for table in found))
    except ModelError as error:
        raise _failed(str(error)) from None


@app.command()
def export(
    form: Annotated[str, typer.Argument(help="cloudformation, terraform or workbench.")],
    system: Annotated[str, typer.Option(help="Only this system's tables.")] = "",
    schema: Schema = "",
) -> None:
    """Print infrastructure made from the schemas."""
    from partita.table import export as exporting

    forms = {
        "cloudformation": exporting.cloudformation,
        "terraform": exporting.terraform,
        "workbench": exporting.workbench,
    }
    if form not in forms:
        raise typer.BadParameter(f"choose {', '.join(forms)}", param_hint="FORM")
    if system and schema:
        raise typer.BadParameter("a schema of your own is no system: leave one of both out", param_hint="--system")
    typer.echo(forms[form](_tables(schema, system)), nl=False)


def _tables(schema: str, system: str = "") -> list[Table]:
    """The tables of the five systems, of one of them, or of a schema of the user's own."""
    if schema:
        from partita.table import SchemaError
        from partita.table.source import tables_in

        try:
            return list(tables_in(schema))
        except SchemaError as error:
            raise _failed(str(error)) from None
    from partita.bootstrap import SYSTEMS

    if system and system not in SYSTEMS:
        raise typer.BadParameter(f"choose {', '.join(SYSTEMS)}", param_hint="--system")
    return [table for known, found in SYSTEMS.items() if system in ("", known) for table in found]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _failed(why: str) -> typer.Exit:
    typer.echo(f"partita: {why}", err=True)
    return typer.Exit(1)


def _serve(
    data: Path,
    host: str,
    port: int,
    keys: dict[str, str] | None,
    durability: str,
    region: str,
    faults: Path | None,
    *,
    sample: bool,
) -> None:
    from partita.dynamo.errors import DynamoError
    from partita.engine import Engine, FaultPlan, Place
    from partita.engine.door import UnprotectedHostError
    from partita.engine.door import run as run_door
    from partita.engine.faults import FaultPlanError

    if durability not in ("full", "normal", "off"):
        raise typer.BadParameter("choose full, normal or off", param_hint="--durability")
    try:
        plan = None if faults is None else FaultPlan.from_json(faults.read_bytes())
        settings: dict[str, Any] = {"durability": durability, "faults": plan}
        place = Place(region=region, endpoint=f"{host}:{port}")
        with Engine(data, place=place, **settings) as engine:
            if sample:
                from partita.engine.sample import make_sample

                make_sample(engine)
            run_door(engine, host=host, port=port, keys=keys, ready=lambda door: _greet(engine, door, data, sample))
    except (DynamoError, UnprotectedHostError, FaultPlanError, OSError) as error:
        typer.echo(f"partita: {error}", err=True)
        raise typer.Exit(1) from None


def _greet(engine: Engine, door: Door, data: Path, sample: bool) -> None:
    tables = engine.call("ListTables", {})["TableNames"]
    typer.echo(f"DynamoDB is served at {door.url}")
    typer.echo(f"data     {data.resolve()}")
    typer.echo(f"tables   {', '.join(tables) or 'none yet'}")
    if sample:
        key = '{"pk": {"S": "FILM#metropolis"}, "sk": {"S": "METADATA"}}'
        typer.echo(
            "\nTry it from another terminal; any AWS SDK will do too, with this address and any credentials:\n\n"
            f"  curl -s {door.url} -H 'X-Amz-Target: DynamoDB_20120810.GetItem' "
            f'-d \'{{"TableName": "films", "Key": {key}}}\''
        )
    typer.echo("\nCtrl-C stops it.")


def _keys(file: Path | None) -> dict[str, str] | None:
    """Access keys from a file or the environment; never from the command line, where others could read them."""
    found: dict[str, str] = {}
    if file is not None:
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if line.strip():
                name, colon, secret = line.strip().partition(":")
                if not (name and colon and secret):
                    raise typer.BadParameter(f"line {number} of {file} is not `id:secret`", param_hint="--keys")
                found[name] = secret
    from_environment = os.environ.get("PARTITA_ACCESS_KEY_ID"), os.environ.get("PARTITA_SECRET_ACCESS_KEY")
    if all(from_environment):
        found[str(from_environment[0])] = str(from_environment[1])
    return found or None


if __name__ == "__main__":
    app()
