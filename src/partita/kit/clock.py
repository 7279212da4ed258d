"""The clock and the source of ids; tests replace both."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, date, datetime
from typing import Protocol

from partita.table.types import timestamp

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The current time, in UTC."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def stamp(clock: Clock) -> str:
    """The current time, as items store it."""
    return timestamp(clock.now())


def written_day(day: date) -> str:
    """`27 Nov 2026`: a day as people read it, on pages, in mails and in messages."""
    return f"{day.day} {day:%b %Y}"


class Ids(Protocol):
    """Makes unique ids."""

    def new(self) -> str:
        """An id that sorts by the time it was made."""

    def secret(self) -> str:
        """A text that cannot be guessed."""


class RandomIds:
    """Ids of 26 characters: 48 bits of time in milliseconds, then 80 random bits, so that text order is time order."""

    def new(self) -> str:
        return _id_at(time.time_ns() // 1_000_000)

    def secret(self) -> str:
        return secrets.token_urlsafe(32)


def id_at(moment: datetime) -> str:
    """An id that sorts as if it was made at that moment, for items that come from elsewhere."""
    return _id_at(int(moment.timestamp() * 1000))


def _id_at(milliseconds: int) -> str:
    number = max(milliseconds, 0) << 80 | secrets.randbits(80)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
