"""What follows a change: search, adoption, related sites, notifications, history, and removing what deleted things
leave."""

from __future__ import annotations

from collections.abc import Sequence

from partita.apps.fus.schema import (
    FUS,
    CollectionRemoval,
    Comment,
    GroupRemoval,
    Membership,
    PageCopy,
    Site,
    SiteRemoval,
    Suggestion,
    TagTotal,
)
from partita.apps.fus.search import CATALOG, COPIES
from partita.apps.fus.service.adoption import adoptions
from partita.apps.fus.service.copies import delete_replaced_copy
from partita.apps.fus.service.history import SITE_FIELDS, foreign_entry
from partita.apps.fus.service.icons import delete_replaced
from partita.apps.fus.service.notifications import FusNotifications
from partita.apps.fus.service.related import counts_anew, find_related
from partita.apps.fus.service.removal import finish_collection, finish_group, finish_site, forget_unused
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
        _, collection = change.read(CollectionRemoval)
        if collection is not None:
            await finish_collection(kit.store, collection)
        _, total = change.read(TagTotal)
        if total is not None:
            await forget_unused(kit.store, total)

    async def remove_icon(change: Change) -> None:
        await delete_replaced(kit, *change.read(Site))
        await delete_replaced_copy(kit, *change.read(PageCopy))

    async def relate(change: Change) -> None:
        await relate_together([change])

    async def relate_together(changes: Sequence[Change]) -> None:
        # A site that is new and gets its first ratings changes several times in a moment.
        asked: dict[str, None] = {}
        for before, site in (change.read(Site) for change in changes):
            if site is not None and (before is None or before.tags != site.tags or counts_anew(before, site)):
                asked[site.site_id] = None
        for site_id in asked:
            await find_related(kit.store, site_id)

    async def tell(change: Change) -> None:
        before, suggestion = change.read(Suggestion)
        if suggestion is not None and before is None and suggestion.waits:
            await notifications.tell_suggested(suggestion)
        elif suggestion is not None and before is not None and before.waits and not suggestion.waits:
            await notifications.tell_decided(suggestion)
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
        following(kit.search, kit.store, COPIES, "fus.search-copies"),
        adoption_handler("fus.order", FUS, adoptions(kit.store)),  # its progress is stored under this name
        Handler("fus.removal", FUS, remove),
        Handler("fus.icons", FUS, remove_icon),
        Handler("fus.related", FUS, relate, together=relate_together),
        Handler("fus.notifications", FUS, tell),
        foreign_changes("fus.history", FUS, Site, SITE_FIELDS, kit.store, foreign_entry),
    )
