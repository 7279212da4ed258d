"""`partita kelifax`: what the keepers of a directory do by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from partita.commands.opened import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.suite import Suite

app = typer.Typer(no_args_is_help=True, help="Look after the directory of Kelifax.")


@app.callback()
def directory() -> None:
    """Look after the directory of Kelifax."""


@app.command()
def adopt(data: Data = None) -> None:
    """Take in the resources that another program wrote to the table: list them, guard their addresses, count them.

    It can run beside a server and be interrupted: what is taken in says so itself, and is not taken in again.
    """

    async def run(suite: Suite) -> None:
        from partita.apps.kelifax.adoption import adopt_all

        done = await adopt_all(suite.kit.store)
        typer.echo(f"adopted  {done.adopted:,} {'resource' if done.adopted == 1 else 'resources'}")
        for resource, other in done.refused:
            typer.echo(f"refused  {resource.resource_slug}: {other} has its address {resource.resource_url}")
        for reason in done.unreadable:
            typer.echo(f"left     {reason}")
        if done.refused:
            raise LookupError("reject or delete those resources, or give them other addresses, and run this again")
        if done.unreadable:
            raise LookupError("correct those items, and run this again")

    with_suite(data, run)
