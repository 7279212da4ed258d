"""What all parts of the demo need: who is who, which title is which, and when something was."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

from partita.apps.worthwatch.demo.texts import Texts
from partita.apps.worthwatch.schema import User, Watchlist
from partita.apps.worthwatch.service.labels import Ref, Title, ref_of
from partita.kit.kit import Kit
from partita.table.types import timestamp

_AT_ONCE = 16
MORNING, DAY, EVENING = (1, 6), (7, 17), (18, 23)

T = TypeVar("T")
E = TypeVar("E")


@dataclass(slots=True)
class Demo:
    """The demo while it is loaded."""

    kit: Kit
    texts: Texts
    people: dict[str, User] = field(default_factory=dict)
    """By username."""
    titles: dict[str, Title] = field(default_factory=dict)
    lists: dict[str, Watchlist] = field(default_factory=dict)
    started: datetime = field(init=False)
    """Now, for all of it."""

    def __post_init__(self) -> None:
        self.started = self.kit.clock.now()

    def id_of(self, username: str) -> str:
        return self.people[username].user_id

    def ref(self, title: str) -> Ref:
        return ref_of(self.titles[title])

    def moment(self, days_ago: int, hours: tuple[int, int], seed: str) -> datetime:
        """A time of that day, always the same for the same seed, and never in the future."""
        now = self.started
        seconds = Random(seed).randrange(hours[0] * 3600, hours[1] * 3600)
        day = (now - timedelta(days=days_ago)).replace(hour=0, minute=0, second=0, microsecond=0)
        return min(day + timedelta(seconds=seconds), now)

    def at(self, days_ago: int, hours: tuple[int, int], seed: str) -> str:
        """The same, as items store it."""
        return timestamp(self.moment(days_ago, hours, seed))


async def each(entries: Iterable[E], work: Callable[[E], Awaitable[T]]) -> list[T]:
    """Some at a time: concurrent writes share their syncs."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(entry: E) -> T:
        async with turns:
            return await work(entry)

    return await asyncio.gather(*map(one, entries))
