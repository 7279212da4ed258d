"""Whoever writes late is told; whoever wants to can read, decide and write again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import ChangedMeanwhileError, Delete, ModelError, Put, Update
from tests.table.club import CLUB, Plan, Player

ADA = Player(player_id="ada", name="Ada", updated_at="1")
KEY = ADA.own_key
PLAN = Plan(plan_id="p", text="one")


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(CLUB)
        store.write(Put(ADA))
        store.write(Put(PLAN).if_new())
        yield store


LATE: list[Put | Update | Delete] = [
    Put(ADA.model_copy(update={"name": "late"})).unless_changed(ADA, Player.updated_at),
    Update(KEY, Player.name.set("late")).unless_changed(ADA, Player.updated_at),
    Delete(KEY).unless_changed(ADA, Player.updated_at),
]


@pytest.mark.parametrize("late", LATE, ids=lambda write: type(write).__name__)
def test_a_write_on_what_was_changed_is_refused_and_shows_what_is_there(
    store: EmbeddedStore, late: Put | Update | Delete
) -> None:
    there = ADA.model_copy(update={"name": "early", "updated_at": "2"})
    store.write(Put(there))
    with pytest.raises(ChangedMeanwhileError, match=r"Player PLAYER#ada, PROFILE was changed meanwhile") as told:
        store.write(late)
    assert told.value.there == there
    assert store.get(Player.get(Player.player_id("ada"))) == there


@pytest.mark.parametrize("late", LATE, ids=lambda write: type(write).__name__)
def test_a_write_on_what_was_not_changed_goes_through(store: EmbeddedStore, late: Put | Update | Delete) -> None:
    store.write(late)
    found = store.get(Player.get(Player.player_id("ada")))
    assert found is None if isinstance(late, Delete) else found is not None and found.name == "late"


def test_only_the_named_attributes_matter(store: EmbeddedStore) -> None:
    store.write(Update(KEY, Player.team.set("red")))
    store.write(Update(KEY, Player.name.set("x")).unless_changed(ADA, Player.updated_at, Player.name))
    with pytest.raises(ChangedMeanwhileError):
        store.write(Update(KEY, Player.name.set("y")).unless_changed(ADA, Player.updated_at, Player.team))


def test_an_item_that_is_gone_is_not_made_anew(store: EmbeddedStore) -> None:
    store.write(Delete(KEY))
    with pytest.raises(ChangedMeanwhileError, match="is gone") as told:
        store.write(Update(KEY, Player.name.set("x")).unless_changed(ADA, Player.email))
    assert told.value.there is None


def test_nothing_null_and_sets_are_compared_as_they_are_stored(store: EmbeddedStore) -> None:
    plan = PLAN.model_copy(update={"done": frozenset({"b", "a", "c"})})
    store.write(Put(plan))
    store.write(Update(plan.own_key, Plan.text.set("two")).unless_changed(plan, Plan.stage, Plan.done))
    store.write(Update(plan.own_key, Plan.stage.remove()))
    store.write(Update(plan.own_key, Plan.text.set("three")).unless_changed(plan, Plan.stage))
    store.write(Update(plan.own_key, Plan.stage.set("late")))
    with pytest.raises(ChangedMeanwhileError):
        store.write(Update(plan.own_key, Plan.text.set("three")).unless_changed(plan, Plan.stage))


def test_another_meaning_can_be_given_before_or_after(store: EmbeddedStore) -> None:
    store.write(Update(KEY, Player.updated_at.set("2")))
    late = Put(ADA)
    for write in (
        late.unless_changed(ADA, Player.updated_at).otherwise(KeyError("late")),
        late.otherwise(KeyError("late")).unless_changed(ADA, Player.updated_at),
    ):
        with pytest.raises(KeyError, match="late"):
            store.write(write)


def test_a_write_depends_on_its_own_item_and_its_own_attributes() -> None:
    bob = Player(player_id="bob", name="Bob")
    with pytest.raises(ModelError, match="cannot depend on another item"):
        Put(bob).unless_changed(ADA, Player.updated_at)
    with pytest.raises(ModelError, match=r"Plan\.text is not an attribute of Player"):
        Put(ADA).unless_changed(ADA, Plan.text)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="part of the key"):
        Put(ADA).unless_changed(ADA, Player.player_id)


def test_versions_count_from_one_and_the_late_one_is_told(store: EmbeddedStore) -> None:
    assert PLAN.revision == 1
    mine = Put(PLAN.model_copy(update={"text": "mine"})).next_version()
    theirs = Put(PLAN.model_copy(update={"text": "theirs"})).next_version()
    store.write(mine)
    assert mine.item.revision == 2
    with pytest.raises(ChangedMeanwhileError) as told:
        store.write(theirs)
    assert told.value.there == mine.item
    store.write(Update(PLAN.own_key, Plan.text.set("again")).next_version(mine.item))
    with pytest.raises(ChangedMeanwhileError):
        store.write(Update(PLAN.own_key, Plan.text.set("late")).next_version(mine.item))
    found = store.get(Plan.get(Plan.plan_id("p")))
    assert found is not None
    assert (found.text, found.revision) == ("again", 3)


def test_an_item_that_is_gone_has_no_next_version(store: EmbeddedStore) -> None:
    store.write(Delete(PLAN.own_key))
    with pytest.raises(ChangedMeanwhileError, match="is gone"):
        store.write(Put(PLAN).next_version())


def test_what_was_written_before_versions_were_counted_is_the_first_version(store: EmbeddedStore) -> None:
    row = {name: value for name, value in PLAN.to_row().items() if name != "revision"}
    store.engine.call("PutItem", {"TableName": "club", "Item": row})
    found = store.get(Plan.get(Plan.plan_id("p")))
    assert found is not None
    store.write(Put(found).next_version())
    with pytest.raises(ChangedMeanwhileError):
        store.write(Put(found).next_version())


def test_a_type_without_a_version_has_no_next_one() -> None:
    with pytest.raises(ModelError, match="Player has 0 version"):
        Put(ADA).next_version()


def test_an_attempt_is_made_again_until_nothing_was_changed_meanwhile(store: EmbeddedStore) -> None:
    begun: list[int] = []

    def add_line() -> Plan:
        plan = store.get(Plan.get(Plan.plan_id("p")).consistently())
        assert plan is not None
        begun.append(plan.revision)
        if len(begun) < 3:  # somebody is faster
            store.write(Put(plan.model_copy(update={"text": plan.text + "+theirs"})).next_version())
        saved = Put(plan.model_copy(update={"text": plan.text + "+mine"})).next_version()
        store.write(saved)
        return saved.item

    assert store.attempt(add_line).text == "one+theirs+theirs+mine"
    assert begun == [1, 2, 3]

    async def add_another() -> Plan:
        plan = await store.asynchronous.get(Plan.get(Plan.plan_id("p")).consistently())
        assert plan is not None
        begun.append(plan.revision)
        if len(begun) < 6:
            await store.asynchronous.write(Put(plan).next_version())
        saved = Put(plan.model_copy(update={"text": "async"})).next_version()
        await store.asynchronous.write(saved)
        return saved.item

    assert asyncio.run(store.asynchronous.attempt(add_another)).text == "async"
    assert begun == [1, 2, 3, 4, 5, 6]


def test_attempts_are_bounded_and_other_errors_end_them_at_once(store: EmbeddedStore) -> None:
    begun: list[int] = []

    def never() -> None:
        begun.append(1)
        raise ChangedMeanwhileError("Plan p")

    def wrong() -> None:
        begun.append(1)
        raise KeyError("p")

    with pytest.raises(ChangedMeanwhileError):
        store.attempt(never, tries=4)
    assert len(begun) == 4
    with pytest.raises(KeyError):
        store.attempt(wrong)
    assert len(begun) == 5
    with pytest.raises(ChangedMeanwhileError):
        asyncio.run(store.asynchronous.attempt(_never_async, tries=2))


async def _never_async() -> None:
    raise ChangedMeanwhileError("Plan p")


def test_what_is_not_stored_and_read_as_its_default_is_unchanged(store: EmbeddedStore) -> None:
    row = {name: value for name, value in ADA.to_row().items() if name != "updatedAt"}
    store.engine.call("PutItem", {"TableName": CLUB.name, "Item": row})
    read = store.get(Player.get(Player.player_id("ada")))
    assert read is not None
    change = Update(KEY, Player.name.set("first")).unless_changed(read, Player.updated_at)
    store.write(change)
    store.write(Update(KEY, Player.updated_at.set("2026-02-02")))
    with pytest.raises(ChangedMeanwhileError):
        store.write(change)
