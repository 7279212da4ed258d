"""Addresses of resources that do not answer any more: asked by night, told on pages and at the desk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from typing import Literal

from partita.apps.kelifax import schema
from partita.apps.kelifax.schema import LinkCheck, Resource
from partita.apps.kelifax.service.resources import Resources
from partita.kit.clock import stamp
from partita.kit.failing_links import Failing, failed
from partita.kit.kit import Kit
from partita.kit.links import CHUNK, MOST_LINKS, Link, NightlyLinks
from partita.kit.lists import find, follow_page
from partita.table import Delete, Page, Put, Transaction, Update
from partita.table.versions import changed_meanwhile

KIND = "kelifax.check-links"
STATES: tuple[Literal["failing", "broken"], ...] = ("failing", "broken")


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A resource whose address does not answer, and why."""

    resource: Resource
    check: LinkCheck


class Links(NightlyLinks):
    """Of the resources of the directory."""

    def __init__(self, kit: Kit, resources: Resources) -> None:
        super().__init__(kit, KIND, "Check the links of resources", time(2), "/kelifax/moderation/broken")
        self._store = kit.store
        self._resources = resources

    async def broken(self, *, limit: int = 20, cursor: str | None = None) -> Page[BrokenLink]:
        """Resources with a broken address, the latest first."""

        async def follow(checks: Sequence[LinkCheck]) -> list[BrokenLink]:
            resources = await self._resources.approved([each.slug for each in checks])
            found = (BrokenLink(resources[each.slug], each) for each in checks if each.slug in resources)
            return [each for each in found if each.resource.is_broken]

        return await follow_page(self._store, schema.links("broken"), follow, limit=limit, after=cursor)

    async def page(self, cursor: str | None) -> Page[Link]:
        page = await self._store.page(schema.approved_resources(), limit=CHUNK, after=cursor)
        return Page(tuple(map(_link, page)), page.next_cursor)

    async def failing(self, today: str) -> Sequence[str]:
        pages = [await self._store.page(schema.links(state), limit=MOST_LINKS) for state in STATES]
        return [each.slug for page in pages for each in page if each.checked_at[:10] < today]

    async def links_of(self, keys: Sequence[str]) -> Sequence[Link]:
        """What is in the directory no longer is forgotten."""
        resources = await self._resources.approved(list(keys))
        for slug in keys:
            if slug not in resources:
                await self._store.write(Delete(schema.link_check(slug).key))
        return [_link(each) for each in resources.values()]

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


def _link(resource: Resource) -> Link:
    return Link(resource.resource_slug, resource.resource_url)
