"""Commands that read schemas: how tables look, what patterns cost, what is wrong with them, and exports."""

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
    typer.Option(help="A schema of your own, a file (lending.py) or a module (shop.schema), not the five systems'."),
]


def explain(
    pattern: Annotated[str, typer.Argument(help="As in fus.my_ratings; none: all of them, a line each.")] = "",
    items: Annotated[int, typer.Option(min=1, help="Items on a page of a list, for the cost.")] = 25,
    schema: Schema = "",
) -> None:
    """Show what an access pattern sends and costs."""
    from partita.table import ModelError
    from partita.table.explain import explain as explained

    known = [each for table in chosen_tables(schema) for each in table.patterns]
    found = [each for each in known if pattern in ("", each.label, each.function.__name__)]
    if pattern and not found:
        listing = f"`partita explain --schema {schema}` lists" if schema else "`partita explain` lists"
        own = "" if schema else "; for a schema of your own, add --schema FILE"
        raise _failed(f"there is no pattern {pattern}{_near(pattern, known)}; {listing} all of them{own}")
    for each in found:
        try:
            typer.echo(explained(each, _examples(schema), items=items) if pattern else f"{each.label:40} {each.name}")
        except ModelError as error:
            raise _failed(f"{each.label}: {error}") from None


def check(
    schema: Schema = "",
    accepted: Annotated[bool, typer.Option(help="Also show what the schemas accept, and why.")] = True,
) -> None:
    """Read the schemas for trouble; exits with 1 where something is found that the schema does not accept."""
    from partita.table.check import check as checked

    findings = list(checked(chosen_tables(schema), _examples(schema), environment=os.environ))
    to_mend = [finding for finding in findings if finding.accepted is None]
    lived_with = [finding for finding in findings if finding.accepted is not None]
    for finding in (*to_mend, *(lived_with if accepted else ())):
        typer.echo(str(finding))
    errors = sum(finding.level == "error" for finding in to_mend)
    typer.echo(
        f"{_counted(errors, 'error')}, {_counted(len(to_mend) - errors, 'warning')}, {len(lived_with)} accepted"
        + ("; docs/check.md explains each code" if findings else "")
    )
    if to_mend:
        raise typer.Exit(1)


def tables(
    name: Annotated[str, typer.Argument(help="A table's name; none: all of them.")] = "",
    schema: Schema = "",
) -> None:
    """Show the tables: keys, indexes, item types, what stands together, access patterns."""
    from partita.table.document import document, documents

    every = chosen_tables(schema)
    found = [table for table in every if name in ("", table.name)]
    if not found:
        raise _failed(f"there is no table {name}; there are {', '.join(table.name for table in every)}")
    if len(found) == 1:
        typer.echo(document(found[0], _examples(schema)), nl=False)
    else:
        typer.echo(documents(found, _examples(schema)), nl=False)


def patterns(
    stored: Annotated[
        str, typer.Option(help="How many items are stored when a pattern is measured, one after the other.")
    ] = "1,25,10000",
    schema: Schema = "",
) -> None:
    """Measure what every access pattern costs as its list grows, on a temporary engine; takes minutes.

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
        raise typer.BadParameter("give whole numbers, as in 1,25,10000", param_hint="--stored") from None
    if not counts or sorted(set(counts)) != counts or counts[0] < 1:
        raise typer.BadParameter("give numbers that grow, as in 1,25,10000", param_hint="--stored")
    every = [each for table in chosen_tables(schema) for each in table.patterns]
    examples = _examples(schema)
    measured: dict[str, list[Measurement]] = {}
    failed: list[tuple[Pattern, str]] = []
    progress = Console(stderr=True)
    for pattern in track(every, "Measuring", console=progress, transient=True, disable=not progress.is_terminal):
        try:
            found = measure(pattern, examples, stored=counts)
        except (ModelError, DynamoError) as error:
            failed.append((pattern, str(error)))  # the others are worth measuring all the same
            continue
        measured.setdefault(pattern.label.partition(".")[0], []).append(found)
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
    """Print infrastructure made from the schemas."""
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
        raise typer.BadParameter("a schema of your own is no system: leave one of both out", param_hint="--system")
    typer.echo(forms[form](chosen_tables(schema, system)), nl=False)


def chosen_tables(schema: str, system: str = "") -> list[Table]:
    """The tables of the five systems and the house's own, those of one system, or of a schema of the user's own."""
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
        raise MissingExtraError("To read the five systems", "suite", "; or say which is yours: --schema FILE") from None


def _examples(schema: str) -> Examples:
    """Example items like the documents', where it is the five systems'."""
    if schema:
        from partita.table.examples import Examples

        return Examples()
    from partita.bootstrap import examples

    return examples()


def _near(wanted: str, known: list[Pattern]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(wanted, [each.label for each in known], n=1, cutoff=0.75)
    return f" (did you mean {close[0]}?)" if close else ""


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _failed(why: str) -> typer.Exit:
    typer.echo(f"partita: {why}", err=True)
    return typer.Exit(1)
