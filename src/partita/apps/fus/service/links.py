"""Addresses of sites that do not answer any more: asked by night, told on their pages and to those who edit sites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from typing import Literal

from partita.apps.fus import schema
from partita.apps.fus.schema import LinkCheck, Site
from partita.apps.fus.service.sites import Sites
from partita.kit.clock import stamp
from partita.kit.failing_links import Failing, failed
from partita.kit.kit import Kit
from partita.kit.links import CHUNK, MOST_LINKS, Link, NightlyLinks
from partita.kit.lists import find, follow_page
from partita.table import Check, Delete, Page, Put, Transaction
from partita.table.versions import changed_meanwhile

KIND = "fus.check-links"
STATES: tuple[Literal["FAILING", "BROKEN"], ...] = ("FAILING", "BROKEN")


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A site whose address does not answer, and why."""

    site: Site
    check: LinkCheck


class Links(NightlyLinks):
    """Of the sites of the catalog."""

    def __init__(self, kit: Kit, sites: Sites) -> None:
        super().__init__(kit, KIND, "Check the links of sites", time(2, 30), "/fus/broken")
        self._store = kit.store
        self._sites = sites

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

    async def page(self, cursor: str | None) -> Page[Link]:
        page = await self._store.page(schema.newest_sites(), limit=CHUNK, after=cursor)
        return Page(tuple(map(_link, page)), page.next_cursor)

    async def failing(self, today: str) -> Sequence[str]:
        pages = [await self._store.page(schema.links(state), limit=MOST_LINKS) for state in STATES]
        return [each.site_id for page in pages for each in page if each.checked_at[:10] < today]

    async def links_of(self, keys: Sequence[str]) -> Sequence[Link]:
        sites = await self._sites.by_id(keys)
        return [_link(each) for each in sites.values()]

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


class _Moved(Exception):
    """The site was deleted meanwhile, or has another address."""


def _failing(check: LinkCheck | None) -> Failing | None:
    if check is None:
        return None
    return Failing(check.url, check.days, check.since, check.checked_at, check.reason)


def _link(site: Site) -> Link:
    return Link(site.site_id, site.url)
