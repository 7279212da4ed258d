"""`partita migrate`: list, run and verify migrations, and show their status."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from partita.dynamo.values import Item as WireItem
    from partita.store import Store
    from partita.store.migrate import Example, Progress, Report, Status, Tally, Verified
    from partita.store.migrate.checkpoints import Finding
    from partita.table.migrations import Migration

app = typer.Typer(no_args_is_help=True, help="Move old tables into new ones.")

Name = Annotated[str, typer.Argument(help="The migration; `partita migrate list` shows them.")]
Data = Annotated[Path | None, typer.Option(help="The folder of the tables; by default as in the settings.")]
EndpointUrl = Annotated[str | None, typer.Option(help="The URL of DynamoDB or a compatible service.")]
Source = Annotated[str, typer.Option(help="The old table's name, if it differs from the migration's.")]
Rate = Annotated[float | None, typer.Option(min=0.1, help="At most so many capacity units per second.")]
Segments = Annotated[int | None, typer.Option(min=1, max=64, help="Parts of the old table to read in parallel.")]


@app.command("list")
def show_all() -> None:
    """List the migrations."""
    from partita.bootstrap import migrations

    for migration in migrations().values():
        targets = ", ".join(table.name for table in migration.targets)
        typer.echo(f"{migration.name}: {migration.source.name} → {targets}\n  {migration.purpose}")


@app.command()
def run(
    name: Name,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing; show what would be written.")] = False,
    check: Annotated[bool, typer.Option("--verify", help="Compare source and target afterwards.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Start over although a run is not finished.")] = False,
    rate: Rate = None,
    segments: Segments = None,
    source: Source = "",
    data: Data = None,
    endpoint_url: EndpointUrl = None,
) -> None:
    """Move every row; resumes an interrupted run. Exits with 1 if rows could not be moved."""
    from partita.store.migrate import Pace, migrate, rehearse, verify

    migration = _named(name)
    settings: dict[str, Any] = {"source": source or None, "segments": segments, "pace": Pace(rate)}
    with _store(data, endpoint_url) as store, _progress() as tell:
        if dry_run:
            report = rehearse(store, migration, **settings, tell=tell)
        else:
            try:
                report = migrate(store, migration, **settings, again=again, tell=tell)
            except KeyboardInterrupt:
                typer.echo("partita: run the same command again to resume", err=True)
                raise
        verified = verify(store, migration, **settings, tell=tell) if check and not dry_run else None
    _print_report(migration, report, dry_run=dry_run)
    if verified is not None:
        _print_verified(verified)
    if report.problems or (verified is not None and verified.differences):
        raise typer.Exit(1)


@app.command()
def status(
    name: Annotated[str, typer.Argument(help="A migration; by default all.")] = "",
    data: Data = None,
    endpoint_url: EndpointUrl = None,
) -> None:
    """Show the progress of a migration's latest run, and the rows that it could not move."""
    from partita.bootstrap import migrations
    from partita.store.migrate import status as status_of

    wanted = [_named(name)] if name else list(migrations().values())
    with _store(data, endpoint_url) as store:
        statuses = [(migration, status_of(store, migration.name)) for migration in wanted]
    for migration, latest in statuses:
        _print_status(migration, latest)


@app.command("verify")
def verify_command(
    name: Name,
    rate: Rate = None,
    segments: Segments = None,
    source: Source = "",
    data: Data = None,
    endpoint_url: EndpointUrl = None,
) -> None:
    """Compare every row of the old table with the new one. Exits with 1 if they differ."""
    from partita.store.migrate import Pace, verify

    migration = _named(name)
    with _store(data, endpoint_url) as store, _progress() as tell:
        verified = verify(store, migration, source=source or None, segments=segments, pace=Pace(rate), tell=tell)
    _print_verified(verified)
    if verified.differences:
        raise typer.Exit(1)


def _named(name: str) -> Migration:
    from partita.bootstrap import migrations

    known = migrations()
    if name not in known:
        raise typer.BadParameter(f"there is no migration {name}; choose {', '.join(known)}", param_hint="NAME")
    return known[name]


