"""Tables and items for tests, in a line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from partita.dynamo.python_values import from_python, item_from_python, item_to_python
from partita.engine import Engine

Wire = dict[str, Any]


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


def key_schema(hash_keys: str, range_keys: str = "") -> list[Wire]:
    """A key schema out of names with spaces between."""
    return [{"AttributeName": name, "KeyType": "HASH"} for name in hash_keys.split()] + [
        {"AttributeName": name, "KeyType": "RANGE"} for name in range_keys.split()
    ]


def index(
    name: str, hash_keys: str, range_keys: str = "", projection: str = "ALL", include: Sequence[str] = ()
) -> Wire:
    """A secondary index."""
    shown: Wire = {"ProjectionType": projection}
    if include:
        shown["NonKeyAttributes"] = list(include)
    return {"IndexName": name, "KeySchema": key_schema(hash_keys, range_keys), "Projection": shown}


def definitions(schemas: Iterable[Iterable[Wire]], types: Mapping[str, str]) -> list[Wire]:
    """AttributeDefinitions of everything the key schemas name; text unless told otherwise."""
    names = dict.fromkeys(element["AttributeName"] for schema in schemas for element in schema)
    return [{"AttributeName": name, "AttributeType": types.get(name, "S")} for name in names]


def table(
    name: str = "music",
    keys: str = "pk",
    *,
    gsis: Sequence[Wire] = (),
    lsis: Sequence[Wire] = (),
    types: Mapping[str, str] | None = None,
    **settings: Any,
) -> Wire:
    """A CreateTable request; `keys` is the partition key and, after a space, the sort key."""
    hash_key, _, range_key = keys.partition(" ")
    schema = key_schema(hash_key, range_key)
    request: Wire = {
        "TableName": name,
        "KeySchema": schema,
        "AttributeDefinitions": definitions([schema, *(each["KeySchema"] for each in (*lsis, *gsis))], types or {}),
        "BillingMode": "PAY_PER_REQUEST",
        **settings,
    }
    if gsis:
        request["GlobalSecondaryIndexes"] = list(gsis)
    if lsis:
        request["LocalSecondaryIndexes"] = list(lsis)
    return request


def create(engine: Engine, name: str = "music", keys: str = "pk", **settings: Any) -> Wire:
    """Create a table and return its description."""
    description: Wire = engine.call("CreateTable", table(name, keys, **settings))["TableDescription"]
    return description


def put(engine: Engine, name: str = "music", /, **item: Any) -> Wire:
    """Put an item of Python values."""
    return engine.call("PutItem", {"TableName": name, "Item": item_from_python(item)})


def get(engine: Engine, name: str = "music", /, **key: Any) -> dict[str, Any] | None:
    """The item with a key, as Python values."""
    found = engine.call("GetItem", {"TableName": name, "Key": item_from_python(key), "ConsistentRead": True})
    return item_to_python(found["Item"]) if "Item" in found else None


def values(**given: Any) -> Wire:
    """ExpressionAttributeValues."""
    return {"ExpressionAttributeValues": {f":{name}": from_python(value) for name, value in given.items()}}


def update(engine: Engine, key: Mapping[str, Any], expression: str, name: str = "music", /, **given: Any) -> Wire:
    """UpdateItem with an expression; values by keyword, other members with a capital."""
    members = {member: content for member, content in given.items() if member[0].isupper()}
    filled = {member: content for member, content in given.items() if not member[0].isupper()}
    request: Wire = {"TableName": name, "Key": item_from_python(key), "UpdateExpression": expression, **members}
    if filled:
        request |= values(**filled)
    return engine.call("UpdateItem", request)


def python_items(response: Wire) -> list[dict[str, Any]]:
    """The items of a page as Python values."""
    return [item_to_python(item) for item in response["Items"]]


def query(engine: Engine, condition: str, name: str = "music", /, **given: Any) -> Wire:
    """Query; values by keyword, other members with a capital."""
    members = {member: content for member, content in given.items() if member[0].isupper()}
    filled = {member: content for member, content in given.items() if not member[0].isupper()}
    return engine.call("Query", {"TableName": name, "KeyConditionExpression": condition, **values(**filled), **members})


def pages(engine: Engine, operation: str, request: Wire) -> list[Wire]:
    """Every page of a query or scan."""
    found = [engine.call(operation, request)]
    while "LastEvaluatedKey" in found[-1]:
        found.append(engine.call(operation, {**request, "ExclusiveStartKey": found[-1]["LastEvaluatedKey"]}))
    return found


def whole(engine: Engine, operation: str, request: Wire) -> list[dict[str, Any]]:
    """All items of a query or scan, page after page."""
    return [item for page in pages(engine, operation, request) for item in python_items(page)]
