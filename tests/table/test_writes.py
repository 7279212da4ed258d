"""Writes: keys follow their inputs, conditions hold, transactions are bounded."""

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import ConditionalCheckFailedError, TransactionCanceledError
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import (
    Attribute,
    Delete,
    Item,
    Put,
    StaleKeyError,
    Table,
    Transaction,
    TransactionTooLargeError,
    Update,
    attribute,
)
from tests.table.club import CLUB, Plan
from tests.table.forum import FORUM, Member, Post

KEY = Post.key(Post.member_id("ada"), Post.post_id("1"))


def test_an_update_makes_every_key_anew_that_depends_on_it(store: EmbeddedStore) -> None:
    store.write(Put(Post(member_id="ada", post_id="1")))
    after = store.update(Update(KEY, Post.state.set("public"), Post.posted_at.set("2026-02-02")))
    assert after.to_row()["stateSort"] == {"S": "public#2026-02-02#1"}
    stored = store.engine.call("GetItem", {"TableName": "forum", "Key": KEY.wire})["Item"]
    assert stored == after.to_row()


def test_an_update_that_does_not_know_an_input_is_refused() -> None:
    with pytest.raises(StaleKeyError, match=r"does not know posted_at.*knowing"):
        Update(KEY, Post.state.set("public")).request()


def test_an_input_that_does_not_change_can_be_told() -> None:
    request = Update(KEY, Post.state.set("public")).knowing(Post.posted_at("2026-01-01")).request()
    assert "stateSort" in str(request)


def test_removing_an_input_removes_the_key(store: EmbeddedStore) -> None:
    store.write(Put(Post(member_id="ada", post_id="1")))
    after = store.update(Update(KEY, Post.state.remove()))
    assert after.state is None
    stored = store.engine.call("GetItem", {"TableName": "forum", "Key": KEY.wire})["Item"]
    assert "stateKey" not in stored
    assert "stateSort" not in stored


states = st.sampled_from(["draft", "public", None])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(states, st.sampled_from(["2026-01-01", "2026-02-02"]), st.none() | st.integers(1, 5))))
def test_no_row_of_updates_leaves_a_stale_key(changes: list[tuple[str | None, str, int | None]]) -> None:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(FORUM)
        store.write(Put(Post(member_id="ada", post_id="1")))
        for state, posted_at, stars in changes:
            actions = Post.state.set(state), Post.posted_at.set(posted_at), Post.stars.set(stars)  # type: ignore[arg-type]
            after = store.update(Update(KEY, *actions))
            stored = engine.call("GetItem", {"TableName": "forum", "Key": KEY.wire})["Item"]
            assert stored == after.to_row()


def test_nothing_is_stored_by_an_update_as_by_a_put(store: EmbeddedStore) -> None:
    store.create(CLUB)
    plan = Plan(plan_id="p", stage="first")
    store.write(Put(plan))
    store.write(Update(plan.own_key, Plan.stage.set(None)))
    stored = store.engine.call("GetItem", {"TableName": "club", "Key": plan.own_key.wire})["Item"]
    assert stored == plan.model_copy(update={"stage": None}).to_row()
    assert stored["stage"] == {"NULL": True}


def test_a_removed_field_reads_as_its_default_and_its_keys_say_the_same() -> None:
    removed = Update(KEY, Post.text.remove(), Post.state.set("public")).knowing(Post.posted_at("2026-03-03"))
    assert "public#2026-03-03" in str(removed.request())
    said = r"Without postedAt a Post reads as '2026-01-01', and forum\.feed would not hold it: set posted_at to"
    with pytest.raises(StaleKeyError, match=said):
        Update(KEY, Post.posted_at.remove()).knowing(Post.state("draft")).request()


def test_a_key_is_made_of_the_default_of_a_removed_field(store: EmbeddedStore) -> None:
    table = Table("tickets", pk="id")
    by_level = table.index("byLevel", pk="levelKey")

    class Ticket(Item, table=table, keys={"levelKey": "LEVEL#{level}"}):
        id: Attribute[str]
        level: Attribute[str] = attribute(default="low")

    store.create(table)
    store.write(Put(Ticket(id="1", level="high")))
    store.write(Update(Ticket.key(Ticket.id("1")), Ticket.level.remove()))
    assert [ticket.level for ticket in store.stream(Ticket.query(by_level, Ticket.level("low")))] == ["low"]


def test_a_part_of_the_key_cannot_be_changed() -> None:
    with pytest.raises(Exception, match="part of the key"):
        Post.post_id.set("2")


def test_conditions_hold_or_nothing_is_written(store: EmbeddedStore) -> None:
    store.write(Put(Post(member_id="ada", post_id="1", stars=3)).if_new())
    with pytest.raises(ConditionalCheckFailedError):
        store.write(Put(Post(member_id="ada", post_id="1")).if_new())
    with pytest.raises(ConditionalCheckFailedError):
        store.write(Update(KEY, Post.text.set("x")).when(Post.stars > 3))
    with pytest.raises(ConditionalCheckFailedError):
        store.write(Delete(Post.key(Post.member_id("ada"), Post.post_id("2"))).if_there())
    store.write(Update(KEY, Post.text.set("x"), Post.tags.join("a", "b")).when(Post.stars.between(3, 4)))
    found = store.get(Post.get(Post.member_id("ada"), Post.post_id("1")))
    assert found is not None
    assert (found.text, found.tags) == ("x", frozenset({"a", "b"}))


def test_a_counter_changes_with_what_it_counts_or_not_at_all(store: EmbeddedStore) -> None:
    member = Member.key(Member.member_id("ada"))
    store.write(Put(Member(member_id="ada", name="Ada")))
    added = Transaction(Put(Post(member_id="ada", post_id="1")).if_new(), Update(member, Member.post_count.add(1)))
    store.transact(added)
    with pytest.raises(TransactionCanceledError):
        store.transact(added)
    found = store.get(Member.get(Member.member_id("ada")))
    assert found is not None
    assert found.post_count == 1


def test_two_writes_on_one_item_and_too_many_writes_are_refused_before_they_are_sent() -> None:
    one = Put(Post(member_id="ada", post_id="1"))
    with pytest.raises(TransactionTooLargeError, match="Two writes on one item"):
        Transaction(one, Delete(KEY)).request()
    many = [Put(Post(member_id="ada", post_id=str(number))) for number in range(101)]
    with pytest.raises(TransactionTooLargeError, match="101 writes"):
        Transaction(*many).request()


@pytest.mark.parametrize("shards", [1, 4])
def test_an_update_that_may_make_an_item_makes_one_that_is_found_by_its_keys(shards: int) -> None:
    counts = Table("counts", pk="PK", sk="SK")
    by_kind = counts.index("byKind", pk="kind", sk="kindKey", shards=shards)

    class Count(Item, table=counts, pk="COUNT#{word}", sk="TOTAL", keys={"kindKey": "COUNT#{word}"}):
        word: Attribute[str]
        amount: Attribute[int] = attribute(default=0)
        kind: Attribute[Literal["COUNT"]] = attribute(default="COUNT")

    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(counts)
        for _ in range(3):
            store.write(Update(Count.key(Count.word("b")), Count.amount.add(1)).or_new())
        store.write(Update(Count.key(Count.word("a")), Count.amount.add(5)).or_new())
        assert list(store.stream(Count.query(by_kind, Count.kind("COUNT")))) == [
            Count(word="a", amount=5),
            Count(word="b", amount=3),
        ]
