"""Reading pages in the background: of imported sites, and once more of those that could not be read or had no icon.

A site says itself when its page is to be read. Whoever reads it first moves that moment to the next try, so that two do
not read one page, and what a killed process had begun is tried again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from partita.apps.fus import schema
from partita.apps.fus.formats import host_of
from partita.apps.fus.schema import Site
from partita.apps.fus.service.asking import ask
from partita.apps.fus.service.bookkeeping import actions
from partita.apps.fus.service.icons import is_only_icon, keep_icon, looked_for
from partita.apps.fus.service.page_text import due_after, with_page
from partita.kit.clock import stamp
from partita.kit.fetcher import Fetched
from partita.kit.jobs import Arguments, JobKind, Result, Running, Schedule
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.kit.politeness import visit_hosts
from partita.table import Given, Transaction, Update, all_of, not_

KIND = "fus.fetch-pages"
ICONS = "fus.find-icons"
HOURLY = Schedule("fus.fetch-pages", KIND, every=timedelta(hours=1))
MOST_SITES = 2_500
"""How many pages one job reads; the next one goes on."""
_CHUNK = 100


@dataclass(slots=True)
class _Counts:
    read: int = 0
    failed: int = 0

    @property
    def done(self) -> int:
        return self.read + self.failed


class Fetching:
    """Reads pages, one after the other of each host and of some hosts at once."""

    def __init__(self, kit: Kit, *, pause: float = 1.0) -> None:
        """`pause` is how many seconds a host is left alone between two of its pages."""
        self._kit = kit
        self._pause = pause

    @property
    def kind(self) -> JobKind:
        return JobKind(KIND, "Read the pages of sites", self.run, seconds=3 * 3600.0, kept_days=2)

    @property
    def schedules(self) -> tuple[Schedule, ...]:
        return (HOURLY,) if self._kit.settings.fetch else ()

    def wanted(self, now: str) -> tuple[Given[Site], ...]:
        """What a new site says if its page is to be read in the background."""
        return (Site.fetch_due(now),) if self._kit.settings.fetch else ()

    async def begin(self) -> None:
        """Start to read what is due, unless that is being done."""
        if self._kit.settings.fetch:
            await self._kit.jobs.start(KIND, {}, None, key=HOURLY.key)

    @property
    def icons_kind(self) -> JobKind:
        """For sites whose pages were read before icons were looked for more than once: `partita jobs run`."""
        return JobKind(ICONS, "Look for missing icons", self.look_for_icons)

    async def look_for_icons(self, running: Running, _arguments: Arguments) -> Result:
        """Ask once for the icon of every site that was read and has none; run again, it asks for none of them again."""
        asked, now = 0, stamp(self._kit.clock)
        async for site in self._kit.store.stream(schema.newest_sites(), chunk=_CHUNK):
            if site.icon_file is not None:
                continue
            wanted = Update(site.own_key, Site.fetch_due.set(now), Site.icon_tries.set(0))
            lacking = all_of(not_(Site.fetched_at.missing()), Site.icon_file.missing(), Site.icon_tries.missing())
            with suppress(_Taken):
                await self._kit.store.write(wanted.when(all_of(lacking, Site.fetch_due.missing())).otherwise(_Taken()))
                asked += 1
                await running.progress("Looking for sites without an icon", done=asked)
        await self.begin()
        return Result(
            f"{'1 site has' if asked == 1 else f'{asked:,} sites have'} no icon: pages are read again.",
            values={"asked": asked},
        )

    async def run(self, running: Running, _arguments: Arguments) -> Result:
        """Read the pages that are due now. Nothing is to be saved: the sites say what is left."""
        counts, chunk = _Counts(), list[Site]()
        await running.progress("Reading pages")
        async for site in self._kit.store.stream(schema.sites_to_read(stamp(self._kit.clock)), chunk=_CHUNK):
            chunk.append(site)
            if len(chunk) == _CHUNK:
                await self._read_all(running, chunk, counts)
                chunk = []
            if counts.done >= MOST_SITES:
                break
        await self._read_all(running, chunk, counts)
        pages = "1 page was" if counts.read == 1 else f"{counts.read:,} pages were"
        told = f"{pages} read, {counts.failed:,} could not be."
        return Result(told, values={"read": counts.read, "failed": counts.failed}, idle=not counts.done)

    async def _read_all(self, running: Running, sites: Sequence[Site], counts: _Counts) -> None:
        async def read(site: Site) -> None:
            read = await self._read(site)
            counts.read += read is True
            counts.failed += read is False
            if not running.stopping.is_set():
                running.note(done=counts.done, message=f"{counts.done:,} so far")

        await visit_hosts(running, sites, lambda site: site.url, read, pause=self._pause)

    async def _read(self, due: Site) -> bool | None:
        """Read one page; whether that worked, None if it is not to be read any more."""
        claimed = await self._claim(due)
        if claimed is None:
            return None
        fetched = await ask(self._kit, claimed.url)
        icon = None
        if isinstance(fetched, Fetched) and claimed.icon_file is None:
            icon = await keep_icon(self._kit, fetched)
        if is_only_icon(claimed):
            kept = await self._kit.store.attempt(lambda: self._write_icon(claimed, fetched, icon))
        else:
            kept = await self._kit.store.attempt(lambda: self._write(claimed, fetched, icon))
        if icon is not None and not kept:
            await self._kit.uploads.discard(icon)
        return isinstance(fetched, Fetched)

    async def _claim(self, due: Site) -> Site | None:
        """The site, whose next try is later now; None if another process was faster, or it is given up or gone."""
        tries = (due.fetch_tries or 0) + 1
        later = due_after(tries, self._kit.clock)
        move = Site.fetch_due.remove() if later is None else Site.fetch_due.set(later)
        claim = Update(due.own_key, move, Site.fetch_tries.set(tries)).when(Site.fetch_due.equals(due.fetch_due))
        try:
            return await self._kit.store.write(claim.otherwise(_Taken()), returning="new")
        except _Taken:
            return None

    async def _write_icon(self, claimed: Site, fetched: Fetched | str, icon: str | None) -> bool:
        """Write the icon of a page that was read before, or when to look once more; whether it is named now."""
        before = await find(self._kit.store, schema.site, claimed.site_id)
        if before is None or before.url != claimed.url:
            return False
        named = icon is not None and before.icon_file is None
        after = looked_for(before.with_(Site.icon_file(icon)) if named else before, fetched, self._kit.clock)
        claims = (self._kit.uploads.claim(icon),) if icon is not None and named else ()
        update = Update(before.own_key, *actions(before, after))
        update = update.unless_changed(before, Site.url, Site.icon_file, Site.icon_tries)
        await self._kit.store.transact(Transaction(*claims, update))
        return named

    async def _write(self, claimed: Site, fetched: Fetched | str, icon: str | None) -> bool:
        """Write what the page says into what people have left empty; whether the icon is named now."""
        before = await find(self._kit.store, schema.site, claimed.site_id)
        if before is None or before.url != claimed.url:
            return False  # another address is another page, and is read at the next try
        untitled = before.title == host_of(before.url)
        after = with_page(before, fetched, self._kit.clock, "" if untitled else before.title, again=False)
        named = icon is not None and before.icon_file is None
        if named:
            after = after.with_(Site.icon_file(icon))
        if isinstance(fetched, Fetched):
            after = looked_for(after, fetched, self._kit.clock)
        reworded = (before.title, before.description) != (after.title, after.description)
        if reworded:
            after = after.with_(Site.updated_at(stamp(self._kit.clock)))
        changed = actions(before, after)
        if not changed:
            return False  # it cannot be read for the same reason as before
        update = Update(before.own_key, *changed)
        update = update.unless_changed(before, Site.url, Site.title, Site.description, Site.icon_file)
        if reworded:
            update = update.next_version(before)  # a form that is open shows the old words
        claims = (self._kit.uploads.claim(icon),) if icon is not None and named else ()
        await self._kit.store.transact(Transaction(*claims, update))
        return named


class _Taken(Exception):
    """Somebody else reads this page, or it need not be read any more."""
