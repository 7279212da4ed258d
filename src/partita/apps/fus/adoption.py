"""Sites that another program wrote: as the document has them, without what keeps our lists in order and exact."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from partita.apps.fus import schema
from partita.apps.fus.bookkeeping import UrlTaken, changes
from partita.apps.fus.formats import rank_of
from partita.apps.fus.schema import STARS, Site
from partita.store.store import AsyncStore
from partita.table import Action, ChangedMeanwhileError, Transaction, Update


def ordered(site: Site) -> Site:
    """The site with the rank that its ratings give it in the lists."""
    return site.with_(Site.rating_rank(rank_of(site)))


async def adopt(store: AsyncStore, site: Site, before: Site | None = None) -> bool:
    """List a site, guard its address and count it and its tags, exactly once; False where its address is taken.

    `before` is the site as it was listed, where another program has written over it since: it gets its numbers back.
    """
    after = ordered(site)
    own = Update(
        site.own_key,
        Site.rating_rank.set(after.rating_rank),
        Site.tags.set(after.tags),  # in our spelling, as they are counted
        *(_numbers_of(before) if before is not None else ()),
    )
    # All keys are made anew: a setting may spread the documented lists by keys of its own.
    still = own.making_anew(after).when(Site.timeline.missing())
    still = still.unless_changed(site, Site.url, Site.title, Site.updated_at)
    with suppress(ChangedMeanwhileError):  # somebody did it, or changed the site: then its change is still to come
        try:
            await store.transact(Transaction(still, *changes(before, after)))
        except UrlTaken as taken:
            if taken.site_id != site.site_id:
                return False
            await store.write(still)  # it was listed once, so it is guarded and counted
    return True


def _numbers_of(site: Site) -> Iterator[Action]:
    counters = (Site.comment_count, STARS.count, STARS.total, *STARS.histogram.values())
    for counter in counters:
        amount = getattr(site, counter.field_name)
        if amount:
            yield counter.add(amount)


async def keep_in_order(store: AsyncStore, site: Site, before: Site | None = None) -> None:
    """Write the keys of the lists where they are not what title and ratings say; a later change does it otherwise."""
    if not site.as_stored(Site.timeline):
        if before is None or not before.as_stored(Site.timeline):
            await adopt(store, site)
        else:
            await _relist(store, site, before)
        return
    after = ordered(site)
    if after == site and not site.stale():
        return
    own = Update(site.own_key, Site.rating_rank.set(after.rating_rank)).making_anew(after)
    with suppress(ChangedMeanwhileError):
        await store.write(own.unless_changed(site, Site.title, Site.rating_count, Site.rating_sum))


async def _relist(store: AsyncStore, site: Site, before: Site) -> None:
    """List a site again that another program has written over, as it is by now."""
    found = await store.get(schema.site(site.site_id).consistently())
    if found is not None and not found.as_stored(Site.timeline):
        await adopt(store, found, before)
