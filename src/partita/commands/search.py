"""`partita search`: the search index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.commands.suite import Data, with_suite

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from partita.kit.search import Catalog
    from partita.kit.suite import Suite

app = typer.Typer(no_args_is_help=True, help="Maintain the search index.")


@app.command()
def rebuild(
    catalog: Annotated[str, typer.Argument(help="A catalog such as kelifax.resources; by default all.")] = "",
    data: Data = None,
) -> None:
    """Rebuild the index from the tables, while it is in use."""

    async def run(suite: Suite) -> None:
        from functools import partial

        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        from partita.kit.search.following import build_anew, source_queries

        catalogs: list[Catalog[Any]] = [each for system in suite.systems for each in system.searches]
        chosen = [each for each in catalogs if not catalog or each.name == catalog]
        if not chosen:
            raise LookupError(f"there is no catalog {catalog}; there are {', '.join(each.name for each in catalogs)}")
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns) as progress:
            for each in chosen:
                total = sum([await suite.kit.store.count(source) for source in source_queries(each)])
                task = progress.add_task(each.name, total=total)
                await build_anew(suite.kit.search, suite.kit.store, each, partial(_update, progress, task))
        for each in chosen:
            typer.echo(f"built    {each.name}")

    with_suite(data, run)


def _update(progress: Progress, task: TaskID, done: int) -> None:
    progress.update(task, completed=done)
