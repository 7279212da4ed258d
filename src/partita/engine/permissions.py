"""Holds the keys of the door to the resource policies of tables and streams."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from partita.dynamo.errors import AccessDeniedError, DynamoError
from partita.dynamo.partiql import requests as statements
from partita.dynamo.partiql.requests import StatementRequest
from partita.dynamo.partiql.statements import DeleteOne, Exists, Insert, Select, UpdateOne
from partita.dynamo.requests import (
    BatchGetItem,
    BatchWriteItem,
    ConditionCheck,
    ItemRequest,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
)
from partita.engine import policy_rules, streams
from partita.engine.catalog import Catalog

_NAMES = (
    "TableName",
    "TableArn",
    "SourceTableName",
    "SourceTableArn",
    "ResourceArn",
    "StreamArn",
    "BackupArn",
    "ExportArn",
    "ImportArn",
)
_COPIES = re.compile("/(?:backup|export|import)/")
_ACTIONS: dict[type, str] = {
    Select: "PartiQLSelect",
    Exists: "PartiQLSelect",
    Insert: "PartiQLInsert",
    UpdateOne: "PartiQLUpdate",
    DeleteOne: "PartiQLDelete",
    ConditionCheck: "ConditionCheckItem",
}
Use = tuple[str, str, str]
"""An action, a table's name or ARN (or that of its stream or its copy), and an index of it or nothing."""


def check_items(tables: Catalog, key: str, request: ItemRequest | StatementRequest) -> None:
    """Refuse a request on items that a policy denies to the holder of an access key."""
    _check(tables, key, _uses(request))


def check_tables(tables: Catalog, key: str, operation: str, request: object) -> None:
    """Refuse an operation on tables, streams or backups that a policy denies to the holder of an access key."""
    if not isinstance(request, Mapping):
        return
    named = [request[name] for name in _NAMES if isinstance(request.get(name), str)]
    if operation == "GetRecords":
        named = [streams.arn_of_iterator(request.get("ShardIterator"))]
    _check(tables, key, ((operation, name, "") for name in named if name))


def _check(tables: Catalog, key: str, uses: Iterator[Use]) -> None:
    place = tables.place
    user = f"arn:aws:iam::{place.account}:user/{key}"
    for action, named, index in uses:
        copied = _COPIES.search(named)  # a backup or an export is held to the policy of the table that it copies
        base, _, label = (named if copied is None else named[: copied.start()]).partition("/stream/")
        try:
            table = tables.tables.get(place.table_name(base))
        except DynamoError:
            continue  # no name of a table: the operation itself says so
        policy = None if table is None else table.policies.get(label)
        if table is None or policy is None:
            continue
        arn = place.table_arn(table.name) + (f"/stream/{label}" if label else "")
        resource = f"{arn}/index/{index}" if index else arn
        for each in (resource,) if copied is None else (resource, named):
            if any(rule.denies(user, place.account, action, each) for rule in policy_rules.rules(policy["Policy"])):
                raise AccessDeniedError(
                    f"User: {user} is not authorized to perform: dynamodb:{action} on resource: {each} with an "
                    "explicit deny in a resource-based policy"
                )


def _uses(request: ItemRequest | StatementRequest) -> Iterator[Use]:
    match request:
        case BatchGetItem() | BatchWriteItem():
            for name in request.tables:
                yield type(request).__name__, name, ""
        case TransactGetItems():
            for get in request.gets:
                yield "GetItem", get.table, ""
        case TransactWriteItems():
            for each in request.actions:
                yield _ACTIONS.get(type(each), type(each).__name__), each.table, ""
        case Query() | Scan():
            yield type(request).__name__, request.table, request.index or ""
        case statements.ReadTransaction():
            yield from map(_statement_use, request.selects)
        case statements.WriteTransaction():
            yield from map(_statement_use, request.writes)
        case statements.ReadStatement():
            yield _statement_use(request.select)
        case statements.WriteStatement():
            yield _statement_use(request.write)
        case statements.ReadBatch() | statements.WriteBatch():
            for entry in request.entries:
                if not isinstance(entry, DynamoError):
                    yield from _uses(entry)
        case _:
            yield type(request).__name__, request.table, ""


def _statement_use(statement: Any) -> Use:
    source = statement.source
    return _ACTIONS[type(statement)], source.table, source.index or ""
