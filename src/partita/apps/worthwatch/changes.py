"""What follows a change: emails, ranks, the lists that a title is on, covers and labels, copies, hiding, notices, the
log, and removing what deleted lists and people who left leave."""

from __future__ import annotations

from contextlib import suppress

from partita.apps.worthwatch.schema import (
    WORTHWATCH,
    Application,
    Comment,
    ListCopy,
    ListRemoval,
    ListTotals,
    Mine,
    Movie,
    Popularity,
    Rating,
    Report,
    Show,
    TagTotal,
    Told,
    User,
    UserRemoval,
    Viewing,
    Watchlist,
    WatchlistItem,
)
from partita.apps.worthwatch.search import CATALOGS
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.covers import follow_items, follow_title, on_a_cover
from partita.apps.worthwatch.service.labels import label_of, ref_of
from partita.apps.worthwatch.service.leaving import finish_person
from partita.apps.worthwatch.service.notices import Notices
from partita.apps.worthwatch.service.people import EmailTaken
from partita.apps.worthwatch.service.ranks import follow_live, rank_tag, warm
from partita.apps.worthwatch.service.removal import finish_list
from partita.kit.accounts import ACCOUNTS, Account
from partita.kit.adoption import adoption_handler
from partita.kit.changes import Change, Handler
from partita.kit.changes.large_values import forget_large_values
from partita.kit.kit import Kit
from partita.kit.search.following import following


def handlers(kit: Kit, service: WorthWatchService) -> tuple[Handler, ...]:
    """The handlers of WorthWatch; each may get a change twice."""

    async def follow_account(change: Change) -> None:
        before, after = change.read(Account)
        if after is not None and (before is None or before.email != after.email):
            with suppress(EmailTaken):  # the profile keeps the address it has
                await service.people.follow_account(after)

    async def remove(change: Change) -> None:
        _, removal = change.read(ListRemoval)
        if removal is not None:
            await finish_list(kit.store, removal)
        _, person = change.read(UserRemoval)
        if person is not None:
            await finish_person(kit.store, person)

    async def rank(change: Change) -> None:
        _, tag = change.read(TagTotal)
        if tag is not None:
            await rank_tag(kit.store, tag)
        before, totals = change.read(ListTotals)
        if totals is not None and (before is None or before.save_count != totals.save_count):
            await warm(kit.store, totals.watchlist_id)
        earlier, place = change.read(Popularity)
        if place is not None and earlier is None:  # somebody may have saved the list at that moment
            await warm(kit.store, place.watchlist_id)

    async def follow(change: Change) -> None:
        before, after = change.read(Watchlist)
        if after is not None and (before is None or _since(before) != _since(after)):
            await follow_live(kit.store, after)

    async def hide(change: Change) -> None:
        before, after = change.read(User)
        if before is not None and after is not None and before.curator_status != after.curator_status:
            await service.curators.follow_status(after.user_id)
        if after is not None and after.approved and (before is None or not before.approved):
            await service.ratings.show_all_of(after.user_id)

    async def show(change: Change) -> None:
        _, rating = change.read(Rating)
        if rating is not None:
            await service.ratings.show(rating)

    async def tell(change: Change) -> None:
        await _tell(service.notices, change)

    async def copy(change: Change) -> None:
        _, work = change.read(ListCopy)
        if work is not None:
            await service.copies.finish(work.watchlist_id)

    async def cover(change: Change) -> None:
        before, after = change.read(WatchlistItem)
        there = after or before
        if there is not None and (before is None or after is None or on_a_cover(before) != on_a_cover(after)):
            await follow_items(kit.store, there.watchlist_id)

    async def label(change: Change) -> None:
        for before, after in (change.read(Movie), change.read(Show)):
            if before is not None and after is not None and label_of(before) != label_of(after):
                await follow_title(kit.store, ref_of(after))

    async def forget_pictures(change: Change) -> None:
        await service.pictures.forget(change)

    async def merge(change: Change) -> None:
        for before, after in (change.read(WatchlistItem), change.read(Mine), change.read(Viewing)):
            if after is not None and (before is None or before.content_id != after.content_id):
                await service.merging.late(after)

    return (
        Handler("worthwatch.accounts", ACCOUNTS, follow_account),
        adoption_handler("worthwatch.adoption", WORTHWATCH, service.adoptions),
        Handler("worthwatch.copies", WORTHWATCH, copy),
        Handler("worthwatch.covers", WORTHWATCH, cover),
        Handler("worthwatch.labels", WORTHWATCH, label),
        Handler("worthwatch.merging", WORTHWATCH, merge),
        Handler("worthwatch.pictures", WORTHWATCH, forget_pictures),
        Handler("worthwatch.ranks", WORTHWATCH, rank),
        forget_large_values("worthwatch.large_values", WORTHWATCH, kit.store),
        Handler("worthwatch.live", WORTHWATCH, follow),
        Handler("worthwatch.removal", WORTHWATCH, remove),
        Handler("worthwatch.hiding", WORTHWATCH, hide),
        Handler("worthwatch.ratings", WORTHWATCH, show),
        Handler("worthwatch.log", WORTHWATCH, service.logs.write),
        Handler("worthwatch.notices", WORTHWATCH, tell),
        *(following(kit.search, kit.store, each, f"{each.name}.search") for each in CATALOGS),
    )


def _since(watchlist: Watchlist) -> str | None:
    return watchlist.published_at if watchlist.live else None


async def _tell(notices: Notices, change: Change) -> None:
    """Tell people of what concerns them."""
    old_item, item = change.read(WatchlistItem)
    if item is not None and old_item is None:
        await notices.count_title(item, change.sequence, gone=False)
    elif old_item is not None and item is None:
        await notices.count_title(old_item, change.sequence, gone=True)
    old_told, told = change.read(Told)
    if told is not None and told.titles > 0 and (old_told is None or old_told.titles <= 0):
        await notices.begin_savers(told)
    old_list, watchlist = change.read(Watchlist)
    if watchlist is not None and watchlist.live and (old_list is None or old_list.published_at is None):
        await notices.begin_followers(watchlist)
    old_application, application = change.read(Application)
    decided_before = None if old_application is None else old_application.decided_at
    if application is not None and application.decided_at != decided_before:
        await notices.tell_decided(application)
    elif application is not None and old_application is None:
        await notices.tell_applied(application)
    if change.old is None:
        _, comment = change.read(Comment)
        if comment is not None:
            await notices.tell_commented(comment)
        _, report = change.read(Report)
        if report is not None:
            await notices.tell_reported(report)
