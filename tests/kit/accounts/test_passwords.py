"""Passwords are slow to guess and quick to serve: a few at a time, off the loop."""

from __future__ import annotations

import asyncio
import resource
import time
import unicodedata

import pytest
from argon2 import PasswordHasher
from hypothesis import given
from hypothesis import strategies as st

from partita.kit.accounts.passwords import Passwords, one_time_password, weakness
from partita.kit.problems import Unavailable

pytestmark = pytest.mark.anyio


async def test_a_password_is_recognised_and_another_is_not() -> None:
    passwords = Passwords()
    encoded = await passwords.encode("correct horse")
    assert encoded.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert await passwords.verify(encoded, "correct horse")
    assert not await passwords.verify(encoded, "correct horsf")
    assert not await passwords.verify(encoded, "")
    assert encoded != await passwords.encode("correct horse")


async def test_how_a_keyboard_composes_a_letter_does_not_matter() -> None:
    passwords = Passwords()
    encoded = await passwords.encode(unicodedata.normalize("NFC", "schöne Grüße"))
    assert await passwords.verify(encoded, unicodedata.normalize("NFD", "schöne Grüße"))


@pytest.mark.parametrize("strange", ["\ud800" * 12, "x" * 100_000, "\0" * 12])
async def test_strange_input_is_only_wrong(strange: str) -> None:
    passwords = Passwords()
    assert not await passwords.verify(await passwords.encode("correct horse"), strange)
    assert not await passwords.verify(None, strange)
    assert not await passwords.verify("not what argon2 writes", strange)


async def test_where_there_is_no_password_the_answer_takes_as_long() -> None:
    passwords = Passwords()
    encoded = await passwords.encode("correct horse")

    async def seconds(against: str | None, said: str) -> float:
        begun = time.perf_counter()
        assert not await passwords.verify(against, said)
        return time.perf_counter() - begun

    # In turn, and the quickest of several: what it costs when nothing else gets in the way.
    known = unknown = too_long = 60.0
    for _ in range(12):
        known = min(known, await seconds(encoded, "wrong horse"))
        unknown = min(unknown, await seconds(None, "wrong horse"))
        too_long = min(too_long, await seconds(encoded, "x" * 100_000))
    assert 0.5 < unknown / known < 2
    assert 0.5 < too_long / known < 2


async def test_fifty_at_once_leave_the_loop_free_and_the_memory_small() -> None:
    passwords = Passwords()
    encoded = await passwords.encode("correct horse")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pauses: list[float] = []

    async def watch() -> None:
        while True:
            begun = time.perf_counter()
            await asyncio.sleep(0)
            pauses.append(time.perf_counter() - begun)
            await asyncio.sleep(0.005)

    watching = asyncio.create_task(watch())
    assert all(await asyncio.gather(*(passwords.verify(encoded, "correct horse") for _ in range(50))))
    watching.cancel()
    assert sorted(pauses)[len(pauses) // 2] < 0.005  # a password takes tens of milliseconds
    assert len(pauses) > 20
    grown_mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown_mib < 100, "two at 19 MiB each, not fifty"


async def test_a_crowd_is_sent_away_instead_of_waiting_for_ever() -> None:
    passwords = Passwords(most_waiting=20)
    outcomes = await asyncio.gather(*(passwords.verify(None, "x") for _ in range(25)), return_exceptions=True)
    assert sum(isinstance(outcome, Unavailable) for outcome in outcomes) == 5
    assert sum(outcome is False for outcome in outcomes) == 20
    assert not await passwords.verify(None, "x")


async def test_what_was_made_with_other_costs_is_outdated() -> None:
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("correct horse")
    passwords = Passwords()
    assert passwords.outdated(cheap)
    assert await passwords.verify(cheap, "correct horse")
    assert not passwords.outdated(await passwords.encode("correct horse"))


@pytest.mark.parametrize(
    "good",
    [
        "twelve-chars",
        "".join(f"{n:x}q" for n in range(100, 140))[:128],
        "пароль из слов",
        "   spaces count   ",
        "correct horse battery staple",
    ],
)
def test_any_long_password_is_good(good: str) -> None:
    assert weakness(good, "ada", None, "Ada") is None


@pytest.mark.parametrize(
    "bad",
    [
        "qwerty123456",
        "Password1234",
        "P@ssw0rd12345",
        "iloveyou1234",
        "1qaz2wsx3edc",
        "123456789012",
        "abcdefghijkl",
        "aaaaaaaaaaaaaaaa",
        "leavemealone",
        "lovelace1234",
        "partita12345",
        "ada.lovelace",
        "eleven-char",
        "x3y!" * 32 + "z",
    ],
)
def test_a_password_of_leaks_and_lists_or_made_of_ones_own_name_is_refused(bad: str) -> None:
    assert weakness(bad, "ada", "ada.lovelace@example.org", "Ada Lovelace") is not None


@given(st.text(alphabet="aA!\u00e9 \U0001f600", min_size=12, max_size=128))
def test_no_password_is_refused_for_what_it_is_made_of(text: str) -> None:
    """There are no rules of composition: what is refused is refused for its length or because it is easy to guess."""
    reason = weakness(text)
    assert reason is None or reason.startswith("This password is common, or easy to guess.")


def test_the_longest_password_is_judged_in_a_moment() -> None:
    begun = time.process_time()
    weakness("pas@$w0rd1!e3" * 9)
    assert time.process_time() - begun < 1


def test_a_one_time_password_is_good_and_never_the_same() -> None:
    made = {one_time_password() for _ in range(100)}
    assert len(made) == 100
    assert all(weakness(each) is None for each in made)
