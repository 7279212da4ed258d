"""Mistakes people make: one thing in a good request changed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from botocore.session import get_session

from tests.differential.dice import Dice
from tests.differential.values import any_value, odd

Params = dict[str, Any]

_EXPRESSIONS = (
    "ConditionExpression", "UpdateExpression", "KeyConditionExpression", "FilterExpression", "ProjectionExpression",
)  # fmt: skip
_WORSE = [
    "", " ", "(", "a", "a =", "a b", "= :v0", "num = num", ":v0", ":v0 = :v0", "size(num)", "((num = :v0))",
    "((attribute_exists(num)))",
    "(((num = :v0)))", "num = :v0 AND", "num IN ()", "num IN (:v0, :v0)", "num BETWEEN :v0 AND :v0",
    "num BETWEEN :v0 OR :v0",
    "attribute_exists(:v0)", "attribute_exists(num, txt)", "unknown(num)", "begins_with(num)", "contains(num, num)",
    "size(size(num)) = :v0",
    "attribute_exists(size(num))", "attribute_type(num, txt)", "NOT NOT num = :v0", "not num = :v0",
    "num = :v0 AND NOT (num = :v0)",
    "num != :v0", "num == :v0", "num = 5", "num = 'a'", "a.b.c[0] = :v0", "a[0 = :v0", "a[-1] = :v0", "a[b] = :v0",
    "a[00] = :v0", "a..b = :v0",
    "SET", "SET num", "SET num =", "SET num = :v0,", "SET num = :v0 SET txt = :v0", "SET num = :v0 :v0",
    "set num = :v0", "REMOVE", "REMOVE num, num",
    "REMOVE doc, doc.x", "REMOVE arr[0], arr.x", "ADD num", "ADD num = :v0", "ADD num txt", "DELETE num :v0",
    "DELETE tags :v0", "SET num = num",
    "SET num = num + num + num", "SET num = (num + :v0)", "SET num = (:v0)", "SET num = list_append(arr)",
    "SET num = if_not_exists(:v0, :v0)",
    "SET num = if_not_exists(num)", "SET num = size(num)", "SET num = :v0 * :v0", "SET arr[5] = :v0",
    "SET arr[0] = :v0, arr[1] = :v0",
    "SET doc.x = :v0, doc.y = :v0", "SET doc = :v0, doc.x = :v0", "SET pk = :v0", "REMOVE pk", "SET size = :v0",
    "SET num = :v0 REMOVE txt",
    "SET num = if_not_exists(txt, num)", "SET num = if_not_exists(txt, if_not_exists(num, :v0))",
    "SET arr = list_append(arr, arr)",
    "pk = :v0 AND pk = :v0", "pk > :v0", "sk = :v0", "pk = :v0 OR sk = :v0", "NOT pk = :v0", "pk = sk", ":v0 = pk",
    "pk <> :v0", "pk IN (:v0)",
    "num, num", "num, txt,", ",num", "doc, doc.x", "doc.x, doc.y", "arr[0], arr[1]", "arr[0], arr.x", "num txt",
    "name", "#undefined", "arr[1], arr[0]",
    "attribute_exists (num)", "ATTRIBUTE_EXISTS(num)", "Size(num) = :v0", "num  =  :v0", "num=:v0", "(num)=:v0",
    "(num) = :v0", "num = (:v0)",
    "num = :undefined", "num < tags", "arr[0][1].x = :v0", "(num = :v0) AND (num = :v0)",
    "(num = :v0 AND num = :v0)", "num between :v0 and :v0",
]  # fmt: skip


def spoil(dice: Dice, operation: str, params: Params) -> Params:
    """The request with one mistake, if the chosen one fits it."""
    params = dict(params)
    if operation == "TransactWriteItems" and params["TransactItems"] and dice.chance(80):
        entry = dice.between(0, len(params["TransactItems"]) - 1)
        ((kind, action),) = params["TransactItems"][entry].items()
        worse = [*params["TransactItems"]]
        worse[entry] = {kind: _known(kind, _spoil_one(dice, action))}
        return {**params, "TransactItems": worse}
    if operation in ("TransactWriteItems", "TransactGetItems"):
        return dice.pick(
            (
                {**params, "TransactItems": []},
                {**params, "TransactItems": params["TransactItems"] * 2},
                {**params, "TransactItems": params["TransactItems"] * 101},
                {**params, "TransactItems": [{}]},
            )
        )
    if operation in ("BatchGetItem", "BatchWriteItem"):
        return _spoil_batch(dice, operation, params)
    if operation == "CreateTable":
        return params
    return _known(f"{operation}Input", _spoil_one(dice, params))


def _known(shape: str, params: Params) -> Params:
    """Without what the SDK could not send."""
    return {member: value for member, value in params.items() if member in _model_members(shape)}


@cache
def _model_members(shape: str) -> frozenset[str]:
    return frozenset(get_session().get_service_model("dynamodb").shape_for(shape).members)


def _spoil_one(dice: Dice, params: Params) -> Params:
    params = dict(params)
    present = [member for member in _EXPRESSIONS if member in params]
    if present and dice.chance(75):
        return _spoil_expression(dice, params, dice.pick(present))
    if "Key" in params and dice.chance(60):
        return {**params, "Key": _worse_key(dice, params["Key"])}
    if "Item" in params and dice.chance(60):
        names = [name for name in ("pk", "sk") if name in params["Item"]]
        where = {name: params["Item"][name] for name in names}
        rest = {name: one for name, one in params["Item"].items() if name not in names}
        return {**params, "Item": {**rest, **_worse_key(dice, where)}}
    return {**params, **dice.pick(_MEMBERS)(dice)}


def _worse_key(dice: Dice, key: Params) -> Params:
    name = dice.pick(list(key))
    rest = {each: one for each, one in key.items() if each != name}
    return dice.pick(
        (
            {},
            rest,
            {**key, "extra": {"S": "a"}},
            {**key, name: {"BOOL": True}},
            {**key, name: {"S": ""}},
            {**key, name: {"B": b""}},
            {**key, name: {"S": "1"}},
            {**key, name: {"N": "1"}},
            {**key, name: {"S": "k" * 1025}},
            {**key, name: {"S": "k" * 2049}},
            {**key, name: odd(dice)},
        )
    )


_MEMBERS: tuple[Callable[[Dice], Params], ...] = (
    lambda dice: {"TableName": dice.pick(("missing", "ab", "", "bad name", "x" * 256))},
    lambda dice: {"ReturnValues": dice.pick(("ALL", "all_old", "UPDATED_NEW", "ALL_NEW", ""))},
    lambda dice: {"ReturnConsumedCapacity": dice.pick(("ALL", "total", ""))},
    lambda dice: {"Limit": dice.pick((0, -1, 1000))},
    lambda dice: {"IndexName": dice.pick(("missing", "ix", ""))},
    lambda dice: {"Select": dice.pick(("SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "ALL_ATTRIBUTES", "COUNT"))},
    lambda dice: {"Segment": dice.pick((0, 1, 2, -1))},
    lambda dice: {"TotalSegments": dice.pick((1, 2, 0))},
    lambda dice: {"Segment": dice.pick((1, 2, 5)), "TotalSegments": dice.pick((1, 2))},
    lambda dice: {"ConditionalOperator": dice.pick(("AND", "OR", "XOR"))},
    lambda dice: {"Expected": dice.pick(({}, {"num": {"Exists": False}}, {"num": {}}))},
    lambda dice: {"AttributeUpdates": dice.pick(({}, {"num": {"Action": "DELETE"}}, {"pk": {"Value": {"S": "z"}}}))},
    lambda _: {"AttributesToGet": ["num"]},
    lambda _: {"ScanFilter": {"num": {"ComparisonOperator": "NULL"}}},
    lambda _: {"QueryFilter": {"num": {"ComparisonOperator": "NULL"}}},
    lambda dice: {"ExpressionAttributeNames": dice.pick(({}, {"#a": "a"}, {"a": "a"}, {"#": "a"}))},
    lambda dice: {"ExpressionAttributeValues": dice.pick(({}, {":a": {"S": "a"}}, {"a": {"S": "a"}}, {":a": {}}))},
    lambda dice: {"ConditionExpression": dice.pick(_WORSE)},
    lambda dice: {"FilterExpression": dice.pick(_WORSE)},
    lambda dice: {"ProjectionExpression": dice.pick(_WORSE)},
    lambda _: {"ConsistentRead": True},
    lambda dice: {
        "ExclusiveStartKey": dice.pick(({}, {"pk": {"S": "p"}}, {"num": {"N": "1"}}, {"pk": any_value(dice)}))
    },
)


def _spoil_expression(dice: Dice, params: Params, member: str) -> Params:
    text: str = params[member]
    names = dict(params.get("ExpressionAttributeNames", {}))
    values = dict(params.get("ExpressionAttributeValues", {}))

    def placeholders() -> Params:
        for name, given in (("ExpressionAttributeNames", names), ("ExpressionAttributeValues", values)):
            params.pop(name, None)
            if given:
                params[name] = given
        return params

    match dice.weighted(
        [
            (8, "drop"),
            (8, "unused"),
            (12, "cut"),
            (6, "parentheses"),
            (4, "deep"),
            (4, "long"),
            (50, "worse"),
            (8, "other"),
        ]
    ):
        case "drop":
            for given in (names, values):
                if given and dice.chance(60):
                    del given[dice.pick(list(given))]
            return placeholders()
        case "unused":
            if dice.chance(50):
                names["#unused"] = "num"
            else:
                values[":unused"] = {"S": "a"}
            return placeholders()
        case "cut":
            at = dice.between(0, max(0, len(text) - 1))
            return {
                **params,
                member: text[:at]
                + dice.pick(("", "", "(", ")", ",", " ", "#", ":", ".", "é", "[", "=", "'"))
                + text[at + 1 :],
            }
        case "parentheses":
            return {**params, member: f"(({text}))" if dice.chance(50) else f"({text})"}
        case "deep":
            return {
                **params,
                member: "NOT (" * 160 + text + ")" * 160 if dice.chance(50) else " AND ".join([text] * 301),
            }
        case "long":
            return {**params, member: text + " " * 4096 if dice.chance(50) else text + " OR " + "a" * 5000 + " = pk"}
        case "worse":
            worse = dice.pick(_WORSE)
            kept = values.get(":v0") or dice.pick(({"N": "1"}, {"S": "a"}, {"SS": ["a"]}, {"L": []}, {"N": "3"}))
            values.clear()
            if ":v0" in worse:
                values[":v0"] = kept
            used = [each for each in _EXPRESSIONS if each in params and each != member]
            for each in used:
                del params[each]
            names.clear()
            return {**placeholders(), member: worse}
    if not values:
        return params
    values[dice.pick(list(values))] = odd(dice)
    return placeholders()


def _spoil_batch(dice: Dice, operation: str, params: Params) -> Params:
    (name, entries), *rest = params["RequestItems"].items()
    others = dict(rest)
    if operation == "BatchGetItem":
        keys = entries["Keys"]
        choices: tuple[Params, ...] = (
            {},
            {name: {**entries, "Keys": []}},
            {name: {**entries, "Keys": [*keys, keys[0]]}},
            {name: {**entries, "Keys": [*keys, _worse_key(dice, keys[0])]}},
            {name: {**entries, "Keys": keys * 101}},
            {"missing": entries, **others},
            {name: {**entries, "ProjectionExpression": dice.pick(_WORSE)}},
        )
        return {**params, "RequestItems": dice.pick(choices)}
    more: tuple[Params, ...] = (
        {},
        {name: []},
        {name: [*entries, entries[0]]},
        {name: entries * 26},
        {name: [*entries, {}]},
        {name: [*entries, {"DeleteRequest": {"Key": {}}}]},
        {name: [*entries, {"PutRequest": {"Item": {"num": {"N": "1"}}}}]},
        {
            name: [
                {**entries[0], "DeleteRequest": {"Key": {"pk": {"S": "p"}}}, "PutRequest": {"Item": {"pk": {"S": "p"}}}}
            ]
        },
        {name: [{"PutRequest": {"Item": {**_target(entries[0]), "num": odd(dice)}}}]},
        {"missing": entries, **others},
    )
    return {**params, "RequestItems": dice.pick(more)}


def _target(entry: Params) -> Params:
    found: Params = entry["PutRequest"]["Item"] if "PutRequest" in entry else entry["DeleteRequest"]["Key"]
    return found
