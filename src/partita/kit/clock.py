"""The clock and the source of ids; tests replace both."""

from __future__ import annotations

import secrets
import threading
import time
from datetime import UTC, date, datetime
from typing import Protocol

from partita.table.types import timestamp

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM_BITS = 80
_STEP_BITS = 60


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
    """Ids of 26 characters: 48 bits of time in milliseconds, then 80 random bits, so that text order is time order.

    What is made later has a higher id, also within a millisecond, or if the clock was set back: the next one is then
    a random step higher than the last.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def new(self) -> str:
        number = _number_at(time.time_ns() // 1_000_000)
        with self._lock:
            if number <= self._last:
                number = self._last + 1 + secrets.randbits(_STEP_BITS)
            self._last = number
        return _text_of(number)

    def secret(self) -> str:
        return secrets.token_urlsafe(32)


def id_at(moment: datetime) -> str:
    """An id that sorts as if it was made at that moment, for items that come from elsewhere."""
    return _text_of(_number_at(int(moment.timestamp() * 1000)))


def _number_at(milliseconds: int) -> int:
    return max(milliseconds, 0) << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS)


def _text_of(number: int) -> str:
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
