"""What follows a change: search, the order of the lists, and removing what a site or a group leaves behind."""

from __future__ import annotations

from partita.apps.fus.adoption import keep_in_order
from partita.apps.fus.removal import finish_group, finish_site, forget_unused
from partita.apps.fus.schema import FUS, GroupRemoval, Site, SiteRemoval, TagTotal
from partita.apps.fus.search import CATALOG
from partita.kit.changes import Change, Handler
from partita.kit.kit import Kit


def handlers(kit: Kit) -> tuple[Handler, ...]:
    """The reactions of fus; each may see a change twice."""

    async def index(change: Change) -> None:
        old, new = change.read(Site)
        if old is not None and new is not None and CATALOG.document(old) == CATALOG.document(new):
            return  # stars and comments are no words
        await kit.search.apply(CATALOG, old, new, sequence=change.sequence)

    async def order(change: Change) -> None:
        _, site = change.read(Site)
        if site is not None:
            await keep_in_order(kit.store, site)

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
        Handler("fus.search", FUS, index),
        Handler("fus.order", FUS, order),
        Handler("fus.removal", FUS, remove),
    )
