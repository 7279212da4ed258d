"""Smaller models of what an index holds: what the key of a row says is not stored there a second time."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from partita.engine import Engine
from partita.store import EmbeddedStore, Observation
from partita.table import Attribute, Item, Put, Query, Table, attribute, key_part, number

TABLE = Table("by-key", pk="PK", sk="SK")
THIN = TABLE.index("thin", pk="PK", sk=number("weight"), projection="KEYS_ONLY")
MIXED = Table("by-key-mixed", pk="PK", sk="SK")
THIN_MIXED = MIXED.index("thin", pk="PK", sk=number("weight"), projection="KEYS_ONLY")


class Vote(Item, table=TABLE, pk="P#{person}", sk="VOTE#{kind}#{place}#{of}"):
    person: Attribute[str] = key_part()
    entity: Attribute[Literal["vote"]] = attribute(default="vote")
    kind: Attribute[Literal["film", "book"]]
    place: Attribute[int]
    of: Attribute[str]
    weight: Attribute[int]
    words: Attribute[str] = attribute(default="")


class Profile(Item, table=TABLE, pk="P#{person}", sk="PROFILE"):
    person: Attribute[str] = key_part()
    entity: Attribute[Literal["profile"]] = attribute(default="profile")
    weight: Attribute[int] = attribute(default=0)


class Ballot(BaseModel):
    kind: Literal["film", "book"]
    place: int
    of: str
    weight: int


class Left(Item, table=MIXED, pk="P#{person}", sk="X#{of}"):
    person: Attribute[str] = key_part()
    entity: Attribute[Literal["left"]] = attribute(default="left")
    of: Attribute[str]
    weight: Attribute[int]


class Right(Item, table=MIXED, pk="P#{person}", sk="X#{of}"):
    person: Attribute[str] = key_part()
    entity: Attribute[Literal["right"]] = attribute(default="right")
    of: Attribute[str]
    weight: Attribute[int]


class Side(BaseModel):
    of: str
    weight: int


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedStore:
    folder: Path = tmp_path_factory.mktemp("engine")
    store = EmbeddedStore(Engine(folder))
    store.create(TABLE)
    store.create(MIXED)
    return store


@given(
    st.lists(
        st.builds(
            Vote,
            person=st.just("ada"),
            kind=st.sampled_from(["film", "book"]),
            place=st.integers(0, 30),
            of=st.text(min_size=1, max_size=5),
            weight=st.integers(-5, 5),
        ),
        max_size=6,
    ),
    st.uuids(),
)
def test_a_model_of_what_the_keys_say_is_that_of_the_items(store: EmbeddedStore, votes: list[Vote], who: UUID) -> None:
    person = str(who)
    for vote in votes:
        store.write(Put(vote.model_copy(update={"person": person})))
    store.write(Put(Profile(person=person)))
    query = Vote.query(THIN, Vote.person(person))
    whole = [Ballot(kind=each.kind, place=each.place, of=each.of, weight=each.weight) for each in store.stream(query)]
    assert list(store.stream(query.shown_as(Ballot))) == whole
    assert list(store.page(query.shown_as(Ballot), limit=50)) == whole
    assert store.count(query.shown_as(Ballot)) == len(whole)


def test_it_reads_the_index_alone(store: EmbeddedStore) -> None:
    store.write(Put(Vote(person="cy", kind="film", place=1, of="x", weight=3, words="w" * 5000)))
    seen: list[Observation] = []
    store.observe(seen.append)
    assert list(store.page(Vote.query(THIN, Vote.person("cy")).shown_as(Ballot))) == [
        Ballot(kind="film", place=1, of="x", weight=3)
    ]
    assert [(call.operation, call.units) for call in seen] == [("Query", 0.5)]


@pytest.mark.parametrize("kind", [Left, Right])
def test_where_only_a_discriminator_tells_two_types_apart_the_items_are_read(
    store: EmbeddedStore, kind: type[Left] | type[Right]
) -> None:
    store.write(Put(Left(person="bob", of="a", weight=1)))
    store.write(Put(Right(person="bob", of="b", weight=2)))
    queries: dict[type[Item], Query[Any]] = {
        Left: Left.query(THIN_MIXED, Left.person("bob")),
        Right: Right.query(THIN_MIXED, Right.person("bob")),
    }
    query = queries[kind]
    expected = {Left: [Side(of="a", weight=1)], Right: [Side(of="b", weight=2)]}
    assert list(store.page(query.shown_as(Side))) == expected[kind]
