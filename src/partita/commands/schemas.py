"""Commands that read schemas: tables, costs of access patterns, checks and exports."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from partita.extras import MissingExtraError, extra_of

if TYPE_CHECKING:
    from partita.table import Pattern, Table
    from partita.table.examples import Examples

Schema = Annotated[
    str,
    typer.Option(help="Your own schema, a file (lending.py) or a module (shop.schema), instead of the five systems'."),
]


def explain(
    pattern: Annotated[str, typer.Argument(help="A pattern such as fus.my_ratings; by default a list of all.")] = "",
    items: Annotated[int, typer.Option(min=1, help="The items per page, for the cost of a list.")] = 25,
    schema: Schema = "",
) -> None:
    """Show the request of an access pattern and its cost."""
    from partita.table import ModelError
    from partita.table.explain import explain as explained

    every = [each for table in chosen_tables(schema) for each in table.patterns]
    matches = [each for each in every if pattern in ("", each.label, each.function.__name__)]
    if pattern and not matches:
        listing = f"`partita explain --schema {schema}` lists" if schema else "`partita explain` lists"
        own = "" if schema else "; for your own schema, add --schema FILE"
        raise _failed(f"there is no pattern {pattern}{_near(pattern, every)}; {listing} all of them{own}")
    for each in matches:
        try:
            typer.echo(explained(each, _examples(schema), items=items) if pattern else f"{each.label:40} {each.name}")
        except ModelError as error:
            raise _failed(f"{each.label}: {error}") from None


def check(
    schema: Schema = "",
    accepted: Annotated[bool, typer.Option(help="Also show findings that the schemas accept, and why.")] = True,
) -> None:
    """Check the schemas for problems; exits with 1 if there are any that the schema does not accept."""
    from partita.table.check import check as checked

    findings = list(checked(chosen_tables(schema), _examples(schema), environment=os.environ))
    open_findings = [finding for finding in findings if finding.accepted is None]
    accepted_findings = [finding for finding in findings if finding.accepted is not None]
    for finding in (*open_findings, *(accepted_findings if accepted else ())):
        typer.echo(str(finding))
    errors = sum(finding.level == "error" for finding in open_findings)
    warnings = len(open_findings) - errors
    typer.echo(
        f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')}, {len(accepted_findings)} accepted"
        + ("; docs/check.md explains each code" if findings else "")
    )
    if open_findings:
        raise typer.Exit(1)


def tables(
    name: Annotated[str, typer.Argument(help="A table; by default all.")] = "",
    schema: Schema = "",
) -> None:
    """Show tables: keys, indexes, item types, item collections, access patterns."""
    from partita.table.document import document, documents

    every = chosen_tables(schema)
    matches = [table for table in every if name in ("", table.name)]
    if not matches:
        raise _failed(f"there is no table {name}; there are {', '.join(table.name for table in every)}")
    if len(matches) == 1:
        typer.echo(document(matches[0], _examples(schema)), nl=False)
    else:
        typer.echo(documents(matches, _examples(schema)), nl=False)


def patterns(
    stored: Annotated[str, typer.Option(help="The numbers of stored items to measure with.")] = "1,25,10000",
    schema: Schema = "",
) -> None:
    """Measure the cost of every access pattern with growing tables, on a temporary engine; takes minutes.

    A pattern that fails is listed with the reason; the command then exits with 1.
    """
    from rich.console import Console
    from rich.progress import track

    from partita.dynamo.errors import DynamoError
    from partita.store.costs import costs
    from partita.store.measure import Measurement, measure
    from partita.table import ModelError

    try:
        counts = [int(count) for count in stored.split(",")]
    except ValueError:
        raise typer.BadParameter("enter whole numbers, such as 1,25,10000", param_hint="--stored") from None
    if not counts or sorted(set(counts)) != counts or counts[0] < 1:
        raise typer.BadParameter("enter increasing numbers, such as 1,25,10000", param_hint="--stored")
    every = [each for table in chosen_tables(schema) for each in table.patterns]
    examples = _examples(schema)
    measured: dict[str, list[Measurement]] = {}
    failed: list[tuple[Pattern, str]] = []
    progress = Console(stderr=True)
    for pattern in track(every, "Measuring", console=progress, transient=True, disable=not progress.is_terminal):
        try:
            measurement = measure(pattern, examples, stored=counts)
        except (ModelError, DynamoError) as error:
            failed.append((pattern, str(error)))  # go on with the others
            continue
        measured.setdefault(pattern.label.partition(".")[0], []).append(measurement)
    typer.echo(costs(measured, failed, own=bool(schema)), nl=False)
    for pattern, why in failed:
        typer.echo(f"partita: {pattern.label}: {why}", err=True)
    if failed:
        raise typer.Exit(1)


def export(
    form: Annotated[str, typer.Argument(help="cloudformation, terraform or workbench.")],
    system: Annotated[str, typer.Option(help="Only this system's tables.")] = "",
    schema: Schema = "",
) -> None:
    """Print infrastructure code for the schemas' tables."""
    from partita.table.cloudformation import cloudformation
    from partita.table.terraform import terraform
    from partita.table.workbench import workbench

    forms: dict[str, Callable[[list[Table]], str]] = {
        "cloudformation": cloudformation,
        "terraform": terraform,
        "workbench": lambda tables: workbench(tables, _examples(schema)),
    }
    if form not in forms:
        raise typer.BadParameter(f"choose {', '.join(forms)}", param_hint="FORM")
    if system and schema:
        raise typer.BadParameter("--system and --schema cannot be combined", param_hint="--system")
    typer.echo(forms[form](chosen_tables(schema, system)), nl=False)


def chosen_tables(schema: str, system: str = "") -> list[Table]:
    """The tables of the suite, of one system, or of the user's own schema."""
    if schema:
        from partita.table import SchemaError
        from partita.table.source import tables_in

        try:
            return list(tables_in(schema))
        except SchemaError as error:
            raise _failed(str(error)) from None
    try:
        from partita.bootstrap import SYSTEMS
        from partita.bootstrap import tables as every_table

        if system and system not in SYSTEMS:
            raise typer.BadParameter(f"choose {', '.join(SYSTEMS)}", param_hint="--system")
        return list(SYSTEMS[system] if system else every_table())
    except ImportError as error:
        if extra_of(error) is None:
            raise
        raise MissingExtraError(
            "To read the five systems", "suite", "; or use your own schema: --schema FILE"
        ) from None


def _examples(schema: str) -> Examples:
    """Example items of the design documents; none for the user's own schema."""
    if schema:
        from partita.table.examples import Examples

        return Examples()
    from partita.bootstrap import examples

    return examples()


def _near(name: str, patterns: list[Pattern]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, [each.label for each in patterns], n=1, cutoff=0.75)
    return f" (did you mean {close[0]}?)" if close else ""


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _failed(why: str) -> typer.Exit:
    typer.echo(f"partita: {why}", err=True)
    return typer.Exit(1)
