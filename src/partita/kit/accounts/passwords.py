"""Passwords: which are strong enough, and hashing with argon2id in a few threads, so that many sign-ins take turns."""

from __future__ import annotations

import asyncio
import base64
import secrets
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from partita.kit.problems import Unavailable

SHORTEST = 10
LONGEST = 200
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
        usable = encoded is not None and len(password) <= LONGEST
        against = encoded if usable and encoded is not None else self._unmatchable
        return await self._in_turn(lambda: self._matches(against, password[:LONGEST])) and usable

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
    if plain in _WORST or len(set(plain)) < 4:
        return "This password is too common. Choose another."
    if plain in {_normal(each).casefold() for each in personal if each}:
        return "This is your own name or email address. Choose another password."
    return None


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


_LISTED = """
0123456789 0987654321 1234567890 12345678910 123456789a 123456789q 1234512345 1029384756 1q2w3e4r5t 1q2w3e4r5t6y
1qaz2wsx3edc 123qwe123qwe 9876543210 abc1234567 abcd123456 abc123456789 abcdefghij admin12345 admin123456
administrator asdfghjkl1 asdfghjkl123 baseball123 basketball bismillah1 blink182182 changeme12 changeme123
charlie123 computer12 computer123 correcthorse dragon1234 football12 football123 helloworld hello12345 iloveyou12
iloveyou123 internet123 jennifer123 letmein123 letmein1234 liverpool1 liverpool123 manchester master1234 michael123
monkey1234 p@ssw0rd12 p@ssw0rd123 passw0rd12 passw0rd123 password00 password01 password10 password11 password12
password123 password1234 password12345 passwordpassword pokemon123 princess12 princess123 q1w2e3r4t5 q1w2e3r4t5y6
qazwsxedcrfv qwerty1234 qwerty12345 qwerty123456 qwertyuiop qwertyuiop1 qwertyuiop123 qwertz1234 secret1234
starwars123 sunshine12 sunshine123 superman12 superman123 test123456 testtest12 trustno1trustno1 volkswagen
welcome123 welcome1234 whatever12 whatever123 zaq12wsxcde3 zxcvbnm123 zxcvbnm1234 zxcvbnmasdf
"""
_WORST = frozenset(_LISTED.split())
