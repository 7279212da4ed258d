"""A data model for NoSQL Workbench, with a facet for each item type and example items to look at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from partita.dynamo.values import Item as WireItem
from partita.table.annotations import wire_types
from partita.table.attributes import plain_type
from partita.table.examples import Examples
from partita.table.export import attribute_names
from partita.table.items import Item
from partita.table.tables import Index, KeyName, Table

_MADE = "Jan 01, 2026, 12:00 AM"
"""The same for every export, so that an export changes only with its schema."""
_EXAMPLES = 2


def workbench(tables: Iterable[Table], examples: Examples | None = None) -> str:
    """A model of the tables. What its format has no place for is said in its description."""
    tables = list(tables)
    left_out = [repr(index) for table in tables for index in table.indexes if not _fits(index)]
    description = "Tables made from their schemas by Partita."
    if left_out:
        description += f" Left out, since a model has one attribute for each half of a key: {', '.join(left_out)}."
    model = {
        "ModelName": "Partita",
        "ModelMetadata": {
            "Author": "Partita",
            "DateCreated": _MADE,
            "DateLastModified": _MADE,
            "Description": description,
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
        },
        "DataModel": [_table(table, examples or Examples()) for table in tables],
    }
    return json.dumps(model, indent=2, ensure_ascii=False) + "\n"


def _table(table: Table, examples: Examples) -> dict[str, Any]:
    rows = list(_rows(table, examples))
    return {
        "TableName": table.name,
        "KeyAttributes": _key(table.keys[:1], table.keys[1:]),
        "NonKeyAttributes": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in _attributes(table, rows).items()
        ],
        "TableFacets": [_facet(table, kind) for kind in table.item_types],
        "GlobalSecondaryIndexes": [_index(index) for index in table.indexes if not index.local and _fits(index)],
        "TableData": rows,
        "DataAccess": {"MySql": {}},
        "BillingMode": "PAY_PER_REQUEST",
    }


def _rows(table: Table, examples: Examples) -> Iterator[WireItem]:
    for kind in table.item_types:
        yield from (item.to_row() for item in islice(examples.numbered(kind, {}), _EXAMPLES))


def _attributes(table: Table, rows: list[WireItem]) -> dict[str, str]:
    """Name and type of every attribute but the table's key: index keys first, as they are declared."""
    keyed = {key.name for key in table.keys}
    types: dict[str, str] = {key.name: key.type for key in attribute_names(table)}
    for row in rows:
        for name, value in row.items():
            types.setdefault(name, next(iter(value)))
    for kind in table.item_types:
        for field, name in kind.__layout__.names.items():
            types.setdefault(name, _type(kind, field))
        for name in kind.__layout__.texts:
            types.setdefault(name, "S")
        for name, made in kind.__layout__.computed.items():
            types.setdefault(name, _first(made.codec.annotation))
    return {name: kind for name, kind in types.items() if name not in keyed}


def _type(kind: type[Item], field: str) -> str:
    return _first(plain_type(kind.model_fields[field].annotation))


def _first(annotation: Any) -> str:
    """The type of what is stored for a type; of several the first, since a model has one for each attribute."""
    types = sorted((wire_types(annotation) or {"S"}) - {"NULL"})
    return types[0] if types else "S"


def _facet(table: Table, kind: type[Item]) -> dict[str, Any]:
    layout = kind.__layout__
    keyed = {key.name for key in table.keys}
    alias = {"PartitionKeyAlias": layout.pk.text}
    if layout.sk is not None:
        alias["SortKeyAlias"] = layout.sk.text
    names = [name for name in (*layout.names.values(), *layout.derived_names()) if name not in keyed]
    return {"FacetName": kind.__name__, "KeyAttributeAlias": alias, "TableData": [], "NonKeyAttributes": names}


def _index(index: Index) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.include:
        projection["NonKeyAttributes"] = list(index.include)
    return {"IndexName": index.name, "KeyAttributes": _key(index.pk, index.sk), "Projection": projection}


def _key(pk: tuple[KeyName, ...], sk: tuple[KeyName, ...]) -> dict[str, Any]:
    halves = {"PartitionKey": pk[0], **({"SortKey": sk[0]} if sk else {})}
    return {half: {"AttributeName": key.name, "AttributeType": key.type} for half, key in halves.items()}


def _fits(index: Index) -> bool:
    return len(index.pk) == 1 and len(index.sk) < 2
