"""`partita sql`: PartiQL from the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from partita.commands.doctor import Data

if TYPE_CHECKING:
    from partita.dynamo.values import AttributeValue
    from partita.store import Store

_WIDEST = 40
_NO_LIMIT = "Unsupported clause: LIMIT"


def sql(
    statement: Annotated[
        str, typer.Argument(help="A PartiQL statement, such as \"SELECT * FROM films WHERE pk = 'x'\".")
    ],
    parameters: Annotated[
        list[str] | None, typer.Option("--parameter", help="A value for the next `?`, as JSON; may be repeated.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Allow INSERT, UPDATE and DELETE.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show which requests the statement is equal to, and run nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object per item.")] = False,
    rows: Annotated[int, typer.Option(min=1, max=10_000, help="The most items to print.")] = 100,
    pages: Annotated[int, typer.Option(min=1, max=1000, help="The most pages of 1 MB to read.")] = 10,
    data: Data = None,
    endpoint_url: Annotated[str, typer.Option(help="The URL of DynamoDB; region and keys as for the AWS CLI.")] = "",
) -> None:
    """Run a PartiQL statement and print what it returns."""
    from partita.store import statements

    values = [_value(each) for each in parameters or ()]
    with _open(statement, values, data, endpoint_url) as store:
        call = store.transport.call
        if explain:
            _print_explanation(statements.explain(call, statement, values), as_json=as_json)
            return
        reads = statements.is_read(statement, values)
        if not write and not reads:
            raise failed("the statement writes: add --write to run it, or --explain to see what it does")
        items: list[dict[str, Any]] = []
        units = 0.0
        more = False
        for read, (found, cost) in enumerate(statements.pages(call, statement, values), 1):
            items += map(_plain, found)
            units += cost
            if len(items) >= rows or read == pages:
                more = True  # there may be: the next page is not looked at
                break
        _print_items(items[:rows], as_json=as_json)
        noun = "item" if len(items[:rows]) == 1 else "items"
        told = f"{len(items[:rows])} {noun}" if reads else statements.done(statement, values, len(items))
        ended = "; there may be more (--rows, --pages)" if more and reads else ""
        typer.echo(f"{told}, {units:g} capacity units{ended}", err=True)


def _print_explanation(explanation: Any, *, as_json: bool) -> None:
    if as_json:
        requests = [{"operation": name, "request": wire} for name, wire in explanation.requests]
        shown = {"kind": explanation.kind, "table": explanation.table, "index": explanation.index}
        typer.echo(json.dumps({**shown, "requests": requests}, ensure_ascii=False))
        return
    typer.echo(str(explanation))
    for name, wire in explanation.requests:
        typer.echo(f"  {name} {json.dumps(wire, ensure_ascii=False)}")


def _print_items(items: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        for item in items:
            typer.echo(json.dumps(item, ensure_ascii=False))
        return
    names = list(dict.fromkeys(name for item in items for name in item))
    if not names:
        return
    table = [names, *([_cell(item[name]) if name in item else "" for name in names] for item in items)]
    widths = [max(len(row[column]) for row in table) for column in range(len(names))]
    for number, row in enumerate(table):
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if number == 0:
            typer.echo("  ".join("-" * width for width in widths))


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    shown = "".join(character if character.isprintable() else " " for character in text)
    return shown if len(shown) <= _WIDEST else shown[: _WIDEST - 1] + "…"


def _plain(item: dict[str, Any]) -> dict[str, Any]:
    from pydantic_core import to_jsonable_python

    from partita.dynamo.python_values import item_to_python

    plain: dict[str, Any] = to_jsonable_python(_in_order(item_to_python(item)), bytes_mode="base64")
    return plain


def _in_order(value: Any) -> Any:
    """The same with sets as lists in order: Python's have another one each time."""
    if isinstance(value, dict):
        return {name: _in_order(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_in_order(inner) for inner in value]
    return sorted(value) if isinstance(value, set | frozenset) else value


def _value(text: str) -> AttributeValue:
    from partita.dynamo.python_values import from_python

    try:
        return from_python(json.loads(text, parse_float=Decimal))
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r} is not JSON ({error}): text needs quotes", param_hint="--parameter"
        ) from None


