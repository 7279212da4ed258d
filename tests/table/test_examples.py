"""Example items fit their types, their requests and each other."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from itertools import islice
from typing import Annotated, Any, Literal

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
    collection,
    key_part,
    number,
)
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
        Animal.query(zoo="artis"),
        Animal.query(BY_DAY, day="2026-02-03"),
        Animal.query(BY_DAY, day="2026-02-03").after(seen_at="2026-01-26T10:30:00.000000Z"),
        Animal.query(BY_DAY, day="2026-02-03").before(seen_at="2010-01-01"),
        Animal.query(BY_DAY, day="2026-02-03").at_least(seen_at="2050-01-01").newest_first(),
        Animal.query(BY_WEIGHT, kind="fish"),
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
    (animal,) = _animals(Animal.query(BY_NICKNAME, nickname="bo"), 9)
    assert animal.nickname == "bo"


def test_examples_end_when_no_other_key_can_be_made() -> None:
    profile = Query((Member,), Member.__table__, None, Member.query(member_id="ada").partition)
    assert len(list(Examples().of(profile))) == 1


def test_a_collection_has_examples_of_each_type() -> None:
    types = (Member, Post, Reply)
    query = collection(*(kind.query(member_id="ada") for kind in types))
    found = list(islice(Examples().of(query), 9))
    assert {type(item) for item in found} == set(types)
    assert {item.to_row()["PK"]["S"] for item in found} == {"MEMBER#ada"}


def test_keys_of_several_attributes_and_sharded_keys_have_examples_too() -> None:
    members = list(islice(Examples().of(Member.query(BY_PLACE, country="NL", city="Delft", street="Markt")), 3))
    assert {(item.country, item.street) for item in members if isinstance(item, Member)} == {("NL", "Markt")}
    posts = list(islice(Examples().of(Post.query(FEED, feed="all")), 50))
    assert all(isinstance(post, Post) and post.feed == "all" for post in posts)


def test_a_documented_example_is_what_others_are_like() -> None:
    known = Post(member_id="ada", post_id="p1", text="As the document prints it", stars=3, lines=("one",))
    posts = list(islice(Examples([known]).of(posts_of("bob")), 2))
    assert [(post.member_id, post.text, post.stars) for post in posts if isinstance(post, Post)] == [
        ("bob", "As the document prints it", 3)
    ] * 2


def test_single_requests_and_writes_have_the_item_they_name() -> None:
    examples, key = Examples(), Post.key(member_id="ada", post_id="7")
    update = Update(key, Post.stars.set(5))
    for request in (Get(key), BatchGet((key,)), update, Delete(key), Check(key, key.present())):
        (post,) = examples.of(request)
        assert isinstance(post, Post)
        assert (post.member_id, post.post_id) == ("ada", "7")
    put = Put(examples.item(Post))
    assert list(examples.of(put)) == [put.item]
    assert len(list(examples.of(Transaction(update, put)))) == 2


def test_a_write_finds_what_it_expects() -> None:
    examples, key = Examples(), Post.key(member_id="ada", post_id="7")
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
        return Odd.get(code=code)

    with pytest.raises(SchemaError, match=r"No example value fits Odd.code: give its type one"):
        Examples().item(Odd)
    with pytest.raises(SchemaError, match=r"odd has no example of code: give access_pattern\(…, code=…\)"):
        table.patterns[0].request()
    with pytest.raises(SchemaError, match="is no request: return a Get"):
        next(Examples().of("nonsense"))
