"""The parameters from before expressions."""

from __future__ import annotations

from typing import Any

from tests.differential.dice import Dice
from tests.differential.values import KEY_POOLS, USUAL, Value, any_value, usual_value, value

_OPERANDS = {
    "EQ": 1, "NE": 1, "LT": 1, "LE": 1, "GT": 1, "GE": 1, "BETWEEN": 2, "IN": 2, "BEGINS_WITH": 1, "CONTAINS": 1,
    "NOT_CONTAINS": 1,
    "NULL": 0, "NOT_NULL": 0,
}  # fmt: skip


def _comparison(dice: Dice, name: str) -> dict[str, Any]:
    operator = dice.pick(list(_OPERANDS))
    count = _OPERANDS[operator] if not dice.chance(5) else dice.between(0, 3)
    kind = USUAL.get(name, "S")
    if operator in ("LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH") and not dice.chance(6):
        kind = kind if kind in ("S", "N", "B") else "S"
        operands = [value(dice, kind) for _ in range(count)]
    elif operator in ("CONTAINS", "NOT_CONTAINS") and not dice.chance(6):
        operands = [value(dice, dice.pick(("S", "N", "B"))) for _ in range(count)]
    else:
        operands = [usual_value(dice, name) for _ in range(count)]
    return {"ComparisonOperator": operator, **({"AttributeValueList": operands} if operands or dice.chance(5) else {})}


def _several(dice: Dice, filters: dict[str, Any], member: str) -> dict[str, Any]:
    found: dict[str, Any] = {member: filters}
    if len(filters) > 1 or dice.chance(5):
        found.update(dice.maybe(40, "ConditionalOperator", lambda: dice.pick(("AND", "OR"))))
    return found


def expected(dice: Dice) -> dict[str, Any]:
    filters: dict[str, Any] = {}
    for name in dice.some(list(USUAL), 1, 2):
        match dice.weighted([(40, "value"), (20, "missing"), (35, "comparison"), (5, "odd")]):
            case "value":
                filters[name] = {"Value": usual_value(dice, name), **dice.maybe(20, "Exists", lambda: True)}
            case "missing":
                filters[name] = {"Exists": False}
            case "comparison":
                filters[name] = _comparison(dice, name)
            case _:
                filters[name] = dice.pick(
                    (
                        {},
                        {"Exists": True},
                        {"Exists": False, "Value": any_value(dice)},
                        {"Value": any_value(dice), "ComparisonOperator": "EQ"},
                        {"AttributeValueList": [any_value(dice)]},
                        {"Exists": True, "ComparisonOperator": "NULL"},
                    )
                )
    return _several(dice, filters, "Expected")


def filters(dice: Dice, member: str, keys: tuple[str, ...] = ()) -> dict[str, Any]:
    names = [name for name in USUAL if name not in keys or dice.chance(5)]
    return _several(dice, {name: _comparison(dice, name) for name in dice.some(names, 1, 2)}, member)


def key_conditions(dice: Dice, keys: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    name, kind = keys[0]
    conditions: dict[str, Any] = {
        name: {
            "ComparisonOperator": "EQ" if not dice.chance(4) else dice.pick(list(_OPERANDS)),
            "AttributeValueList": [dice.pick(KEY_POOLS[kind]) if not dice.chance(3) else any_value(dice)],
        }
    }
    if len(keys) > 1 and dice.chance(60):
        name, kind = keys[1]
        operator = dice.pick(("EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH"))
        if dice.chance(5):
            operator = dice.pick(list(_OPERANDS))
        operands: list[Value] = [dice.pick(KEY_POOLS[kind]) for _ in range(_OPERANDS[operator])]
        conditions[name] = {"ComparisonOperator": operator, "AttributeValueList": operands}
    return {"KeyConditions": conditions}


def attribute_updates(dice: Dice) -> dict[str, Any]:
    updates: dict[str, Any] = {}
    for name in dice.some(list(USUAL), 1, 3):
        match dice.weighted([(45, "PUT"), (25, "ADD"), (25, "DELETE"), (5, "odd")]):
            case "PUT":
                updates[name] = {"Value": usual_value(dice, name), **dice.maybe(70, "Action", lambda: "PUT")}
            case "ADD":
                updates[name] = {"Action": "ADD", "Value": usual_value(dice, name)}
            case "DELETE":
                members = usual_value(dice, name)
                updates[name] = {"Action": "DELETE", **({"Value": members} if dice.chance(50) else {})}
            case _:
                updates[name] = dice.pick(
                    ({}, {"Action": "PUT"}, {"Action": "ADD"}, {"Action": "MOVE", "Value": {"S": "a"}})
                )
    return {"AttributeUpdates": updates}


def attributes_to_get(dice: Dice) -> dict[str, Any]:
    names = dice.some(["pk", "sk", *USUAL], 1, 3)
    if dice.chance(3):
        names = dice.pick(([], [*names, names[0]]))
    return {"AttributesToGet": names}
