"""`partita copy`: items of a table that was restored, back into the one that is in use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.commands.doctor import Data
from partita.commands.sql import failed, opened_store

if TYPE_CHECKING:
    from partita.kit.settings import Settings
    from partita.store.carried import Carrier
    from partita.store.statements import Call


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
            _check_there(out_of, source)
            _check_there(into, target)
            carrier = opened.enter_context(_large_values(from_, data, endpoint_url))
            counts = copy_items(out_of, source, into, target, replace=replace, dry_run=dry_run, carrier=carrier)
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
    if counts.copied:
        _say_what_is_next(target)
    if counts.lost:
        typer.echo(f"lost     {len(counts.lost):,}: not copied, since a large value of theirs is nowhere")
        for named in counts.lost:
            typer.echo(f"         {named}")
        raise typer.Exit(1)


def _check_there(call: Call, name: str) -> None:
    """Refuse a table that is not there, and say which are."""
    from partita.dynamo.errors import ResourceNotFoundError

    try:
        call("DescribeTable", {"TableName": name})
    except ResourceNotFoundError:
        answer: dict[str, Any] = call("ListTables", {})
        more = ", …" if "LastEvaluatedTableName" in answer else ""
        there = f"; there are {', '.join(answer['TableNames'])}{more}" if answer["TableNames"] else ""
        raise failed(f"there is no table {name}{there}") from None


def _say_what_is_next(target: str) -> None:
    """Numbers that a system keeps of its rows do not follow a copy."""
    try:
        from partita.bootstrap import system_that_counts

        system = system_that_counts(target)
    except ImportError:  # without the suite there are no systems
        return
    if system is not None:
        typer.echo(f"Next: partita adopt {system} --recount. Counters do not follow a copy; it corrects them.")


@contextmanager
def _large_values(from_: Path | None, data: Path | None, endpoint_url: str) -> Iterator[Carrier]:
    """The files of both sides: in their folders, or in the bucket of the settings."""
    from partita.store.carried import Carrier, in_folder
    from partita.store.files import FOR_GOOD, LARGE_VALUES, FolderFiles

    settings = _settings(data)
    if settings is not None and settings.files == "s3":
        from partita.kit.files import LargeValues
        from partita.kit.files.choose import s3_for

        bucket = LargeValues(s3_for(settings))
        try:
            folders = () if from_ is None else (in_folder(from_),)
            yield Carrier((*folders, bucket.load), bucket.load, bucket.save)
        finally:
            bucket.close()
        return
    folder = data or (settings.data if settings is not None else Path("data"))
    of_suite = settings is not None and settings.backend == "dynamodb"
    if endpoint_url and not of_suite:  # nothing says where those of the endpoint are
        yield Carrier((in_folder(from_ or folder),))
        return
    files = FolderFiles(folder / LARGE_VALUES, kept_days=FOR_GOOD)
    yield Carrier((in_folder(from_ or folder), in_folder(folder)), files.load, files.save)


def _settings(data: Path | None) -> Settings | None:
    """The settings; None without the suite, whose they are."""
    try:
        from partita.kit.settings import read_settings
    except ImportError:
        return None
    return read_settings() if data is None else read_settings(data=data)
