"""`partita doctor` and `partita row`: find rows that do not fit the schema, and repair them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.commands.schemas import Schema, chosen_tables

if TYPE_CHECKING:
    from partita.dynamo.values import Item as WireItem
    from partita.store import Store
    from partita.store.files import LargeFiles
    from partita.table import Table

Data = Annotated[Path | None, typer.Option(help="The folder of the tables; by default as in the settings.")]
Endpoint = Annotated[str, typer.Option(help="The URL of DynamoDB, with --schema; region and keys as for the AWS CLI.")]


def doctor(
    table: Annotated[str, typer.Argument(help="A table; by default all.")] = "",
    schema: Schema = "",
    data: Data = None,
    endpoint_url: Endpoint = "",
    mend: Annotated[bool, typer.Option("--mend", help="Repair derived attributes and index keys.")] = False,
) -> None:
    """Scan tables for rows that do not fit the schema, and say what to do; exits with 1 if any are left."""
    from partita.dynamo.errors import ConditionalCheckFailedError
    from partita.store.doctor import examine
    from partita.store.doctor import mend as repair

    left = 0
    with _open(schema, data, endpoint_url) as (store, tables):
        examined_tables = _matching(tables, table)
        if not table and not schema:  # systems that were never served have none
            examined_tables = _there(store, examined_tables)
        for each in examined_tables:
            for ailment in examine(store, each):
                what = "a row of no item type" if ailment.item_type is None else ailment.item_type.__name__
                typer.echo(f"{ailment.kind}: {each.name} {json.dumps(_plain(ailment.key))}: {what}")
                for name, why in ailment.wrong:
                    typer.echo(f"    {name}: {why}")
                try:
                    done = mend and repair(store, ailment)
                except ConditionalCheckFailedError:
                    typer.echo("    The row was changed meanwhile: run this again.")
                    done = False
                typer.echo("    Repaired." if done else f"    {ailment.step}")
                left += not done
        names = ", ".join(each.name for each in examined_tables)
        typer.echo(
            f"{left:,} {'row' if left == 1 else 'rows'} to repair" if left else f"all rows fit the schema: {names}"
        )
    if left:
        raise typer.Exit(1)


def row(
    table: Annotated[str, typer.Argument(help="The table's name.")],
    key: Annotated[str, typer.Argument(help='The key as JSON, such as \'{"PK": "USER#1", "SK": "PROFILE"}\'.')],
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=JSON, such as category='\"other\"'; may be repeated.")
    ] = None,
    remove: Annotated[list[str] | None, typer.Option(help="An attribute to remove; may be repeated.")] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Delete the row.")] = False,
    schema: Schema = "",
    data: Data = None,
    endpoint_url: Endpoint = "",
) -> None:
    """Show, change or delete a stored row; a change that does not fit the row's type is refused."""
    from partita.dynamo.python_values import item_from_python
    from partita.store.doctor import change_row, delete_row, examined, mend, row_under

    key_values, sets = _json(key, "KEY"), dict(map(_assignment, changes or ()))
    with _open(schema, data, endpoint_url) as (store, tables):
        (chosen,) = _matching(tables, table)
        if not isinstance(key_values, dict) or set(key_values) != {part.name for part in chosen.keys}:
            raise typer.BadParameter(f"give {', '.join(part.name for part in chosen.keys)}", param_hint="KEY")
        wire = item_from_python(key_values)
        stored = row_under(store, chosen, wire)
        if stored is None:
            raise _failed(f"there is no row {key} in {chosen.name}")
        if delete:
            delete_row(store, chosen, wire)
            typer.echo("Deleted.")
            return
        if sets or remove:
            _check_names(chosen, stored, [*sets, *(remove or ())])
            after = {name: value for name, value in stored.items() if name not in (remove or ())}
            after |= item_from_python(sets)
            ailment = examined(store, chosen, after)
            if ailment is not None and ailment.kind in ("unreadable", "misplaced"):
                why = "; ".join(f"{name}: {reason}" for name, reason in ailment.wrong)
                raise _failed(f"nothing was changed, since the row would not fit its type: {why}")
            change_row(store, chosen, wire, sets, tuple(remove or ()))
            stored = row_under(store, chosen, wire) or {}
            now = examined(store, chosen, stored)
            if now is not None and mend(store, now):  # derived attributes and index keys
                stored = row_under(store, chosen, wire) or {}
            typer.echo("Changed.")
        typer.echo(json.dumps(_plain(stored), indent=2, ensure_ascii=False))


