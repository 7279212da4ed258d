"""Finding lists: new, popular, by tag, by curator; only those that everybody may see. Nothing here grows with their
number: each list of lists is a page of an index, and what its cards need comes by batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.formats import tag_key
from partita.apps.worthwatch.schema import ListTotals, Popularity, User, Watchlist
from partita.apps.worthwatch.service.lists import Lists, VisibleList, seen_by_everybody
from partita.apps.worthwatch.service.people import People, no_such_person
from partita.apps.worthwatch.service.tiles import ListCard, card_of
from partita.kit.kit import Kit
from partita.kit.lists import find, follow_page
from partita.kit.permissions import Viewer
from partita.table import KeyPartError, Page, Query

_POPULAR = 7
"""The featured list is one of so many, another each day."""
_FOLLOWED = 8
"""Whose newest lists are shown of those that somebody follows: whom they followed last."""
_FACES = 8
_SHOWN = 8
"""New and popular lists, so many of each."""
_SPARE = 2
"""Read besides, since the stream may not have hidden all lists of somebody who was suspended yet."""
_TAGS = 24


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag and how many live lists have it."""

    tag: str
    count: int


@dataclass(frozen=True, slots=True)
class Front:
    """Everything that Discover shows; a list is featured, new or popular, and not two of these. Of those that
    somebody follows, the featured one is left out if there are others."""

    featured: ListCard | None
    followed: tuple[ListCard, ...]
    follows_somebody: bool
    new: tuple[ListCard, ...]
    popular: tuple[ListCard, ...]
    tags: tuple[Tag, ...]
    curators: tuple[User, ...]


