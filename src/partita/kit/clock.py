"""The time and new names, as things that are given, so that tests can say what they are."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from typing import Protocol

from partita.table.types import timestamp

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The moment, in UTC."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def stamp(clock: Clock) -> str:
    """The moment as it is stored."""
    return timestamp(clock.now())


class Ids(Protocol):
    """Makes names that nobody has used."""

    def new(self) -> str:
        """A name that sorts by the time it was made."""

    def secret(self) -> str:
        """A name that cannot be guessed."""


class RandomIds:
    """Names of 26 characters: 48 bits of time in milliseconds, 80 of chance, so that text order is time order."""

    def new(self) -> str:
        return _name_at(time.time_ns() // 1_000_000)

    def secret(self) -> str:
        return secrets.token_urlsafe(32)


def id_at(moment: datetime) -> str:
    """A name that sorts by a moment of the past, for what was made elsewhere or before."""
    return _name_at(int(moment.timestamp() * 1000))


def _name_at(milliseconds: int) -> str:
    number = max(milliseconds, 0) << 80 | secrets.randbits(80)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
