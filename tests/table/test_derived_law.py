"""Laws of derived attributes: after any writes, everything that is made of fields is what the fields say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partita.dynamo.errors import DynamoError
from partita.store import EmbeddedStore
from partita.table import (
    Attribute,
    Delete,
    Item,
    ModelError,
    Put,
    Table,
    Transaction,
    Update,
    attribute,
    derived,
    key_part,
    number,
)
from tests.table.declared import examples, rows_of, temporary_store

SHOP = Table("lawShop", pk="PK", sk="SK")
BY_STATE = SHOP.index("byState", pk="stateKey", sk="stateSort")
BY_FLAG = SHOP.index("byFlag", pk="onSale", sk=number("priceKey"))
BY_RANK = SHOP.index("byRank", pk=number("rank"), sk="label", shards=3)
BY_WORD = SHOP.index("byWord", pk="word", sk="SK", shards=2, projection="KEYS_ONLY")
BY_KIND = SHOP.index("byKind", pk=number("kindNumber"), sk=number("copyOfPrice"))


class Ware(
    Item,
    table=SHOP,
    pk="SHOP#{shop}",
    sk="WARE#{ware:03}",
    keys={"stateKey": "STATE#{state}", "stateSort": "{label}#{ware:03}", "copyOfPrice": "{price}"},
):
    shop: Attribute[str] = key_part()
    ware: Attribute[int] = key_part(ge=0)
    kind: Attribute[Literal[7]] = attribute(default=7)
    label: Attribute[str] = attribute(default="plain")
    state: Attribute[Literal["new", "old"] | None] = attribute(default=None, null=True)
    price: Attribute[int | None] = attribute(default=None, ge=0)
    cheap: Attribute[bool] = attribute(default=False)
    tags: Attribute[frozenset[str]] = attribute(default=frozenset())
    counted: Attribute[int] = attribute(default=0)

    on_sale: Attribute[str] = derived(lambda cheap: "yes" if cheap else "no", name="onSale")
    sale_number: Attribute[int] = derived(lambda cheap: int(cheap), name="saleNumber")
    price_key: Attribute[int | None] = derived(lambda price: price, name="priceKey")
    rank: Attribute[int | None] = derived(lambda price, kind: None if price is None else price // kind)
    word: Attribute[str | None] = derived(lambda label, state: None if state is None else f"{label}/{state}")
    initials: Attribute[frozenset[str]] = derived(lambda tags: frozenset(tag[:1] for tag in tags if tag))
    both: Attribute[tuple[str, ...] | None] = derived(lambda tags, label: (label, *sorted(tags)) if tags else None)
    kind_number: Attribute[int] = derived(lambda kind, ware: kind + ware, name="kindNumber")


@pytest.fixture(scope="module")
def store() -> Iterator[EmbeddedStore]:
    with temporary_store() as store:
        store.create(SHOP)
        yield store


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "label": st.sampled_from(["plain", "odd", "#", "x#y"]),
    "state": st.sampled_from(["new", "old", None]),
    "price": st.none() | st.integers(0, 30),
    "cheap": st.booleans(),
    "tags": st.frozensets(st.sampled_from(["a", "ab", "b", ""]), max_size=3),
    "counted": st.integers(0, 3),
}
FIELDS = sorted(VALUES)
MADE = ("PK", "SK", *Ware.__layout__.derived_names())


@st.composite
def wares(draw: st.DrawFn) -> Ware:
    return Ware(shop="s", ware=draw(st.integers(0, 2)), **{name: draw(VALUES[name]) for name in FIELDS})


@st.composite
def actions(draw: st.DrawFn) -> list[Any]:
    found = []
    for name in draw(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=4, unique=True)):
        of: Any = getattr(Ware, name)
        how = draw(st.sampled_from(["set", "set", "remove", "missing", "own"]))
        value = draw(VALUES[name])
        if how == "remove":
            found.append(of.remove())
        elif how == "missing" and value is not None and value != frozenset():
            found.append(of.set_if_missing(value))
        elif how == "own" and name in ("price", "counted"):
            found.append(of.add(draw(st.integers(-2, 3))))
        elif how == "own" and name == "tags":
            found.append(draw(st.sampled_from([of.join("ab", "c"), of.leave("ab"), of.leave("a", "b")])))
        else:
            found.append(of.set(value))
    return found


def _check(store: EmbeddedStore) -> dict[int, Ware]:
    """Every row is what a Put of the item as read would store, and is found through exactly the right indexes."""
    items: dict[int, Ware] = {}
    for row in rows_of(store, SHOP):
        item = Ware.from_row(row)
        # A field that was removed reads as its default, and a Put would store that; what is made of it is the same.
        made, put = _sorted(row), _sorted(item.to_row())
        assert {name: made.get(name) for name in MADE} == {name: put.get(name) for name in MADE}
        assert item.stale() == frozenset()
        items[item.ware] = item
    everything = list(items.values())
    for state in ("new", "old"):
        _found(store, Ware.query(BY_STATE, Ware.state(state)), [each for each in everything if each.state == state])
    for flag in ("yes", "no"):
        wanted = [each for each in everything if each.on_sale == flag and each.price is not None]
        _found(store, Ware.query(BY_FLAG, Ware.on_sale(flag)), wanted)
    for rank in range(5):
        _found(store, Ware.query(BY_RANK, Ware.rank(rank)), [each for each in everything if each.rank == rank])
    for word in {each.word for each in everything if each.word is not None} | {"plain/new"}:
        _found(store, Ware.query(BY_WORD, Ware.word(word)), [each for each in everything if each.word == word])
    for kind in (7, 8, 9):
        wanted = [each for each in everything if each.kind_number == kind and each.price is not None]
        _found(store, Ware.query(BY_KIND, Ware.kind_number(kind)), wanted)
    return items


def _sorted(row: Any) -> Any:
    return {
        name: {kind: sorted(value) if kind in ("SS", "NS", "BS") else value for kind, value in each.items()}
        for name, each in row.items()
    }


def _found(store: EmbeddedStore, query: Any, wanted: list[Ware]) -> None:
    found = list(store.stream(query))
    assert sorted(found, key=lambda each: each.ware) == sorted(wanted, key=lambda each: each.ware)
    assert store.count(query) == len(wanted)


@examples(70)
@given(st.data())
def test_everything_made_of_fields_follows_every_write(store: EmbeddedStore, data: st.DataObject) -> None:
    for row in rows_of(store, SHOP):
        store.write(Delete(Ware.from_row(row).own_key))
    items: dict[int, Ware] = {}
    for _ in range(data.draw(st.integers(1, 6), "writes")):
        how = data.draw(st.sampled_from(["put", "put", "update", "knowing", "anew", "between", "new"]), "how")
        before = data.draw(st.sampled_from(sorted(items.values(), key=lambda each: each.ware))) if items else None
        try:
            write = _write(data, how, before)
            if data.draw(st.booleans(), "in a transaction"):
                store.transact(Transaction(write))
            else:
                store.write(write)
        except (ModelError, DynamoError):
            assert _check(store) == items, "nothing has changed"
            continue
        items = _check(store)


def _write(data: st.DataObject, how: str, before: Ware | None) -> Any:
    if how == "put" or (before is None and how != "new"):
        return Put(data.draw(wares(), "put"))
    if how == "new":
        key = Ware.key(Ware.shop("s"), Ware.ware(data.draw(st.integers(0, 2), "ware")))
        update = Update(key, *data.draw(actions(), "actions")).or_new()
        known = data.draw(st.lists(st.sampled_from(FIELDS), unique=True), "known")
        values = {name: data.draw(VALUES[name], f"known {name}") for name in known}
        return update.knowing(*(getattr(Ware, name)(value) for name, value in values.items()))
    assert before is not None
    if how == "between":
        after = data.draw(wares(), "after").with_(Ware.ware(before.ware))
        return Update.between(before, after)
    update = Update(before.own_key, *data.draw(actions(), "actions"))
    changed = {action.field for action in update.actions}
    if how == "knowing":
        # Mostly the truth, and then the update must be taken; sometimes not, and then it must fail.
        others = [name for name in FIELDS if name not in changed]
        return update.knowing(
            *(
                getattr(Ware, name)(data.draw(st.just(getattr(before, name)) | VALUES[name], f"known {name}"))
                for name in others
            )
        )
    return update.making_anew(before) if how == "anew" else update


@examples(60)
@given(wares(), wares(), st.data())
def test_an_update_that_knows_the_truth_is_taken(
    store: EmbeddedStore, before: Ware, after: Ware, data: st.DataObject
) -> None:
    after = after.with_(Ware.ware(before.ware))
    try:
        store.write(Put(before))
        after.to_row()
    except ModelError:
        return
    changed = data.draw(st.lists(st.sampled_from(FIELDS), min_size=1, unique=True), "changed")
    update = Update(before.own_key, *(getattr(Ware, name).set(getattr(after, name)) for name in changed))
    update = update.knowing(*(getattr(Ware, name)(getattr(before, name)) for name in FIELDS if name not in changed))
    expected = before.with_(*(getattr(Ware, name)(getattr(after, name)) for name in changed))
    try:
        expected.to_row()
    except ModelError:
        return
    assert store.update(update) == expected
    _check(store)
