"""Addresses of resources that do not answer any more: asked by night, told on pages and at the desk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any, Literal

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import LinkCheck, Resource
from partita.apps.kelifax.service.resources import Resources
from partita.kit.clock import stamp
from partita.kit.failing_links import Failing, failed, is_due
from partita.kit.jobs import Arguments, JobKind, Result, Running, Schedule
from partita.kit.kit import Kit
from partita.kit.links import Link, LinkCounts, check_links
from partita.kit.lists import find
from partita.table import Delete, Page, Put, Transaction, Update
from partita.table.versions import changed_meanwhile

KIND = "kelifax.check-links"
NIGHTLY = Schedule("kelifax.check-links", KIND, at=time(2))
MOST_LINKS = 3_000
"""How many addresses one night asks, and as many of those that fail."""
_CHUNK = 50
STATES: tuple[Literal["failing", "broken"], ...] = ("failing", "broken")


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A resource whose address does not answer, and why."""

    resource: Resource
    check: LinkCheck


class Links:
    """Asks every address of the directory once a week, and those that fail every night."""

    def __init__(self, kit: Kit, resources: Resources, *, pause: float = 1.0) -> None:
        """`pause` is how many seconds a host is left alone between two of its addresses."""
        self._kit = kit
        self._store = kit.store
        self._resources = resources
        self._pause = pause

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Check the links of resources", self.run, seconds=3 * 3600.0, kept_days=7)

    @property
    def schedules(self) -> tuple[Schedule, ...]:
        return (NIGHTLY,) if self._kit.settings.fetch else ()

    async def broken(self, *, limit: int = 20, cursor: str | None = None) -> Page[BrokenLink]:
        """Resources with a broken address, the latest first."""
        checks = await self._store.page(schema.links("broken"), limit=limit, after=cursor)
        resources = await self._resources.approved([each.slug for each in checks])
        found = (BrokenLink(resources[each.slug], each) for each in checks if each.slug in resources)
        return Page(tuple(each for each in found if each.resource.is_broken), checks.next_cursor)

    async def run(self, running: Running, _arguments: Arguments) -> Result:
        """Ask what is due today, and then what failed before; after a kill it goes on with the next fifty."""
        counts = LinkCounts()
        saved: dict[str, Any] = running.saved or {"cursor": None, "asked": 0, "known": False}
        await running.progress("Asking addresses")
        day = date.fromisoformat(running.created_at[:10])
        while not saved["known"]:
            page = await self._store.page(schema.approved_resources(), limit=_CHUNK, after=saved["cursor"])
            due = [each for each in page if is_due(each.resource_slug, day)][: MOST_LINKS - saved["asked"]]
            await self._check(running, due, counts)
            asked = saved["asked"] + len(due)
            ended = page.next_cursor is None or asked >= MOST_LINKS
            saved = {"cursor": page.next_cursor, "asked": asked, "known": ended}
            await running.checkpoint(saved)
        await self._ask_again(running, counts)
        message = f"{counts.asked:,} addresses were asked; {counts.failing:,} did not answer as they should."
        return Result(message, "/kelifax/moderation/broken", {"asked": counts.asked, "failing": counts.failing})

    async def _ask_again(self, running: Running, counts: LinkCounts) -> None:
        """Those that failed before; what was asked today already is left alone."""
        today = stamp(self._kit.clock)[:10]
        before = [
            each
            for state in STATES
            for each in await self._store.page(schema.links(state), limit=MOST_LINKS)
            if each.checked_at[:10] < today
        ]
        for start in range(0, len(before), _CHUNK):
            chunk = before[start : start + _CHUNK]
            resources = await self._resources.approved([each.slug for each in chunk])
            for each in chunk:
                if each.slug not in resources:  # it is in the directory no longer
                    await self._store.write(Delete(each.own_key))
            await self._check(running, [*resources.values()], counts, hopeful=False)
            await running.progress()

    async def _check(
        self, running: Running, resources: Sequence[Resource], counts: LinkCounts, *, hopeful: bool = True
    ) -> None:
        links = [Link(each.resource_slug, each.resource_url) for each in resources]
        await check_links(running, self._kit.fetcher, links, self.record, counts, pause=self._pause, hopeful=hopeful)

    async def record(self, link: Link, reason: str | None) -> None:
        """Keep what an address answered: None if it works, else why it does not."""

        async def attempt() -> None:
            check = await find(self._store, schema.link_check, link.key)
            if reason is None:
                await self._works(link, check)
            else:
                await self._fails(link, check, reason)

        try:
            await self._store.attempt(attempt)
        except _Moved:
            await self._store.write(Delete(LinkCheck.key(LinkCheck.slug(link.key))))

    async def _works(self, link: Link, check: LinkCheck | None) -> None:
        if check is None:
            return
        gone = Delete(check.own_key).unless_changed(check, LinkCheck.url, LinkCheck.checked_at)
        if check.state == "failing":
            await self._store.write(gone)
            return
        mended = Update(
            Resource.key(Resource.resource_slug(link.key)), Resource.broken_url.remove(), Resource.broken_since.remove()
        )
        await self._store.transact(Transaction(gone, mended.otherwise(_Moved())))

    async def _fails(self, link: Link, check: LinkCheck | None, reason: str) -> None:
        now = stamp(self._kit.clock)
        known = failed(_failing(check), link.url, reason, now)
        after = LinkCheck(
            slug=link.key,
            state="broken" if known.is_broken else "failing",
            url=known.url,
            days=known.days,
            logged_at=known.since,
            checked_at=known.checked_at,
            reason=known.reason,
        )
        put = Put(after)
        put = (
            put.if_new().otherwise(changed_meanwhile(put.key))
            if check is None
            else put.unless_changed(check, LinkCheck.url, LinkCheck.checked_at)
        )
        if not known.is_broken:
            await self._store.write(put)
            return
        told = Update(
            Resource.key(Resource.resource_slug(link.key)),
            Resource.broken_url.set(link.url),
            Resource.broken_since.set(known.since),
        )
        same = Resource.resource_url.equals(link.url)
        await self._store.transact(Transaction(put, told.when(same).otherwise(_Moved())))


class _Moved(Exception):
    """The resource was deleted meanwhile, or has another address."""


def _failing(check: LinkCheck | None) -> Failing | None:
    if check is None:
        return None
    return Failing(check.url, check.days, check.logged_at, check.checked_at, check.reason)
