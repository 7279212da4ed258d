"""Tables: hash alone or with range, keys of each type, indexes of each kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.differential.dice import Dice
from tests.differential.values import USUAL

PROJECTIONS: list[dict[str, Any]] = [
    {"ProjectionType": "ALL"},
    {"ProjectionType": "KEYS_ONLY"},
    {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["num", "doc"]},
]


@dataclass(frozen=True)
class Index:
    """An index as the generators need to know it."""

    name: str
    keys: tuple[tuple[str, str], ...]
    local: bool
    full: bool


@dataclass(frozen=True)
class Table:
    """A table as the generators need to know it, with the request that makes it."""

    name: str
    keys: tuple[tuple[str, str], ...]
    indexes: tuple[Index, ...]
    create: dict[str, Any]

    @property
    def index_keys(self) -> tuple[str, ...]:
        names = [name for index in self.indexes for name, _ in index.keys if name not in dict(self.keys)]
        return tuple(dict.fromkeys(names))


def table(dice: Dice, name: str) -> Table:
    keys = [("pk", dice.weighted([(4, "S"), (2, "N"), (1, "B")]))]
    if dice.chance(70):
        keys.append(("sk", dice.weighted([(3, "S"), (3, "N"), (1, "B")])))
    definitions = dict(keys)
    indexes = []
    request: dict[str, Any] = {"TableName": name, "KeySchema": schema(keys), "BillingMode": "PAY_PER_REQUEST"}
    for number in range(dice.weighted([(3, 0), (4, 1), (3, 2)])):
        own = [(attribute, USUAL[attribute]) for attribute in dice.some(("gs", "gn", "gb"), 1, 2)]
        if dice.chance(10):
            own = [("gs", "S"), keys[0]]
        indexes.append(_add(request, dice, f"global-{number}", own, local=False))
    if len(keys) == 2 and dice.chance(50):
        own = [keys[0], dice.pick((("ls", "S"), ("ln", "N")))]
        indexes.append(_add(request, dice, "local-0", own, local=True))
    for index in indexes:
        definitions.update(index.keys)
    request["AttributeDefinitions"] = [
        {"AttributeName": attribute, "AttributeType": kind} for attribute, kind in definitions.items()
    ]
    return Table(name, tuple(keys), tuple(indexes), request)


def _add(request: dict[str, Any], dice: Dice, name: str, keys: list[tuple[str, str]], *, local: bool) -> Index:
    projection = dice.pick(PROJECTIONS)
    request.setdefault("LocalSecondaryIndexes" if local else "GlobalSecondaryIndexes", []).append(
        {"IndexName": name, "KeySchema": schema(keys), "Projection": projection}
    )
    return Index(name, tuple(keys), local, full=projection["ProjectionType"] == "ALL")


def schema(keys: Any) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": kind} for (name, _), kind in zip(keys, ("HASH", "RANGE"), strict=False)]


def broken_creation(dice: Dice, good: Table) -> dict[str, Any]:
    """A CreateTable request with one thing changed, mostly for the worse."""
    request: dict[str, Any] = {**good.create, "TableName": "scratch"}
    definitions = list(request["AttributeDefinitions"])
    schema = list(request["KeySchema"])
    changes: list[dict[str, Any]] = [
        {},
        {"AttributeDefinitions": definitions[1:]},
        {"AttributeDefinitions": [*definitions, {"AttributeName": "extra", "AttributeType": "S"}]},
        {"AttributeDefinitions": [*definitions, definitions[0]]},
        {"AttributeDefinitions": [{**definitions[0], "AttributeType": "SS"}, *definitions[1:]]},
        {"AttributeDefinitions": []},
        {"KeySchema": [{"AttributeName": "pk", "KeyType": "RANGE"}]},
        {"KeySchema": [*schema, {"AttributeName": "gs", "KeyType": "HASH"}]},
        {"KeySchema": [schema[0], {**schema[0], "KeyType": "RANGE"}]},
        {"KeySchema": []},
        {"TableName": "sc"},
        {"TableName": "scratch table"},
        {"TableName": good.name},
        {"BillingMode": "PROVISIONED"},
        {"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
        {"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
        {"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}},
        {"GlobalSecondaryIndexes": []},
        {"LocalSecondaryIndexes": []},
        {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}},
        {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}},
        {"StreamSpecification": {"StreamEnabled": True}},
    ]
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for index in request.get(member, [])[:1]:
            rest = request[member][1:]
            changes += [
                {member: [index, *request[member]]},
                {member: [{**index, "Projection": {"ProjectionType": "INCLUDE"}}, *rest]},
                {member: [{**index, "Projection": {"ProjectionType": "ALL", "NonKeyAttributes": ["num"]}}, *rest]},
                {member: [{**index, "Projection": {"ProjectionType": "SOME"}}, *rest]},
                {member: [{**index, "Projection": {}}, *rest]},
                {member: [{name: part for name, part in index.items() if name != "Projection"}, *rest]},
                {member: [{**index, "IndexName": "ix"}, *rest]},
                {member: [{**index, "KeySchema": index["KeySchema"][:1]}, *rest]},
                {member: [{**index, "KeySchema": [{"AttributeName": "gs", "KeyType": "HASH"}]}, *rest]},
                {member: [{**index, "KeySchema": []}, *rest]},
            ]
    return {**request, **dice.pick(changes)}
