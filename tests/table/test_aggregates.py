"""Counts, sums, histograms and averages are what the numbers add up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partita.dynamo.errors import ConditionalCheckFailedError
from partita.engine import Engine
from partita.store import EmbeddedStore
from partita.table import ChangedMeanwhileError, Delete, ModelError, Put, Transaction, Write
from tests.table.club import CLUB, POINTS, SCORE, Game, Vote


@pytest.fixture
def store() -> Iterator[EmbeddedStore]:
    with Engine.temporary() as engine:
        store = EmbeddedStore(engine)
        store.create(CLUB)
        store.write(Put(Game(game_id="g")))
        yield store


def _game(store: EmbeddedStore) -> Game:
    found = store.get(Game.get(Game.game_id("g")).consistently())
    assert found is not None
    return found


def _own(before: Vote | None, after: Vote | None) -> Write:
    """The number's own write, only where the number is still what it was."""
    if after is None:
        assert before is not None
        return Delete(before.own_key).unless_changed(before, Vote.points)
    return Put(after).if_new() if before is None else Put(after).unless_changed(before, Vote.points)


changes = st.tuples(st.sampled_from("abc"), st.none() | st.sampled_from([0, 1, 3]))


@settings(max_examples=40, deadline=None)
@given(st.lists(changes, max_size=25))
def test_whatever_comes_changes_and_goes_the_aggregate_is_what_the_numbers_add_up_to(
    votes: list[tuple[str, int | None]],
) -> None:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(CLUB)
        store.write(Put(Game(game_id="g")))
        known: dict[str, int] = {}
        for player, points in votes:
            before = store.get(Vote.get(Vote.game_id("g"), Vote.player_id(player)).consistently())
            after = None if points is None else Vote(game_id="g", player_id=player, points=points)
            if before is None and after is None:
                continue
            changed = POINTS.update(Game(game_id="g"), known.get(player), points)
            store.transact(Transaction(_own(before, after), *changed))
            known.pop(player, None)
            if points is not None:
                known[player] = points
        game = _game(store)
        histogram = Counter(known.values())
        assert (game.votes or 0, game.points) == (len(known), sum(known.values()))
        assert (game.lost or 0, game.drawn or 0, game.won or 0) == (histogram[0], histogram[1], histogram[3])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 10), min_size=1, max_size=12), st.data())
def test_an_average_follows_and_goes_with_the_last_number(numbers: list[int], data: st.DataObject) -> None:
    with Engine.temporary(background=False) as engine:
        store = EmbeddedStore(engine)
        store.create(CLUB)
        store.write(Put(Game(game_id="g")))
        for number in numbers:
            store.transact(Transaction(*SCORE.update(_game(store), None, number)))
        exact = Decimal(sum(numbers)) / len(numbers)
        assert _game(store).score == exact.quantize(Decimal("0.01"), ROUND_HALF_UP) == SCORE.mean(_game(store))
        for number in data.draw(st.permutations(numbers)):
            store.transact(Transaction(*SCORE.update(_game(store), number, None)))
        game = _game(store)
        assert (game.votes, game.points, game.score, SCORE.mean(game)) == (0, 0, None, None)


def test_a_number_that_stays_changes_nothing() -> None:
    assert POINTS.change(3, 3) == POINTS.change(None, None) == ()
    assert POINTS.update(Game(game_id="g"), 1, 1) == ()


def test_a_changed_number_leaves_the_count_alone(store: EmbeddedStore) -> None:
    assert [action.field for action in POINTS.change(1, 3)] == ["points", "drawn", "won"]
    assert [action.field for action in POINTS.change(None, 0)] == ["votes", "lost"]


def test_an_average_needs_the_item_as_it_is_now(store: EmbeddedStore) -> None:
    with pytest.raises(ModelError, match=r"Game\.score is an average"):
        SCORE.change(None, 3)
    game = _game(store)
    store.transact(Transaction(*SCORE.update(game, None, 3)))
    with pytest.raises(ChangedMeanwhileError):
        store.transact(Transaction(*SCORE.update(game, None, 1)))


def test_without_an_average_nobody_waits_for_anybody(store: EmbeddedStore) -> None:
    game = _game(store)
    for _ in range(3):
        store.transact(Transaction(*POINTS.update(game, None, 3)))
    assert (_game(store).votes, _game(store).won) == (3, 3)


def test_an_item_that_is_not_there_is_not_made(store: EmbeddedStore) -> None:
    (update,) = POINTS.update(Game(game_id="none"), None, 1)
    with pytest.raises(ConditionalCheckFailedError):
        store.write(update)
    assert store.get(Game.get(Game.game_id("none"))) is None


def test_a_number_without_a_place_in_the_histogram_is_refused() -> None:
    with pytest.raises(ModelError, match="2 has no place in the histogram of Game, which has 0, 1, 3"):
        POINTS.change(None, 2)
