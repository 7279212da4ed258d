"""Items of one table into another with the same key: those that are missing there, and on request those that differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.dynamo.values import Item
from partita.store.carried import Carrier, LostError
from partita.store.statements import Call
from partita.table.values import same_value

_AT_ONCE = 100
MOST_NAMED = 20
"""So many items that differ are named; the others are counted."""


class TablesDifferError(Exception):
    """Items of the one cannot be items of the other."""


@dataclass(slots=True)
class Counts:
    """What was found, and what was done."""

    missing: int = 0
    different: int = 0
    same: int = 0
    copied: int = 0
    """Those that were missing or different, and are as in the source now."""
    differences: list[str] = field(default_factory=list)
    """The first items that differ: their keys, and the attributes that are not the same; never what is in them."""
    lost: list[str] = field(default_factory=list)
    """Items that were not copied, since a large value of theirs is in no file: their keys, and what is missing."""


def copy_items(
    source: Call,
    source_name: str,
    target: Call,
    target_name: str,
    *,
    replace: bool = False,
    dry_run: bool = False,
    carrier: Carrier | None = None,
) -> Counts:
    """Copy items that are missing; also those that differ, if `replace`. Nothing is deleted.

    The `carrier` copies the files of their large values; an item whose file is nowhere stays as it is in the target.
    What somebody writes meanwhile under the key of a missing item stays. Doing it again changes nothing more.
    """
    key = _key(source, source_name)
    if key != _key(target, target_name):
        raise TablesDifferError(f"{source_name} and {target_name} have not the same key: nothing was copied.")
    names = [name for name, _ in key]
    counts = Counts()
    carrier = carrier or Carrier()
    for items in _chunks(source, source_name):
        there = _found(target, target_name, [{name: item[name] for name in names} for item in items], names)
        for item in items:
            other = there.get(_identity(item, names))
            alike = item if other is None else carrier.likened(item, other)
            if other is not None and _same(alike, other):
                counts.same += 1
                continue
            counts.missing += other is None
            if other is not None:
                counts.different += 1
                if len(counts.differences) < MOST_NAMED:
                    counts.differences.append(_difference(alike, other, names))
            if other is not None and not replace:
                continue
            try:
                if dry_run:
                    carrier.check(item)
                else:
                    counts.copied += _put(target, target_name, carrier.carried(item), None if replace else names[0])
            except LostError as error:
                counts.lost.append(f"{_key_of(item, names)}: {error}")
    return counts


def _key(call: Call, name: str) -> list[tuple[str, str]]:
    """The attributes of a table's key, and their types."""
    description = call("DescribeTable", {"TableName": name})["Table"]
    types = {each["AttributeName"]: each["AttributeType"] for each in description["AttributeDefinitions"]}
    return [(each["AttributeName"], types[each["AttributeName"]]) for each in description["KeySchema"]]


def _chunks(call: Call, name: str) -> Iterator[list[Item]]:
    request: dict[str, Any] = {"TableName": name, "Limit": _AT_ONCE, "ConsistentRead": True}
    while True:
        page = call("Scan", request)
        yield page["Items"]
        if not page.get("LastEvaluatedKey"):
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _found(call: Call, name: str, keys: list[Item], names: list[str]) -> dict[str, Item]:
    """The items with those keys that are there."""
    found: dict[str, Item] = {}
    while keys:
        answer = call("BatchGetItem", {"RequestItems": {name: {"Keys": keys, "ConsistentRead": True}}})
        found |= {_identity(item, names): item for item in answer["Responses"].get(name, ())}
        keys = (answer.get("UnprocessedKeys") or {}).get(name, {}).get("Keys", [])
    return found


def _identity(item: Item, names: list[str]) -> str:
    return repr([item[name] for name in names])


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one.keys() == other.keys() and all(same_value(value, other[name]) for name, value in one.items())


def _difference(one: Item, other: Item, names: list[str]) -> str:
    """`USER#1 PROFILE: email, name`."""
    apart = {*one} ^ {*other}
    apart |= {name for name in {*one} & {*other} if not same_value(one[name], other[name])}
    return f"{_key_of(one, names)}: {', '.join(map(_shown, sorted(apart)))}"


def _key_of(item: Item, names: list[str]) -> str:
    return " ".join(_shown(next(iter(item[name].values()))) for name in names)


def _shown(value: object) -> str:
    """A text as it is, unless a terminal would take it for something else."""
    return value if isinstance(value, str) and value.isprintable() else repr(value)


def _put(call: Call, name: str, item: Item, unless: str | None) -> bool:
    """Whether it was put: not if there is one by now and `unless` names an attribute of the key."""
    request: dict[str, Any] = {"TableName": name, "Item": item}
    if unless is not None:
        request |= {"ConditionExpression": "attribute_not_exists(#key)", "ExpressionAttributeNames": {"#key": unless}}
    try:
        call("PutItem", request)
    except ConditionalCheckFailedError:
        return False
    return True
