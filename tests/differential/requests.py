"""Sequences of requests on a few small tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.differential import expressions, legacy
from tests.differential.dice import Dice
from tests.differential.expressions import PATHS, Words
from tests.differential.mistakes import spoil
from tests.differential.tables import Index, Table, broken_creation, table
from tests.differential.updates import change
from tests.differential.values import KEY_POOLS, Item, attributes, value

Params = dict[str, Any]

CHANGES = 3
"""In a hundred requests."""


@dataclass(frozen=True)
class Step:
    """One request; a query or scan is followed page by page to its end."""

    operation: str
    params: Params


@dataclass(frozen=True)
class Sequence:
    """Tables, and requests on them."""

    tables: tuple[Table, ...]
    steps: tuple[Step, ...]


def sequence(seed: str, length: int) -> Sequence:
    """A sequence of requests; the first few put items so that there is something to meet."""
    dice = Dice(seed)
    tables = tuple(table(dice, name) for name in ("first", "second")[: 2 if dice.chance(30) else 1])
    steps = [Step("PutItem", {"TableName": each.name, "Item": item(dice, each)}) for each in tables for _ in range(3)]
    return Sequence(tables, (*steps, *more_steps(dice, tables, length - len(steps), step)))


def more_steps(
    dice: Dice, tables: tuple[Table, ...], count: int, make: Callable[[Dice, tuple[Table, ...]], Step]
) -> Iterator[Step]:
    """So many requests, among them changes of the tables that the next ones meet."""
    for _ in range(count):
        if not dice.chance(CHANGES):
            yield make(dice, tables)
            continue
        on = dice.pick(tables)
        params, changed = change(dice, on)
        tables = tuple(changed if each is on else each for each in tables)
        yield Step("UpdateTable", params)


def step(dice: Dice, tables: tuple[Table, ...]) -> Step:
    operation, make = dice.weighted(_OPERATIONS)
    params = make(dice, tables)
    if dice.chance(12):
        params = spoil(dice, operation, params)
    return Step(operation, params)


def key(dice: Dice, on: Table) -> Item:
    return {name: dice.pick(KEY_POOLS[kind]) for name, kind in on.keys}


def item(dice: Dice, on: Table) -> Item:
    return {**key(dice, on), **attributes(dice, on.index_keys)}


def _options(dice: Dice, returns: tuple[str, ...]) -> Params:
    return {
        **dice.maybe(50, "ReturnValues", lambda: dice.pick(returns)),
        **dice.maybe(15, "ReturnConsumedCapacity", lambda: dice.pick(("TOTAL", "INDEXES", "NONE"))),
        **dice.maybe(25, "ReturnValuesOnConditionCheckFailure", lambda: dice.pick(("ALL_OLD", "NONE"))),
    }


def _condition_paths(on: Table) -> list[str]:
    return [*PATHS, *(name for name, _ in on.keys)]


def _conditional(dice: Dice, on: Table) -> Params:
    match dice.weighted([(50, "none"), (38, "expression"), (12, "legacy")]):
        case "expression":
            words = Words(dice)
            return {"ConditionExpression": expressions.condition(words, _condition_paths(on)), **words.members()}
        case "legacy":
            return legacy.expected(dice)
    return {}


def _put(dice: Dice, tables: tuple[Table, ...]) -> Params:
    on = dice.pick(tables)
    options = _options(dice, ("NONE", "ALL_OLD", "ALL_OLD", "ALL_NEW") if dice.chance(8) else ("NONE", "ALL_OLD"))
    return {"TableName": on.name, "Item": item(dice, on), **_conditional(dice, on), **options}


def _delete(dice: Dice, tables: tuple[Table, ...]) -> Params:
    on = dice.pick(tables)
    options = _options(dice, ("NONE", "ALL_OLD", "ALL_OLD", "UPDATED_OLD") if dice.chance(8) else ("NONE", "ALL_OLD"))
    return {"TableName": on.name, "Key": key(dice, on), **_conditional(dice, on), **options}


def _update(dice: Dice, tables: tuple[Table, ...]) -> Params:
    on = dice.pick(tables)
    options = _options(dice, ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"))
    params = {"TableName": on.name, "Key": key(dice, on), **options}
    if dice.chance(15):
        return {**params, **legacy.attribute_updates(dice), **(legacy.expected(dice) if dice.chance(40) else {})}
    words = Words(dice)
    if not dice.chance(2):
        params["UpdateExpression"] = expressions.update(words, tuple(name for name, _ in on.keys))
    if dice.chance(40):
        params["ConditionExpression"] = expressions.condition(words, _condition_paths(on))
    return {**params, **words.members()}


def _projected(dice: Dice, words: Words | None = None) -> Params:
    """Parameters that choose attributes; with other expressions around, only an expression may."""
    if words is not None:
        return {"ProjectionExpression": expressions.projection(words)} if dice.chance(35) else {}
    match dice.weighted([(60, "none"), (30, "expression"), (10, "legacy")]):
        case "expression":
            words = Words(dice)
            return {"ProjectionExpression": expressions.projection(words), **words.members()}
        case "legacy":
            return legacy.attributes_to_get(dice)
    return {}


def _get(dice: Dice, tables: tuple[Table, ...]) -> Params:
    on = dice.pick(tables)
    return {"TableName": on.name, "Key": key(dice, on), **_projected(dice), **_read_options(dice)}


def _read_options(dice: Dice) -> Params:
    return {
        **dice.maybe(20, "ConsistentRead", lambda: dice.chance(70)),
        **dice.maybe(15, "ReturnConsumedCapacity", lambda: dice.pick(("TOTAL", "INDEXES", "NONE"))),
    }


def _target(dice: Dice, on: Table) -> tuple[Params, tuple[tuple[str, str], ...], Index | None]:
    if on.indexes and dice.chance(55):
        index = dice.pick(on.indexes)
        return {"TableName": on.name, "IndexName": index.name}, index.keys, index
    return {"TableName": on.name}, on.keys, None


def _page_options(dice: Dice, index: Index | None) -> Params:
    params = {
        **dice.maybe(40, "Limit", lambda: dice.pick((1, 1, 2, 3, 5))),
        **dice.maybe(15, "ReturnConsumedCapacity", lambda: dice.pick(("TOTAL", "INDEXES", "NONE"))),
    }
    if dice.chance(10 if index is None or index.local else 2):
        params["ConsistentRead"] = True
    return params


def _select(dice: Dice, params: Params, index: Index | None) -> Params:
    chosen = "ProjectionExpression" in params or "AttributesToGet" in params
    if dice.chance(3):
        return {
            "Select": dice.pick(("ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT", "ALL"))
        }
    if not dice.chance(25):
        return {}
    if chosen:
        return {"Select": "SPECIFIC_ATTRIBUTES"}
    return {
        "Select": dice.pick(("COUNT", "ALL_ATTRIBUTES") if index is None else ("COUNT", "ALL_PROJECTED_ATTRIBUTES"))
    }


def _query(dice: Dice, tables: tuple[Table, ...]) -> Params:
    on = dice.pick(tables)
    params, keys, index = _target(dice, on)
    pools = {**KEY_POOLS, **_index_pools(dice)} if index is not None and not index.local else KEY_POOLS
    names = tuple(name for name, _ in keys)
    if dice.chance(15):
        params.update(legacy.key_conditions(dice, keys))
        params.update(legacy.filters(dice, "QueryFilter", names) if dice.chance(40) else {})
        params.update(legacy.attributes_to_get(dice) if dice.chance(25) else {})
    else:
        words = Words(dice)
        params["KeyConditionExpression"] = expressions.key_condition(words, keys, pools)
        if dice.chance(35):
            paths = [path for path in PATHS if path not in names or dice.chance(5)]
            params["FilterExpression"] = expressions.condition(words, paths)
        params.update(_projected(dice, words))
        params.update(words.members())
    params.update(_select(dice, params, index))
    params.update(dice.maybe(40, "ScanIndexForward", lambda: dice.chance(30)))
    params.update(_page_options(dice, index))
    if index is None and dice.chance(4):
        params["ExclusiveStartKey"] = key(dice, on)
    return params


def _index_pools(dice: Dice) -> dict[str, list[dict[str, Any]]]:
    return {kind: [value(dice, kind) for _ in range(3)] for kind in ("S", "N", "B")}


def _scan(dice: Dice, tables: tuple[Table, ...]) -> Params:
    on = dice.pick(tables)
    params, _, index = _target(dice, on)
    if dice.chance(12):
        params.update(legacy.filters(dice, "ScanFilter"))
        params.update(legacy.attributes_to_get(dice) if dice.chance(25) else {})
    else:
        words = Words(dice)
        if dice.chance(50):
            params["FilterExpression"] = expressions.condition(words, _condition_paths(on))
        params.update(_projected(dice, words))
        params.update(words.members())
    params.update(_select(dice, params, index))
    params.update(_page_options(dice, index))
    return params


def _batch_get(dice: Dice, tables: tuple[Table, ...]) -> Params:
    tables = tables if dice.chance(50) else tables[:1]
    wanted = {}
    for on in tables:
        keys = _distinct([key(dice, on) for _ in range(dice.between(1, 4))], on, dice)
        wanted[on.name] = {"Keys": keys, **_projected(dice), **dice.maybe(20, "ConsistentRead", lambda: True)}
    return {"RequestItems": wanted, **dice.maybe(15, "ReturnConsumedCapacity", lambda: dice.pick(("TOTAL", "INDEXES")))}


def _distinct(entries: list[Any], on: Table, dice: Dice) -> list[Any]:
    """Without repeated keys, nearly always."""
    if dice.chance(5):
        return entries
    seen: dict[str, Any] = {}
    for entry in entries:
        seen[repr([_plain(entry[name]) for name, _ in on.keys])] = entry
    return list(seen.values())


def _plain(one: dict[str, Any]) -> object:
    return float(one["N"]) if "N" in one else one


def _batch_write(dice: Dice, tables: tuple[Table, ...]) -> Params:
    tables = tables if dice.chance(50) else tables[:1]
    wanted = {}
    for on in tables:
        items = _distinct([item(dice, on) for _ in range(dice.between(1, 4))], on, dice)
        names = [name for name, _ in on.keys]
        wanted[on.name] = [
            {"DeleteRequest": {"Key": {name: each[name] for name in names}}}
            if dice.chance(35)
            else {"PutRequest": {"Item": each}}
            for each in items
        ]
    return {"RequestItems": wanted, **dice.maybe(15, "ReturnConsumedCapacity", lambda: dice.pick(("TOTAL", "INDEXES")))}


def _transact_get(dice: Dice, tables: tuple[Table, ...]) -> Params:
    gets = []
    for _ in range(dice.between(1, 3)):
        on = dice.pick(tables)
        words = Words(dice)
        get = {"TableName": on.name, "Key": key(dice, on), **_projected(dice, words)}
        gets.append({"Get": {**get, **words.members()}})
    return {"TransactItems": gets, **dice.maybe(15, "ReturnConsumedCapacity", lambda: dice.pick(("TOTAL", "INDEXES")))}


def _transact_write(dice: Dice, tables: tuple[Table, ...]) -> Params:
    actions: list[Params] = []
    taken: set[str] = set()
    for _ in range(dice.between(1, 4)):
        on = dice.pick(tables)
        where = key(dice, on)
        mark = repr([on.name, *(_plain(where[name]) for name, _ in on.keys)])
        if mark in taken and not dice.chance(5):
            continue
        taken.add(mark)
        words = Words(dice)
        kind = dice.pick(("Put", "Update", "Delete", "ConditionCheck"))
        action: Params = {"TableName": on.name}
        if kind == "Put":
            action["Item"] = {**where, **attributes(dice, on.index_keys)}
        else:
            action["Key"] = where
        if kind == "Update":
            action["UpdateExpression"] = expressions.update(words, tuple(name for name, _ in on.keys))
        if kind == "ConditionCheck" or dice.chance(40):
            simple = dice.pick(("attribute_exists(pk)", "attribute_not_exists(pk)", ""))
            action["ConditionExpression"] = simple or expressions.condition(words, _condition_paths(on))
        action.update(dice.maybe(30, "ReturnValuesOnConditionCheckFailure", lambda: "ALL_OLD"))
        actions.append({kind: {**action, **words.members()}})
    return {
        "TransactItems": actions,
        **dice.maybe(15, "ReturnConsumedCapacity", lambda: dice.pick(("TOTAL", "INDEXES"))),
    }


def _create(dice: Dice, tables: tuple[Table, ...]) -> Params:
    return broken_creation(dice, dice.pick(tables))


_OPERATIONS: list[tuple[int, tuple[str, Callable[[Dice, tuple[Table, ...]], Params]]]] = [
    (18, ("PutItem", _put)),
    (8, ("DeleteItem", _delete)),
    (26, ("UpdateItem", _update)),
    (8, ("GetItem", _get)),
    (18, ("Query", _query)),
    (10, ("Scan", _scan)),
    (3, ("BatchGetItem", _batch_get)),
    (3, ("BatchWriteItem", _batch_write)),
    (2, ("TransactGetItems", _transact_get)),
    (5, ("TransactWriteItems", _transact_write)),
    (2, ("CreateTable", _create)),
]
