"""What follows a change: search, the order of the lists, and removing what a site or a group leaves behind."""

from __future__ import annotations

from partita.apps.fus.adoption import keep_in_order
from partita.apps.fus.intake import take_in
from partita.apps.fus.removal import finish_group, finish_site, forget_unused
from partita.apps.fus.schema import FUS, GroupRemoval, Site, SiteRemoval, TagTotal
from partita.apps.fus.search import CATALOG
from partita.kit.changes import Change, Handler
from partita.kit.kit import Kit
from partita.kit.search.following import following


def handlers(kit: Kit) -> tuple[Handler, ...]:
    """The reactions of fus; each may see a change twice."""

    async def order(change: Change) -> None:
        before, site = change.read(Site)
        if site is not None:
            await keep_in_order(kit.store, site, before)
        await take_in(kit.store, change)

    async def remove(change: Change) -> None:
        _, site = change.read(SiteRemoval)
        if site is not None:
            await finish_site(kit.store, site)
        _, group = change.read(GroupRemoval)
        if group is not None:
            await finish_group(kit.store, group)
        _, total = change.read(TagTotal)
        if total is not None:
            await forget_unused(kit.store, total)

    return (
        following(kit.search, kit.store, CATALOG, "fus.search"),
        Handler("fus.order", FUS, order),
        Handler("fus.removal", FUS, remove),
    )
