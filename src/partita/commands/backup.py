"""`partita backup` and `partita restore`: the whole data folder as of one moment, while it is served."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from partita.commands.suite import Data
from partita.extras import MissingExtraError, extra_of

if TYPE_CHECKING:
    from partita.kit.backup import Manifest
    from partita.kit.backup.reading import Progress
    from partita.kit.settings import Settings

_DATA = Path("data")
_VARIABLE = "PARTITA_BACKUP_PASSPHRASE"
_FULL = (errno.ENOSPC, errno.EDQUOT)


def backup(
    folder: Annotated[Path, typer.Argument(help="A new folder; it is there when the backup is complete.")],
    data: Data = None,
    encrypt: Annotated[
        bool, typer.Option("--encrypt", help=f"Encrypt it with a passphrase, asked for or in {_VARIABLE}.")
    ] = False,
) -> None:
    """Back up tables, files and secret as of one moment, while they are in use."""
    from partita.kit.backup import BackupError, back_up

    with _errors_in_one_line():
        settings = _settings(data)
        if settings is not None and settings.backend != "embedded":
            raise BackupError("The tables are in DynamoDB. Back them up there, with point-in-time recovery.")
        source = settings.data if settings is not None else data or _DATA
        if encrypt:
            _check_encryption()
        passphrase = ask_passphrase(new=True) if encrypt else None
        with _ended_by_signals(), _progress() as progress:
            manifest = back_up(source, folder, passphrase=passphrase, progress=progress)
    typer.echo(f"backed up to {folder}{', encrypted' if encrypt else ''}")
    _summarise(manifest)
    if manifest.of_suite and not manifest.has_secret:
        typer.echo("note     the secret is in the settings and not in the backup: keep PARTITA_SECRET elsewhere too")
    if settings is not None and settings.files == "s3":
        typer.echo(f"note     uploaded files and large values are in the bucket {settings.s3_bucket}: back it up there")


def restore(
    folder: Annotated[Path, typer.Argument(help="The folder of the backup; with --at, a data folder too.")],
    data: Annotated[Path, typer.Option(help="The new data folder; it must be empty or missing.")],
    at: Annotated[
        str | None,
        typer.Option(
            metavar="MOMENT",
            help='Go back to the end of a second: "2026-11-16 14:05:09", 14:05 (UTC), or "10 minutes ago".',
        ),
    ] = None,
) -> None:
    """Restore a backup into a new data folder, after checking all of it; with --at, or a data folder, to any second."""
    from datetime import UTC, datetime

    from partita.kit.backup import BackupError, is_encrypted, restore_data, to_second
    from partita.kit.backup import restore as restore_backup
    from partita.kit.backup.taking import is_data

    kept: list[str] = []
    with _errors_in_one_line(), _ended_by_signals():
        moment = None if at is None else to_second(at, datetime.now(UTC))
        if moment is None and is_data(folder):
            raise BackupError(f"{folder} is a data folder: add --at, such as --at '10 minutes ago'.")
        if moment is not None and is_data(folder):
            with _progress() as progress:
                manifest = restore_data(folder, data, moment, progress=progress, on_kept=kept.extend)
        else:
            encrypted = is_encrypted(folder)
            if encrypted:
                _check_encryption()
            passphrase = ask_passphrase(new=False) if encrypted else None
            with _progress() as progress:
                manifest = restore_backup(
                    folder, data, passphrase=passphrase, at=moment, progress=progress, on_kept=kept.extend
                )
    typer.echo(f"restored into {data}")
    _summarise(manifest)
    if kept:
        typer.echo(f"note     their changes are not kept, so they are as they are now: {', '.join(kept)}")
    if manifest.of_suite and moment is not None and _bucket() is not None:
        typer.echo(
            f"note     large values are in the bucket {_bucket()}, which does not go back: what was deleted since"
            " is lost, unless it keeps versions; partita doctor names it"
        )
    elif manifest.of_suite and moment is not None:
        typer.echo(f"note     files are those of {folder}: one that was deleted after that moment is not among them")
    if manifest.of_suite and not manifest.has_secret:
        typer.echo("note     there is no secret: serve it with the same PARTITA_SECRET as before")
    if manifest.of_suite:
        typer.echo(f"\nNext: partita serve --data {quote(str(data))}. It builds the search index anew.")
    else:
        typer.echo(f"\nNext: partita dynamodb --data {quote(str(data))}.")


def _settings(data: Path | None) -> Settings | None:
    """The settings; None without the suite, whose they are: then the folder is an engine's, with its tables alone."""
    from partita.kit.backup import BackupError

    try:
        from partita.kit.settings import SettingsError, read_settings
    except ImportError as error:
        if extra_of(error) != "suite":
            raise
        return None
    try:
        return read_settings() if data is None else read_settings(data=data)
    except SettingsError as error:
        raise BackupError(str(error)) from None


def _bucket() -> str | None:
    """Where large values are, if not in the data folder."""
    settings = _settings(None)
    return settings.s3_bucket if settings is not None and settings.files == "s3" else None


def _check_encryption() -> None:
    """Say it before anybody is asked for a passphrase."""
    try:
        import partita.kit.backup.sealing  # noqa: F401
    except ImportError as error:
        if extra_of(error) != "suite":
            raise
        raise MissingExtraError("An encrypted backup", "suite") from None


def _summarise(manifest: Manifest) -> None:
    uploads = manifest.uploads
    typer.echo(f"moment   {manifest.moment:%Y-%m-%d %H:%M:%S} UTC")
    typer.echo(f"tables   {len(manifest.tables):,}, with {manifest.items:,} items")
    typer.echo(f"files    {len(uploads):,}, with {sum(file.bytes for file in uploads):,} bytes")


def ask_passphrase(*, new: bool) -> str:
    """From the environment or a prompt; not from the command line, which other users could read."""
    from partita.kit.backup import BackupError

    given = os.environ.get(_VARIABLE)
    if given:
        return given
    if not sys.stdin.isatty():
        raise BackupError(f"There is no terminal to ask for the passphrase. Set {_VARIABLE}.")
    try:
        asked: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=new)
    except UnicodeDecodeError as error:
        raise BackupError(
            f"What was typed is not {error.encoding}, which this terminal is said to use. Set {_VARIABLE} instead."
        ) from None
    return asked


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Whoever ends it by SIGTERM, or by closing the terminal, leaves nothing behind either."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {each: signal.signal(each, signal.default_int_handler) for each in signals}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@contextmanager
def _progress() -> Iterator[Progress]:
    """A bar for each part of the work; without a terminal, nothing."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description:9}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=console, disable=not console.is_terminal) as shown:

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what)
            shown.update(tasks[what], completed=done, total=total)

        yield tell


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    from partita.dynamo.errors import DynamoError
    from partita.kit.backup import BackupError

    try:
        yield
    except (BackupError, DynamoError, OSError) as error:
        typer.echo(f"partita: {_told(error)}", err=True)
        raise typer.Exit(1) from None


def _told(error: Exception) -> str:
    from partita.dynamo.errors import StorageFullError

    if isinstance(error, StorageFullError) or (isinstance(error, OSError) and error.errno in _FULL):
        return "The disk is full, and nothing was made. Free some space, or name a folder on another disk."
    if isinstance(error, OSError) and error.strerror is not None and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)
