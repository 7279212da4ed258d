"""Changes of a table by UpdateTable: mostly such as can be, now and then such as cannot; and the table after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.differential.dice import Dice
from tests.differential.tables import PROJECTIONS, Index, Table, schema
from tests.differential.values import USUAL

Params = dict[str, Any]

_ON_DEMAND = "PAY_PER_REQUEST"
_STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
_KEPT = ("DeletionProtectionEnabled", "TableClass", "OnDemandThroughput")


def change(dice: Dice, on: Table) -> tuple[Params, Table]:
    """A request, and the table after it; the same table where the request should be refused."""
    if dice.chance(40):
        return {"TableName": on.name, **dice.pick(_wrong(dice, on))}, on
    possible = [_new_index, _billing, _settings]
    if _globals(on):
        possible.append(_lost_index)
    request = {"TableName": on.name, **dice.pick(possible)(dice, on)}
    return request, after(on, request)


def after(table: Table, request: Params) -> Table:
    """What a table is after a change that was made."""
    create = dict(table.create)
    for member in (*_KEPT, "BillingMode", "ProvisionedThroughput"):
        if request.get(member) is not None:
            create[member] = request[member]
    if request.get("StreamSpecification"):
        create["StreamSpecification"] = request["StreamSpecification"]
    gsis = {gsi["IndexName"]: gsi for gsi in create.get("GlobalSecondaryIndexes", [])}
    types = _types(create) | _types(request)
    for entry in request.get("GlobalSecondaryIndexUpdates") or ():
        ((action, given),) = entry.items()
        name = given["IndexName"]
        if action == "Create":
            gsis[name] = given
        elif action == "Delete":
            gsis.pop(name, None)
        elif name in gsis:
            gsis[name] = {**gsis[name], **given}
    if create["BillingMode"] == _ON_DEMAND:
        create.pop("ProvisionedThroughput", None)
        gsis = {name: _without(gsi, "ProvisionedThroughput") for name, gsi in gsis.items()}
    else:
        create.pop("OnDemandThroughput", None)
        gsis = {name: _without(gsi, "OnDemandThroughput") for name, gsi in gsis.items()}
    create = _without(create, "GlobalSecondaryIndexes")
    if gsis:
        create["GlobalSecondaryIndexes"] = list(gsis.values())
    schemas = [create, *gsis.values(), *create.get("LocalSecondaryIndexes", [])]
    used = {element["AttributeName"] for each in schemas for element in each["KeySchema"]}
    create["AttributeDefinitions"] = _definitions({name: kind for name, kind in types.items() if name in used})
    indexes = tuple(_index(gsi, types) for gsi in gsis.values())
    return replace(table, indexes=(*indexes, *(each for each in table.indexes if each.local)), create=create)


def _index(gsi: Params, types: dict[str, str]) -> Index:
    keys = tuple((element["AttributeName"], types[element["AttributeName"]]) for element in gsi["KeySchema"])
    return Index(gsi["IndexName"], keys, local=False, full=gsi["Projection"]["ProjectionType"] == "ALL")


def _without(given: Params, member: str) -> Params:
    return {name: content for name, content in given.items() if name != member}


def _types(request: Params) -> dict[str, str]:
    return {each["AttributeName"]: each["AttributeType"] for each in request.get("AttributeDefinitions") or ()}


def _definitions(types: dict[str, str]) -> list[Params]:
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def _globals(on: Table) -> list[str]:
    return [index.name for index in on.indexes if not index.local]


def _units(dice: Dice) -> Params:
    return {"ReadCapacityUnits": dice.between(1, 9), "WriteCapacityUnits": dice.between(1, 9)}


def _on_demand(on: Table) -> bool:
    return bool(on.create["BillingMode"] == _ON_DEMAND)


def _making(dice: Dice, on: Table, name: str) -> Params:
    keys = [(attribute, USUAL[attribute]) for attribute in dice.some(("gs", "gn", "gb"), 1, 2)]
    index: Params = {"IndexName": name, "KeySchema": schema(keys), "Projection": dice.pick(PROJECTIONS)}
    if not _on_demand(on):
        index["ProvisionedThroughput"] = _units(dice)
    return {"AttributeDefinitions": _definitions(dict(keys)), "GlobalSecondaryIndexUpdates": [{"Create": index}]}


def _new_index(dice: Dice, on: Table) -> Params:
    free = [name for name in ("late-0", "late-1", "late-2") if name not in _globals(on)]
    return _making(dice, on, free[0]) if free else _lost_index(dice, on)


def _lost_index(dice: Dice, on: Table) -> Params:
    return {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": dice.pick(_globals(on))}}]}


def _billing(dice: Dice, on: Table) -> Params:
    if not _on_demand(on):
        return {"BillingMode": _ON_DEMAND}
    units = [{"Update": {"IndexName": name, "ProvisionedThroughput": _units(dice)}} for name in _globals(on)]
    given: Params = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": _units(dice)}
    return {**given, "GlobalSecondaryIndexUpdates": units} if units else given


def _settings(dice: Dice, on: Table) -> Params:
    streaming = on.create.get("StreamSpecification", {}).get("StreamEnabled", False)
    choices: list[Params] = [
        {"StreamSpecification": {"StreamEnabled": False} if streaming else _STREAM},
        {"DeletionProtectionEnabled": dice.chance(50)},
        {"TableClass": dice.pick(("STANDARD", "STANDARD_INFREQUENT_ACCESS"))},
    ]
    if _on_demand(on):
        choices.append({"BillingMode": _ON_DEMAND})
        choices.append({"OnDemandThroughput": {"MaxReadRequestUnits": dice.between(1, 9)}})
    else:
        now = on.create["ProvisionedThroughput"]["ReadCapacityUnits"]
        choices.append({"ProvisionedThroughput": {"ReadCapacityUnits": now + 1, "WriteCapacityUnits": 1}})
    return dice.pick(choices)


def _wrong(dice: Dice, on: Table) -> list[Params]:
    """Requests of which every one should be refused."""
    units = _units(dice)
    made = _making(dice, on, "late-9")
    (entry,) = made["GlobalSecondaryIndexUpdates"]
    action: Callable[..., Params] = lambda **members: {"GlobalSecondaryIndexUpdates": [members]}  # noqa: E731
    found: list[Params] = [
        {},
        {"GlobalSecondaryIndexUpdates": []},
        {"GlobalSecondaryIndexUpdates": [], "TableClass": "STANDARD"},
        {"GlobalSecondaryIndexUpdates": made["GlobalSecondaryIndexUpdates"]},
        {**made, "GlobalSecondaryIndexUpdates": [{**entry, "Delete": {"IndexName": "late-9"}}]},
        {**made, "GlobalSecondaryIndexUpdates": [entry, entry]},
        {**made, "StreamSpecification": _STREAM},
        {**made, "ProvisionedThroughput": units},
        {**made, "GlobalSecondaryIndexUpdates": [{"Create": {**entry["Create"], "KeySchema": []}}]},
        {**made, "GlobalSecondaryIndexUpdates": [{"Create": _without(entry["Create"], "Projection")}]},
        {**made, "GlobalSecondaryIndexUpdates": [{"Create": {**entry["Create"], "IndexName": "ix"}}]},
        {**made, "TableName": "missing"},
        action(Delete={"IndexName": "missing"}),
        action(Update={"IndexName": "missing", "ProvisionedThroughput": units}),
        action(),
        {"DeletionProtectionEnabled": True, "TableClass": "STANDARD"},
        {"SSESpecification": {"Enabled": False}},
        {"StreamSpecification": {"StreamEnabled": True}},
        {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}},
        {"TableClass": "COLD"},
        {"BillingMode": "FREE"},
        {"TableName": "sc", "TableClass": "STANDARD"},
        {"ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 1}},
    ]
    if _on_demand(on):
        found.append({"BillingMode": "PROVISIONED"})
        found.append({"ProvisionedThroughput": units})
    else:
        found.append({"ProvisionedThroughput": on.create["ProvisionedThroughput"]})
        found.append({"OnDemandThroughput": {"MaxReadRequestUnits": 5}})
    for index in on.indexes:
        if index.local:
            found.append(action(Delete={"IndexName": index.name}))
            found.append(action(Update={"IndexName": index.name, "ProvisionedThroughput": units}))
            continue
        found.append(_making(dice, on, index.name))
        found.append({"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": index.name}}] * 2})
        if _on_demand(on):
            found.append(action(Update={"IndexName": index.name, "ProvisionedThroughput": units}))
            found.append({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units})
    return found
