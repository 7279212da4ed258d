"""Laws of keys: what is rendered is parsed again, no two things share a key, and a query returns what was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from partita.store import EmbeddedStore
from partita.table import ForeignItemError, KeyPartError, Put, SchemaError, key_part
from partita.table.declarations import attribute
from partita.table.spelling import key_text
from partita.table.template import Template, parse_template
from tests.table.declared import declared, examples, new_table, rows_of, temporary_store


class Mood(StrEnum):
    GLAD = "glad"
    GLADDER = "glad#der"
    ODD = "#"


class Level(IntEnum):
    LOW = 1
    HIGH = 12
    BELOW = -3


class Sign(Enum):
    ONE = 1
    BYTES = b"\x01\xff"
    WORD = "true"
    HALF = Decimal("0.50")


ODD_CHARACTERS = 'ab#|A- !"\0\x1f/:0é\u0301\ud7ff\ue000\U0010ffff'
texts = st.text(ODD_CHARACTERS, max_size=4) | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
A_DAY = timedelta(days=1)  # in UTC too, they must lie in the years that are stored
zones = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime.min + A_DAY, datetime.max - A_DAY, timezones=zones)
decimals = st.decimals(allow_nan=False, allow_infinity=False, places=3) | st.sampled_from(
    [
        Decimal(text)
        for text in ("1", "1.0", "1E0", "10E-1", "1E+2", "100", "-0", "0.0", "1E-7", "-1.50", "1" * 37 + ".5")
    ]
)
KINDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "text": (str, texts),
    "whole": (int, st.integers(-20, 1200) | st.integers()),
    "flag": (bool, st.booleans()),
    "day": (date, st.dates()),
    "moment": (datetime, moments),
    "uuid": (UUID, st.uuids()),
    "number": (Decimal, decimals),
    "blob": (bytes, st.binary(max_size=3)),
    "mood": (Mood, st.sampled_from(Mood)),
    "level": (Level, st.sampled_from(Level)),
    "sign": (Sign, st.sampled_from(Sign)),
    "choice": (Literal["a", "a#", "#a"], st.sampled_from(["a", "a#", "#a"])),
    "place": (Literal[1, 2, 10], st.sampled_from([1, 2, 10])),
}
PADDED = {"whole", "level", "place"}
LITERALS = ["#", "##", "|", "#M#", "a", "-", " ", "#a#", "\U0010ffff", "{{", "0"]


@st.composite
def templates(draw: st.DrawFn, fields: list[str], *, some: bool = True) -> str:
    """Text with placeholders for these fields, perhaps repeated, perhaps padded, whatever stands between them."""
    used = draw(st.lists(st.sampled_from(fields), min_size=1 if some else 0, max_size=4)) if fields else []
    literal = st.sampled_from(LITERALS)
    text = draw(st.just("") | literal) if used else draw(literal)
    for position, field in enumerate(used):
        width = draw(st.sampled_from(["", "", ":02", ":04d"])) if field.split("_")[0] in PADDED else ""
        text += (draw(literal) if position else "") + "{" + field + width + "}"
    return text + (draw(st.just("") | literal) if used else "")


@st.composite
def parts(draw: st.DrawFn, fields: list[str]) -> dict[str, Any]:
    return {field: draw(KINDS[field.split("_")[0]][1]) for field in fields}


FIELDS = st.lists(st.sampled_from([*KINDS, "text_2", "text_3"]), min_size=1, max_size=4, unique=True)


def _same(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return all(left[name] == right[name] for name in left)


# -- templates


def _rendered(made: Template, values: dict[str, Any]) -> str | None:
    try:
        return made.render(values)
    except KeyPartError:
        return None


@examples(250)
@given(st.data())
def test_what_a_template_renders_it_parses_and_nothing_else_renders_the_same(data: st.DataObject) -> None:
    fields = data.draw(FIELDS)
    made = parse_template(data.draw(templates(fields)))
    one, other = data.draw(parts(fields)), data.draw(parts(fields))
    text = _rendered(made, one)
    assume(text is not None)
    assert text
    widths = {piece.field: piece.width for piece in made.pieces if not isinstance(piece, str)}
    assert made.parse(text) == {field: key_text(one[field], widths[field]) for field in made.fields}
    if any(one[field] != other[field] for field in made.fields):
        assert _rendered(made, other) != text


@examples(150)
@given(st.text(ODD_CHARACTERS, max_size=8), st.data())
def test_whatever_text_a_template_parses_it_renders_again(text: str, data: st.DataObject) -> None:
    made = parse_template(data.draw(templates(["text", "text_2", "text_3"])))
    found = made.parse(text)
    if found is not None:
        assert made.render(found) == text


@pytest.mark.parametrize(
    "value", ["\ud800", "a\udfff", object(), 1.5, float("nan"), Decimal("NaN"), None, (), datetime(2026, 1, 1)]
)
def test_what_no_key_can_hold_is_refused(value: Any) -> None:
    with pytest.raises(KeyPartError):
        key_text(value)


@examples(200)
@given(decimals, decimals)
def test_equal_numbers_have_one_spelling_and_others_have_others(one: Decimal, other: Decimal) -> None:
    assert (key_text(one) == key_text(other)) == (one == other)
    assert Decimal(key_text(one)) == one


@examples(100)
@given(moments, moments)
def test_equal_moments_have_one_spelling_whose_order_is_that_of_time(one: datetime, other: datetime) -> None:
    try:
        first, second = key_text(one), key_text(other)
    except KeyPartError:
        return  # no year of UTC
    assert (first < second, first == second) == (one < other, one == other)


# -- items


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with temporary_store() as store:
        yield store


def _type(data: st.DataObject, name: str, table: Any, fields: list[str]) -> Any:
    """An item type with random templates, or nothing where they do not hold all of its fields."""
    pk = data.draw(templates(fields, some=False), f"{name} pk")
    missing = [field for field in fields if field not in parse_template(pk).fields]
    sk = data.draw(templates(fields, some=False), f"{name} sk")
    stored = [field for field in missing if field not in parse_template(sk).fields]
    declarations = {
        field: (KINDS[field.split("_")[0]][0], attribute() if field in stored else key_part()) for field in fields
    }
    keys = {}
    if table.indexes:
        keys = {"IPK": data.draw(templates(fields), f"{name} ipk"), "ISK": data.draw(templates(fields), f"{name} isk")}
    return declared(name, table, declarations, pk=pk, sk=sk, keys=keys)


def _items(data: st.DataObject, kind: Any, fields: list[str]) -> list[Any]:
    found = [kind(**values) for values in data.draw(st.lists(parts(fields), min_size=1, max_size=5), kind.__name__)]
    # Neighbours of the first, so that items that differ in one part meet.
    for field in fields:
        other = data.draw(KINDS[field.split("_")[0]][1], f"another {field}")
        found.append(found[0].with_(getattr(kind, field)(other)))
    return found


def _written(store: EmbeddedStore, items: list[Any]) -> list[Any]:
    """The items that are there afterwards; those whose keys are refused are not."""
    there: dict[str, Any] = {}
    for item in items:
        try:
            store.write(Put(item))
        except KeyPartError:
            with pytest.raises(KeyPartError):
                _ = item.own_key if not _index_refuses(item) else item.to_row()
            continue
        before = there.setdefault(str(item.own_key.wire), item)
        assert _key_parts(before) == _key_parts(item), "two different things never have the same key"
        there[str(item.own_key.wire)] = item
    return list(there.values())


def _index_refuses(item: Any) -> bool:
    try:
        _ = item.own_key
    except KeyPartError:
        return False
    return True


def _key_parts(item: Any) -> list[Any]:
    return [getattr(type(item), name)(getattr(item, name)) for name in item.__layout__.key_fields]


@examples(50)
@given(st.data())
def test_an_item_is_read_by_its_parts_and_a_partial_query_returns_exactly_those_with_the_parts_asked_for(
    store: EmbeddedStore, data: st.DataObject
) -> None:
    fields = data.draw(FIELDS)
    table = new_table()
    kind = _type(data, "Thing", table, fields)
    store.create(table)
    items = _items(data, kind, fields)
    there = _written(store, items)
    assert len(rows_of(store, table)) == len(there)
    for item in there:
        assert store.get(kind.get(*_key_parts(item))) == item
    for item in items:
        order = list(dict.fromkeys(name for name in kind.__layout__.sk.fields if name not in kind.__layout__.pk.fields))
        given_fields = {*kind.__layout__.pk.fields, *order[: data.draw(st.integers(0, len(order)))]}
        asked = {name: getattr(item, name) for name in given_fields}
        try:
            query = kind.query(*(getattr(kind, name)(value) for name, value in asked.items()))
        except KeyPartError:
            continue
        found = list(store.stream(query))
        wanted = [each for each in there if all(getattr(each, name) == value for name, value in asked.items())]
        assert len(found) == len(wanted)
        assert all(each in wanted for each in found)
        assert store.count(query) == len(wanted)


@examples(40)
@given(st.data())
def test_an_index_returns_exactly_the_items_with_the_parts_asked_for(store: EmbeddedStore, data: st.DataObject) -> None:
    fields = data.draw(FIELDS)
    table = new_table()
    index = table.index("byParts", pk="IPK", sk="ISK")
    kind = _type(data, "Thing", table, fields)
    store.create(table)
    items = _items(data, kind, fields)
    there = _written(store, items)
    made = kind.__layout__.texts
    for item in items:
        order = list(dict.fromkeys(name for name in made["ISK"].fields if name not in made["IPK"].fields))
        given_fields = {*made["IPK"].fields, *order[: data.draw(st.integers(0, len(order)))]}
        asked = {name: getattr(item, name) for name in given_fields}
        try:
            query = kind.query(index, *(getattr(kind, name)(value) for name, value in asked.items()))
        except KeyPartError:
            continue
        found = list(store.stream(query))
        wanted = [each for each in there if all(getattr(each, name) == value for name, value in asked.items())]
        assert len(found) == len(wanted)
        assert all(each in wanted for each in found)


@examples(60)
@given(st.data())
def test_a_row_of_a_table_with_two_types_is_read_as_the_one_it_was_written_as(
    store: EmbeddedStore, data: st.DataObject
) -> None:
    table = new_table()
    fields = ["text", "text_2"]
    try:
        kinds = [_type(data, name, table, fields) for name in ("One", "Two")]
    except SchemaError:
        return  # the same keys
    store.create(table)
    for kind in kinds:
        for item in _items(data, kind, fields):
            try:
                row = item.to_row()
            except KeyPartError:
                continue
            assert [other for other in kinds if other.owns(row)] == [kind]
            store.write(Put(item))
            assert store.get(kind.get(*_key_parts(item))) == item
            other = kinds[1 - kinds.index(kind)]
            with pytest.raises(ForeignItemError):
                other.from_row(row)


def test_a_moment_that_utc_has_no_year_for_is_refused() -> None:
    with pytest.raises(KeyPartError, match="outside the years"):
        key_text(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))))
    assert key_text(datetime(1, 1, 1, tzinfo=UTC)) == "0001-01-01T00:00:00.000000Z"
