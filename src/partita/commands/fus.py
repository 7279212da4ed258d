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
    """Take in what another program wrote to the table: list sites, guard addresses, count ratings, comments, members.

    It can run beside a server and be interrupted: what is taken in says so itself, and is not taken in again.
    """

    async def run(suite: Suite) -> None:
        from partita.apps.fus.intake import take_in_all

        done = await take_in_all(suite.kit.store)
        counted = (
            _so_many(done.sites, "site"),
            _so_many(done.ratings, "rating"),
            _so_many(done.comments, "comment"),
            _so_many(done.memberships, "membership"),
        )
        typer.echo(f"adopted  {', '.join(counted)}")
        for site in done.refused:
            typer.echo(f"refused  {site.site_id}: another site has its address {site.url}")
        for reason in done.unreadable:
            typer.echo(f"left     {reason}")
        if done.refused:
            raise LookupError("delete those sites, or give them other addresses, and run this again")
        if done.unreadable:
            raise LookupError("correct those items, and run this again")

    with_suite(data, run)


def _so_many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
