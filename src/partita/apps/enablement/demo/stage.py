"""What the parts of the demo share: its people, its content, and services whose clocks are in the past."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import orjson

from partita.apps.enablement.permissions import ROLES
from partita.apps.enablement.service import EnablementService
from partita.kit.clock import id_at
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer

_FOLDER = Path(__file__).parent
_AT_ONCE = 16

T = TypeVar("T")
Entry = dict[str, Any]


@dataclass
class PastClock:
    """A clock that stands where it is put; each look is a millisecond later, so that nothing happens at once."""

    at: datetime

    def now(self) -> datetime:
        self.at += timedelta(milliseconds=1)
        return self.at

    def to(self, at: datetime) -> None:
        """Go to a later moment; it never goes back."""
        self.at = max(self.at, at)


@dataclass(frozen=True)
class _PastIds:
    """Ids that sort by the time of such a clock."""

    clock: PastClock

    def new(self) -> str:
        return id_at(self.clock.now())

    def secret(self) -> str:
        return secrets.token_urlsafe(32)


@dataclass
class Stage:
    """The demo while it is filled."""

    kit: Kit
    now: datetime = field(init=False)
    service: EnablementService = field(init=False)
    """The services as they are now."""
    viewers: dict[str, Viewer] = field(default_factory=dict)
    """Username → who they are, with the permissions of their role."""
    password: str = field(default_factory=lambda: secrets.token_urlsafe(12), repr=False)
    """Everybody's."""
    content: dict[str, str] = field(default_factory=dict)
    """Key of an entry → the id of its content."""

    def __post_init__(self) -> None:
        self.now = self.kit.clock.now()
        self.service = EnablementService(self.kit)

    def join(self, username: str, user_id: str, name: str, role: str) -> None:
        """Somebody is there from now on."""
        self.viewers[username] = Viewer(user_id, username, name, ROLES[role], via="command")

    def past(self, days_ago: float, seed: str) -> tuple[EnablementService, PastClock]:
        """The services at a moment of that day; the same one for the same seed."""
        clock = PastClock(self.moment(days_ago, seed))
        return EnablementService(replace(self.kit, clock=clock, ids=_PastIds(clock))), clock

    def moment(self, days_ago: float, seed: str) -> datetime:
        """A moment of a working day's hours so many days ago, never in the future."""
        day = (self.now - timedelta(days=days_ago)).replace(hour=0, minute=0, second=0, microsecond=0)
        at = day + timedelta(minutes=random.Random(seed).randrange(7 * 60, 17 * 60))
        return min(at, self.now - timedelta(minutes=5))

    def day(self, days_from_now: int) -> str:
        """A day, as the document spells it."""
        return (self.now + timedelta(days=days_from_now)).date().isoformat()


async def each(entries: Iterable[Entry], work: Callable[[Entry], Awaitable[T]]) -> list[T]:
    """Some at a time: concurrent writes share their syncs."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(entry: Entry) -> T:
        async with turns:
            return await work(entry)

    return await asyncio.gather(*map(one, entries))


def entries(name: str) -> Any:
    """A file of the demo."""
    return orjson.loads((_FOLDER / f"{name}.json").read_bytes())
