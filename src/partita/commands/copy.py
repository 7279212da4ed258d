"""`partita copy`: items of a table that was restored, back into the one that is in use."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from partita.commands.doctor import Data
from partita.commands.sql import failed, opened_store


def copy(
    source: Annotated[str, typer.Argument(help="The table to copy from, such as one that was restored.")],
    target: Annotated[str, typer.Argument(help="The table to copy into; its key has the same attributes.")],
    from_: Annotated[
        Path | None, typer.Option("--from", help="The data folder of the source; by default the target's.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite items that differ, too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
    data: Data = None,
    endpoint_url: Annotated[str, typer.Option(help="The URL of DynamoDB; region and keys as for the AWS CLI.")] = "",
) -> None:
    """Copy items that are missing in another table; nothing is deleted, and what differs stays unless you say so."""
    from partita.dynamo.errors import DynamoError, ResourceNotFoundError
    from partita.store.copying import TablesDifferError, copy_items

    if source == target and from_ is None:
        raise typer.BadParameter("it is the same table: name another, or the folder of the source with --from")
    with ExitStack() as opened:
        try:
            into = opened.enter_context(opened_store(data, endpoint_url)).transport.call
            out_of = into if from_ is None else opened.enter_context(opened_store(from_, "")).transport.call
            counts = copy_items(out_of, source, into, target, replace=replace, dry_run=dry_run)
        except ResourceNotFoundError as error:
            raise failed(f"{error}: there is no table {source}, or no table {target}") from None
        except (TablesDifferError, DynamoError, OSError) as error:
            raise failed(str(error)) from None
    step = ": --replace overwrites them" if counts.different and not replace else ""
    typer.echo(f"missing  {counts.missing:,}")
    typer.echo(f"differ   {counts.different:,}{step}")
    for named in counts.differences:
        typer.echo(f"         {named}")
    if counts.different > len(counts.differences):
        typer.echo(f"         and {counts.different - len(counts.differences):,} more")
    typer.echo(f"same     {counts.same:,}")
    typer.echo(f"copied   {counts.copied:,}{' (--dry-run)' if dry_run else ''}")
