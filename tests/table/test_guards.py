"""A guarded value belongs to one item: claimed, moved and let go of in the transaction of that item."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from partita.dynamo.errors import TransactionCanceledError
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import ChangedMeanwhileError, Delete, Put, Transaction, Write
from tests.table.club import CLUB, EMAIL, Player, PlayerEmail

ADA = Player(player_id="ada", name="Ada", email="Ada@Example.org")
BOB = Player(player_id="bob", name="Bob", email="bob@example.org")


class EmailTaken(Exception):
    """Somebody has this address."""


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(CLUB)
        for player in (ADA, BOB):
            store.transact(Transaction(Put(player).if_new(), *EMAIL.claim(player)))
        yield store


def _owner(store: EmbeddedStore, address: str) -> str | None:
    found = store.get(PlayerEmail.get(PlayerEmail.address(address)).consistently())
    return None if found is None else found.of_player


def _move(store: EmbeddedStore, before: Player, **changes: str | None) -> Player:
    after = before.model_copy(update=changes)
    store.transact(Transaction(Put(after), *EMAIL.move(before, after)))
    return after


def test_a_claimed_value_cannot_be_claimed_again(store: EmbeddedStore) -> None:
    eve = Player(player_id="eve", name="Eve", email="ada@example.ORG")
    with pytest.raises(TransactionCanceledError):
        store.transact(Transaction(Put(eve).if_new(), *EMAIL.claim(eve)))
    assert store.get(Player.get(Player.player_id("eve"))) is None


def test_the_error_for_a_taken_value_can_name_who_has_it(store: EmbeddedStore) -> None:
    eve = Player(player_id="eve", name="Eve", email="ada@example.org")
    guard = EMAIL.otherwise(lambda there: EmailTaken(f"{there.address} belongs to {there.of_player}"))
    with pytest.raises(EmailTaken, match=r"ada@example.org belongs to ada"):
        store.transact(Transaction(Put(eve).if_new(), *guard.claim(eve)))
    with pytest.raises(EmailTaken, match="sorry"):
        store.transact(Transaction(*EMAIL.otherwise(EmailTaken("sorry")).move(BOB, eve)))


def test_a_moved_value_is_free_and_the_new_one_is_taken(store: EmbeddedStore) -> None:
    _move(store, ADA, email="ada@new.example")
    assert (_owner(store, "ada@example.org"), _owner(store, "ada@new.example")) == (None, "ada")
    _move(store, BOB, email="ada@example.org")
    assert _owner(store, "ada@example.org") == "bob"


def test_an_unchanged_value_needs_no_write() -> None:
    assert EMAIL.move(ADA, ADA.model_copy(update={"name": "Ada Lovelace"})) == ()
    assert EMAIL.move(ADA, ADA.model_copy(update={"email": "ADA@example.org"})) == ()


def test_nothing_to_guard_needs_no_guard(store: EmbeddedStore) -> None:
    nobody = Player(player_id="nil", name="Nil")
    assert (*EMAIL.claim(nobody), *EMAIL.release(nobody), *EMAIL.move(nobody, nobody)) == ()
    without = _move(store, ADA, email=None)
    assert _owner(store, "ada@example.org") is None
    _move(store, without, email="ada@example.org")
    assert _owner(store, "ada@example.org") == "ada"


def test_a_released_value_can_be_claimed_by_another(store: EmbeddedStore) -> None:
    store.transact(Transaction(Delete(ADA.own_key), *EMAIL.release(ADA)))
    _move(store, BOB, email="ada@example.org")
    assert _owner(store, "ada@example.org") == "bob"


def test_a_guard_that_changes_and_keeps_its_key_is_one_write(store: EmbeddedStore) -> None:
    after = _move(store, ADA, team="red")
    found = store.get(PlayerEmail.get(PlayerEmail.address("ada@example.org")))
    assert found is not None
    assert found.of_team == "red"
    with pytest.raises(ChangedMeanwhileError):
        _move(store, ADA, team="blue")
    _move(store, after, team="blue")


@pytest.mark.parametrize(
    "late", [EMAIL.release(ADA), EMAIL.move(ADA, ADA.model_copy(update={"email": "third@example.org"}))]
)
def test_whoever_moves_a_value_that_is_no_longer_there_is_told(store: EmbeddedStore, late: tuple[Write, ...]) -> None:
    _move(store, ADA, email="second@example.org")
    with pytest.raises(ChangedMeanwhileError, match="is gone"):
        store.transact(Transaction(*late))
    _move(store, BOB, email="ada@example.org")
    with pytest.raises(ChangedMeanwhileError, match="was changed meanwhile"):
        store.transact(Transaction(*late))
    assert _owner(store, "ada@example.org") == "bob"


def _spellings(guard: PlayerEmail) -> tuple[PlayerEmail, ...]:
    """Addresses with and without a plus are one."""
    name, at, host = guard.address.partition("@")
    other = name.removesuffix("+") if name.endswith("+") else f"{name}+"
    return (PlayerEmail(address=f"{other}{at}{host}", of_player=guard.of_player),)


def test_another_spelling_that_somebody_else_has_cannot_be_claimed_and_ones_own_can(store: EmbeddedStore) -> None:
    guard = EMAIL.alike(_spellings).otherwise(lambda there: EmailTaken(there.of_player))
    eve = Player(player_id="eve", name="Eve", email="ada+@example.org")
    with pytest.raises(EmailTaken, match="ada"):
        store.transact(Transaction(Put(eve).if_new(), *guard.claim(eve), *guard.unclaimed(None, eve)))
    assert _owner(store, "ada+@example.org") is None
    plus = ADA.model_copy(update={"email": "ada+@example.org"})
    store.transact(Transaction(Put(plus), *guard.move(ADA, plus), *guard.unclaimed(ADA, plus)))
    assert (_owner(store, "ada@example.org"), _owner(store, "ada+@example.org")) == (None, "ada")
    nothing = ADA.model_copy(update={"email": None})
    assert guard.unclaimed(ADA, ADA) == guard.unclaimed(ADA, nothing) == EMAIL.unclaimed(None, ADA) == ()
