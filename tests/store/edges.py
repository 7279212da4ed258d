"""What stands at an edge or just beyond it, and requests that are right but for one such thing."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from partita.dynamo.expressions.tree import (
    AddAction,
    And,
    Arithmetic,
    AttributeExists,
    Between,
    Compare,
    Condition,
    IfNotExists,
    In,
    ListAppend,
    Not,
    Or,
    Path,
    Projection,
    RemoveAction,
    SetAction,
    Size,
    Update,
    Value,
)
from partita.dynamo.requests import (
    BatchGetItem,
    BatchWriteItem,
    DeleteItem,
    GetItem,
    ItemRequest,
    Keys,
    PutItem,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)


class Colour(StrEnum):
    RED = "red"


def _nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(levels):
        value = {"L": [value]} if levels % 2 else {"M": {"a": value}}
    return value


ODD_VALUES: tuple[Any, ...] = (
    *({"N": text} for text in ("1.0", "-0", "+1", ".5", "1e2", "1E125", "1E126", "1E-130", "1E-131", "", "NaN", "x")),
    *({"N": digits} for digits in ("9" * 38, "9" * 39, "1" + "0" * 40, "0." + "9" * 38, "12." + "1" * 36 + "2")),
    *({"N": f"-{'1' * 19}.{'1' * 18}2"}, {"N": 5}, {"N": None}, {"S": 5}, {"S": "\ud800"}, {"S": None}),
    *({"B": "AQ"}, {"B": "A\n=="}, {"B": b"x"}, {"BOOL": "true"}, {"BOOL": 1}, {"NULL": False}, {"NULL": "true"}),
    *({"SS": []}, {"NS": []}, {"BS": []}, {"SS": ["a", "a"]}, {"NS": ["1", "1.0"]}, {"BS": ["AQ==", "AQ=="]}),
    *({"SS": ("a", "b")}, {"SS": {"a"}}, {"SS": "ab"}, {"NS": ["2E0"]}, {"NS": [1]}, {"SS": [Colour.RED]}),
    *({"L": ({"S": "x"},)}, {"L": {}}, {"L": [{"N": "x"}]}, {"L": [{}]}, {"M": []}, {"M": {"": {"S": "x"}}}),
    *({"M": {"a": {"N": "1.0"}}}, {"M": {"\ud800": {"S": "x"}}}, {}, {"X": "x"}, {"S": "x", "N": "1"}),
    *({"S": "x", "N": None}, {"S": "x", "X": "x"}, "x", None, {"M": {"n" * 65_536: {"S": "x"}}}),
    *(_nested(levels) for levels in (30, 31, 32, 33, 34, 400)),
    *({"S": "x" * length} for length in (1_100_000, 500_000, 2_100_000, 409_600, 409_500)),
)
ODD_NAMES = (
    "",
    "pk",
    "sk",
    " ",
    "#z",
    ":v",
    "\ud800",
    "n" * 255,
    "n" * 256,
    "ü" * 200,
    "n" * 4000,
    "x y" * 22_000,
    "AND",
)
_ODD_PARTS: tuple[Any, ...] = (
    *((), (0,), ("a", -1), ("a", 9_999_999_999), ("a", 10_000_000_000), ("a", True), ("a", ""), ("a", "\ud800")),
    *(("a",) * 32, ("a",) * 33, ("a", *((0,) * 31)), ("a", *((0,) * 32)), ("a" * 500,) * 8, ("a" * 600,) * 8),
    *(("a b" * 500,) * 3, ("l", 0, "x"), ("l", "x", 0), ("l",), (Colour.RED,), ("a", Colour.RED)),
)
ODD_PATHS = tuple(map(Path, _ODD_PARTS))

_THERE = AttributeExists(Path(("a",)))
_SAME = Compare("=", Path(("a",)), Value({"S": "x"}))
_ONE = Value({"N": "1"})
_TWO = Value({"N": "2"})


def wrapped(kind: Any, levels: int, condition: Condition) -> Condition:
    """A condition in so many negations, or rows of one."""
    for _ in range(levels):
        condition = Not(condition) if kind is Not else kind((condition,))
    return condition


LONG_CONDITIONS: tuple[Condition, ...] = (
    *(AttributeExists(Path(("a" * length,))) for length in (4077, 4078, 4079)),
    *(And((_SAME,) * count) for count in (136, 148, 149, 150, 151, 152, 300)),
    *(Or((And((_SAME, _THERE)),) * count) for count in (45, 74, 75, 76, 180)),
    *(wrapped(kind, levels, _SAME) for kind in (Not, And, Or) for levels in (1, 135, 298, 299, 300, 900, 3000)),
    *(In(Path(("a",)), (_ONE,) * count) for count in (0, 1, 99, 100, 101, 400)),
    *(In(Path(("a" * length,)), (_ONE,) * 100) for length in (3400, 3450, 3500)),
)


def _default_of(levels: int) -> Update:
    operand: Any = _ONE
    for _ in range(levels):
        operand = IfNotExists(Path(("a",)), operand)
    return Update((SetAction(Path(("b",)), operand),))


def _numbered_paths(count: int) -> tuple[Path, ...]:
    return tuple(Path((f"p{number}",)) for number in range(count))


LONG_UPDATES = (
    *(Update(tuple(map(RemoveAction, _numbered_paths(count)))) for count in (299, 300, 301, 2000)),
    *(Update(tuple(SetAction(path, _ONE) for path in _numbered_paths(count))) for count in (100, 250, 280, 301)),
    *map(_default_of, (1, 100, 225, 226, 230, 3000)),
)
LONG_PROJECTIONS = tuple(Projection(_numbered_paths(count)) for count in (100, 680, 700, 800, 1000))

_KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
_PARTITION = Compare("=", Path(("pk",)), Value({"S": "a"}))


def edge_requests() -> Iterator[ItemRequest]:
    """Every edge once in each place it can stand."""
    for condition in (*LONG_CONDITIONS, *_conditions()):
        yield PutItem(table="music", item=_KEY, condition=condition)
        yield Query(table="music", condition=_PARTITION, filter=condition)
        yield Query(table="music", condition=condition)
    for update in (*LONG_UPDATES, *_updates()):
        yield UpdateItem(table="music", key=_KEY, update=update)
    for projection in (*LONG_PROJECTIONS, Projection(()), *(Projection((path,)) for path in ODD_PATHS)):
        yield GetItem(table="music", key=_KEY, projection=projection)
        yield Scan(table="music", projection=projection)
    for value in ODD_VALUES:
        yield PutItem(table="music", item={**_KEY, "a": value})
        yield GetItem(table="music", key={**_KEY, "pk": value})
        yield DeleteItem(table="music", key={**_KEY, "sk": value})
        yield Scan(table="music", start={**_KEY, "sk": value})
    for name in ODD_NAMES:
        yield PutItem(table="music", item={name: {"S": "x"}, **_KEY})
        yield GetItem(table=name, key=_KEY)
        yield Scan(table="music", index=name)
        yield TransactWriteItems(actions=(DeleteItem(table="music", key=_KEY),), token=name)
    yield from _members()
    yield from _many()


def _conditions() -> Iterator[Condition]:
    yield from (And(()), Or(()), Not(And(())), And((_SAME, Or(()))), Not(Or((And(()),))))
    yield from (And((_SAME,)), And((And((Or((_SAME, _THERE)),)), _THERE)), And((And((_PARTITION, _SAME)),)))
    for path in ODD_PATHS:
        yield from (AttributeExists(path), Compare(">", Size(path), _ONE), Compare("=", path, path))
    for value in ODD_VALUES:
        yield from (Compare("<", Path(("n",)), Value(value)), Compare("=", Size(Value(value)), _ONE))
    for operator in ("=", "<>", "<", "LIKE", "", "AND"):
        odd: Any = operator
        yield Compare(odd, Path(("n",)), _ONE)
    bounds = (_ONE, _TWO, Value({"S": "a"}), Value({"N": "1.0"}), Value({"SS": ["a"]}), Path(("n",)))
    yield from (Between(Path(("n",)), low, high) for low in bounds for high in bounds)


def _updates() -> Iterator[Update]:
    yield Update(())
    for path in ODD_PATHS:
        yield from (Update((RemoveAction(path),)), Update((SetAction(Path(("b",)), path),)))
    for value in ODD_VALUES:
        yield Update((SetAction(Path(("b",)), Value(value)),))
        yield Update((AddAction(Path(("n",)), Value(value)), SetAction(Path(("b",)), Value(value))))
    pairs: tuple[tuple[tuple[str | int, ...], tuple[str | int, ...]], ...] = (
        (("a",), ("a",)),
        (("m",), ("m", "a")),
        (("m", "a"), ("m",)),
        (("l", 0), ("l", "a")),
        (("l", 0), ("l", 1)),
        (("pk",), ("b",)),
    )
    for one, two in pairs:
        yield Update((SetAction(Path(one), _ONE), RemoveAction(Path(two))))
    signed = Arithmetic("+", Path(("n",)), _ONE)
    operand: Any
    for operand in (signed, Arithmetic("-", signed, _ONE), IfNotExists(Path(("n",)), signed)):
        yield Update((SetAction(Path(("b",)), operand),))
    for literal in (Value({"S": "x"}), Value({"L": []}), _ONE, Path(("n",))):
        for operand in (Arithmetic("-", Path(("n",)), literal), ListAppend(literal, Path(("l",)))):
            yield Update((SetAction(Path(("b",)), operand),))
    # As text, the third of each stands before the second: what is wrong with it is told first.
    no_source, no_number = SetAction(Path(("b",)), Path(("missing",))), AddAction(Path(("a",)), _ONE)
    yield Update((AddAction(Path(("n",)), _ONE), no_source, no_number))
    yield Update((RemoveAction(Path(("b",))), SetAction(Path(("pk",)), _ONE), RemoveAction(Path(("sk",)))))
    yield Update((SetAction(Path(("b",)), _ONE), AddAction(Path(("n",)), _ONE), SetAction(Path(("date",)), _ONE)))


def _members() -> Iterator[ItemRequest]:
    """Members that are chosen from a few."""
    odd: Any
    for odd in (0, 1, -1, 2**31, 2**63, 10**30, True, None):
        yield Scan(table="music", limit=odd)
        yield Query(table="music", condition=_PARTITION, limit=odd)
    for odd in (None, 0, 1, 2, -1, 999_999, 1_000_000, 1_000_001):
        for total in (None, 0, 1, 2, 1_000_000, 1_000_001):
            yield Scan(table="music", segment=odd, total_segments=total)
    for odd in ("COUNT", "ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SOME", ""):
        for projection in (None, Projection((Path(("a",)),))):
            for index in (None, "byG", "keys"):
                yield Scan(table="music", select=odd, projection=projection, index=index)
    for odd in ("NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW", "SIZE", "TOTAL", "INDEXES", "", None):
        yield PutItem(table="music", item=_KEY, returns=odd)
        yield DeleteItem(table="music", key=_KEY, returns=odd)
        yield UpdateItem(table="music", key=_KEY, returns=odd)
        yield PutItem(table="music", item=_KEY, on_failure=odd)
        yield PutItem(table="music", item=_KEY, capacity=odd)
        yield GetItem(table="music", key=_KEY, capacity=odd)
        yield PutItem(table="music", item=_KEY, metrics=odd)
        yield BatchWriteItem(tables={"music": (PutItem(table="music", item=_KEY),)}, metrics=odd, capacity=odd)
    for odd in (True, False, None, 0, 1, "true"):
        yield GetItem(table="music", key=_KEY, consistent=odd)
        yield BatchGetItem(tables={"music": Keys(keys=(_KEY,), consistent=odd)})
    for token in ("", "t", "t" * 36, "t" * 37, "ü" * 36, "\ud800"):
        yield TransactWriteItems(actions=(DeleteItem(table="music", key=_KEY),), token=token)


def _many() -> Iterator[ItemRequest]:
    """Batches and transactions of so many, with equal keys and without."""
    for same in (False, True):
        for count in (0, 1, 2, 24, 25, 26, 99, 100, 101):
            keys = tuple({"pk": {"S": "many"}, "sk": {"N": "1" if same else str(number)}} for number in range(count))
            puts = tuple(PutItem(table="music", item=key) for key in keys)
            yield BatchGetItem(tables={"music": Keys(keys=keys)})
            yield BatchGetItem(tables={"music": Keys(keys=keys), "films": Keys(keys=(_KEY,))})
            yield BatchWriteItem(tables={"music": puts})
            yield BatchWriteItem(tables={"music": puts, "films": (DeleteItem(table="films", key=_KEY),)})
            yield TransactGetItems(gets=tuple(GetItem(table="music", key=key) for key in keys))
            yield TransactWriteItems(actions=puts)
    yield BatchGetItem(tables={})
    yield BatchWriteItem(tables={})
    yield TransactWriteItems(actions=(UpdateItem(table="music", key=_KEY),))
    # Two expressions with large values each: together they have more than 2 MB.
    large = Value({"S": "x" * 1_100_000})
    yield UpdateItem(
        table="music",
        key=_KEY,
        update=Update((SetAction(Path(("b",)), large),)),
        condition=Compare("<>", Path(("a",)), large),
    )
