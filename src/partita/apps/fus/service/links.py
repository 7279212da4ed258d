"""Addresses of sites that do not answer any more: asked by night, told on their pages and to those who edit sites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from partita.apps.fus import schema
from partita.apps.fus.schema import LinkCheck, Site
from partita.apps.fus.service.sites import Sites
from partita.kit.clock import stamp
from partita.kit.failing_links import Failing, failed, is_due
from partita.kit.jobs import Arguments, JobKind, Result, Running, Schedule
from partita.kit.kit import Kit
from partita.kit.links import Link, LinkCounts, check_links
from partita.kit.lists import find, follow_page
from partita.table import Check, Delete, Page, Put, Transaction
from partita.table.versions import changed_meanwhile

KIND = "fus.check-links"
NIGHTLY = Schedule("fus.check-links", KIND, at=time(2, 30))
MOST_LINKS = 3_000
"""How many addresses one night asks, and as many of those that fail."""
_CHUNK = 50


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A site whose address does not answer, and why."""

    site: Site
    check: LinkCheck


class Links:
    """Asks every address of the catalog once a week, and those that fail every night."""

    def __init__(self, kit: Kit, sites: Sites, *, pause: float = 1.0) -> None:
        """`pause` is how many seconds a host is left alone between two of its addresses."""
        self._kit = kit
        self._store = kit.store
        self._sites = sites
        self._pause = pause

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Check the links of sites", self.run, seconds=3 * 3600.0, kept_days=7)

    @property
    def schedules(self) -> tuple[Schedule, ...]:
        return (NIGHTLY,) if self._kit.settings.fetch else ()

    async def broken_link(self, site: Site) -> LinkCheck | None:
        """Why the address of a site is broken; None if it works, has just begun to fail, or is another one now."""
        check = await find(self._store, schema.link_check, site.site_id)
        return check if check is not None and check.entity_type == "BROKEN" and check.url == site.url else None

    async def broken(self, *, limit: int = 20, cursor: str | None = None) -> Page[BrokenLink]:
        """Sites with a broken address."""

        async def follow(checks: Sequence[LinkCheck]) -> list[BrokenLink]:
            sites = await self._sites.by_id(each.site_id for each in checks)
            found = (BrokenLink(sites[each.site_id], each) for each in checks if each.site_id in sites)
            return [each for each in found if each.site.url == each.check.url]

        return await follow_page(self._store, schema.links("BROKEN"), follow, limit=limit, after=cursor)

    async def run(self, running: Running, _arguments: Arguments) -> Result:
        """Ask what is due today, and then what failed before; after a kill it goes on with the next fifty."""
        counts = LinkCounts()
        saved: dict[str, Any] = running.saved or {"cursor": None, "asked": 0, "known": False}
        await running.progress("Asking addresses")
        day = date.fromisoformat(running.created_at[:10])
        while not saved["known"]:
            page = await self._store.page(schema.newest_sites(), limit=_CHUNK, after=saved["cursor"])
            due = [each for each in page if is_due(each.site_id, day)][: MOST_LINKS - saved["asked"]]
            await self._check(running, due, counts)
            asked = saved["asked"] + len(due)
            ended = page.next_cursor is None or asked >= MOST_LINKS
            saved = {"cursor": page.next_cursor, "asked": asked, "known": ended}
            await running.checkpoint(saved)
        await self._ask_again(running, counts)
        message = f"{counts.asked:,} addresses were asked; {counts.failing:,} did not answer as they should."
        return Result(message, "/fus/broken", {"asked": counts.asked, "failing": counts.failing})

    async def record(self, link: Link, reason: str | None) -> None:
        """Keep what an address answered: None if it works, else why it does not. Nothing is kept of a site that is gone
        or has another address meanwhile."""

        async def attempt() -> None:
            check = await find(self._store, schema.link_check, link.key)
            if reason is not None:
                await self._fails(link, check, reason)
            elif check is not None:
                await self._store.write(
                    Delete(check.own_key).unless_changed(check, LinkCheck.url, LinkCheck.checked_at)
                )

        try:
            await self._store.attempt(attempt)
        except _Moved:
            await self._store.write(Delete(schema.link_check(link.key).key))

    async def _fails(self, link: Link, check: LinkCheck | None, reason: str) -> None:
        known = failed(_failing(check), link.url, reason, stamp(self._kit.clock))
        after = LinkCheck(
            site_id=link.key,
            url=known.url,
            days=known.days,
            since=known.since,
            checked_at=known.checked_at,
            reason=known.reason,
        )
        put = Put(after)
        put = (
            put.if_new().otherwise(changed_meanwhile(put.key))
            if check is None
            else put.unless_changed(check, LinkCheck.url, LinkCheck.checked_at)
        )
        same = Check(Site.key(Site.site_id(link.key)), Site.url.equals(link.url)).otherwise(_Moved())
        await self._store.transact(Transaction(same, put))

    async def _ask_again(self, running: Running, counts: LinkCounts) -> None:
        """Those that failed before; what was asked today already is left alone."""
        today = stamp(self._kit.clock)[:10]
        failing = await self._store.page(schema.links("FAILING"), limit=MOST_LINKS)
        broken = await self._store.page(schema.links("BROKEN"), limit=MOST_LINKS)
        before = [each for each in (*failing, *broken) if each.checked_at[:10] < today]
        for start in range(0, len(before), _CHUNK):
            chunk = before[start : start + _CHUNK]
            sites = await self._sites.by_id(each.site_id for each in chunk)
            await self._check(running, [*sites.values()], counts, hopeful=False)
            await running.progress()

    async def _check(
        self, running: Running, sites: Sequence[Site], counts: LinkCounts, *, hopeful: bool = True
    ) -> None:
        links = [Link(each.site_id, each.url) for each in sites]
        await check_links(running, self._kit.fetcher, links, self.record, counts, pause=self._pause, hopeful=hopeful)


class _Moved(Exception):
    """The site was deleted meanwhile, or has another address."""


def _failing(check: LinkCheck | None) -> Failing | None:
    if check is None:
        return None
    return Failing(check.url, check.days, check.since, check.checked_at, check.reason)
