"""What CreateTable and every export of a table share: key schemas, attribute definitions, index definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from partita.table.tables import Index, KeyName, Table


def attribute_names(table: Table) -> list[KeyName]:
    """Every attribute that a key of the table or of an index uses, once."""
    return list(dict.fromkeys((*table.keys, *(key for index in table.indexes for key in index.key_names))))


def key_schema(pk: Iterable[KeyName], sk: Iterable[KeyName]) -> list[dict[str, str]]:
    """KeySchema of a table or an index; an index may have several attributes for each half."""
    return [{"AttributeName": key.name, "KeyType": "HASH"} for key in pk] + [
        {"AttributeName": key.name, "KeyType": "RANGE"} for key in sk
    ]


def index_definition(index: Index) -> dict[str, Any]:
    """An index the way CreateTable and CloudFormation spell it."""
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.include:
        projection["NonKeyAttributes"] = list(index.include)
    return {"IndexName": index.name, "KeySchema": key_schema(index.pk, index.sk), "Projection": projection}


def words(name: str) -> list[str]:
    """The words of a table's name, for identifiers made of them."""
    return re.findall(r"[A-Za-z0-9]+", name)
