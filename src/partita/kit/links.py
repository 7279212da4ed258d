"""Links that do not work any more: asking politely, and when to believe it.

A host that refuses programs, or has no time just now, is a host that works. A link is broken if it failed on several
days in a row, so that a bad night of a server is not the end of a page.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from partita.kit.failing_links import LONGEST_REASON, day_in_round, is_due
from partita.kit.fetcher import Fetcher, FetchRefused
from partita.kit.fetcher.fetcher import spelled_status
from partita.kit.jobs import Arguments, JobFailed, JobKind, Result, Running, Schedule
from partita.kit.kit import Kit
from partita.kit.politeness import visit_hosts
from partita.kit.schema import LinkMark, link_mark
from partita.table import InvalidCursorError, Page, Put

MOST_LINKS = 3_000
"""After so many addresses a night begins no other chunk; and it asks as many of those that fail, at most."""
CHUNK = 50
"""After so many a night goes on if its process was killed."""

_ALIVE = frozenset({401, 402, 403, 405, 406, 407, 408, 418, 421, 425, 428, 429, 431, 451, 503, 999})
"""Answers of sites that are there, but not for us or not now."""
_ENOUGH = 10
"""If so many links fail, and none works, it is not their fault."""


@dataclass(frozen=True, slots=True)
class Link:
    """An address, and what has it."""

    key: str
    url: str


@dataclass(slots=True)
class LinkCounts:
    """What came of asking."""

    working: int = 0
    failing: int = 0

    @property
    def asked(self) -> int:
        return self.working + self.failing


Record = Callable[[Link, str | None], Awaitable[None]]
"""Keeps the answer of a link: None if it works, else why it does not. It may be called again for the same answer."""


async def ask(fetcher: Fetcher, url: str) -> str | None:
    """Why a link does not work; None if it does."""
    try:
        status = await fetcher.status_of(url)
    except FetchRefused as refused:
        return refused.reason[:LONGEST_REASON]
    return None if 200 <= status < 300 or status in _ALIVE else f"It answers {spelled_status(status)}."


async def check_links(
    running: Running,
    fetcher: Fetcher,
    links: Sequence[Link],
    record: Record,
    counts: LinkCounts,
    *,
    pause: float,
    hopeful: bool = True,
) -> None:
    """Ask these links, and keep all answers. Unless they are known to fail (not `hopeful`), none is kept if nothing at
    all could be reached: then it is us."""
    answers: list[tuple[Link, str | None]] = []

    async def visit(link: Link) -> None:
        answers.append((link, await ask(fetcher, link.url)))

    await visit_hosts(running, links, lambda link: link.url, visit, pause=pause)
    if hopeful and len(answers) >= _ENOUGH and all(reason is not None for _, reason in answers):
        raise JobFailed(f"None of {len(answers)} addresses answered. The network of this machine may be down.")
    for link, reason in answers:
        await record(link, reason)
        counts.working += reason is None
        counts.failing += reason is not None
    running.note(done=counts.asked, message=f"{counts.asked:,} asked, {counts.failing:,} do not work")


class NightlyLinks(ABC):
    """Asks every address of a system once a week, and those that fail every night.

    Each address has its day of the week. If more than `MOST_LINKS` have the same, the next week goes on where the last
    one stopped, so that each is asked in its turn.
    """

    def __init__(self, kit: Kit, name: str, title: str, at: time, shown: str, *, pause: float = 1.0) -> None:
        """`shown` is the page of the broken ones; `pause` is how many seconds a host is left alone between two of its
        addresses."""
        self._kit = kit
        self._shown = shown
        self._pause = pause
        self.kind = JobKind(name, title, self.run, seconds=3 * 3600.0, kept_days=7)
        self.schedules = (Schedule(name, name, at=at),) if kit.settings.fetch else ()

    @abstractmethod
    async def page(self, cursor: str | None) -> Page[Link]:
        """Some of all addresses, `CHUNK` at most."""

    @abstractmethod
    async def failing(self, today: str) -> Sequence[str]:
        """The keys of those that failed on an earlier day and were not asked since, `MOST_LINKS` of a kind at most."""

    @abstractmethod
    async def links_of(self, keys: Sequence[str]) -> Sequence[Link]:
        """The addresses that some of these have now; what is gone has none."""

    @abstractmethod
    async def record(self, link: Link, reason: str | None) -> None:
        """Keep what an address answered: None if it works, else why it does not. Done again, it adds nothing."""

    async def run(self, running: Running, _arguments: Arguments) -> Result:
        """Ask what is due today, and then what failed before; after a kill it goes on with the next of them."""
        day = date.fromisoformat(running.created_at[:10])
        saved: dict[str, Any] = running.saved or {"cursor": await self._mark(day), "asked": 0, "known": False}
        counts = LinkCounts(saved.get("working", 0), saved.get("failing", 0))
        await running.progress("Asking addresses")
        while not saved["known"]:
            due, cursor = await self._due(day, saved["cursor"])
            await self._check(running, due, counts)
            asked = saved["asked"] + len(due)
            saved = {"cursor": cursor, "asked": asked, "known": cursor is None or asked >= MOST_LINKS}
            mark = LinkMark(name=self.kind.name, day=day_in_round(day), cursor=cursor)
            await running.checkpoint(saved | {"working": counts.working, "failing": counts.failing}, Put(mark))
        await self._ask_again(running, counts, day)
        message = f"{counts.asked:,} addresses were asked; {counts.failing:,} did not answer as they should."
        return Result(message, self._shown, {"asked": counts.asked, "failing": counts.failing})

    async def _mark(self, day: date) -> str | None:
        """Where the last night that asked the addresses of this day of the week stopped."""
        mark = await self._kit.store.get(link_mark(self.kind.name, day_in_round(day)))
        if mark is None or mark.cursor is None:
            return None
        try:
            await self.page(mark.cursor)
        except InvalidCursorError:  # in a week, the keys that cursors are signed with may have changed
            return None
        return mark.cursor

    async def _due(self, day: date, cursor: str | None) -> tuple[list[Link], str | None]:
        """Of as many pages as it takes, a chunk of what is due: of a few addresses nobody can tell whether they fail or
        this machine does."""
        due: list[Link] = []
        while True:
            page = await self.page(cursor)
            due += [each for each in page if is_due(each.key, day)]
            cursor = page.next_cursor
            if cursor is None or len(due) >= CHUNK:
                return due, cursor

    async def _ask_again(self, running: Running, counts: LinkCounts, day: date) -> None:
        """Those that failed before; what was asked in this night already is left alone, also after midnight."""
        before = await self.failing(str(day))
        for start in range(0, len(before), CHUNK):
            await self._check(running, await self.links_of(before[start : start + CHUNK]), counts, hopeful=False)
            await running.progress()

    async def _check(
        self, running: Running, links: Sequence[Link], counts: LinkCounts, *, hopeful: bool = True
    ) -> None:
        await check_links(running, self._kit.fetcher, links, self.record, counts, pause=self._pause, hopeful=hopeful)
