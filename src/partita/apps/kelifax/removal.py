"""What a resource that is gone leaves behind: reports that nobody can deal with any more."""

from __future__ import annotations

from contextlib import suppress

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import Report
from partita.kit.clock import Clock, stamp
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Update


async def close_reports(store: AsyncStore, clock: Clock, slug: str) -> None:
    """Close what was reported of a resource that is gone; not what is reported of another that has its slug by now."""
    now = stamp(clock)
    successor = await store.get(schema.resource(slug).consistently())
    until = now if successor is None else min(now, successor.created_at)
    async for report in store.stream(schema.open_reports_of(slug)):
        if report.logged_at < until:
            closed = Update(report.own_key, Report.state.set("closed"))
            with suppress(ChangedMeanwhileError):
                await store.write(closed.unless_changed(report, Report.state))
