"""`partita files`: looking after what people have uploaded."""

from __future__ import annotations

from pathlib import Path
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


@app.command()
def copy(
    from_: Annotated[Path, typer.Option("--from", help="The data folder that the files are in.")],
    data: Data = None,
) -> None:
    """Copy the uploaded files of a data folder to where the settings keep them; what is there already stays."""

    async def run(suite: Suite) -> None:
        from partita.kit.files.local import LocalFiles

        folder = from_ / "files"
        if not folder.is_dir():
            raise LookupError(f"there are no files in {from_.resolve()}")
        kit, copied, size = suite.kit, 0, 0
        source = LocalFiles(folder, (b"nobody gets a link",), kit.clock)
        try:
            for top in sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith(".")):
                async for each in source.listed(top):
                    if await kit.files.exists(each.name):
                        continue
                    stored = await source.load(each.name)
                    await kit.files.save(each.name, stored.data, stored.content_type, public=stored.info.public)
                    copied, size = copied + 1, size + stored.size
        finally:
            await source.close()
        typer.echo(f"copied {copied:,} files with {size:,} bytes")

    with_suite(data, run)
