"""`partita changes`: progress of the change handlers, and parked changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from partita.commands.suite import Data, with_suite

if TYPE_CHECKING:
    from partita.kit.changes.schema import Parked
    from partita.kit.suite import Suite

app = typer.Typer(no_args_is_help=True, help="Show change handlers and parked changes.")

Which = Annotated[str, typer.Argument(help="The number that `partita changes list` shows, or `all`.")]


@app.command("list")
def list_(data: Data = None) -> None:
    """List the change handlers, and the changes that were parked because a handler kept failing."""

    async def run(suite: Suite) -> None:
        from partita.kit.changes.schema import checkpoints

        for handler in suite.worker.handlers:
            places = [place async for place in suite.kit.store.stream(checkpoints(suite.worker.progress_of(handler)))]
            last = max((place.updated_at for place in places), default="never")
            typer.echo(f"{handler.name:28} {handler.table.name:24} last moved {last}")
        parked = await _parked(suite)
        typer.echo(f"\n{len(parked)} parked" + (": partita changes show NUMBER" if parked else ""))
        for number, each in enumerate(parked, 1):
            typer.echo(f"{number:4} {each.parked_at} {each.handler} {each.error[:100]}")

    with_suite(data, run, reads=True)


@app.command()
def show(which: Which, data: Data = None) -> None:
    """Show parked changes in full."""

    async def run(suite: Suite) -> None:
        for each in _select(await _parked(suite), which):
            for name, value in (
                ("handler", each.handler),
                ("table", each.table_name),
                ("sequence", each.sequence),
                ("parked", each.parked_at),
                ("tries", each.tries),
                ("error", each.error),
                ("record", each.record),
            ):
                typer.echo(f"{name:9} {value}")
            typer.echo("")

    with_suite(data, run, reads=True)


@app.command()
def replay(which: Which, data: Data = None) -> None:
    """Run the handlers of parked changes once more; those that succeed are removed."""

    async def run(suite: Suite) -> None:
        failed = 0
        for each in _select(await _parked(suite), which):
            try:
                await suite.worker.replay(each)
                typer.echo(f"done     {each.handler} {each.sequence}")
            except Exception as error:  # any error of a handler is reported
                failed += 1
                typer.echo(f"failed   {each.handler} {each.sequence}: {type(error).__name__}: {error}")
        if failed:
            raise typer.Exit(1)

    with_suite(data, run)


@app.command()
def forget(which: Which, data: Data = None) -> None:
    """Delete parked changes without handling them."""

    async def run(suite: Suite) -> None:
        from partita.table import Delete

        for each in _select(await _parked(suite), which):
            await suite.kit.store.write(Delete(each.own_key))
            typer.echo(f"deleted  {each.handler} {each.sequence}")

    with_suite(data, run)


async def _parked(suite: Suite) -> list[Parked]:
    from partita.kit.changes.schema import parked_changes

    return [each async for each in suite.kit.store.stream(parked_changes())]


def _select(parked: list[Parked], which: str) -> list[Parked]:
    if which == "all":
        if not parked:
            typer.echo("nothing is parked")
        return parked
    if not which.isdecimal() or not 1 <= int(which) <= len(parked):
        raise LookupError(f"there is no parked change {which}; `partita changes list` shows all {len(parked)}")
    return [parked[int(which) - 1]]
