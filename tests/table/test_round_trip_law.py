"""Laws of round trips: what any verb writes is read back equal in every way, or it is refused and nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal, localcontext
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidationError,
    field_serializer,
    field_validator,
)

from partita.dynamo.errors import DynamoError
from partita.store import EmbeddedStore
from partita.table import (
    Action,
    InvalidValueError,
    ModelError,
    Put,
    SchemaError,
    Transaction,
    Update,
    attribute,
    key_part,
)
from tests.table.declared import declared, examples, new_table, rows_of, temporary_store
from tests.table.test_keys_law import Level, Mood, Sign, decimals, moments


class Weekday(Enum):
    MONDAY = date(2026, 1, 5)
    TUESDAY = date(2026, 1, 6)


class Price(Enum):
    LOW = Decimal("1.50")
    WHOLE = Decimal(2)


class Inner(BaseModel):
    name: str
    amount: int = 3
    note: str | None = None
    at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    marks: frozenset[str] = frozenset({"x"})
    prices: dict[str, Decimal] = Field(default_factory=dict)
    points: tuple[int, str] = (1, "a")
    must: int | None


class Card(BaseModel):
    tag: Literal["card"] = "card"
    number: str


class Cash(BaseModel):
    tag: Literal["cash"] = "cash"
    amount: Decimal = Decimal(0)


class Secret(BaseModel):
    """Written backwards, read forwards."""

    word: str

    @field_serializer("word")
    def _written(self, word: str) -> str:
        return "-" + word[::-1]

    @field_validator("word", mode="before")
    @classmethod
    def _read(cls, word: Any) -> Any:
        return word[:0:-1] if isinstance(word, str) and word.startswith("-") else word


def _short(text: str) -> str:
    if len(text) > 3:
        raise ValueError("too long")
    return text.upper()


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
wholes = st.integers(-3, 5) | st.integers(-(10**37), 10**37)
inners = st.builds(
    Inner,
    name=texts,
    amount=wholes,
    note=st.none() | texts,
    at=moments,
    marks=st.frozensets(texts, max_size=3),
    prices=st.dictionaries(texts, decimals, max_size=2),
    points=st.tuples(wholes, texts),
    must=st.none() | wholes,
)
anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | texts | wholes | decimals | st.booleans() | st.binary(max_size=3) | st.just("\ud800") | moments,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2) | st.frozensets(texts, max_size=2)
    ),
    max_leaves=4,
)

Kind = tuple[Any, st.SearchStrategy[Any], dict[str, Any]]
KINDS: dict[str, Kind] = {
    "text": (str, texts, {}),
    "whole": (int, wholes, {}),
    "bounded": (int, st.integers(0, 5), {"ge": 0, "le": 5}),
    "steps": (int, st.integers(0, 5).map(lambda number: number * 3), {"multiple_of": 3}),
    "flag": (bool, st.booleans(), {}),
    "number": (Decimal, decimals, {}),
    "money": (Decimal, st.decimals(0, 9, places=2), {"decimal_places": 2, "ge": 0.0}),
    "digits": (Decimal, st.integers(0, 99).map(Decimal), {"max_digits": 2}),
    "blob": (bytes, st.binary(max_size=4), {}),
    "moment": (datetime, moments, {}),
    "exact_moment": (datetime, moments, {"strict": True}),
    "day": (date, st.dates(), {}),
    "uuid": (UUID, st.uuids(), {}),
    "mood": (Mood, st.sampled_from(Mood), {}),
    "level": (Level, st.sampled_from(Level), {}),
    "sign": (Sign, st.sampled_from(Sign), {}),
    "weekday": (Weekday, st.sampled_from(Weekday), {}),
    "price": (Price, st.sampled_from(Price), {}),
    "choice": (Literal["a", "b"], st.sampled_from(["a", "b"]), {}),
    "maybe": (Literal["a", None], st.sampled_from(["a", None]), {}),
    "odd_choice": (Literal[1, True, "1", b"1"], st.sampled_from([1, True, "1", b"1"]), {}),
    "set": (frozenset[str], st.frozensets(texts, max_size=3), {}),
    "full_set": (
        frozenset[int],
        st.frozensets(st.integers(0, 9), min_size=1, max_size=3),
        {"min_length": 1, "max_length": 3},
    ),
    "pair_set": (frozenset[int], st.frozensets(st.integers(0, 9), min_size=2, max_size=3), {"min_length": 2}),
    "numbers": (set[Decimal], st.sets(decimals, max_size=3), {}),
    "blobs": (frozenset[bytes], st.frozensets(st.binary(max_size=2), max_size=3), {}),
    "days": (frozenset[date], st.frozensets(st.dates(), max_size=2), {}),
    "moods": (frozenset[Mood], st.frozensets(st.sampled_from(Mood)), {}),
    "either_set": (frozenset[str] | tuple[int, ...], st.frozensets(texts, max_size=2) | st.tuples(wholes), {}),
    "list": (list[int], st.lists(wholes, max_size=3), {}),
    "short_list": (list[str], st.lists(texts, min_size=2, max_size=3), {"min_length": 2, "max_length": 3}),
    "tuple": (tuple[str, ...], st.lists(texts, max_size=3).map(tuple), {}),
    "fixed": (tuple[int, str], st.tuples(wholes, texts), {}),
    "optionals": (list[int | None], st.lists(st.none() | wholes, max_size=3), {}),
    "sets": (list[frozenset[str]], st.lists(st.frozensets(texts, max_size=1), max_size=2), {}),
    "map": (dict[str, int], st.dictionaries(texts, wholes, max_size=2), {}),
    "small_map": (
        dict[str, int],
        st.dictionaries(st.sampled_from("abc"), wholes, min_size=1, max_size=2),
        {"min_length": 1, "max_length": 2},
    ),
    "number_map": (dict[int, Decimal], st.dictionaries(wholes, decimals, max_size=2), {}),
    "either_map": (dict[int | str, int], st.dictionaries(st.sampled_from([1, "1", 2]), wholes, max_size=2), {}),
    "set_map": (dict[str, frozenset[int]], st.dictionaries(texts, st.frozensets(wholes, max_size=2), max_size=2), {}),
    "model": (Inner, inners, {}),
    "models": (list[Inner], st.lists(inners, max_size=2), {}),
    "pay": (
        Annotated[Card | Cash, Field(discriminator="tag")],
        st.builds(Card, number=texts) | st.builds(Cash, amount=decimals),
        {},
    ),
    "secret": (Secret, st.builds(Secret, word=texts), {}),
    "either": (int | str, wholes | texts, {}),
    "moment_or_text": (datetime | str, moments | texts, {}),
    "any": (Any, anything, {}),
    "narrow": (Annotated[int | None, Field(ge=1)], st.none() | st.integers(1, 3), {}),
    "lower": (Annotated[str, StringConstraints(to_lower=True)], texts, {}),
    "checked": (Annotated[str, AfterValidator(_short)], st.text("abA", max_size=3), {}),
    "hidden": (Annotated[int, PlainSerializer(lambda number: f"<{number}>")], wholes, {}),
    "half": (Annotated[int, PlainSerializer(lambda number: number // 2)], wholes, {}),
}


@dataclass(frozen=True)
class Declared:
    """An item type made of kinds, and what its fields may be."""

    kind: Any
    values: dict[str, st.SearchStrategy[Any]]
    optional: frozenset[str]
    of: dict[str, str] = field(default_factory=dict)


@st.composite
def _declarations(draw: st.DrawFn, kinds: list[str]) -> dict[str, tuple[Any, Any, st.SearchStrategy[Any], bool]]:
    found = {}
    for name in kinds:
        annotation, values, constraints = KINDS[name]
        optional = draw(st.booleans(), f"{name} optional") and name != "any"
        if optional:
            annotation, values = (
                annotation | None if not isinstance(annotation, str) else annotation,
                st.none() | values,
            )
        settings: dict[str, Any] = {"null": draw(st.booleans(), f"{name} null"), **constraints}
        default = draw(st.sampled_from(["none", "value", "factory"]), f"{name} default")
        if default != "none":
            value = draw(values, f"{name}'s default")
            settings |= {"default": value} if default == "value" else {"default_factory": lambda value=value: value}
        found[name] = (annotation, settings, values, optional)
    return found


def _declare(data: st.DataObject, store: EmbeddedStore, most: int) -> Declared:
    names = data.draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=most, unique=True), "fields")
    made = data.draw(_declarations(names))
    fields = {name: (annotation, attribute(**settings)) for name, (annotation, settings, _, _) in made.items()}
    table = new_table()
    kind = declared("Thing", table, {"no": (int, key_part()), **fields}, pk="P", sk="{no}")
    store.create(table)
    return Declared(
        kind, {name: each[2] for name, each in made.items()}, frozenset(name for name, each in made.items() if each[3])
    )


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with temporary_store() as store:
        yield store


def _item(data: st.DataObject, made: Declared, number: int) -> Any:
    given_values = {name: data.draw(values, name) for name, values in made.values.items()}
    return made.kind(no=number, **given_values)


def _check_read(store: EmbeddedStore, kind: Any, expected: dict[int, Any]) -> None:
    """Every way of reading gives the same items."""
    numbers = sorted(expected)
    items = [expected[number] for number in numbers]
    gets = [kind.get(kind.no(number)) for number in numbers]
    assert [store.get(get) for get in gets] == items
    assert sorted(store.stream(kind.query()), key=lambda item: item.no) == items
    assert sorted(store.page(kind.query(), limit=50), key=lambda item: item.no) == items
    assert store.batch_get([get.key for get in gets]) == items
    if gets:
        assert list(store.transact_get(*gets)) == items
    assert store.count(kind.query()) == len(items)


@examples(120)
@given(st.data())
def test_what_is_put_is_read_back_equal_or_refused(store: EmbeddedStore, data: st.DataObject) -> None:
    made = _declare(data, store, 5)
    expected: dict[int, Any] = {}
    for number in range(3):
        item = _item(data, made, number)
        how = data.draw(st.sampled_from(["put", "batch", "transact"]), "how")
        try:
            if how == "put":
                store.write(Put(item))
            elif how == "batch":
                store.batch_write([Put(item)])
            else:
                store.transact(Transaction(Put(item)))
        except ModelError:
            continue
        expected[number] = item
    _check_read(store, made.kind, expected)


# -- updates

Change = tuple[str, Callable[[], Action], Callable[[Any], Any]]
"""What is done, the action, and what the field is afterwards."""


def _first(value: Any, absent: Any) -> Any:
    return absent if value is None else value


@st.composite
def _changes(draw: st.DrawFn, made: Declared, before: Any, name: str) -> Change:
    """Any change of a field, also those that do not fit it."""
    attribute_of = getattr(made.kind, name)
    layout = made.kind.__layout__
    value = draw(made.values[name], "to")
    wrong = draw(st.integers(0, 19)) == 0
    if wrong:
        value = draw(anything | inners | st.just(object), "something else")
    plain: list[tuple[str, Callable[[], Action], Callable[[Any], Any]]] = [
        ("set", lambda: attribute_of.set(value), lambda _: value),
        ("remove", lambda: attribute_of.remove(), lambda _: layout.read_without(name)),
    ]
    amount = draw(st.integers(-3, 4) | st.decimals(-2, 2, places=3))
    several = draw(st.lists(st.integers(0, 9) | texts, min_size=1, max_size=2))
    plain += [
        ("add", lambda: attribute_of.add(amount), lambda old: _sum(_first(old, 0), amount)),
        ("append", lambda: attribute_of.append(*several), lambda old: [*_first(old, ()), *several]),
        ("prepend", lambda: attribute_of.prepend(*several), lambda old: [*several, *_first(old, ())]),
        ("join", lambda: attribute_of.join(*several), lambda old: frozenset(_first(old, ())) | frozenset(several)),
        ("leave", lambda: attribute_of.leave(*several), lambda old: _left(old, several, layout.read_without(name))),
    ]
    if isinstance(getattr(before, name), Inner):
        plain += _inside(draw, attribute_of)
    if isinstance(getattr(before, name), dict):
        key = draw(st.sampled_from([*getattr(before, name), "a", "b"]))
        plain += [
            ("set a member", lambda: attribute_of[key].set(amount), lambda old: {**old, key: amount}),
            ("remove a member", lambda: attribute_of[key].remove(), lambda old: _without(old, key)),
            (
                "count a member",
                lambda: attribute_of[key].add(amount),
                lambda old: {**old, key: old.get(key, 0) + amount},
            ),
        ]
    if isinstance(getattr(before, name), list | tuple):
        at = draw(st.integers(0, 2))
        plain += [
            ("set a place", lambda: attribute_of[at].set(value), lambda old: [*old[:at], value, *old[at + 1 :]]),
            ("set a place", lambda: attribute_of[at].set(amount), lambda old: [*old[:at], amount, *old[at + 1 :]]),
            ("remove a place", lambda: attribute_of[at].remove(), lambda old: [*old[:at], *old[at + 1 :]]),
        ]
    what, act, after = draw(st.sampled_from(plain), "change")
    return what, act, after


def _sum(one: Any, other: Any) -> Any:
    with localcontext(prec=60):  # DynamoDB has 38 digits, Python's default is 28
        return one + other


def _left(old: Any, members: list[Any], absent: Any) -> Any:
    return (frozenset(old) - frozenset(members) or absent) if old else old


def _without(old: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in old.items() if name != key}


def _inside(draw: st.DrawFn, attribute_of: Any) -> list[Change]:
    text, amount, marks = draw(texts), draw(st.integers(-3, 3)), draw(st.frozensets(texts, max_size=2))
    must = draw(st.none() | wholes)
    default = Inner.model_fields["at"].default

    def changed(name: str, value: Any) -> Callable[[Any], Any]:
        return lambda old: old.model_copy(update={name: value})

    return [
        ("set inside", lambda: attribute_of.name.set(text), changed("name", text)),
        ("remove inside", lambda: attribute_of.name.remove(), changed("name", None)),
        ("remove inside", lambda: attribute_of.must.remove(), changed("must", None)),
        ("remove inside", lambda: attribute_of.at.remove(), changed("at", default)),
        ("remove inside", lambda: attribute_of.marks.remove(), changed("marks", frozenset({"x"}))),
        ("set inside", lambda: attribute_of.must.set(must), changed("must", must)),
        ("set inside", lambda: attribute_of.note.set(None), changed("note", None)),
        ("set inside", lambda: attribute_of.marks.set(marks), changed("marks", marks)),
        (
            "set inside",
            lambda: attribute_of.points[1].set(text),
            lambda old: changed("points", (old.points[0], text))(old),
        ),
        ("remove inside", lambda: attribute_of.points[0].remove(), changed("points", None)),
        (
            "count inside",
            lambda: attribute_of.amount.add(amount),
            lambda old: changed("amount", old.amount + amount)(old),
        ),
        (
            "set deep inside",
            lambda: attribute_of.prices["EUR"].set(Decimal(amount)),
            lambda old: changed("prices", {**old.prices, "EUR": Decimal(amount)})(old),
        ),
    ]


def _sent(store: Any, update: Any, how: str) -> Any:
    return store.write(update, returning=how) if how in ("old", "new") else store.write(update)


@examples(220)
@given(st.data())
def test_what_an_update_writes_is_read_back_equal_or_it_is_refused_and_nothing_has_changed(
    store: EmbeddedStore, data: st.DataObject
) -> None:
    made = _declare(data, store, 3)
    kind, table = made.kind, made.kind.__table__
    item = _item(data, made, 1)
    try:
        store.write(Put(item))
    except ModelError:
        return
    for _ in range(4):
        name = data.draw(st.sampled_from(sorted(made.values)), "field")
        what, act, after = data.draw(_changes(made, item, name))
        rows = rows_of(store, table)
        how = data.draw(st.sampled_from(["write", "new", "old", "transact", "or_new"]), "how")
        try:
            update = Update(item.own_key, act())
            update = update.or_new() if how == "or_new" else update
            if how == "transact":
                store.transact(Transaction(update))
            else:
                told = _sent(store, update, how)
        except (ModelError, DynamoError):
            assert rows_of(store, table) == rows
            continue
        found = store.get(kind.get(kind.no(1)))
        assert found is not None
        expected = item.with_(getattr(kind, name)(after(getattr(item, name))))
        assert found == expected, what
        if how in ("old", "new"):
            assert told == (item if how == "old" else found)
        item = found
    _check_read(store, kind, {1: item})


@examples(80)
@given(st.data())
def test_between_two_versions_there_is_an_update_that_makes_one_the_other(
    store: EmbeddedStore, data: st.DataObject
) -> None:
    made = _declare(data, store, 4)
    kind = made.kind
    before, after = _item(data, made, 1), _item(data, made, 1)
    try:
        store.write(Put(before))
        after.to_row()
    except ModelError:
        return
    read = store.get(kind.get(kind.no(1)))
    update = Update.between(read, after)
    if update.actions:
        store.write(update)
    assert store.get(kind.get(kind.no(1))) == after


@examples(80)
@given(st.data())
def test_an_item_that_an_update_makes_is_one_that_reads_as_if_it_had_been_put(
    store: EmbeddedStore, data: st.DataObject
) -> None:
    made = _declare(data, store, 4)
    kind, table = made.kind, made.kind.__table__
    values = {name: data.draw(values, name) for name, values in made.values.items() if data.draw(st.booleans())}
    try:
        update = Update(kind.key(kind.no(1)), *(getattr(kind, name).set(value) for name, value in values.items()))
        store.write(update.or_new())
    except (ModelError, DynamoError):
        assert rows_of(store, table) == []
        return
    absent = {name: kind.__layout__.read_without(name) for name in made.values if kind.model_fields[name].is_required()}
    expected = kind(no=1, **{**absent, **values})
    assert store.get(kind.get(kind.no(1))) == expected


def test_an_update_that_only_removes_cannot_make_an_item(store: EmbeddedStore) -> None:
    table = new_table()
    kind = declared("Bare", table, {"no": (int, key_part()), "note": (str | None, attribute())}, pk="P", sk="{no}")
    store.create(table)
    with pytest.raises(ModelError, match=r"or_new\(\) would make no Bare"):
        store.write(Update(kind.key(kind.no(1)), kind.note.set(None)).or_new())
    assert rows_of(store, table) == []


def test_what_a_field_validator_refuses_is_not_set_by_an_update(store: EmbeddedStore) -> None:
    def few(cls: Any, stars: int) -> int:
        if stars > 5:
            raise ValueError("too many")
        return stars

    table = new_table()
    check = field_validator("stars")(classmethod(few))
    kind = declared(
        "Rated", table, {"no": (int, key_part()), "stars": (int, attribute())}, {"few": check}, pk="P", sk="{no}"
    )
    store.create(table)
    store.write(Put(kind(no=1, stars=3)))
    with pytest.raises(ModelError, match=r"A validator of the class checks Rated\.stars"):
        store.write(Update(kind.key(kind.no(1)), kind.stars.set(99)))
    found: Any = store.get(kind.get(kind.no(1)))
    assert found.stars == 3


def test_an_alias_of_pydantics_is_refused_since_rows_are_read_by_the_names_of_fields() -> None:
    with pytest.raises(SchemaError, match="give its stored name instead"):
        declared("Named", new_table(), {"no": (int, key_part()), "x": (int, attribute(alias="y"))}, pk="P", sk="{no}")


def test_a_discriminator_is_never_taken_away() -> None:
    fields = {"no": (int, key_part()), "tag": (Literal["a"], attribute(default="a"))}
    kind = declared("Tagged", new_table(), fields, pk="P", sk="{no}")
    with pytest.raises(InvalidValueError):
        kind.tag.remove()


def test_or_new_makes_no_item_that_reads_otherwise_each_time() -> None:
    moments_of = iter(range(100))
    fields = {
        "no": (int, key_part()),
        "made": (int, attribute(default_factory=lambda: next(moments_of))),
        "n": (int, attribute(default=0)),
    }
    kind = declared("Made", new_table(), fields, pk="P", sk="{no}")
    with pytest.raises(ModelError, match="reads otherwise than its default"):
        Update(kind.key(kind.no(1)), kind.n.add(1)).or_new().request()


def test_two_changes_in_one_update_do_not_make_a_list_or_a_map_too_short_or_too_long() -> None:
    fields = {
        "no": (int, key_part()),
        "lines": (list[int], attribute(min_length=1)),
        "prices": (dict[str, int], attribute(max_length=2)),
    }
    kind = declared("Order", new_table(), fields, pk="P", sk="{no}")
    for actions in (
        (kind.lines[0].remove(), kind.lines[1].remove()),
        (kind.prices["a"].set(1), kind.prices["b"].set(2)),
    ):
        with pytest.raises(ModelError, match="whose length has bounds"):
            Update(kind.key(kind.no(1)), *actions).request()
    Update(kind.key(kind.no(1)), kind.lines[0].remove(), kind.prices["a"].set(1)).request()


@pytest.mark.parametrize(
    ("annotation", "default"),
    [
        (int, attribute(default=0, ge=1)),
        (frozenset[int], attribute(default=frozenset(), min_length=1)),
        (str, attribute(default=None)),
    ],
)
def test_a_default_that_does_not_fit_is_refused_when_an_item_is_made(annotation: Any, default: Any) -> None:
    kind = declared("Odd", new_table(), {"no": (int, key_part()), "x": (annotation, default)}, pk="P", sk="{no}")
    with pytest.raises(ValidationError):
        kind(no=1)


@pytest.mark.parametrize(
    ("annotation", "default"), [(tuple[int, ...], [1]), (date, "2026-01-01"), (UUID, "0" * 32), (Decimal, "1.5")]
)
def test_a_default_is_what_is_read_back(store: EmbeddedStore, annotation: Any, default: Any) -> None:
    table = new_table()
    kind = declared(
        "Plain", table, {"no": (int, key_part()), "x": (annotation, attribute(default=default))}, pk="P", sk="{no}"
    )
    store.create(table)
    store.write(Put(kind(no=1)))
    assert store.get(kind.get(kind.no(1))) == kind(no=1)


def test_a_bound_is_exact_to_the_last_of_38_digits(store: EmbeddedStore) -> None:
    most = Decimal("9" * 35 + ".5")
    table = new_table()
    with localcontext(prec=60):
        fields = {"no": (int, key_part()), "x": (Decimal, attribute(default=most - 1, le=most, decimal_places=1))}
        kind = declared("Exact", table, fields, pk="P", sk="{no}")
        store.create(table)
        store.write(Put(kind(no=1)))
        assert store.update(Update(kind.key(kind.no(1)), kind.x.add(1))).x == most
    with pytest.raises(DynamoError):
        store.write(Update(kind.key(kind.no(1)), kind.x.add(Decimal("0.5"))))


def test_a_member_of_a_map_has_a_key_of_its_type() -> None:
    fields = {"no": (int, key_part()), "shelves": (dict[int, str], attribute())}
    kind = declared("Shop", new_table(), fields, pk="P", sk="{no}")
    assert kind.shelves["7"].set("x")
    for wrong in ("a", "007"):
        with pytest.raises(ModelError):
            kind.shelves[wrong]
