"""`partita notifications`: mail that waits, and digests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from partita.commands.suite import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.suite import Suite

app = typer.Typer(no_args_is_help=True, help="Send the mail of notifications.")


@app.command()
def digest(data: Data = None) -> None:
    """Send the digests that are due; nothing is sent twice, however often and by however many this is run."""

    async def run(suite: Suite) -> None:
        sent = await suite.kit.notifications.send_due_digests(suite.kit.clock.now())
        await suite.kit.notifications.finish()
        typer.echo(f"digests  {sent}")

    with_suite(data, run)


@app.command()
def send(data: Data = None) -> None:
    """Send mail that was refused before, or left behind by a process that ended."""

    async def run(suite: Suite) -> None:
        typer.echo(f"mails    {await suite.kit.notifications.send_waiting_mail()}")

    with_suite(data, run)
