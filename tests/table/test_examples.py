"""Example items fit their types, their requests and each other."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from itertools import islice
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, StringConstraints

from partita.dynamo.expressions.evaluate import holds
from partita.table import (
    Attribute,
    BatchGet,
    Check,
    Delete,
    Get,
    Item,
    Put,
    Query,
    SchemaError,
    Table,
    Transaction,
    Update,
    access_pattern,
    attribute,
    binary,
    collection,
    derived,
    key_part,
    number,
)
from partita.table.cost import cost
from partita.table.examples import Examples
from partita.table.types import Day, Timestamp
from tests.table.forum import BY_PLACE, FEED, Member, Post, Reply, posts_of


class Colour(Enum):
    RED = "red"


class Size(BaseModel):
    width: int = Field(ge=3)
    unit: Literal["cm", "in"]


ZOO = Table("zoo", pk="PK", sk="SK")
BY_DAY = ZOO.index("byDay", pk="day", sk="seenAt")
BY_WEIGHT = ZOO.index("byWeight", pk="kind", sk=number("weight"))
BY_NICKNAME = ZOO.index("byNickname", pk="nickname")
Code = Annotated[str, StringConstraints(pattern=r"^Z-[A-Z0-9]{4}$"), Field(examples=["Z-0000"])]


class Animal(Item, table=ZOO, pk="ZOO#{zoo}", sk="ANIMAL#{code}", keys={"seenAt": "{seen_at}"}):
    """Every kind of field."""

    zoo: Attribute[str] = key_part()
    code: Attribute[Code]
    kind: Attribute[Literal["bird", "fish"]]
    colour: Attribute[Colour]
    weight: Attribute[int] = attribute(gt=0, le=9_000)
    price: Attribute[Decimal] = attribute(ge=Decimal("1.5"))
    day: Attribute[Day]
    seen_at: Attribute[Timestamp]
    site: Attribute[Annotated[str, StringConstraints(pattern=r"^https?://")]]
    story: Attribute[str] = attribute(min_length=40, max_length=3000)
    tags: Attribute[tuple[Annotated[str, StringConstraints(max_length=8)], ...]] = attribute(default=(), max_length=2)
    size: Attribute[Size]
    notes: Attribute[dict[str, Any]] = attribute(default_factory=dict)
    nickname: Attribute[str | None] = attribute(default=None)


def _animals(query: Query[Any], count: int) -> list[Animal]:
    return [item for item in islice(Examples().of(query), count) if isinstance(item, Animal)]


def test_a_value_is_made_for_every_kind_of_field() -> None:
    animal = Examples().item(Animal)
    assert Animal.from_row(animal.to_row()) == animal
    assert animal.code == "Z-0000"
    assert len(animal.story) == 300, "a text is a tenth of the longest it may be"
    assert animal.nickname is None, "the key of a sparse index is there only for those who ask for it"


@pytest.mark.parametrize(
    "query",
    [
        Animal.query(Animal.zoo("artis")),
        Animal.query(BY_DAY, Animal.day("2026-02-03")),
        Animal.query(BY_DAY, Animal.day("2026-02-03")).after(Animal.seen_at("2026-01-26T10:30:00.000000Z")),
        Animal.query(BY_DAY, Animal.day("2026-02-03")).before(Animal.seen_at("2010-01-01")),
        Animal.query(BY_DAY, Animal.day("2026-02-03")).at_least(Animal.seen_at("2050-01-01")).newest_first(),
        Animal.query(BY_WEIGHT, Animal.kind("fish")),
    ],
    ids=str,
)
def test_a_list_finds_all_its_examples_each_with_a_key_of_its_own(query: Query[Animal]) -> None:
    found = _animals(query, 200)
    rows = [animal.to_row() for animal in found]
    assert len({str((row["PK"], row["SK"])) for row in rows}) == 200
    assert all(holds(query.request().condition, row) for row in rows)
    assert len({len(str(row)) for row in rows}) < 4, "they are equally long, so that a page costs the same anywhere"


def test_an_index_without_a_sort_key_looks_one_item_up() -> None:
    (animal,) = _animals(Animal.query(BY_NICKNAME, Animal.nickname("bo")), 9)
    assert animal.nickname == "bo"


def test_examples_end_when_no_other_key_can_be_made() -> None:
    profile = Query((Member,), Member.__table__, None, Member.query(Member.member_id("ada")).partition)
    assert len(list(Examples().of(profile))) == 1


def test_a_collection_has_examples_of_each_type() -> None:
    types = (Member, Post, Reply)
    query = collection(
        Member.query(Member.member_id("ada")), Post.query(Post.member_id("ada")), Reply.query(Reply.member_id("ada"))
    )
    found = list(islice(Examples().of(query), 9))
    assert {type(item) for item in found} == set(types)
    assert {item.to_row()["PK"]["S"] for item in found} == {"MEMBER#ada"}


def test_keys_of_several_attributes_and_sharded_keys_have_examples_too() -> None:
    members = list(
        islice(
            Examples().of(Member.query(BY_PLACE, Member.country("NL"), Member.city("Delft"), Member.street("Markt"))), 3
        )
    )
    assert {(item.country, item.street) for item in members if isinstance(item, Member)} == {("NL", "Markt")}
    posts = list(islice(Examples().of(Post.query(FEED, Post.feed("all"))), 50))
    assert all(isinstance(post, Post) and post.feed == "all" for post in posts)


def test_a_documented_example_is_what_others_are_like() -> None:
    known = Post(member_id="ada", post_id="p1", text="As the document prints it", stars=3, lines=("one",))
    posts = list(islice(Examples([known]).of(posts_of("bob")), 2))
    assert [(post.member_id, post.text, post.stars) for post in posts if isinstance(post, Post)] == [
        ("bob", "As the document prints it", 3)
    ] * 2


def test_single_requests_and_writes_have_the_item_they_name() -> None:
    examples, key = Examples(), Post.key(Post.member_id("ada"), Post.post_id("7"))
    update = Update(key, Post.stars.set(5))
    for request in (Get(key), BatchGet((key,)), update, Delete(key), Check(key, key.present())):
        (post,) = examples.of(request)
        assert isinstance(post, Post)
        assert (post.member_id, post.post_id) == ("ada", "7")
    put = Put(examples.item(Post))
    assert list(examples.of(put)) == [put.item]
    assert len(list(examples.of(Transaction(update, put)))) == 2


def test_a_write_finds_what_it_expects() -> None:
    examples, key = Examples(), Post.key(Post.member_id("ada"), Post.post_id("7"))
    post = examples.item(Post)
    assert examples.before(Put(post).if_new()) is None
    changed = examples.before(Put(post).when(Post.state.equals("draft")))
    assert isinstance(changed, Post)
    rated = examples.before(Update(key, Post.stars.remove()))
    assert isinstance(rated, Post)
    assert rated.stars is not None, "what an update takes away is there before"


def test_what_cannot_be_made_up_is_said_with_the_next_step() -> None:
    table = Table("odd", pk="PK")

    class Odd(Item, table=table, pk="{code}"):
        code: Attribute[Annotated[str, StringConstraints(pattern=r"^%%%\d$")]]

    @access_pattern("Odd", table)
    def odd(code: str) -> Get[Odd]:
        return Odd.get(Odd.code(code))

    with pytest.raises(SchemaError, match=r"No example value fits Odd.code: give its type one"):
        Examples().item(Odd)
    with pytest.raises(SchemaError, match=r"odd has no example of code: give access_pattern\(…, code=…\)"):
        table.patterns[0].request()
    with pytest.raises(SchemaError, match="is no request: return a Get"):
        next(Examples().of("nonsense"))


# -- derived keys


class Rank(StrEnum):
    LOW = "low"
    HIGH = "high"


HARBOUR = Table("harbour", pk="PK", sk="SK")
BY_FLEET = HARBOUR.index("byFleet", pk="fleet", sk=number("size"))
BY_LETTER = HARBOUR.index("byLetter", pk="letter", sk="PK")
AFLOAT = HARBOUR.index("afloat", pk="afloatIn", sk="builtOn")
BY_SEAL = HARBOUR.index("bySeal", pk=binary("sealCopy"), sk=number("crewCopy"))
BY_RANK = HARBOUR.index("byRank", pk="rankKey")


class Ship(Item, table=HARBOUR, pk="SHIP#{name}", sk="SHIP", keys={"sealCopy": "{seal}", "crewCopy": "{crew}"}):
    """Whatever is derived, and every type that a key may have."""

    name: Attribute[str] = key_part()
    registration: Attribute[UUID]
    built_on: Attribute[date] = attribute("builtOn")
    length: Attribute[int] = attribute(ge=0)
    width: Attribute[int] = attribute(ge=0)
    seal: Attribute[bytes]
    crew: Attribute[Decimal]
    rank: Attribute[Rank]
    armed: Attribute[bool] = attribute(default=False)
    sunk_at: Attribute[datetime | None] = attribute(default=None)
    owner: Attribute[str]
    fleet: Attribute[str] = derived(lambda owner: f"FLEET#{owner.upper()}")
    size: Attribute[int] = derived(lambda length, width: length * width)
    letter: Attribute[str] = derived(lambda name: name[0])
    afloat_in: Attribute[str | None] = derived(lambda sunk_at: "sea" if sunk_at is None else None, name="afloatIn")
    rank_key: Attribute[str] = derived(lambda rank, armed: f"{rank}-{armed}", name="rankKey")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        (Ship.query(BY_FLEET, Ship.fleet("FLEET#EAST")), 60),
        (Ship.query(BY_FLEET, Ship.fleet("FLEET#EAST")).at_least(Ship.size(500)), 60),
        (Ship.query(BY_FLEET, Ship.fleet("FLEET#EAST")).between(Ship.size(7), Ship.size(9)), 60),
        (Ship.query(BY_LETTER, Ship.letter("z")), 60),
        (Ship.query(AFLOAT, Ship.afloat_in("sea")).before(Ship.built_on(date(1888, 1, 1))), 60),
        (
            Ship.query(AFLOAT, Ship.afloat_in("sea")).between(
                Ship.built_on(date(1888, 1, 1)), Ship.built_on(date(1888, 1, 9))
            ),
            60,
        ),
        (Ship.query(BY_SEAL, Ship.seal(b"wax")).at_most(Ship.crew(Decimal(12))), 60),
        (Ship.query(BY_RANK, Ship.rank_key("high-True")), 1),
    ],
    ids=str,
)
def test_items_are_found_for_what_a_function_makes_or_a_copy_holds(query: Query[Ship], count: int) -> None:
    found = list(islice(Examples().of(query), 60))
    assert len(found) == count
    assert all(holds(query.request().condition, item.to_row()) for item in found)


def test_a_derived_key_that_nothing_leads_to_is_said_with_the_next_step() -> None:
    with pytest.raises(
        SchemaError, match="No example of Ship has the rank_key that the request asks for: give rank, armed"
    ):
        next(Examples().of(Ship.query(BY_RANK, Ship.rank_key("medium"))))


def test_an_update_finds_what_it_says_it_knows() -> None:
    update = Update(Ship.key(Ship.name("Ark")), Ship.length.set(5)).knowing(Ship.width(3))
    before = Examples().before(update)
    assert isinstance(before, Ship)
    assert before.width == 3
    assert cost(update, Examples()).parts.keys() == {
        "harbour",
        "harbour.byFleet",
        "harbour.byLetter",
        "harbour.afloat",
        "harbour.bySeal",
        "harbour.byRank",
    }


def test_a_month_that_a_function_makes_of_a_moment_is_found() -> None:
    table = Table("diary", pk="id")
    by_month = table.index("byMonth", pk="month", sk="price")

    class Entry(Item, table=table, keys={"price": "{cents:08}"}):
        id: Attribute[str]
        cents: Attribute[int] = attribute(ge=0)
        written: Attribute[datetime]
        month: Attribute[str] = derived(lambda written: f"{written:%Y-%m}")

    query = Entry.query(by_month, Entry.month("2019-02")).before(Entry.cents(50))
    found = list(islice(Examples().of(query), 60))
    assert len(found) == 60
    assert {item.to_row()["month"]["S"] for item in found} == {"2019-02"}


def test_a_list_ends_where_a_number_no_longer_fits_its_key() -> None:
    table = Table("book", pk="PK", sk="SK")

    class Page(Item, table=table, pk="BOOK#{book}", sk="{number:02}"):
        book: Attribute[str] = key_part()
        number: Attribute[int] = key_part(ge=0)

    assert len(list(Examples().of(Page.query(Page.book("emma"))))) == 100
    assert len(list(Examples().of(Page.query(Page.book("emma")).after(Page.number(89))))) == 10
    assert len(list(Examples().of(Page.query(Page.book("emma")).at_least(Page.number(99))))) == 1


def test_bytes_and_the_last_days_there_are_have_examples() -> None:
    table = Table("ends", pk="PK", sk=binary("mark"))
    by_day = table.index("byDay", pk="PK", sk="day")

    class End(Item, table=table, pk="{name}"):
        name: Attribute[str] = key_part()
        mark: Attribute[bytes]
        day: Attribute[date]

    for query in (
        End.query(End.name("x")).between(End.mark(b"\x10"), End.mark(b"\x20")),
        End.query(End.name("x")).before(End.mark(b"\x10")),
        End.query(by_day, End.name("x")).at_least(End.day(date(9999, 12, 30))),
    ):
        found = list(islice(Examples().of(query), 60))
        assert len(found) == 60
        assert all(holds(query.request().condition, item.to_row()) for item in found)
