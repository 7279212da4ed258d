"""What a deleted resource leaves behind: reports that nobody can look into any more."""

from __future__ import annotations

from contextlib import suppress

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import Report
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.table import ChangedMeanwhileError, Update


async def close_reports(kit: Kit, slug: str) -> None:
    """Close the reports of a deleted resource, but not those of a new one that got its slug."""
    now = stamp(kit.clock)
    successor = await find(kit.store, schema.resource, slug)
    until = now if successor is None else min(now, successor.created_at)
    async for report in kit.store.stream(schema.open_reports_of(slug)):
        if report.logged_at < until:
            closed = Update(report.own_key, Report.state.set("closed"))
            with suppress(ChangedMeanwhileError):
                await kit.store.write(closed.unless_changed(report, Report.state))
