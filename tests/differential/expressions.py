"""Expressions as text with their placeholders: mostly valid, spelled in many ways."""

from __future__ import annotations

from typing import Any

from tests.differential.dice import Dice
from tests.differential.values import RESERVED, TYPES, USUAL, Value, any_value, usual_value, value

PATHS = [
    *USUAL, "doc.x", "doc.y", "doc.deep.x", "doc.deep", "doc.name", "arr[0]", "arr[1]", "arr[0].x", "arr[2][0]",
    "doc.x.y", "num.x", "absent",
]  # fmt: skip
_CONDITIONS = [
    (30, "compare"), (8, "between"), (8, "in"), (20, "exists"), (8, "type"), (8, "begins"), (10, "contains"),
    (8, "size"),
]  # fmt: skip
COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")


class Words:
    """One request's placeholders, made as expressions need them."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.names: dict[str, str] = {}
        self.values: dict[str, Value] = {}

    def members(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.names:
            found["ExpressionAttributeNames"] = self.names
        if self.values:
            found["ExpressionAttributeValues"] = self.values
        return found

    def value(self, given: Value) -> str:
        for key, known in self.values.items():
            if known == given and self.dice.chance(50):
                return key
        key = f":v{len(self.values)}"
        self.values[key] = given
        return key

    def name(self, name: str) -> str:
        plain = name.isalnum() and name not in RESERVED
        if plain and not self.dice.chance(15):
            return name
        if name in RESERVED and self.dice.chance(3):
            return name
        key = "#" + "".join(character if character.isalnum() else "_" for character in name)
        self.names[key] = name
        return key

    def path(self, path: str) -> str:
        """A path such as `doc.deep.x` or `arr[0].x`, its names spelled out or as placeholders."""
        parts = []
        for part in path.split("."):
            name, bracket, rest = part.partition("[")
            parts.append(self.name(name) + bracket + rest)
        return ".".join(parts)


def _first(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _like(dice: Dice, path: str) -> Value:
    """A value the path may well hold."""
    if dice.chance(5):
        return any_value(dice)
    inside = {"doc.x": "N", "doc.y": "S", "doc.deep.x": "N", "doc.deep": "M"}
    if path in inside:
        return value(dice, inside[path])
    return usual_value(dice, _first(path)) if path in USUAL else any_value(dice)


def condition(words: Words, paths: list[str], depth: int = 0) -> str:
    """A condition or filter."""
    dice = words.dice
    join = dice.weighted([(60, ""), (12, "AND"), (12, "OR"), (8, "NOT"), (8, "()")]) if depth < 3 else ""
    if join in ("AND", "OR"):
        left, right = condition(words, paths, depth + 1), condition(words, paths, depth + 1)
        return f"{left} {dice.pick((join, join.lower()))} {right}"
    if join == "NOT":
        return f"NOT {condition(words, paths, depth + 1)}"
    if join == "()":
        inner = condition(words, paths, depth + 1)
        return inner if inner.startswith("(") and not dice.chance(10) else f"({inner})"
    path = dice.pick(paths)
    text = words.path(path)
    match dice.weighted(_CONDITIONS):
        case "compare":
            operator = dice.pick(COMPARATORS)
            right = words.path(dice.pick(paths)) if dice.chance(12) else words.value(_like(dice, path))
            return f"{right} {operator} {text}" if dice.chance(10) else f"{text} {operator} {right}"
        case "between":
            kind = dice.pick(("N", "S", "B", USUAL.get(path, "N")))
            low, high = value(dice, kind), value(dice, kind if not dice.chance(4) else "S")
            if not dice.chance(15) and low.keys() == high.keys() and kind in ("N", "S", "B") and _above(low, high):
                low, high = high, low
            return f"{text} BETWEEN {words.value(low)} {dice.pick(('AND', 'and'))} {words.value(high)}"
        case "in":
            choices = ", ".join(words.value(_like(dice, path)) for _ in range(dice.between(1, 3)))
            return f"{text} IN ({choices})"
        case "exists":
            return f"{dice.pick(('attribute_exists', 'attribute_not_exists'))}({text})"
        case "type":
            wanted = {"S": dice.pick(TYPES)} if not dice.chance(8) else dice.pick(({"S": "X"}, {"N": "1"}))
            return f"attribute_type({text}, {words.value(wanted)})"
        case "begins":
            kind = "S" if not dice.chance(20) else dice.pick(("B", "N", "SS"))
            return f"begins_with({text}, {words.value(value(dice, kind))})"
        case "contains":
            member = value(dice, dice.pick(("S", "S", "N", "B", "BOOL", "SS", "M")))
            return f"contains({text}, {words.value(member)})"
    limit = words.value({"N": dice.pick(("0", "1", "2", "3"))} if not dice.chance(5) else any_value(dice))
    return f"size({text}) {dice.pick(COMPARATORS)} {limit}"


def _above(low: Value, high: Value) -> bool:
    (kind,) = low
    if kind == "N":
        try:
            return float(low["N"]) > float(high["N"])
        except ValueError:
            return False
    return bool(low[kind] > high[kind])


def update(words: Words, keys: tuple[str, ...]) -> str:
    """An update of attributes that are, nearly always, no part of the key and do not overlap."""
    dice = words.dice
    free = [name for name in PATHS if _first(name) not in keys]
    taken: set[str] = set()

    def target(choices: list[str]) -> str:
        for _ in range(5):
            path = dice.pick(choices)
            if _first(path) not in taken:
                break
        if dice.chance(1):
            path = dice.pick(keys)
        taken.add(_first(path))
        return path

    clauses: list[str] = []
    for clause in dice.some(("SET", "SET", "REMOVE", "ADD", "DELETE"), 1, 2):
        if any(text.startswith(clause) for text in clauses) and not dice.chance(5):
            continue
        actions = []
        for _ in range(dice.between(1, 2)):
            if clause == "SET":
                path = target(free)
                actions.append(f"{words.path(path)} = {_operand(words, path)}")
            elif clause == "REMOVE":
                actions.append(words.path(target(free)))
            else:
                usual = (
                    ["num", "nums", "tags", "chunks", "gn", "doc.x"] if clause == "ADD" else ["tags", "nums", "chunks"]
                )
                path = target(free if dice.chance(8) else usual)
                actions.append(f"{words.path(path)} {words.value(_like(dice, path))}")
        clauses.append(f"{dice.pick((clause, clause, clause.lower()))} {', '.join(actions)}")
    return " ".join(clauses)


def _operand(words: Words, path: str) -> str:
    dice = words.dice
    match dice.weighted([(50, "value"), (8, "path"), (18, "sum"), (12, "default"), (12, "append")]):
        case "value":
            return words.value(_like(dice, path))
        case "path":
            return words.path(dice.pick(PATHS))
        case "sum":
            first = words.path(dice.pick(("num", "num", "gn", "doc.x", path)))
            if dice.chance(30):
                first = f"if_not_exists({first}, {words.value(value(dice, 'N'))})"
            second = words.value(value(dice, "N")) if not dice.chance(5) else words.value(any_value(dice))
            first, second = (second, first) if dice.chance(20) else (first, second)
            return f"{first} {dice.pick('+-')} {second}"
        case "default":
            return f"if_not_exists({words.path(dice.pick((path, *PATHS)))}, {words.value(_like(dice, path))})"
    first, second = words.path("arr"), words.value(value(dice, "L" if not dice.chance(6) else "S"))
    if dice.chance(40):
        first = f"if_not_exists({first}, {words.value({'L': []})})"
    first, second = (second, first) if dice.chance(30) else (first, second)
    return f"list_append({first}, {second})"


def projection(words: Words) -> str:
    """A projection, nearly always of disjoint paths."""
    dice = words.dice
    paths: list[str] = []
    for path in dice.some(["pk", "sk", *PATHS], 1, 3):
        if dice.chance(4) or not any(_first(path) == _first(known) for known in paths):
            paths.append(path)
    return dice.pick((", ", ",")).join(map(words.path, paths))


def key_condition(words: Words, keys: tuple[tuple[str, str], ...], pools: dict[str, list[Value]]) -> str:
    """A key condition, now and then one that is no key condition."""
    dice = words.dice
    name, kind = keys[0]
    given = dice.pick(pools[kind]) if not dice.chance(3) else any_value(dice)
    operator = "=" if not dice.chance(3) else dice.pick(COMPARATORS)
    terms = [f"{words.path(name)} {operator} {words.value(given)}"]
    if len(keys) > 1 and dice.chance(60):
        terms.append(_range_condition(words, keys[1], pools))
    if dice.chance(2):
        terms.append(f"{words.path('num')} = {words.value({'N': '1'})}")
    if dice.chance(20):
        terms.reverse()
    if dice.chance(15):
        terms = [f"({term})" for term in terms]
    return dice.pick((" AND ", " AND ", " and ") if not dice.chance(2) else (" OR ",)).join(terms)


def _range_condition(words: Words, key: tuple[str, str], pools: dict[str, list[Value]]) -> str:
    dice = words.dice
    name, kind = key
    text = words.path(name)

    def bound() -> Value:
        return dice.pick(pools[kind]) if not dice.chance(4) else any_value(dice)

    match dice.weighted([(60, "compare"), (20, "between"), (18, "begins"), (2, "other")]):
        case "compare":
            operator = dice.pick(("=", "<", "<=", ">", ">=") if not dice.chance(3) else ("<>",))
            right = words.value(bound())
            return f"{right} {operator} {text}" if dice.chance(5) else f"{text} {operator} {right}"
        case "between":
            low, high = bound(), bound()
            if low.keys() == high.keys() == {kind} and _above(low, high) and not dice.chance(10):
                low, high = high, low
            return f"{text} BETWEEN {words.value(low)} AND {words.value(high)}"
        case "begins":
            return f"begins_with({text}, {words.value(bound())})"
    return dice.pick(
        (
            f"contains({text}, {words.value(bound())})",
            f"attribute_exists({text})",
            f"{text} IN ({words.value(bound())})",
            f"NOT {text} = {words.value(bound())}",
            f"size({text}) = {words.value({'N': '1'})}",
        )
    )
