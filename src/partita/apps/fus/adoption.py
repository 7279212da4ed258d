"""Sites that another program wrote: as the document has them, without what keeps our lists in order and exact."""

from __future__ import annotations

from contextlib import suppress

from partita.apps.fus import schema
from partita.apps.fus.bookkeeping import UrlTaken, changes
from partita.apps.fus.formats import rank_of, title_key
from partita.apps.fus.schema import Site
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Transaction, Update


def ordered(site: Site) -> Site:
    """The site with the keys that its title and its ratings give it in the lists."""
    return site.model_copy(
        update={"timeline": "SITE", "title_key": title_key(site.title, site.site_id), "rating_rank": rank_of(site)}
    )


async def adopt(store: AsyncStore, site: Site) -> bool:
    """List a site, guard its address and count it and its tags, exactly once; False where its address is taken."""
    after = ordered(site)
    own = Update(
        site.own_key,
        Site.timeline.set(after.timeline),
        Site.title_key.set(after.title_key),
        Site.rating_rank.set(after.rating_rank),
    )
    still = own.when(Site.timeline.missing()).unless_changed(site, Site.url, Site.title, Site.tags)
    try:
        await store.transact(Transaction(still, *changes(None, after)))
    except UrlTaken:
        return False
    except ChangedMeanwhileError:
        pass  # somebody did it, or changed the site: then its change is still to come
    return True


async def keep_in_order(store: AsyncStore, site: Site) -> None:
    """Write the keys of the lists where they are not what title and ratings say; a later change does it otherwise."""
    if site.timeline is None:
        await adopt(store, site)
        return
    after = ordered(site)
    if after == site:
        return
    own = Update(site.own_key, Site.title_key.set(after.title_key), Site.rating_rank.set(after.rating_rank))
    with suppress(ChangedMeanwhileError):
        await store.write(own.unless_changed(site, Site.title, Site.rating_count, Site.rating_sum))


async def adopt_all(store: AsyncStore) -> tuple[int, list[Site]]:
    """Adopt every site that is not listed yet; how many were, and those whose address another site has."""
    adopted, refused = 0, list[Site]()
    async for site in store.stream(schema.all_sites().where(Site.timeline.missing())):
        if await adopt(store, site):
            adopted += 1
        else:
            refused.append(site)
    return adopted, refused
