"""Whatever sixteen writers do at once, in any weather: counters equal counts, guards equal values, nothing is lost."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partita.engine import Engine, FaultPlan
from partita.store import AsyncStore, EmbeddedStore
from partita.table import ChangedMeanwhileError, Delete, Put, Query, Transaction, Update, Write
from tests.table.club import CLUB, EMAIL, POINTS, SCORE, Game, Invitation, Plan, Player, PlayerEmail, Vote

WRITERS = 16
TRIES = 200

PLAYERS = ("ada", "bob", "cyd")
ADDRESSES = ("a@example.org", "b@example.org", None)


class EmailTaken(Exception):
    """Another player has the address."""


class Membership(Exception):
    """The player is there already, or is not."""


FASTER = ChangedMeanwhileError("what somebody else wrote")

# -- what a writer does: it reads, decides, and writes what it has decided; both faces do the same


@dataclass(frozen=True)
class Join:
    """Become a player, with an address that nobody else has."""

    player: str
    email: str | None


@dataclass(frozen=True)
class Move:
    """Take another address, or none."""

    player: str
    email: str | None


@dataclass(frozen=True)
class Leave:
    """Be a player no more."""

    player: str


@dataclass(frozen=True)
class Say:
    """Vote, vote otherwise, or take a vote back."""

    player: str
    points: int | None


@dataclass(frozen=True)
class Score:
    """Give a number to an average."""

    number: int


@dataclass(frozen=True)
class Save:
    """Write the next version of what all edit."""


Deed: TypeAlias = Join | Move | Leave | Say | Score | Save
deeds: st.SearchStrategy[Deed] = st.one_of(
    st.builds(Join, st.sampled_from(PLAYERS), st.sampled_from(ADDRESSES)),
    st.builds(Move, st.sampled_from(PLAYERS), st.sampled_from(ADDRESSES)),
    st.builds(Leave, st.sampled_from(PLAYERS)),
    st.builds(Say, st.sampled_from(PLAYERS), st.sampled_from([None, 0, 1, 3])),
    st.builds(Score, st.integers(1, 10)),
    st.just(Save()),
)
scripts = st.lists(st.lists(deeds, min_size=2, max_size=6), min_size=WRITERS, max_size=WRITERS)
weather = st.builds(
    FaultPlan,
    seed=st.integers(0, 1000),
    throttle=st.sampled_from([0.0, 0.1, 0.2]),
    conflict=st.sampled_from([0.0, 0.1, 0.2]),
    latency=st.sampled_from([0.0, 0.002]),
)

COUNT = Game.key(Game.game_id("players"))  # votes: how many players there are
TOTAL = Game(game_id="total")
AVERAGE = Game.get(Game.game_id("average")).consistently()
PLAN = Plan.get(Plan.plan_id("p")).consistently()


@dataclass
class Tally:
    """What was done for certain."""

    saved: list[str] = field(default_factory=list)
    scored: list[int] = field(default_factory=list)


def wanted(deed: Deed) -> Any:
    """What to read before deciding."""
    match deed:
        case Join() | Move() | Leave():
            return Player.get(Player.player_id(deed.player)).consistently()
        case Say():
            return Vote.get(Vote.game_id("total"), Vote.player_id(deed.player)).consistently()
        case Score():
            return AVERAGE
        case Save():
            return PLAN


def decided(deed: Deed, found: Any) -> Transaction | None:
    """What to write; None where there is nothing to do."""
    guard = EMAIL.otherwise(lambda there: EmailTaken(there.address))
    match deed, found:
        case Join(), None:
            player = Player(player_id=deed.player, name=deed.player, email=deed.email)
            return Transaction(Put(player).if_new().otherwise(Membership()), *guard.claim(player), _count(1))
        case Move(), Player():
            after = found.model_copy(update={"email": deed.email})
            return Transaction(Put(after).unless_changed(found, Player.email), *guard.move(found, after))
        case Leave(), Player():
            # Where there is a guard, it alone makes sure that the address is still this player's.
            gone = Delete(found.own_key).if_there().otherwise(FASTER)
            gone = gone if found.email else gone.unless_changed(found, Player.email)
            return Transaction(gone, *guard.release(found), _count(-1))
        case Say(), _:
            return _say(deed, found)
        case Score(), Game():
            return Transaction(*SCORE.update(found, None, deed.number))
        case Save(), Plan():
            return Transaction(Put(found.model_copy(update={"text": found.text + "."})).next_version())
    return None


def _count(amount: int) -> Update[Game]:
    return Update(COUNT, Game.votes.add(amount)).or_new()


def _say(deed: Say, found: Vote | None) -> Transaction | None:
    before = None if found is None else found.points
    own: Write
    if deed.points is not None:
        vote = Vote(game_id="total", player_id=deed.player, points=deed.points)
        own = Put(vote).unless_changed(found, Vote.points) if found else Put(vote).if_new().otherwise(FASTER)
    elif found is not None:
        own = Delete(found.own_key).unless_changed(found, Vote.points)
    else:
        return None
    return Transaction(own, *(each.or_new() for each in POINTS.update(TOTAL, before, deed.points)))


def settle(deed: Deed, tally: Tally) -> None:
    if isinstance(deed, Save):
        tally.saved.append(".")
    elif isinstance(deed, Score):
        tally.scored.append(deed.number)


def do(store: EmbeddedStore, deed: Deed, tally: Tally) -> None:
    def attempt() -> None:
        transaction = decided(deed, store.get(wanted(deed)))
        if transaction is not None:
            store.transact(transaction)
            settle(deed, tally)

    try:
        store.attempt(attempt, tries=TRIES)
    except (EmailTaken, Membership):
        return


async def do_async(store: AsyncStore, deed: Deed, tally: Tally) -> None:
    async def attempt() -> None:
        transaction = decided(deed, await store.get(wanted(deed)))
        if transaction is not None:
            await store.transact(transaction)
            settle(deed, tally)

    try:
        await store.attempt(attempt, tries=TRIES)
    except (EmailTaken, Membership):
        return


def in_threads(store: EmbeddedStore, writers: list[list[Deed]], tally: Tally) -> None:
    start = threading.Barrier(len(writers))
    failed: list[BaseException] = []

    def write(script: list[Deed]) -> None:
        start.wait()
        try:
            for deed in script:
                do(store, deed, tally)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(script,)) for script in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def in_a_loop(store: EmbeddedStore, writers: list[list[Deed]], tally: Tally) -> None:
    async def write(script: list[Deed]) -> None:
        for deed in script:
            await do_async(store.asynchronous, deed, tally)

    async def program() -> None:
        await asyncio.gather(*map(write, writers))

    asyncio.run(program())


# -- the laws


def check_laws(store: EmbeddedStore, tally: Tally) -> None:
    players = [player for player in store.batch_get(Player.key(Player.player_id(name)) for name in PLAYERS) if player]
    addresses = [address for address in ADDRESSES if address]
    guards = [
        guard
        for guard in store.batch_get(PlayerEmail.key(PlayerEmail.address(address)) for address in addresses)
        if guard
    ]
    assert {guard.address: guard.of_player for guard in guards} == {
        player.email: player.player_id for player in players if player.email
    }
    counted = store.get(Game.get(Game.game_id("players")).consistently())
    assert (counted.votes if counted else 0) == len(players)

    votes = [vote.points for vote in store.stream(_votes())]
    total = store.get(Game.get(Game.game_id("total")).consistently())
    assert total is not None
    histogram = Counter(votes)
    assert (total.votes or 0, total.points) == (len(votes), sum(votes))
    assert (total.lost or 0, total.drawn or 0, total.won or 0) == (histogram[0], histogram[1], histogram[3])

    average = store.get(AVERAGE)
    assert average is not None
    assert (average.votes or 0, average.points) == (len(tally.scored), sum(tally.scored))
    assert average.score == SCORE.mean(average)

    plan = store.get(PLAN)
    assert plan is not None
    assert (plan.revision, plan.text) == (1 + len(tally.saved), "".join(tally.saved))


def _votes() -> Query[Vote]:
    return Vote.query(Vote.game_id("total")).consistently()


@pytest.mark.parametrize("run", [in_threads, in_a_loop], ids=["threads", "loop"])
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(writers=scripts, plan=weather)
def test_counters_equal_counts_and_guards_equal_values_after_any_interleaving(
    run: Callable[[EmbeddedStore, list[list[Deed]], Tally], None], writers: list[list[Deed]], plan: FaultPlan
) -> None:
    with Engine.temporary(background=False, faults=plan) as engine:
        store = EmbeddedStore(engine)
        store.create(CLUB)
        store.batch_write([Put(TOTAL), Put(Game(game_id="average")), Put(Plan(plan_id="p"))])
        tally = Tally()
        run(store, writers, tally)
        check_laws(store, tally)


@pytest.mark.parametrize("face", ["threads", "loop"])
def test_of_sixteen_who_want_one_thing_one_gets_it(face: str) -> None:
    with Engine.temporary(background=False, faults=FaultPlan(seed=3, conflict=0.2, latency=0.002)) as engine:
        store = EmbeddedStore(engine)
        store.create(CLUB)
        got: list[int] = []

        def claim(number: int) -> Transaction:
            player = Player(player_id=str(number), name="x", email="one@example.org")
            return Transaction(Put(player).if_new(), *EMAIL.otherwise(EmailTaken()).claim(player))

        def blocking(number: int) -> None:
            try:
                store.transact(claim(number))
            except EmailTaken:
                return
            got.append(number)

        async def waiting(number: int) -> None:
            try:
                await store.asynchronous.transact(claim(number))
            except EmailTaken:
                return
            got.append(number)

        if face == "threads":
            threads = [threading.Thread(target=blocking, args=(number,)) for number in range(WRITERS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        else:
            asyncio.run(_together(map(waiting, range(WRITERS))))
        (winner,) = got
        found = store.batch_get(Player.key(Player.player_id(str(number))) for number in range(WRITERS))
        assert [player.player_id for player in found if player] == [str(winner)]


async def _together(work: Any) -> None:
    await asyncio.gather(*work)


def test_every_count_of_sixteen_writers_arrives() -> None:
    with Engine.temporary(background=False, faults=FaultPlan(seed=5, throttle=0.2, conflict=0.2)) as engine:
        store = EmbeddedStore(engine)
        store.create(CLUB)

        def work(number: int) -> None:
            for step in range(10):
                invitation = Invitation(player_id="all", number=number * 10 + step)
                store.transact(Transaction(Put(invitation).if_new(), _count(1)))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(WRITERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        counted = store.get(Game.get(Game.game_id("players")).consistently())
        assert counted is not None
        assert (
            counted.votes == store.count(Invitation.query(Invitation.player_id("all")).consistently()) == WRITERS * 10
        )