class Discovery:
    """Lists that everybody may see."""

    def __init__(self, kit: Kit, people: People, lists: Lists) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._lists = lists

    # -- lists of lists

    async def newest(self, *, limit: int = 20, cursor: str | None = None) -> Page[ListCard]:
        """Live lists, newest first."""
        return await follow_page(self._store, schema.live_lists(), self.cards, limit=limit, after=cursor)

    async def popular(self, *, limit: int = 20, cursor: str | None = None) -> Page[ListCard]:
        """Live lists, most popular first."""

        async def follow(found: Sequence[Popularity]) -> Sequence[ListCard]:
            lists = await self._lists.by_id(each.watchlist_id for each in found)
            return await self.cards(tuple(lists.values()))

        return await follow_page(self._store, schema.popular_lists(), follow, limit=limit, after=cursor)

    async def tagged(self, tag: str, *, limit: int = 20, cursor: str | None = None) -> Page[ListCard]:
        """Live lists with a tag, newest first."""
        try:
            query = schema.live_lists_with_tag(tag_key(tag))
        except KeyPartError:
            return Page((), None)
        return await self._pointed(query, limit, cursor)

    async def of_curator(self, curator_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[ListCard]:
        """Live lists of a curator, newest first; `NotFound` if there is no such curator at this moment."""
        curator = await self._people.find(curator_id)
        if curator is None or not curator.approved:
            raise no_such_person()
        return await self._pointed(schema.live_lists_of(curator_id), limit, cursor)

    async def others_of(self, watchlist: Watchlist, *, limit: int) -> tuple[ListCard, ...]:
        """Other live lists of its curator, newest first."""
        page = await self._pointed(schema.live_lists_of(watchlist.curator_id), limit + 1, None)
        return tuple(card for card in page if card.watchlist.watchlist_id != watchlist.watchlist_id)[:limit]

    async def by_id(self, watchlist_ids: Iterable[str]) -> tuple[ListCard, ...]:
        """These lists, if everybody may see them."""
        found = await self._lists.by_id(watchlist_ids)
        return await self.cards(tuple(found.values()))

    async def tag(self, tag: str) -> Tag:
        """How many live lists have a tag."""
        total = await find(self._store, schema.tag_total, tag_key(tag))
        return Tag(tag_key(tag), max(total.count, 0) if total else 0)

    async def tags(self, limit: int = _TAGS) -> tuple[Tag, ...]:
        """The tags that most lists have."""
        page = await self._store.page(schema.tags_by_use(), limit=limit)
        return tuple(Tag(each.tag, each.count) for each in page if each.count > 0)

    # -- Discover

    async def front(self, viewer: Viewer) -> Front:
        """What Discover shows to somebody."""
        new = (await self._store.page(schema.live_lists(), limit=_SHOWN + _SPARE)).items
        hottest = (await self._store.page(schema.popular_lists(), limit=2 * _SHOWN + 1)).items
        followed_ids, follows = await self._followed(viewer)
        known = {each.watchlist_id: each for each in new}
        missing = [each.watchlist_id for each in hottest if each.watchlist_id not in known]
        known |= await self._lists.by_id((*missing, *(each for each in followed_ids if each not in known)))
        shown = {card.watchlist.watchlist_id: card for card in await self.cards(tuple(known.values()))}

        def chosen(ids: Iterable[str]) -> tuple[ListCard, ...]:
            return tuple(shown[each] for each in ids if each in shown)

        popular = chosen(each.watchlist_id for each in hottest)
        featured, followed = self._featured(popular), chosen(followed_ids)
        newest = tuple(card for card in chosen(each.watchlist_id for each in new) if card != featured)[:_SHOWN]
        curators = {card.curator.user_id: card.curator for card in (*popular, *shown.values()) if card.curator}
        return Front(
            featured=featured,
            followed=tuple(card for card in followed if card != featured) or followed,
            follows_somebody=follows,
            new=newest,
            popular=tuple(card for card in popular if card != featured and card not in newest)[:_SHOWN],
            tags=await self.tags(),
            curators=tuple(curators.values())[:_FACES],
        )

    def _featured(self, popular: Sequence[ListCard]) -> ListCard | None:
        """Another one each day."""
        first = popular[:_POPULAR]
        day = datetime.fromtimestamp(self._kit.clock.now().timestamp(), UTC).toordinal()
        return first[day % len(first)] if first else None

    async def _followed(self, viewer: Viewer) -> tuple[list[str], bool]:
        """The newest list of each curator whom the viewer followed last."""
        if not viewer.signed_in:
            return [], False
        follows = (await self._store.page(schema.followed_shelf(viewer.id), limit=_FOLLOWED)).items
        newest = [await self._store.first(schema.live_lists_of(each.curator)) for each in follows]
        found = sorted((each for each in newest if each is not None), key=lambda each: each.published_at, reverse=True)
        return [each.watchlist_id for each in found], bool(follows)

    # -- cards

    async def cards(self, lists: Sequence[Watchlist]) -> tuple[ListCard, ...]:
        """Lists with what their cards show; those that not everybody may see are left out."""
        live = [each for each in lists if each.live]
        curators = await self._people.by_id(each.curator_id for each in live)
        shown = [each for each in live if seen_by_everybody(each, curators.get(each.curator_id))]
        known = await self.totals(each.watchlist_id for each in shown)
        return tuple(card_of(each, curators.get(each.curator_id), known.get(each.watchlist_id)) for each in shown)

    async def own(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[ListCard]:
        """The viewer's lists, newest first, whoever else may see them."""
        page = await self._lists.mine(viewer, limit=limit, cursor=cursor)
        curator = await self._people.mine(viewer)
        known = await self.totals(each.watchlist_id for each in page)
        cards = (card_of(each, curator, known.get(each.watchlist_id)) for each in page)
        return Page(tuple(cards), page.next_cursor)

    async def card(self, visible: VisibleList) -> ListCard:
        """One list that somebody may see."""
        totals = await self._store.get(schema.totals(visible.watchlist.watchlist_id))
        return card_of(visible.watchlist, visible.curator, totals)

    async def totals(self, watchlist_ids: Iterable[str]) -> dict[str, ListTotals]:
        """What lists add up to, many at once; those without saves, comments and copies are left out."""
        wanted = tuple(dict.fromkeys(watchlist_ids))
        found = await self._store.batch_get(schema.totals_by_id(wanted).keys) if wanted else []
        return {each.watchlist_id: each for each in found if each is not None}

    async def _pointed(
        self,
        query: Query[schema.CuratorPointer] | Query[schema.TagPointer],
        limit: int,
        cursor: str | None,
    ) -> Page[ListCard]:
        async def follow(found: Sequence[schema.CuratorPointer | schema.TagPointer]) -> Sequence[ListCard]:
            lists = await self._lists.by_id(each.watchlist_id for each in found)
            return await self.cards(tuple(lists.values()))

        pointers: Query[schema.CuratorPointer | schema.TagPointer] = query
        return await follow_page(self._store, pointers, follow, limit=limit, after=cursor)
