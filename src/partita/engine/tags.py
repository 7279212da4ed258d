"""Tags: TagResource, UntagResource, ListTagsOfResource, and those of CreateTable."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import apsw

from partita.dynamo.errors import ResourceNotFoundError, ValidationError
from partita.dynamo.limits import TAGS
from partita.engine import catalog
from partita.engine.catalog import Catalog
from partita.engine.definitions import Table
from partita.engine.place import Place
from partita.engine.writer import Transaction

Request = Mapping[str, Any]
Response = dict[str, Any]
_ALLOWED = re.compile(r"[\w\s+\-=.:/]*")


def checked_tags(tags: Sequence[Mapping[str, str]], existing: Mapping[str, str] | None = None) -> dict[str, str]:
    """The tags a table has after these are added."""
    found: dict[str, str] = {}
    for tag in tags:
        key, value = tag["Key"], tag["Value"]
        if key.lower().startswith("aws:"):
            raise ValidationError(f"Tag Key cannot be prefixed with aws:, Key: {key}")
        if not _ALLOWED.fullmatch(key):
            raise ValidationError(f"The Tag Key provided is invalid, Key: {key}")
        if not _ALLOWED.fullmatch(value):
            raise ValidationError(f"The Tag Value provided is invalid, Value: {value}")
        if key in found:
            raise ValidationError(f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
        found[key] = value
    result = {**(existing or {}), **found}
    if len(result) > TAGS:
        raise ValidationError("Number of Tags exceed the current limit for the provided ResourceArn")
    return result


def tag(transaction: Transaction, request: Request, _place: Place) -> Response:
    """TagResource."""
    table = _tagged(transaction.catalog, request["ResourceArn"], "TagResource")
    if not request["Tags"]:
        raise ValidationError("Atleast one Tag needs to be provided as Input.")
    _save(transaction, replace(table, tags=checked_tags(request["Tags"], table.tags)))
    return {}


def untag(transaction: Transaction, request: Request, _place: Place) -> Response:
    """UntagResource."""
    table = _tagged(transaction.catalog, request["ResourceArn"], "UntagResource")
    gone = set(request["TagKeys"])
    if not gone:
        raise ValidationError("Atleast one Tag Key needs to be provided as Input.")
    _save(transaction, replace(table, tags={key: value for key, value in table.tags.items() if key not in gone}))
    return {}


def list_tags(_connection: apsw.Connection, tables: Catalog, request: Request, _place: Place) -> Response:
    """ListTagsOfResource."""
    table = _tagged(tables, request["ResourceArn"], "ListTagsOfResource")
    return {"Tags": [{"Key": key, "Value": value} for key, value in table.tags.items()]}


def _tagged(tables: Catalog, arn: str, operation: str) -> Table:
    table = tables.tables.get(tables.place.tagged_table(arn, operation))
    if table is None:
        raise ResourceNotFoundError(f"Requested resource not found: ResourcArn: {arn} not found")
    return table


def _save(transaction: Transaction, table: Table) -> None:
    catalog.save(transaction.connection, table)
    transaction.reload()
