"""`partita files`: looking after what people have uploaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from partita.commands.suite import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.suite import Suite

app = typer.Typer(no_args_is_help=True, help="Look after files.")


@app.callback()
def files() -> None:
    """Look after files."""


@app.command()
def sweep(
    delete: Annotated[bool, typer.Option("--delete", help="Delete them; otherwise they are only listed.")] = False,
    hours: Annotated[int, typer.Option(min=1, help="Leave alone what is younger than this.")] = 24,
    data: Data = None,
) -> None:
    """Find files that no item names, and uploads that broke off."""

    async def run(suite: Suite) -> None:
        from datetime import timedelta

        from partita.kit.files import sweep as sweep_files

        kit = suite.kit
        owners = suite.owned_files
        found = await sweep_files(
            kit.files, kit.store, owners, now=kit.clock.now(), grace=timedelta(hours=hours), delete=delete
        )
        for file in found.unnamed:
            typer.echo(f"{'deleted' if delete else 'unnamed'}  {file.name}  {file.size:,} bytes")
        places = ", ".join(f"{owned.prefix}/" for owned in owners)
        typer.echo(f"looked at {found.looked_at:,} files older than {hours} hours in {places}")
        if found.incoming:
            typer.echo(f"removed {found.incoming:,} uploads that broke off")
        typer.echo(f"{len(found.unnamed):,} files with {found.size:,} bytes that nothing names")
        if found.unnamed and not delete:
            typer.echo("Nothing was deleted; --delete does it.")

    with_suite(data, run)
