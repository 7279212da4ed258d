"""Accounts under the weather that production brings: throttling, conflicts, partial batches, reads of the past."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from partita.engine import Engine, FaultPlan
from partita.kit.accounts import ACCOUNTS, Account
from partita.kit.limits import Limits, Rule
from partita.kit.permissions import NOBODY
from partita.kit.problems import Conflict, TooMany
from partita.kit.schema import HOUSE
from partita.kit.settings import Settings
from partita.store import EmbeddedStore
from tests.kit.accounts.conftest import PASSWORD, Made
from tests.kit.conftest import HandClock

pytestmark = pytest.mark.anyio
STORM = FaultPlan(seed=11, throttle=0.1, conflict=0.1, partial_batch=0.3, latency=0.002, stale=0.5, staleness=30.0)


@pytest.fixture
def house(clock: HandClock) -> Iterator[EmbeddedStore]:
    with Engine.temporary(clock=lambda: clock.now().timestamp(), faults=STORM) as engine:
        store = EmbeddedStore(engine)
        store.create(HOUSE, ACCOUNTS)
        yield store


async def test_fifty_who_want_one_username_and_one_address_make_one_account(
    make_accounts: Made, settings: Settings
) -> None:
    accounts = make_accounts(settings)
    tries = (accounts.registration.create("ada", "ada@example.org", "Ada", PASSWORD) for _ in range(50))
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(outcome, Account) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 49


async def test_whoever_has_just_signed_in_is_known_and_whoever_has_just_left_is_not(
    make_accounts: Made, settings: Settings
) -> None:
    accounts = make_accounts(settings)
    await accounts.registration.create("ada", "ada@example.org", "Ada", PASSWORD)
    for round_ in range(8):
        session = await accounts.sessions.sign_in("ada", PASSWORD, address=f"192.0.2.{round_}")
        viewer = await accounts.recognition.from_session(session.token)
        assert viewer.signed_in
        assert len(await accounts.sessions.list(viewer)) == 1
        token = await accounts.tokens.create(viewer, "robot", [], 1)
        assert (await accounts.recognition.from_bearer(token.text)).signed_in
        await accounts.sessions.sign_out(viewer)
        assert await accounts.recognition.from_session(session.token) is NOBODY


async def test_a_changed_password_holds_at_once(make_accounts: Made, settings: Settings) -> None:
    accounts = make_accounts(settings)
    await accounts.registration.create("ada", "ada@example.org", "Ada", PASSWORD)
    old = PASSWORD
    for round_ in range(4):
        others = [await accounts.sessions.sign_in("ada", old, address=f"192.0.2.{round_}") for _ in range(2)]
        viewer = await accounts.recognition.from_session((await accounts.sessions.sign_in("ada", old)).token)
        new = f"{PASSWORD} {round_}"
        await accounts.profile.change_password(viewer, old, new)
        assert [await accounts.recognition.from_session(each.token) for each in others] == [NOBODY, NOBODY]
        old = new


async def test_limits_stay_exact(house: EmbeddedStore, clock: HandClock) -> None:
    limits = Limits(house.asynchronous, clock)
    tries = (limits.check(Rule("race", most=7, seconds=60), "all") for _ in range(40))
    outcomes = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(outcome is None for outcome in outcomes) == 7
    assert sum(isinstance(outcome, TooMany) for outcome in outcomes) == 33
