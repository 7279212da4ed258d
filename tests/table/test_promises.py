"""What the layer once lost, hid or misreported without an error; each of these failed before it was mended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel, Field

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.dynamo.requests import PutItem
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import (
    Attribute,
    ForeignItemError,
    Get,
    InvalidValueError,
    Item,
    KeyPartError,
    ModelError,
    Put,
    SchemaError,
    StaleKeyError,
    Table,
    Update,
    all_of,
    any_of,
    attribute,
    binary,
    derived,
    key_part,
    number,
)
from partita.table.effects import Unreadable

T = Table("tab", pk="PK", sk="SK", ttl="expires")
BY_STARS = T.index("byStars", pk=number("rating"), sk="SK")
BY_STATE = T.index("byState", pk="state", sk="SK")
KEYS_ONLY = T.index("keysOnly", pk="kind", sk="SK", projection="KEYS_ONLY")


class Pair(Item, table=T, pk="P#{a}#{b}", sk="PAIR"):
    a: Attribute[str] = key_part()
    b: Attribute[str] = key_part()
    text: Attribute[str] = attribute(default="")


class Message(Item, table=T, pk="ROOM#{room}", sk="MSG#{at}#{mid}"):
    room: Attribute[str] = key_part()
    at: Attribute[str] = key_part()
    mid: Attribute[str] = key_part()


class Login(Item, table=T, pk="USER#{user}", sk="EVENT#{at}#LOGIN"):
    user: Attribute[str] = key_part()
    at: Attribute[str] = key_part()


class Purchase(Item, table=T, pk="USER#{user}", sk="EVENT#{at}#PURCHASE"):
    user: Attribute[str] = key_part()
    at: Attribute[str] = key_part()


class Letter(Item, table=T, pk="USER#{user}", sk="EVENT#{at}#LETTER"):
    user: Attribute[str] = key_part()
    at: Attribute[str] = key_part()
    text: Attribute[str] = attribute(default="", large=True)


class Line(BaseModel):
    line_id: UUID = Field(default_factory=uuid4)
    text: str = ""


class Card(BaseModel):
    kind: Literal["card"] = "card"
    digits: str = "0000"


class Cash(BaseModel):
    kind: Literal["cash"] = "cash"
    till: int = 1


class Order(Item, table=T, pk="ORDER#{order}", sk="ABOUT"):
    order: Attribute[str] = key_part()
    line: Attribute[Line] = attribute(default_factory=Line)
    paid: Attribute[Annotated[Card | Cash, Field(discriminator="kind")]] = attribute(default_factory=Cash)


class Book(Item, table=T, pk="BOOK#{isbn}", sk="ABOUT", keys={"rating": "{stars}"}):
    isbn: Attribute[str] = key_part()
    title: Attribute[str] = attribute(min_length=1)
    stars: Attribute[int] = attribute(default=3, ge=1, le=5)
    copies: Attribute[int] = attribute(default=0, ge=0)
    labels: Attribute[frozenset[str]] = attribute(max_length=2)
    public: Attribute[bool] = attribute(default=True)
    kind: Attribute[str] = attribute(default="book")
    state: Attribute[str | None] = derived(lambda public: "public" if public else None)
    expires: Attribute[int | None] = attribute(default=None)


def book(isbn: str = "1", **fields: Any) -> Book:
    return Book(**{"isbn": isbn, "title": "Emma", "labels": frozenset(), **fields})


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine, clock=lambda: 1000.0)
        store.create(T)
        yield store


# -- 1. different keys


def test_two_different_things_never_have_the_same_key(store: EmbeddedStore) -> None:
    store.write(Put(Pair(a="x", b="y#z", text="the other one")))
    with pytest.raises(KeyPartError, match="the same key as other parts"):
        store.write(Put(Pair(a="x#y", b="z")))
    with pytest.raises(KeyPartError, match="the same key as other parts"):
        Pair.get(Pair.a("x#y"), Pair.b("z"))
    with pytest.raises(KeyPartError, match="the same key as other parts"):
        Message.query(Message.room("r"), Message.at("x#y"))


# -- 2. nested models


def test_what_was_not_set_in_a_nested_model_is_stored_and_read_back(store: EmbeddedStore) -> None:
    order = Order(order="1")
    store.write(Put(order))
    found = [store.get(Order.get(Order.order("1"))) for _ in range(2)]
    assert found == [order, order]


# -- 3. what DynamoDB refuses


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: Book.stars.one_of(),
        lambda: Book.stars.one_of(*[1] * 101),
        lambda: all_of(),
        lambda: any_of(),
        lambda: Book.stars.between(4, 2),
        lambda: Book.stars.size() == 3,
    ],
    ids=["none of", "101 of", "all of none", "any of none", "reversed", "== on a size"],
)
def test_what_dynamodb_refuses_is_refused_when_it_is_said(mistake: Any) -> None:
    with pytest.raises(ModelError):
        mistake()


def test_the_embedded_store_refuses_what_the_door_refuses(store: EmbeddedStore) -> None:
    store.write(Put(book()))
    long = any_of(*(Book.title.equals(f"{number:03}" * 30) for number in range(200)))
    for wanted in (
        Update(book().own_key, Book.copies.set(1), Book.copies.add(1)),
        Update(book().own_key, Book.copies.set(1)).when(long),
    ):
        with pytest.raises(Exception, match=r"Two document paths overlap|too many operators"):
            store.write(wanted)


# -- 4. ranges


@pytest.mark.parametrize(
    ("ranged", "days"),
    [
        (lambda query: query.between(Message.at("02"), Message.at("04")), "02 03 04"),
        (lambda query: query.at_most(Message.at("03")), "01 02 03"),
        (lambda query: query.after(Message.at("03")), "04 05"),
        (lambda query: query.at_least(Message.at("02")).before(Message.at("04")), "02 03"),
    ],
)
def test_a_range_over_a_part_of_the_sort_key_holds_the_part(store: EmbeddedStore, ranged: Any, days: str) -> None:
    for day in ("01", "02", "03", "04", "05"):
        store.write(Put(Message(room="r", at=day, mid="m")))
    found = store.page(ranged(Message.query(Message.room("r"))), limit=10)
    assert [message.at for message in found] == days.split()


def test_a_part_may_hold_what_sorts_before_the_text_after_it(store: EmbeddedStore) -> None:
    for at, mid in (("a", "m"), ("a!", "x"), ("a", "z"), ("b", "a")):
        store.write(Put(Message(room="r", at=at, mid=mid)))
    late = store.page(Message.query(Message.room("r")).at_least(Message.at("a"), Message.mid("z")), limit=10)
    assert {(message.at, message.mid) for message in late} == {("a!", "x"), ("a", "z"), ("b", "a")}
    early = store.page(Message.query(Message.room("r")).at_most(Message.at("a!")), limit=10)
    assert {message.at for message in early} == {"a", "a!"}


# -- 5. counts


def test_rows_of_other_types_do_not_count(store: EmbeddedStore) -> None:
    for day in range(9):
        store.write(Put(Login(user="ada", at=str(day))))
    store.write(Put(Purchase(user="ada", at="9")))
    purchases = Purchase.query(Purchase.user("ada"))
    assert (len(store.page(purchases)), store.count(purchases)) == (1, 1)
    store.write(Put(Letter(user="ada", at="9")))
    assert store.count(Letter.query(Letter.user("ada"))) == 1


# -- 6. what can be written can be read


def test_a_required_set_may_be_empty_and_may_be_emptied(store: EmbeddedStore) -> None:
    store.write(Put(book(labels=frozenset({"a"}))))
    store.write(Update(book().own_key, Book.labels.leave("a")))
    assert store.get(Get(book().own_key)) == book()


def test_an_update_of_nothing_makes_no_fragment(store: EmbeddedStore) -> None:
    with pytest.raises(ConditionalCheckFailedError, match="Update of Book BOOK#1, ABOUT needs attribute_exists"):
        store.write(Update(book().own_key, Book.copies.set(1)))
    assert store.get(Get(book().own_key)) is None
    with pytest.raises(ModelError, match="without title, which has no default"):
        store.write(Update(book().own_key, Book.copies.add(1), Book.public.set(True), Book.stars.set(1)).or_new())


def test_a_number_does_not_go_beyond_its_bounds(store: EmbeddedStore) -> None:
    store.write(Put(book(copies=1)))
    assert store.update(Update(book().own_key, Book.copies.add(-1))).copies == 0
    with pytest.raises(ConditionalCheckFailedError, match="copies >= …"):
        store.write(Update(book().own_key, Book.copies.add(-1)))


def test_a_set_does_not_outgrow_its_length(store: EmbeddedStore) -> None:
    store.write(Put(book(labels=frozenset({"a"}))))
    assert store.update(Update(book().own_key, Book.labels.join("b"))).labels == {"a", "b"}
    store.write(Update(book().own_key, Book.labels.join("b")))
    with pytest.raises(ConditionalCheckFailedError, match=r"size\(labels\)"):
        store.write(Update(book().own_key, Book.labels.join("c")))


def test_a_changed_copy_is_checked() -> None:
    assert book().with_(Book.title("Hope")).title == "Hope"
    for changes in ({"title": ""}, {"titel": "x"}):
        with pytest.raises(InvalidValueError, match="tit"):
            book().model_copy(update=changes)
    with pytest.raises(InvalidValueError, match="title: String should have at least 1 character"):
        book().with_(Book.title(""))


def test_one_bad_row_takes_no_list_down_and_is_told(store: EmbeddedStore) -> None:
    told: list[Unreadable] = []
    store.observe_unreadable(told.append)
    store.write(Put(book("1")))
    bad = {**book("2").to_row(), "title": {"N": "5"}}
    store.transport.send(PutItem(table="tab", item=bad))
    listed = Book.query(BY_STATE, Book.state("public"))
    assert store.page(listed).items == (book("1"),)
    assert list(store.stream(listed)) == [book("1")]
    assert store.batch_get([book("2").own_key]) == [None]
    assert {(row.item_type, row.key, row.wrong[0][0]) for row in told} == {("Book", "PK=BOOK#2, SK=ABOUT", "title")}
    with pytest.raises(ForeignItemError, match="title: Input should be a valid string"):
        store.get(Get(book("2").own_key))


# -- 7. derived values


def test_a_derived_key_follows_every_write(store: EmbeddedStore) -> None:
    public, stars = Book.query(BY_STATE, Book.state("public")), Book.query(BY_STARS, Book.stars(5))
    store.write(Put(book(stars=5)))
    assert (store.count(public), store.count(stars)) == (1, 1)
    store.write(Update(book().own_key, Book.public.set(False), Book.stars.set(2)))
    assert (store.count(public), store.count(stars)) == (0, 0)
    with pytest.raises(StaleKeyError, match="only the table will know what stars is"):
        store.write(Update(book().own_key, Book.stars.add(1)))
    with pytest.raises(ModelError, match="is made of other fields"):
        Book.state.set("public")


def test_a_template_that_cannot_make_a_number_is_refused_when_it_is_declared() -> None:
    table = Table("numbers", pk="PK")
    table.index("byRating", pk=number("rating"))
    with pytest.raises(SchemaError, match="rating is a number"):

        class Wrong(Item, table=table, pk="X#{name}", keys={"rating": "R#{name}"}):
            name: Attribute[str] = key_part()


# -- 8. cursors


def test_a_cursor_outlives_the_store_that_gave_it(tmp_path: Path) -> None:
    messages = Message.query(Message.room("r"))
    with EmbeddedStore(tmp_path) as store:
        store.create(T)
        for day in range(4):
            store.write(Put(Message(room="r", at=str(day), mid="m")))
        cursor = store.page(messages, limit=2).next_cursor
    with EmbeddedStore(tmp_path) as later:
        assert [message.at for message in later.page(messages, limit=2, after=cursor)] == ["2", "3"]
    assert (tmp_path / "cursor-keys").stat().st_mode & 0o077 == 0


# -- 11. smaller ones


def test_binary_keys_can_be_written_and_read(store: EmbeddedStore) -> None:
    table = Table("hashes", pk=binary("hash"), sk=number("at"))

    class Seen(Item, table=table):
        hash: Attribute[bytes]
        at: Attribute[int]

    store.create(table)
    store.write(Put(Seen(hash=b"\x00\xff", at=7)))
    assert store.get(Seen.get(Seen.hash(b"\x00\xff"), Seen.at(7))) == Seen(hash=b"\x00\xff", at=7)
    assert store.count(Seen.query(Seen.hash(b"\x00\xff")).after(Seen.at(6))) == 1


def test_with_expired_shows_what_has_expired_through_an_index_of_keys(store: EmbeddedStore) -> None:
    store.write(Put(book(expires=5)))
    listed = Book.query(KEYS_ONLY, Book.kind("book"))
    assert (len(store.page(listed)), store.count(listed)) == (0, 0)
    assert (len(store.page(listed.with_expired())), store.count(listed.with_expired())) == (1, 1)


def test_a_batch_refuses_equal_keys_however_far_apart(store: EmbeddedStore) -> None:
    writes = [Put(book(str(number))) for number in range(40)]
    with pytest.raises(ModelError, match="Two writes of"):
        store.batch_write([*writes, Put(book("0", title="Later"))])


def test_a_filter_that_an_index_cannot_see_is_refused(store: EmbeddedStore) -> None:
    store.write(Put(book()))
    with pytest.raises(SchemaError, match=r"tab\.keysOnly does not hold title"):
        store.page(Book.query(KEYS_ONLY, Book.kind("book")).where(Book.title.equals("Emma")))
