"""Opens the suite for one command."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from partita.kit.suite import Suite

Data = Annotated[Path | None, typer.Option(help="The data folder; by default as in the settings.")]


@contextmanager
def without_collection() -> Iterator[None]:
    """Look for no garbage meanwhile: what is imported and built stays."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def with_suite(
    data: Path | None, run: Callable[[Suite], Awaitable[None]], *, new: bool = False, reads: bool = False
) -> None:
    """Open the suite, run, close it; errors are printed in one line.

    Only a command that may start a `new` suite creates a data folder, so that a misspelt one is noticed. One that only
    `reads` leaves none behind either where the tables are in DynamoDB.
    """
    import asyncio
    from contextlib import ExitStack
    from tempfile import TemporaryDirectory

    with without_collection():
        from partita.bootstrap import build
    from partita.dynamo.errors import DynamoError
    from partita.engine.database import FILE_NAME
    from partita.engine.leftovers import lost_tables
    from partita.kit.problems import Problem
    from partita.kit.settings import SettingsError, read_settings
    from partita.store.aws import NoCredentialsError
    from partita.table import ModelError

    async def whole() -> None:
        settings = read_settings() if data is None else read_settings(data=data)
        lost = lost_tables(settings.data) if settings.backend == "embedded" else None
        if lost is not None:
            raise LookupError(lost)
        if not new and settings.backend == "embedded" and not (settings.data / FILE_NAME).exists():
            raise LookupError(f"there are no tables in {settings.data.resolve()} yet: run partita serve first")
        with ExitStack() as passing:
            if reads and settings.backend != "embedded" and not settings.data.exists():
                typer.echo(f"no data in {settings.data.resolve()}: this is what the tables in DynamoDB say", err=True)
                folder = passing.enter_context(TemporaryDirectory(prefix="partita-"))
                settings = settings.model_copy(update={"data": Path(folder)})
            with without_collection():
                suite = build(settings)
            try:
                await run(suite)
            finally:
                await suite.close()

    try:
        asyncio.run(whole())
    except Problem as problem:
        for line in [f"{error.field}: {error.message}" for error in problem.errors] or [problem.detail]:
            typer.echo(f"partita: {line}", err=True)
        raise typer.Exit(1) from None
    except BrokenPipeError:
        raise  # who reads has enough, such as head: it ends quietly
    except (SettingsError, DynamoError, ModelError, NoCredentialsError, OSError, LookupError) as error:
        typer.echo(f"partita: {error}", err=True)
        raise typer.Exit(1) from None
