"""Attribute values and items: few different ones, so that requests meet, and the odd ones at the edges."""

from __future__ import annotations

from typing import Any

from tests.differential.dice import Dice

Value = dict[str, Any]
Item = dict[str, Value]

NUMBERS = ["0", "1", "2", "3", "-1", "10", "1.5", "-2.25", "100", "0.1"]
SPELLINGS = [
    "01", "+1", "3.0", "1.50", "1e0", "1E2", "-0", "0.0", "1e-3", "00.5", ".5", "5.", "1E+2", "12e1", "0E5",
    "-1.0E0", "100e-2",
]  # fmt: skip
LIMITS = [
    "9" * 38, "-" + "9" * 38, "1" + "0" * 37, "1" + "0" * 38, "0." + "0" * 40 + "1", "1E125",
    "9.9999999999999999999999999999999999999E+125",
    "1E-130", "-1E-130", "1E+125", "1234567890.1234567890123456789012345678", "0.1234567890123456789012345678901234567",
    "5E124", "1E37", "1E-37",
]  # fmt: skip
NOT_NUMBERS = [
    "9" * 39, "1E126", "1E-131", "1E+999", "1." + "0" * 38 + "1", "abc", "", "NaN", "Infinity", "0x10", "1_000",
    " 1", "1 ", "--1",
    "1e", "e1", ".", "1,5", "-9.9999999999999999999999999999999999999E+126",
]  # fmt: skip
STRINGS = ["", "a", "b", "ab", "abc", "b", "zeta", "ä", "ab c", "1", "\U0001f600"]
BINARIES = [b"", b"\x00", b"a", b"ab", b"\xff", b"\x00\xff"]

KEY_POOLS: dict[str, list[Value]] = {
    "S": [{"S": text} for text in ("p", "q", "pq", "é")],
    "N": [{"N": text} for text in ("1", "2", "10", "-1", "1", "2", "10", "-1", "1.0", "2E0")],
    "B": [{"B": data} for data in (b"p", b"q", b"\x00", b"pq")],
}

# Attributes and their usual types; the last ones are reserved words.
USUAL = {
    "num": "N", "txt": "S", "bits": "B", "doc": "M", "arr": "L", "tags": "SS", "nums": "NS", "chunks": "BS",
    "okay": "BOOL", "nil": "NULL",
    "gs": "S", "gn": "N", "gb": "B", "ls": "S", "ln": "N", "name": "S", "size": "N",
}  # fmt: skip
RESERVED = ("name", "size")
TYPES = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M")


def number(dice: Dice) -> str:
    return dice.pick(dice.weighted([(80, NUMBERS), (12, SPELLINGS), (7, LIMITS), (1, NOT_NUMBERS)]))


def value(dice: Dice, kind: str, depth: int = 0) -> Value:
    """A value of a type, nearly always valid."""
    match kind:
        case "S":
            return {"S": dice.pick(STRINGS)}
        case "N":
            return {"N": number(dice)}
        case "B":
            return {"B": dice.pick(BINARIES)}
        case "BOOL":
            return {"BOOL": dice.chance(50)}
        case "NULL":
            return {"NULL": not dice.chance(2)}
        case "SS":
            return {"SS": _members(dice, STRINGS[1:])}
        case "NS":
            return {"NS": _members(dice, [*NUMBERS, *SPELLINGS[:4]] if dice.chance(10) else NUMBERS)}
        case "BS":
            return {"BS": _members(dice, BINARIES[1:])}
        case "L":
            return {"L": [value(dice, _inner(dice, depth), depth + 1) for _ in range(dice.between(0, 3))]}
    names = dice.some(("x", "y", "deep", "z", "name"), 0, 3)
    kinds = {"x": "N", "y": "S", "deep": "M" if depth == 0 else "N"}
    return {"M": {name: value(dice, kinds.get(name) or _inner(dice, depth), depth + 1) for name in names}}


def odd(dice: Dice) -> Value:
    """A value that is wrong, or nearly so."""
    deep: Value = {"S": "bottom"}
    for _ in range(dice.pick((30, 31, 32, 33))):
        deep = {"L": [deep]} if dice.chance(50) else {"M": {"x": deep}}
    return dice.pick(
        [
            {"N": dice.pick(NOT_NUMBERS)},
            {"N": dice.pick(LIMITS)},
            {"SS": []},
            {"NS": []},
            {"BS": []},
            {"SS": ["a", "a"]},
            {"NS": ["1", "1.0"]},
            {"BS": [b"a", b"a"]},
            {"SS": [""]},
            {"BS": [b""]},
            {"NS": ["1", "x"]},
            {"S": "a", "N": "1"},
            {},
            {"NULL": False},
            {"L": []},
            {"M": {}},
            {"M": {"": {"S": "a"}}},
            deep,
        ]
    )


def any_value(dice: Dice) -> Value:
    return odd(dice) if dice.chance(3) else value(dice, dice.pick(TYPES))


def usual_value(dice: Dice, name: str) -> Value:
    """A value of the attribute's usual type, now and then another."""
    if dice.chance(6):
        return any_value(dice)
    return value(dice, USUAL.get(name, "S"))


def attributes(dice: Dice, index_keys: tuple[str, ...]) -> Item:
    """The part of an item beside its key; attributes of index keys are there more often."""
    names = set(dice.some(list(USUAL), 0, 4)) | set(dice.some(index_keys, 0, len(index_keys)))
    item = {}
    for name in sorted(names):
        item[name] = usual_value(dice, name)
        if name in index_keys and item[name] in ({"S": ""}, {"B": b""}) and not dice.chance(5):
            del item[name]
    if dice.chance(2):
        item["long"] = {"S": "x" * dice.pick((1000, 5000, 40_000))}
    return item


def _members(dice: Dice, pool: list[Any]) -> list[Any]:
    members = dice.some(pool, 1, 3)
    return members if dice.chance(3) else list(dict.fromkeys(members))


def _inner(dice: Dice, depth: int) -> str:
    return dice.pick(TYPES if depth < 2 else TYPES[:5])
