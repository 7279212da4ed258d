"""What follows a change: the search index, adoption, and the removal of what deleted sites, icons and groups leave."""

from __future__ import annotations

from partita.apps.fus.schema import FUS, GroupRemoval, Site, SiteRemoval, TagTotal
from partita.apps.fus.search import CATALOG
from partita.apps.fus.service.adoption import adoptions
from partita.apps.fus.service.icons import delete_replaced
from partita.apps.fus.service.removal import finish_group, finish_site, forget_unused
from partita.kit.adoption import adoption_handler
from partita.kit.changes import Change, Handler
from partita.kit.kit import Kit
from partita.kit.search.following import following


def handlers(kit: Kit) -> tuple[Handler, ...]:
    """The handlers of fus; each may get a change twice."""

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

    async def remove_icon(change: Change) -> None:
        await delete_replaced(kit, *change.read(Site))

    return (
        following(kit.search, kit.store, CATALOG, "fus.search"),
        adoption_handler("fus.order", FUS, adoptions(kit.store)),  # its progress is stored under this name
        Handler("fus.removal", FUS, remove),
        Handler("fus.icons", FUS, remove_icon),
    )