@contextmanager
def _store(data: Path | None, endpoint_url: str | None) -> Iterator[Store]:
    """The store in a folder, at an endpoint, or as in the settings; errors are printed in one line."""
    from partita.dynamo.errors import DynamoError, ResourceNotFoundError
    from partita.kit.settings import SettingsError, read_settings
    from partita.kit.stores import open_store
    from partita.store.aws import NoCredentialsError
    from partita.store.migrate import NoSourceError
    from partita.table import ModelError

    overrides: dict[str, Any] = {} if data is None else {"data": data, "backend": "embedded"}
    if endpoint_url is not None:
        overrides |= {"backend": "dynamodb", "endpoint_url": endpoint_url}
    try:
        with open_store(read_settings(**overrides)) as store:
            yield store
    except (NoSourceError, ResourceNotFoundError) as error:
        typer.echo(f"partita: {error} Use --data or --endpoint-url for the place, --source for the table.", err=True)
        raise typer.Exit(1) from None
    except BrokenPipeError:
        raise  # who reads has enough, such as head: it ends quietly
    except (DynamoError, ModelError, NoCredentialsError, SettingsError, OSError) as error:
        typer.echo(f"partita: {error}", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo("partita: stopped", err=True)
        raise typer.Exit(130) from None


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """Progress on standard error: a bar in a terminal, otherwise a line per stage."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    stages: dict[str, Any] = {}
    if not console.is_terminal:

        def say(progress: Progress) -> None:
            if progress.doing not in stages:
                stages[progress.doing] = True
                typer.echo(f"{progress.doing} …", err=True)

        yield say
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Bars(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bars:

        def draw(progress: Progress) -> None:
            if progress.doing not in stages:
                stages[progress.doing] = bars.add_task(progress.doing, total=progress.total)
            bars.update(stages[progress.doing], completed=progress.rows, total=progress.total)

        yield draw


def _print_report(migration: Migration, report: Report, *, dry_run: bool) -> None:
    if dry_run:
        typer.echo(f"{migration.name}: dry run, nothing was written")
    else:
        how = "resumed and done" if report.resumed else "done"
        typer.echo(f"{migration.name}: run {report.run} {how}, {report.segments} segments")
    typer.echo(f"  {report.rows:,} rows: {_counts(report.tally, would=dry_run)}")
    _print_written(report.tally, would=dry_run)
    if dry_run:
        _print_examples(report.examples)
    _print_findings(report.findings)


def _counts(tally: Tally, *, would: bool = False) -> str:
    moved = "would be moved" if would else "moved"
    return (
        f"{tally.moved:,} {moved}, {tally.already:,} already there, "
        f"{tally.skipped:,} skipped, {tally.problems:,} problems"
    )


def _print_written(tally: Tally, *, would: bool = False) -> None:
    if tally.written:
        made = ", ".join(f"{number:,} {kind}" for kind, number in tally.written.most_common())
        typer.echo(f"  {'would write' if would else 'wrote'} {made}")


def _print_examples(examples: dict[str, Example]) -> None:
    for kind, example in sorted(examples.items()):
        typer.echo(f"  an example of {kind}\n    before  {_plain(example.before)}")
        for number, row in enumerate(example.after):
            typer.echo(f"    {'after ' if number == 0 else '      '}  {_plain(row)}")


def _print_findings(findings: tuple[Finding, ...]) -> None:
    for kind, word in (("skip", "skipped"), ("problem", "problem")):
        for finding in sorted((each for each in findings if each.kind == kind), key=lambda each: each.row):
            typer.echo(f"{word}  {finding.row}: {finding.reason}")


def _print_verified(verified: Verified) -> None:
    typer.echo(
        f"verified {verified.rows:,} rows: {verified.same:,} the same, {verified.newer:,} newer in the new table, "
        f"{verified.skipped:,} skipped, {len(verified.differences):,} differences"
    )
    for difference in verified.differences:
        typer.echo(f"differs  {difference.row}: {difference.what}")


def _print_status(migration: Migration, latest: Status | None) -> None:
    if latest is None:
        typer.echo(f"{migration.name}: never run")
        return
    run = latest.run
    if run.finished_at is not None:
        state = f"finished at {run.finished_at}"
    else:
        state = f"not finished, last progress at {latest.saved_at or run.begun_at}; `migrate run` resumes it"
    typer.echo(f"{migration.name}: run {run.number} of {run.source} in {run.segments} segments, {state}")
    if run.finished_at is None:
        for turn, doing in enumerate(migration.turns, 1):
            done = sum(place.done for place in latest.places if place.turn == turn)
            typer.echo(f"  {doing}: {done} of {run.segments} segments")
    typer.echo(f"  {_counts(latest.tally)}")
    _print_written(latest.tally)
    _print_findings(latest.findings)


def _plain(row: WireItem) -> str:
    from partita.dynamo.python_values import item_to_python

    return json.dumps(item_to_python(row), ensure_ascii=False, default=_as_json)


def _as_json(value: Any) -> Any:
    """Sets as lists; decimals and bytes as text."""
    return sorted(value, key=str) if isinstance(value, set) else str(value)
