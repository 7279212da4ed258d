"""Sites that another program wrote: as the document has them, without what keeps our lists in order and exact."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from partita.apps.fus import schema
from partita.apps.fus.bookkeeping import UrlTaken, changes
from partita.apps.fus.formats import rank_of, title_key
from partita.apps.fus.schema import STARS, Site
from partita.store.store import AsyncStore
from partita.table import Action, ChangedMeanwhileError, Transaction, Update


def ordered(site: Site) -> Site:
    """The site with the keys that its title and its ratings give it in the lists."""
    return site.model_copy(
        update={"timeline": "SITE", "title_key": title_key(site.title, site.site_id), "rating_rank": rank_of(site)}
    )


async def adopt(store: AsyncStore, site: Site, before: Site | None = None) -> bool:
    """List a site, guard its address and count it and its tags, exactly once; False where its address is taken.

    `before` is the site as it was listed, where another program has written over it since: it gets its numbers back.
    """
    after = ordered(site)
    own = Update(
        site.own_key,
        Site.timeline.set(after.timeline),
        Site.title_key.set(after.title_key),
        Site.rating_rank.set(after.rating_rank),
        Site.tags.set(after.tags),  # in our spelling, as they are counted
        *(_numbers_of(before) if before is not None else ()),
    )
    # All keys are made, as of a new item: a setting may spread the documented lists by keys of its own.
    still = own.or_new().when(Site.timeline.missing()).unless_changed(site, Site.url, Site.title, Site.updated_at)
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
        amount = getattr(site, counter.field)
        if amount:
            yield counter.add(amount)


async def keep_in_order(store: AsyncStore, site: Site, before: Site | None = None) -> None:
    """Write the keys of the lists where they are not what title and ratings say; a later change does it otherwise."""
    if site.timeline is None:
        if before is None or before.timeline is None:
            await adopt(store, site)
        else:
            await _relist(store, site, before)
        return
    after = ordered(site)
    if after == site:
        return
    own = Update(site.own_key, Site.title_key.set(after.title_key), Site.rating_rank.set(after.rating_rank))
    with suppress(ChangedMeanwhileError):
        await store.write(own.unless_changed(site, Site.title, Site.rating_count, Site.rating_sum))


async def _relist(store: AsyncStore, site: Site, before: Site) -> None:
    """List a site again that another program has written over, as it is by now."""
    found = await store.get(schema.site(site.site_id).consistently())
    if found is not None and found.timeline is None:
        await adopt(store, found, before)
