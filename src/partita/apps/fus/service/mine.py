"""What somebody has rated and written, as lists that can be searched, sorted and counted.

All of it is read for that, up to a bound, since it is theirs alone: what a list costs grows with what they have, not
with the catalog. Words of sites and their order by title come from the search index, which costs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from partita.apps.fus import schema
from partita.apps.fus.schema import Comment, Group, Rating
from partita.apps.fus.search import CATALOG
from partita.apps.fus.service.comments import CommentWithSite
from partita.apps.fus.service.grants import counts
from partita.apps.fus.service.ratings import RatedSite
from partita.apps.fus.service.sites import Sites
from partita.kit.kit import Kit
from partita.kit.lists import page_of
from partita.kit.permissions import Viewer
from partita.kit.search.folding import tokens
from partita.table import Page

RatingSort = Literal["newest", "oldest", "most", "fewest", "title"]
CommentSort = Literal["newest", "oldest"]

MOST_RATINGS = 1000
MOST_COMMENTS = 500
MOST_GROUPS = 500
"""The newest so many can be searched, sorted and counted."""
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class MyRatings(Page[RatedSite]):
    """A page of somebody's ratings."""

    by_stars: Mapping[int, int] | None = None
    """How many stars → how many of the ratings that have the words."""
    of_all: int = 0
    """How many there are without words and filters."""


@dataclass(frozen=True, slots=True)
class MyComments(Page[CommentWithSite]):
    """A page of somebody's comments."""

    of_all: int = 0


@dataclass(frozen=True, slots=True)
class MyGroups(Page[Group]):
    """A page of the groups that somebody is in."""

    of_all: int = 0


class Mine:
    """The lists of one person."""

    def __init__(self, kit: Kit, sites: Sites) -> None:
        self._kit = kit
        self._store = kit.store
        self._sites = sites

    async def rated(self, viewer: Viewer) -> frozenset[str]:
        """The sites that the viewer has rated."""
        return frozenset(each.site_id for each in await self._ratings(viewer)) if viewer.signed_in else frozenset()

    async def ratings(
        self,
        viewer: Viewer,
        *,
        text: str = "",
        stars: int = 0,
        sort: RatingSort = "newest",
        limit: int = 20,
        cursor: str | None = None,
    ) -> MyRatings:
        """The viewer's ratings: those whose site or note has the words, and with so many stars."""
        everything = await self._ratings(viewer)
        ratings = everything
        if text.strip():
            sites = await self._sites_with(text, {each.site_id for each in everything})
            ratings = [each for each in everything if each.site_id in sites or _has(each.note, text)]
        by_stars = Counter(each.stars for each in ratings)
        if stars:
            ratings = [each for each in ratings if each.stars == stars]
        ordered = await self._in_order(ratings, sort)
        name = ["fus.my-ratings", viewer.id, text, stars, sort]
        page = page_of(self._store.cursors, name, ordered, lambda each: each.site_id, limit=limit, cursor=cursor)
        found = await self._sites.by_id(each.site_id for each in page)
        rated = tuple(RatedSite(each, found[each.site_id]) for each in page if each.site_id in found)
        return MyRatings(rated, page.next_cursor, total=page.total, by_stars=by_stars, of_all=len(everything))

    async def comments(
        self,
        viewer: Viewer,
        *,
        text: str = "",
        sort: CommentSort = "newest",
        limit: int = 20,
        cursor: str | None = None,
    ) -> MyComments:
        """The viewer's comments: those that have the words, or whose site has them."""
        everything = (await self._store.page(schema.my_comments(viewer.id), limit=MOST_COMMENTS)).items
        comments: Sequence[Comment] = everything
        if text.strip():
            sites = await self._sites_with(text, {each.site_id for each in everything})
            comments = [each for each in everything if each.site_id in sites or _has(each.body, text)]
        if sort == "oldest":
            comments = comments[::-1]
        name = ["fus.my-comments", viewer.id, text, sort]
        page = page_of(self._store.cursors, name, comments, lambda each: each.comment_id, limit=limit, cursor=cursor)
        found = await self._sites.by_id(each.site_id for each in page)
        written = tuple(CommentWithSite(each, found[each.site_id]) for each in page if each.site_id in found)
        return MyComments(written, page.next_cursor, total=page.total, of_all=len(everything))

    async def groups(self, viewer: Viewer, *, text: str = "", limit: int = 20, cursor: str | None = None) -> MyGroups:
        """The groups the viewer is in, by name: those that have the words in their name or description."""
        memberships = (await self._store.page(schema.groups_of(viewer.id), limit=MOST_GROUPS)).items
        keys = [Group.key(Group.name(each.group_name)) for each in memberships]
        groups = await self._store.batch_get(keys) if keys else []
        pairs = zip(memberships, groups, strict=True)
        everything = [group for each, group in pairs if group is not None and counts(each, group)]
        wanted = [each for each in everything if _has(f"{each.name} {each.description}", text)]
        name = ["fus.my-groups", viewer.id, text]
        page = page_of(self._store.cursors, name, wanted, lambda each: each.name, limit=limit, cursor=cursor)
        return MyGroups(page.items, page.next_cursor, total=page.total, of_all=len(everything))

    async def _ratings(self, viewer: Viewer) -> Sequence[Rating]:
        return (await self._store.page(schema.my_ratings(viewer.id), limit=MOST_RATINGS)).items

    async def _in_order(self, ratings: Sequence[Rating], sort: RatingSort) -> Sequence[Rating]:
        """They come newest first, and of equals the newest stays first."""
        if sort == "oldest":
            return ratings[::-1]
        if sort in ("most", "fewest"):
            return sorted(ratings, key=lambda each: each.stars if sort == "fewest" else -each.stars)
        if sort == "newest":
            return ratings
        ordered = await self._found("", {each.site_id for each in ratings}, sort="title")
        places = {site_id: place for place, site_id in enumerate(ordered)}
        return sorted(ratings, key=lambda each: places.get(each.site_id, len(places)))

    async def _sites_with(self, text: str, site_ids: Collection[str]) -> frozenset[str]:
        return frozenset(await self._found(text, site_ids))

    async def _found(self, text: str, site_ids: Collection[str], sort: str | None = None) -> list[str]:
        """Those of the sites that the index finds, in its order."""
        found: list[str] = []
        cursor: str | None = None
        while site_ids:
            page = await self._kit.search.find(CATALOG, text, among=site_ids, sort=sort, limit=_AT_ONCE, cursor=cursor)
            found += [hit.id for hit in page.hits]
            cursor = page.next_cursor
            if cursor is None:
                break
        return found


def _has(text: str, words: str) -> bool:
    """Whether a text has the start of every word."""
    there = tokens(text)
    return all(any(each.startswith(word) for each in there) for word in tokens(words))