def _check_names(table: Table, stored: WireItem, names: list[str]) -> None:
    """Refuse names that cannot be set: keys, derived attributes, and paths inside attributes."""
    owner = next((kind for kind in table.item_types if kind.owns(stored)), None)
    derived = () if owner is None else owner.__layout__.derived_names()
    for name in names:
        if name in {key.name for key in table.keys}:
            raise _failed(f"{name} is part of the key, which cannot be changed: write a new row and delete this one")
        if name in derived:
            raise _failed(f"{name} is derived: set the attributes that it is made of instead")
        if "." in name or "[" in name:
            raise _failed(f"{name} is inside an attribute: set the whole attribute, as JSON")


@contextmanager
def _open(schema: str, data: Path | None, endpoint_url: str) -> Iterator[tuple[Store, list[Table]]]:
    """The store and the tables: of the suite, or of a schema in a folder or at an endpoint."""
    from partita.dynamo.errors import DynamoError
    from partita.engine.database import FILE_NAME
    from partita.engine.leftovers import lost_tables
    from partita.store.files import LARGE_VALUES
    from partita.table import ModelError, NoFileStoreError

    tables = chosen_tables(schema)
    try:
        if schema and endpoint_url:
            from partita.store import DynamoStore

            with DynamoStore(endpoint_url=endpoint_url, files=_large_values(data)) as store:
                yield store, tables
        elif schema:
            from partita.store import EmbeddedStore

            folder = data or Path("data")
            if not (folder / FILE_NAME).exists():
                raise _failed(f"there are no tables in {folder}: use --data FOLDER or --endpoint-url URL")
            with EmbeddedStore(folder, files=_large_values(folder)) as embedded:
                yield embedded, tables
        else:
            from partita.kit.settings import read_settings
            from partita.kit.stores import open_store

            settings = read_settings() if data is None else read_settings(data=data)
            if settings.backend == "embedded" and not (settings.data / FILE_NAME).exists():
                raise _failed(
                    lost_tables(settings.data)
                    or f"there are no tables in {settings.data.resolve()} yet: run partita serve first"
                )
            with open_store(settings) as opened:
                yield opened, tables
    except BrokenPipeError:
        raise  # who reads has enough, such as head: it ends quietly
    except NoFileStoreError:
        here = f"put it into {data or 'data'}"
        step = f"name the folder that has {LARGE_VALUES} with --data" if endpoint_url else here
        raise _failed(f"rows have values in files, but the folder {LARGE_VALUES} is not there: {step}") from None
    except (DynamoError, ModelError, OSError) as error:
        raise _failed(str(error)) from None


def _large_values(folder: Path | None) -> LargeFiles | None:
    """The files of large values beside tables of one's own; None if they are not there."""
    from partita.store.files import FOR_GOOD, LARGE_VALUES, FolderFiles

    place = None if folder is None else folder / LARGE_VALUES
    return FolderFiles(place, kept_days=FOR_GOOD) if place is not None and place.is_dir() else None


def _there(store: Store, tables: list[Table]) -> list[Table]:
    """The tables that exist; the others are told."""
    from partita.dynamo.errors import ResourceNotFoundError

    there: list[Table] = []
    for table in tables:
        with suppress(ResourceNotFoundError):
            store.transport.call("DescribeTable", {"TableName": table.name})
            there.append(table)
    absent = [table.name for table in tables if table not in there]
    if absent:
        typer.echo(f"no table yet, as of a system that was never served: {', '.join(absent)}")
    return there


def _matching(tables: list[Table], name: str) -> list[Table]:
    matches = [table for table in tables if name in ("", table.name, table.default_name)]
    if not matches:
        raise _failed(f"there is no table {name}; there are {', '.join(table.name for table in tables)}")
    return matches


def _assignment(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise typer.BadParameter(f"{text!r} is not NAME=JSON", param_hint="--set")
    return name, _json(value, "--set")


def _json(text: str, hint: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal)
    except json.JSONDecodeError as error:
        raise typer.BadParameter(f"{text!r} is not JSON ({error.msg}): text needs quotes", param_hint=hint) from None


def _plain(row: WireItem) -> dict[str, Any]:
    """A row as JSON; sets as lists, bytes in base64."""
    from pydantic_core import to_jsonable_python

    from partita.dynamo.python_values import item_to_python

    plain: dict[str, Any] = to_jsonable_python(item_to_python(row), bytes_mode="base64")
    return plain


def _failed(why: str) -> typer.Exit:
    typer.echo(f"partita: {why}", err=True)
    return typer.Exit(1)
