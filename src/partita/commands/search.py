"""`partita search`: the index that finds things by words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.commands.opened import Data, with_suite

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from partita.kit.search import Catalog
    from partita.kit.suite import Suite

app = typer.Typer(no_args_is_help=True, help="Look after the search index.")


@app.command()
def rebuild(
    catalog: Annotated[str, typer.Argument(help="As in kelifax.resources; none: all of them.")] = "",
    data: Data = None,
) -> None:
    """Build the index anew from the tables, while it is used."""

    async def run(suite: Suite) -> None:
        from functools import partial

        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        from partita.kit.search.following import build_anew

        known: list[Catalog[Any]] = [each for system in suite.systems for each in system.searches]
        chosen = [each for each in known if not catalog or each.name == catalog]
        if not chosen:
            raise LookupError(f"there is no catalog {catalog}; there are {', '.join(each.name for each in known)}")
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns) as progress:
            for each in chosen:
                total = sum([await suite.kit.store.count(source) for source in each.sources])
                task = progress.add_task(each.name, total=total)
                told = partial(_told, progress, task)
                await build_anew(suite.kit.search, suite.kit.store, each, told)
        for each in chosen:
            typer.echo(f"built    {each.name}")

    with_suite(data, run)


def _told(progress: Progress, task: TaskID, done: int) -> None:
    progress.update(task, completed=done)
