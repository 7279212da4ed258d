"""What follows a change: search, adoption, notifications, history, and removing what deleted things leave."""

from __future__ import annotations

from partita.apps.fus.schema import FUS, Comment, GroupRemoval, Membership, Site, SiteRemoval, TagTotal
from partita.apps.fus.search import CATALOG
from partita.apps.fus.service.adoption import adoptions
from partita.apps.fus.service.history import SITE_FIELDS, foreign_entry
from partita.apps.fus.service.icons import delete_replaced
from partita.apps.fus.service.notifications import FusNotifications
from partita.apps.fus.service.removal import finish_group, finish_site, forget_unused
from partita.kit.adoption import adoption_handler
from partita.kit.changes import Change, Handler
from partita.kit.history.following import foreign_changes
from partita.kit.kit import Kit
from partita.kit.search.following import following


def handlers(kit: Kit) -> tuple[Handler, ...]:
    """The handlers of fus; each may get a change twice."""
    notifications = FusNotifications(kit)

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

    async def tell(change: Change) -> None:
        if change.old is not None:
            return
        _, comment = change.read(Comment)
        if comment is not None:
            await notifications.tell_commented(comment)
        _, membership = change.read(Membership)
        if membership is not None:
            await notifications.tell_joined(membership)

    return (
        following(kit.search, kit.store, CATALOG, "fus.search"),
        adoption_handler("fus.order", FUS, adoptions(kit.store)),  # its progress is stored under this name
        Handler("fus.removal", FUS, remove),
        Handler("fus.icons", FUS, remove_icon),
        Handler("fus.notifications", FUS, tell),
        foreign_changes("fus.history", FUS, Site, SITE_FIELDS, kit.store, foreign_entry),
    )
