"""`partita insights`: the keys of a table that are used most."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from partita.engine.contributors import Kind

_DATA = Path("data")


def insights(
    table: Annotated[str, typer.Argument(help="A table whose Contributor Insights are on.")],
    index: Annotated[str, typer.Option(help="A global index of it.")] = "",
    whole: Annotated[bool, typer.Option("--whole", help="Count keys with their sort keys.")] = False,
    throttled: Annotated[bool, typer.Option("--throttled", help="Those that were throttled.")] = False,
    rows: Annotated[int, typer.Option(min=1, max=1000, help="The most keys to print.")] = 20,
    data: Annotated[Path, typer.Option(help="The folder of the tables.")] = _DATA,
) -> None:
    """Show the keys that are used most; what a running server counted comes within a minute."""
    from partita.dynamo.errors import DynamoError, ResourceNotFoundError
    from partita.dynamo.python_values import item_to_python
    from partita.engine import Engine
    from partita.engine.database import FILE_NAME

    kinds: dict[tuple[bool, bool], Kind] = {
        (False, False): "PKC",
        (True, False): "SKC",
        (False, True): "PKT",
        (True, True): "SKT",
    }
    if not (data / FILE_NAME).exists():
        raise typer.BadParameter(f"there are no tables in {data}", param_hint="--data")
    try:
        with Engine(data, background=False) as engine:
            described = engine.call(
                "DescribeContributorInsights", {"TableName": table, **({"IndexName": index} if index else {})}
            )
            found = engine.most_used(table, index, kinds[whole, throttled])[:rows]
    except ResourceNotFoundError:
        what = f"index {index} of a table {table}" if index else f"table {table}"
        typer.echo(f"partita: there is no {what} in {data.resolve()}", err=True)
        raise typer.Exit(1) from None
    except DynamoError as error:
        typer.echo(f"partita: {error}", err=True)
        raise typer.Exit(1) from None
    if described["ContributorInsightsStatus"] != "ENABLED":
        typer.echo("Nothing is counted. Switch it on with UpdateContributorInsights.", err=True)
        raise typer.Exit(1)
    for each in found:
        key = ", ".join(f"{name}={value!r}" for name, value in item_to_python(each.key).items())
        typer.echo(f"{each.count:>10}  {key}")
