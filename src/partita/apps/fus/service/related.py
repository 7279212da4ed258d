"""Related sites: those with the same tags, the rarer the better, and those that are liked by the same people.

They are found again when the tags of a site change, and as its ratings double; what is read for that is bounded,
however large the catalog is.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress

from partita.apps.fus import schema
from partita.apps.fus.schema import MOST_RELATED, RelatedSites, Site
from partita.apps.fus.service.sites import Sites
from partita.apps.fus.service.tagged import totals
from partita.kit.kit import Kit
from partita.kit.lists import find
from partita.store.store import AsyncStore
from partita.table import Check, Put, Transaction

_TAGS = 4
"""The rarest tags of a site that are looked at."""
_OF_A_TAG = 30
_FANS = 8
_OF_A_FAN = 20
_LIKED = 4
_SHARED_FAN = 0.08
"""How much one person who likes both counts beside a tag that only these two sites have: people like many things."""


class Related:
    """What else somebody may like."""

    def __init__(self, kit: Kit, sites: Sites) -> None:
        self._store = kit.store
        self._sites = sites

    async def to(self, site_id: str) -> tuple[Site, ...]:
        """Sites that are related to one, best first; those that are deleted meanwhile are left out."""
        kept = await find(self._store, schema.related_to, site_id)
        return () if kept is None else tuple((await self._sites.by_id(kept.related)).values())


def counts_anew(before: Site, after: Site) -> bool:
    """Whether the ratings of a site have doubled: then they may say something else of it."""
    return before.number_of_ratings.bit_length() < after.number_of_ratings.bit_length()


async def find_related(store: AsyncStore, site_id: str) -> None:
    """Find what is related to a site, and keep it; done twice, it is the same."""
    site = await find(store, schema.site, site_id)
    if site is None or not site.listed:
        return
    scores = defaultdict[str, float](float)
    await _by_tags(store, site, scores)
    await _by_fans(store, site, scores)
    scores.pop(site_id, None)
    best = sorted(scores, key=lambda other: (-scores[other], other))[:MOST_RELATED]
    kept = await find(store, schema.related_to, site_id)
    if best == list(() if kept is None else kept.related):
        return
    there = Check(site.own_key, site.own_key.present()).otherwise(_Gone())
    with suppress(_Gone):
        await store.transact(Transaction(there, Put(RelatedSites(site_id=site_id, related=tuple(best)))))


class _Gone(Exception):
    """The site was deleted meanwhile, and what belongs to it with it."""


async def _by_tags(store: AsyncStore, site: Site, scores: dict[str, float]) -> None:
    counts = await totals(store, site.tags) if site.tags else {}
    for tag in sorted(counts, key=lambda each: (counts[each], each))[:_TAGS]:
        for entry in await store.page(schema.newest_with_tag(tag), limit=_OF_A_TAG):
            scores[entry.site_id] += 2 / max(counts[tag], 2)


async def _by_fans(store: AsyncStore, site: Site, scores: dict[str, float]) -> None:
    """Whoever gave it four or five stars, and what else they gave as many, of the latest they rated."""
    fans: dict[str, None] = {}
    for stars in (5, 4):
        if len(fans) < _FANS and site.rating_histogram[stars - 1]:
            for rating in await store.page(schema.ratings_of(site.site_id, stars), limit=_FANS - len(fans)):
                fans[rating.user_id] = None
    for user_id in fans:
        for rating in await store.page(schema.my_ratings(user_id), limit=_OF_A_FAN):
            if rating.stars >= _LIKED:
                scores[rating.site_id] += _SHARED_FAN
