"""Laws of ranges: a range of a sort key is that of its parts' values in Python, or it is refused for a reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.store import EmbeddedStore
from partita.table import KeyPartError, Put, attribute, binary, key_part, number
from partita.table.template import parse_template
from tests.table.declared import declared, examples, new_table, temporary_store
from tests.table.test_keys_law import moments


class Shade(StrEnum):
    RED = "red"
    REDDISH = "reddish"
    BLUE = "blue"
    SPACED = "red "


@dataclass(frozen=True)
class Kind:
    annotation: Any
    values: st.SearchStrategy[Any]
    ordered: bool = True
    """Whether keys spell it in the order of its values."""
    width: int = 0


# Characters below and above every separator, and texts that others start with.
texts = st.text('ab#|! "\0\x1f-~\ue000\U0010ffff', max_size=3) | st.sampled_from(
    ["a", "ab", "a!", "a ", "a#", "abc", "b"]
)
KINDS: dict[str, Kind] = {
    "text": Kind(str, texts),
    "padded": Kind(int, st.integers(0, 999) | st.integers(0, 3), width=3),
    "bare": Kind(int, st.integers(-5, 20), ordered=False),
    "day": Kind(date, st.dates(date(2026, 1, 1), date(2026, 1, 5)) | st.dates()),
    "moment": Kind(
        datetime, st.datetimes(datetime(2026, 1, 1), datetime(2026, 1, 2), timezones=st.timezones()) | moments
    ),
    "shade": Kind(Shade, st.sampled_from(Shade)),
    "size": Kind(Literal["s", "m", "l", "xl", "xxl", "x"], st.sampled_from(["s", "m", "l", "xl", "xxl", "x"])),
    "uuid": Kind(UUID, st.uuids() | st.integers(0, 3).map(lambda number: UUID(int=number))),
    "flag": Kind(bool, st.booleans()),
    "blob": Kind(bytes, st.binary(max_size=2)),
}
BETWEEN = ["#", "|", " ", "-", "~", "##", "\0", "\U0010ffff", "a"]
LOW, HIGH = ("at_least", "after"), ("at_most", "before")


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with temporary_store() as store:
        yield store


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _admits(operator: str, value: tuple[Any, ...], bound: tuple[Any, ...]) -> bool:
    value = value[: len(bound)]
    return {
        "at_least": value >= bound,
        "after": value > bound,
        "at_most": value <= bound,
        "before": value < bound,
    }[operator]


Ends = list[tuple[str, tuple[Any, ...]]]


@st.composite
def _ends(draw: st.DrawFn, strategies: list[st.SearchStrategy[Any]], rows: list[tuple[Any, ...]]) -> Ends:
    """Bounds over any leading run of the parts, often those of a row."""
    found: Ends = []
    for side in draw(st.sampled_from([(LOW,), (HIGH,), (LOW, HIGH), (HIGH, LOW)])):
        length = draw(st.integers(1, len(strategies)))
        fresh = st.tuples(*strategies[:length])
        values = draw(st.sampled_from([row[:length] for row in rows]) | fresh) if rows else draw(fresh)
        found.append((draw(st.sampled_from(side)), values))
    return found


def _reversed(ends: Ends) -> bool:
    by_side = {"low" if operator in LOW else "high": tuple(map(_plain, values)) for operator, values in ends}
    if len(by_side) < 2:
        return False
    length = min(map(len, by_side.values()))
    return by_side["high"][:length] < by_side["low"][:length]


def _bounded(kind: Any, query: Any, names: list[str], ends: Ends) -> Any:
    ends_of = [[getattr(kind, name)(value) for name, value in zip(names, values, strict=False)] for _, values in ends]
    if [operator for operator, _ in ends] == ["at_least", "at_most"]:
        return query.between(tuple(ends_of[0]), tuple(ends_of[1]))
    for (operator, _), given_parts in zip(ends, ends_of, strict=True):
        query = getattr(query, operator)(*given_parts)
    return query


@examples(110)
@given(st.data())
def test_a_range_over_parts_is_the_same_range_of_their_values(store: EmbeddedStore, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=3, unique=True), "parts")
    in_index = data.draw(st.booleans(), "in an index")
    text = data.draw(st.sampled_from(["", "T#", "a"]))
    for position, name in enumerate(names):
        width = f":0{KINDS[name].width}" if KINDS[name].width else ""
        text += (data.draw(st.sampled_from(BETWEEN)) if position else "") + "{" + name + width + "}"
    text += data.draw(st.sampled_from(["", "", "#", "~end"]))
    table = new_table()
    fields = {name: (KINDS[name].annotation, attribute() if in_index else key_part()) for name in names}
    if in_index:
        index = table.index("byParts", pk="IPK", sk="ISK")
        fields["number"] = (int, key_part())
        kind = declared("Row", table, fields, pk="P", sk="{number}", keys={"IPK": "I", "ISK": text})
    else:
        index = None
        kind = declared("Row", table, fields, pk="P", sk=text)
    store.create(table)
    made, key = parse_template(text), "ISK" if in_index else "SK"

    strategies = [KINDS[name].values for name in names]
    rows: dict[str, Any] = {}
    for at, values in enumerate(data.draw(st.lists(st.tuples(*strategies), max_size=12), "rows")):
        item = kind(**dict(zip(names, values, strict=True)), **({"number": at} if in_index else {}))
        try:
            store.write(Put(item))
        except KeyPartError:
            continue
        rows[str(item.own_key.wire)] = item
    if text.startswith("T#"):  # what another program left there, or another type
        for odd in ("S", "T#", "T", "U"):
            store.engine.call("PutItem", {"TableName": table.name, "Item": {"PK": {"S": "P"}, "SK": {"S": odd}}})

    there = [tuple(getattr(item, name) for name in names) for item in rows.values()]
    fixed = data.draw(st.integers(0, len(names) - 1), "fixed")
    first = data.draw(st.sampled_from(there)) if there and fixed else data.draw(st.tuples(*strategies))
    asked = [getattr(kind, name)(value) for name, value in zip(names[:fixed], first, strict=False)]
    try:
        query = kind.query(index, *asked) if in_index else kind.query(*asked)
    except KeyPartError:
        return  # a part that no key has
    ends = data.draw(_ends(strategies[fixed:], [row[fixed:] for row in there]), "ends")
    stem = data.draw(st.none() | st.integers(0, 12), "starting with")
    starts = [made.render(item.__dict__) or "" for item in rows.values()]
    prefix = None if stem is None or not starts else data.draw(st.sampled_from(starts))[:stem]
    forward = data.draw(st.booleans(), "forward")

    bounded_names = [name for _, values in ends for name in names[fixed : fixed + len(values)]]
    refused = _reversed(ends) or any(not KINDS[name].ordered for name in bounded_names)
    try:
        query = _bounded(kind, query, names[fixed:], ends)
    except KeyPartError:
        assert refused
        return
    assert not refused
    begun = made.prefix(dict(zip(names[:fixed], first, strict=False)))[0]
    if prefix is not None:
        outside = not (prefix.startswith(begun) or begun.startswith(prefix))
        try:
            query = query.starting_with(prefix)
        except KeyPartError:
            assert outside
            return
        assert not outside

    def wanted(item: Any) -> bool:
        values = tuple(_plain(getattr(item, name)) for name in names)
        spelled = made.render(item.__dict__) or ""
        return (
            values[:fixed] == tuple(map(_plain, first[:fixed]))
            and all(_admits(operator, values[fixed:], tuple(map(_plain, bound))) for operator, bound in ends)
            and (prefix is None or spelled.startswith(prefix))
        )

    expected = sorted(filter(wanted, rows.values()), key=lambda item: item.to_row()[key]["S"], reverse=not forward)
    found = list(store.stream(query if forward else query.descending()))
    if in_index:  # items of the same sort key are in no order
        assert [item.to_row()[key] for item in found] == [item.to_row()[key] for item in expected]
        assert {item.number for item in found} == {item.number for item in expected}
    else:
        assert found == expected
    assert store.count(query) == len(expected)


PLAIN: dict[str, tuple[Any, Any, st.SearchStrategy[Any]]] = {
    "number": (number, Decimal, st.integers(-20, 20).map(Decimal) | st.decimals(-3, 3, places=2)),
    "whole": (number, int, st.integers(-10, 10) | st.integers(-(10**30), 10**30)),
    "bytes": (binary, bytes, st.binary(min_size=1, max_size=3)),
    "text": (lambda name: name, str, texts.filter(bool)),
    "day": (lambda name: name, date, st.dates()),
    "shade": (lambda name: name, Shade, st.sampled_from(Shade)),
}


@examples(80)
@given(st.sampled_from(sorted(PLAIN)), st.booleans(), st.data())
def test_a_range_over_a_key_that_is_a_field_is_the_same_range_of_its_values(
    store: EmbeddedStore, plain: str, in_index: bool, data: st.DataObject
) -> None:
    key, annotation, values = PLAIN[plain]
    if in_index:
        table = new_table()
        index = table.index("byValue", pk="group", sk=key("value"))
        fields = {
            "number": (int, key_part()),
            "group": (str, attribute(default="g")),
            "value": (annotation, attribute()),
        }
        kind = declared("Row", table, fields, pk="P", sk="{number}")
    else:
        table = new_table(sk=key("value"))
        index = None
        kind = declared("Row", table, {"group": (str, key_part()), "value": (annotation, attribute())}, pk="{group}")
    store.create(table)
    rows = {}
    for at, value in enumerate(data.draw(st.lists(values, max_size=12), "rows")):
        item = kind(group="g", value=value, **({"number": at} if in_index else {}))
        store.write(Put(item))
        rows[str(item.own_key.wire)] = item
    query = kind.query(index, kind.group("g")) if in_index else kind.query(kind.group("g"))
    ends = data.draw(
        _ends([values | st.just("") if plain == "text" else values], [(item.value,) for item in rows.values()])
    )
    refused = _reversed(ends)
    try:
        query = _bounded(kind, query, ["value"], ends)
    except KeyPartError:
        assert refused
        return
    assert not refused
    forward = data.draw(st.booleans(), "forward")

    def wanted(item: Any) -> bool:
        return all(_admits(operator, (_plain(item.value),), tuple(map(_plain, bound))) for operator, bound in ends)

    expected = sorted((_plain(item.value) for item in rows.values() if wanted(item)), reverse=not forward)
    assert [_plain(item.value) for item in store.stream(query if forward else query.descending())] == expected
    assert store.count(query) == len(expected)


def test_a_second_start_narrows_the_first(store: EmbeddedStore) -> None:
    table = new_table()
    kind = declared("Row", table, {"part": (str, key_part())}, pk="P", sk="{part}")
    store.create(table)
    for part in ("abc", "ac"):
        store.write(Put(kind(part=part)))
    assert [row.part for row in store.stream(kind.query().starting_with("ab").starting_with("a"))] == ["abc"]
    with pytest.raises(KeyPartError, match="does not lie inside"):
        kind.query().starting_with("ab").starting_with("ac")


def test_nothing_is_at_most_an_empty_text(store: EmbeddedStore) -> None:
    table = new_table()
    kind = declared("Row", table, {"part": (str, key_part())}, pk="P", sk="{part}")
    store.create(table)
    store.write(Put(kind(part="a")))
    assert list(store.stream(kind.query().at_most(kind.part("")))) == []
    assert [row.part for row in store.stream(kind.query().after(kind.part("")))] == ["a"]


def test_nothing_comes_after_a_text_and_is_at_most_the_same(store: EmbeddedStore) -> None:
    table = new_table()
    kind = declared("Row", table, {"part": (str, key_part())}, pk="P", sk="{part}")
    store.create(table)
    store.write(Put(kind(part="a")))
    assert list(store.stream(kind.query().after(kind.part("a")).at_most(kind.part("a")))) == []
