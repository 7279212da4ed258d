"""Nights in which links are asked, one after another."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from partita.kit.jobs import JobWorker
from partita.kit.kit import Kit


class Nights:
    """A clock that stands still until the next night."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 1, 2, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    async def run(self, kit: Kit, kind: str) -> None:
        """The work of a night; then it is the next one."""
        job = await kit.jobs.start(kind, {}, None)
        await JobWorker(kit.jobs).drain()
        self.at += timedelta(days=1)
        ended = await kit.jobs.ended_within(job, 5)
        assert ended.state == "done", ended.error
