"""Links that do not work any more: asking politely, and when to believe it.

A host that refuses programs, or has no time just now, is a host that works. A link is broken if it failed on several
days in a row, so that a bad night of a server is not the end of a page.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from partita.kit.failing_links import LONGEST_REASON
from partita.kit.fetcher import Fetcher, FetchRefused
from partita.kit.fetcher.fetcher import spelled_status
from partita.kit.jobs import JobFailed, Running
from partita.kit.politeness import visit_hosts

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