@contextmanager
def _open(statement: str, values: list[AttributeValue], data: Path | None, endpoint_url: str) -> Iterator[Store]:
    from partita.dynamo.errors import DynamoError, ResourceNotFoundError
    from partita.dynamo.partiql.tokens import StatementError
    from partita.store import statements

    try:
        with opened_store(data, endpoint_url) as store:
            yield store
    except StatementError as error:
        before = statement[: error.spot.offset].rpartition("\n")[2]
        line = statement.splitlines()[error.spot.line - 1] if statement.strip() else ""
        why = _why(statement[error.spot.offset :]) if error.message.endswith(": ") else ""
        raise failed(f"{error.message}{why}\n{line}\n{' ' * len(before)}^") from None
    except ResourceNotFoundError as error:
        raise failed(f"{error}: there is no table {statements.table_of(statement, values)}") from None
    except BrokenPipeError:
        raise  # who reads has enough, such as head: it ends quietly
    except (DynamoError, OSError) as error:
        step = ": --rows says how many items are printed" if _NO_LIMIT in str(error) else ""
        raise failed(f"{error}{step}") from None


def _why(rest: str) -> str:
    """What cannot be read where a statement has no more words; DynamoDB gives no reason there."""
    if rest.startswith(("'", '"')):
        kind = "text" if rest[0] == "'" else "name"
        return f"the {kind} that begins here has no closing {rest[0]}"
    if rest.startswith("/*"):
        return "the comment that begins here has no closing */"
    return "this number is too large" if rest[:1].isdigit() else f"{rest[:1]!r} has no meaning here"


@contextmanager
def opened_store(data: Path | None, endpoint_url: str) -> Iterator[Store]:
    """The tables of a folder, of an endpoint, or of the settings."""
    from partita.engine.database import FILE_NAME
    from partita.engine.leftovers import lost_tables
    from partita.extras import extra_of

    if endpoint_url:
        with _remote(endpoint_url) as remote:
            yield remote
        return
    if data is not None:
        from partita.store import EmbeddedStore

        if not (data / FILE_NAME).exists():
            raise failed(f"there are no tables in {data}: use --data FOLDER or --endpoint-url URL")
        with EmbeddedStore(data) as embedded:
            yield embedded
        return
    try:
        from partita.kit.settings import read_settings
    except ImportError as error:  # the settings are the suite's; without it, the folder is an engine's
        if extra_of(error) != "suite":
            raise
        with opened_store(Path("data"), "") as embedded:
            yield embedded
        return
    from partita.kit.stores import open_store

    settings = read_settings()
    if settings.backend == "embedded" and not (settings.data / FILE_NAME).exists():
        raise failed(
            lost_tables(settings.data) or f"there are no tables in {settings.data.resolve()} yet: use --data FOLDER"
        )
    with open_store(settings) as opened:
        yield opened


def _remote(endpoint_url: str) -> Store:
    from partita.extras import MissingExtraError, pip
    from partita.store import DynamoStore
    from partita.store.aws import NoCredentialsError

    unset = f"no region and keys for {endpoint_url}: set AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    try:
        return DynamoStore(endpoint_url=endpoint_url)
    except MissingExtraError as error:
        raise failed(f"{unset}, or {pip(error.extra)}, which finds them where the AWS CLI does") from None
    except NoCredentialsError:
        raise failed(f"{unset}, or configure them as for the AWS CLI") from None
    except ValueError as error:
        raise failed(str(error)) from None


def failed(why: str) -> typer.Exit:
    """Say why, and end with 1."""
    typer.echo(f"partita: {why}", err=True)
    return typer.Exit(1)
