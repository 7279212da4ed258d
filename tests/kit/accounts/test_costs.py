"""Signing in with passwords that cost what they cost in earnest."""

from __future__ import annotations

import asyncio
import time

import pytest
from argon2 import PasswordHasher

from partita.kit.accounts import Accounts, NewSession
from partita.kit.accounts.passwords import Passwords
from partita.kit.accounts.schema import Password, password
from partita.kit.problems import SignInRequired
from partita.store import EmbeddedStore
from partita.table import Update
from tests.kit.accounts.conftest import PASSWORD

pytestmark = pytest.mark.anyio


@pytest.fixture
def passwords() -> Passwords:
    return Passwords()


@pytest.fixture
async def ada(accounts: Accounts) -> NewSession:
    await accounts.registration.create("ada", "ada@example.org", "Ada", PASSWORD)
    return await accounts.sessions.sign_in("ada", PASSWORD)


async def test_the_answer_for_unknown_people_takes_as_long(accounts: Accounts, ada: NewSession) -> None:
    async def seconds(identity: str, place: int) -> float:
        begun = time.perf_counter()
        with pytest.raises(SignInRequired):
            await accounts.sessions.sign_in(identity, "wrong horse battery", address=f"192.0.2.{place}")
        return time.perf_counter() - begun

    # In turn, so that both meet the same machine; the least of each is what it takes when nothing else runs.
    pairs = [(await seconds("ada", place), await seconds("bob", place)) for place in range(12)]
    known, unknown = map(min, zip(*pairs, strict=True))
    assert 0.5 < unknown / known < 2


async def test_fifty_people_sign_in_at_once(accounts: Accounts) -> None:
    people = [f"person-{number}" for number in range(50)]
    await asyncio.gather(
        *(accounts.registration.create(each, f"{each}@example.org", each, PASSWORD) for each in people)
    )
    sessions = await asyncio.gather(*(accounts.sessions.sign_in(each, PASSWORD) for each in people))
    viewers = await asyncio.gather(*(accounts.recognition.from_session(session.token) for session in sessions))
    assert [viewer.username for viewer in viewers] == people


async def test_a_password_of_older_costs_is_encoded_anew(
    accounts: Accounts, ada: NewSession, house: EmbeddedStore
) -> None:
    user_id = ada.account.user_id
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    house.write(Update(Password.key(Password.user_id(user_id)), Password.encoded.set(cheap)))
    await accounts.sessions.sign_in("ada", PASSWORD)
    stored = house.get(password(user_id))
    assert stored is not None
    assert "m=19456,t=2" in stored.encoded
    await accounts.sessions.sign_in("ada", PASSWORD)
