"""`partita fus`: what the keepers of a catalog do by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from partita.commands.opened import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.suite import Suite

app = typer.Typer(no_args_is_help=True, help="Look after the catalog of fus.")


@app.callback()
def catalog() -> None:
    """Look after the catalog of fus."""


@app.command()
def adopt(data: Data = None) -> None:
    """Take in the sites that another program wrote to the table: list them, guard their addresses, count their tags."""

    async def run(suite: Suite) -> None:
        from partita.apps.fus.adoption import adopt_all

        adopted, refused = await adopt_all(suite.kit.store)
        typer.echo(f"adopted  {adopted:,} {'site' if adopted == 1 else 'sites'}")
        for site in refused:
            typer.echo(f"refused  {site.site_id}: another site has its address {site.url}")
        if refused:
            raise LookupError("delete those sites, or give them other addresses, and run this again")

    with_suite(data, run)
