"""Passwords: which are strong enough, and hashing with argon2id in a few threads, so that many sign-ins take turns."""

from __future__ import annotations

import asyncio
import base64
import re
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from partita.kit.problems import Unavailable

SHORTEST = 12
LONGEST = 128
_LONGEST_EVER = 200
"""Passwords of earlier versions may be as long."""
_FEWEST_GUESSES = 1e9
_ESTIMATED = 40
"""How many characters are estimated: what is hard to guess does not become easier by more of them."""
_SITE = "partita"
_THREADS = 2
_MOST_WAITING = 200
_MEMORY_KIB = 19 * 1024
_ROUNDS = 2

R = TypeVar("R")


class Passwords:
    """Hashes and verifies passwords: at most two at a time, at 19 MiB each."""

    def __init__(
        self, *, memory_kib: int = _MEMORY_KIB, rounds: int = _ROUNDS, most_waiting: int = _MOST_WAITING
    ) -> None:
        self._argon2 = PasswordHasher(time_cost=rounds, memory_cost=memory_kib, parallelism=1)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="passwords")
        self._waiting = 0
        self._most_waiting = most_waiting
        self._unmatchable = _unmatchable(memory_kib, rounds)

    async def encode(self, password: str) -> str:
        """The hash to store."""
        return await self._in_turn(lambda: self._argon2.hash(_normal(password)))

    async def verify(self, encoded: str | None, password: str) -> bool:
        """Whether it is the password; takes as long if there is none."""
        usable = encoded is not None and len(password) <= _LONGEST_EVER
        against = encoded if usable and encoded is not None else self._unmatchable
        return await self._in_turn(lambda: self._matches(against, password[:_LONGEST_EVER])) and usable

    def outdated(self, encoded: str) -> bool:
        """Whether it was hashed with other costs than today's."""
        return self._argon2.check_needs_rehash(encoded)

    def _matches(self, encoded: str, password: str) -> bool:
        try:
            return self._argon2.verify(encoded, _normal(password))
        except (Argon2Error, InvalidHashError):
            return False

    async def _in_turn(self, work: Callable[[], R]) -> R:
        if self._waiting >= self._most_waiting:
            raise Unavailable("Too many people are signing in right now. Try again in a minute.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1


def weakness(password: str, *personal: str | None) -> str | None:
    """Why a password is too weak; None if it is not."""
    if len(password) < SHORTEST:
        return f"At least {SHORTEST} characters; this has {len(password)}."
    if len(password) > LONGEST:
        return f"At most {LONGEST} characters; this has {len(password)}."
    plain = _normal(password).casefold()
    own = [_normal(each).casefold() for each in personal if each]
    if plain in own:
        return "This is your own name or email address. Choose another password."
    if (
        _guesses(_normal(password), [part for each in own for part in (each, *re.split(r"\W+", each)) if part])
        < _FEWEST_GUESSES
    ):
        return "This password is common, or easy to guess. Choose another, such as three or four words."
    return None


def _guesses(password: str, personal: list[str]) -> float:
    """How many guesses somebody needs who begins with the passwords of leaks, words, names, dates and keyboard rows."""
    from zxcvbn import zxcvbn  # its lists take a moment to load, and not every process chooses passwords

    found: dict[str, Any] = zxcvbn(password[:_ESTIMATED], user_inputs=[_SITE, *personal])
    return float(found["guesses"])


def one_time_password() -> str:
    """A random password that must be changed at the first sign-in."""
    return secrets.token_urlsafe(15)


def _normal(password: str) -> str:
    """The same characters however a keyboard composes them, without lone surrogates."""
    return unicodedata.normalize("NFKC", password).encode(errors="replace").decode()


def _unmatchable(memory_kib: int, rounds: int) -> str:
    """A hash that takes as long to verify as any other, but that nothing matches."""
    salt, digest = (base64.b64encode(secrets.token_bytes(size)).decode().rstrip("=") for size in (16, 32))
    return f"$argon2id$v=19$m={memory_kib},t={rounds},p=1${salt}${digest}"
