"""Ratings: everybody sees the stars, and only their author sees the note."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from partita.apps.fus import schema
from partita.apps.fus.inputs import RatingInput
from partita.apps.fus.schema import Rating, Site
from partita.apps.fus.service.bookkeeping import write_rating
from partita.apps.fus.service.counting import NeverCounted, stars
from partita.apps.fus.service.people import People, Person
from partita.apps.fus.service.sites import Sites
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find, find_or, follow_page
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.table import Delete, Page, Transaction


@dataclass(frozen=True, slots=True)
class RatedSite:
    """A rating with its site, for the rating's author."""

    rating: Rating
    site: Site


@dataclass(frozen=True, slots=True)
class GivenStars:
    """Somebody's stars as everybody may see them, so without a note."""

    stars: int
    updated_at: str
    site: Site
    by: Person


class Ratings:
    """One rating per person and site; a site's sums change in the same transaction, so they are exact."""

    def __init__(self, kit: Kit, people: People, sites: Sites) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._sites = sites

    async def rate(self, viewer: Viewer, site_id: str, wanted: RatingInput) -> Rating:
        """Give a site stars, or change them; a note that is left out stays."""

        async def attempt() -> Rating:
            before = await find(self._store, schema.my_rating, viewer.id, site_id)
            rating = rating_of(viewer.id, site_id, wanted, stamp(self._kit.clock), before)
            counted = None if before is None else before.as_stored(Rating.counted_stars)
            await write_rating(self._store, before, rating, counted)
            return rating

        return await self._store.attempt(attempt)

    async def remove(self, viewer: Viewer, site_id: str) -> None:
        """Remove stars and note."""

        async def attempt() -> None:
            before = await self.my_rating(viewer, site_id)
            gone = Delete(before.own_key).unless_changed(before, Rating.stars, Rating.counted_stars)
            counted = before.as_stored(Rating.counted_stars)
            if counted is None:  # another program wrote it, and nobody has counted it
                await self._store.write(gone)
                return
            try:
                await self._store.transact(Transaction(gone, stars(site_id, counted, None)))
            except (NotFound, NeverCounted):  # the site is gone or overwritten, and the sums with it
                await self._store.write(gone)

        await self._store.attempt(attempt)

    async def my_rating(self, viewer: Viewer, site_id: str) -> Rating:
        """The viewer's rating of a site."""
        missing = NotFound("You have not rated this site.")
        return await find_or(missing, self._store, schema.my_rating, viewer.id, site_id)

    async def mine(self, viewer: Viewer, site_id: str) -> Rating | None:
        """The viewer's rating of a site; None if there is none, or if nobody is signed in."""
        return await find(self._store, schema.my_rating, viewer.id, site_id) if viewer.signed_in else None

    async def my_stars(self, viewer: Viewer, site_ids: Iterable[str]) -> dict[str, int]:
        """Site → the viewer's stars, for those of the sites that they have rated."""
        wanted = list(site_ids)
        if not viewer.signed_in or not wanted:
            return {}
        keys = [Rating.key(Rating.user_id(viewer.id), Rating.site_id(site_id)) for site_id in wanted]
        ratings = await self._store.batch_get(keys)
        return {rating.site_id: rating.stars for rating in ratings if rating is not None}

    async def my_ratings(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[RatedSite]:
        """Everything the viewer has rated, newest first; `Mine` searches and sorts it."""

        async def follow(ratings: Sequence[Rating]) -> list[RatedSite]:
            sites = await self._sites.by_id(rating.site_id for rating in ratings)
            return [RatedSite(rating, sites[rating.site_id]) for rating in ratings if rating.site_id in sites]

        return await follow_page(self._store, schema.my_ratings(viewer.id), follow, limit=limit, after=cursor)

    async def count_mine(self, viewer: Viewer, most: int) -> int:
        """How many sites the viewer has rated, up to `most`."""
        return len(await self._store.page(schema.my_ratings(viewer.id), limit=most))

    async def with_stars(self, stars: int, *, limit: int = 20, cursor: str | None = None) -> Page[GivenStars]:
        """Everybody's ratings with so many stars, those of the newest sites first."""
        query = schema.ratings_with(stars).descending()
        return await follow_page(self._store, query, self._given, limit=limit, after=cursor)

    async def of_site(
        self, site_id: str, stars: int, *, limit: int = 20, cursor: str | None = None
    ) -> Page[GivenStars]:
        """Who gave a site so many stars."""
        await self._sites.site(site_id)
        return await follow_page(self._store, schema.ratings_of(site_id, stars), self._given, limit=limit, after=cursor)

    async def stars_of(self, site_id: str, user_ids: Iterable[str]) -> dict[str, int]:
        """Person → their stars for a site, for those of the people who have rated it."""
        keys = [Rating.key(Rating.user_id(each), Rating.site_id(site_id)) for each in sorted(set(user_ids))]
        ratings = await self._store.batch_get(keys) if keys else []
        return {rating.user_id: rating.stars for rating in ratings if rating is not None}

    async def _given(self, ratings: Sequence[Rating]) -> list[GivenStars]:
        sites = await self._sites.by_id(rating.site_id for rating in ratings)
        people = await self._people.named(rating.user_id for rating in ratings)
        return [
            GivenStars(rating.stars, rating.updated_at, sites[rating.site_id], people[rating.user_id])
            for rating in ratings
            if rating.site_id in sites
        ]


def rating_of(user_id: str, site_id: str, wanted: RatingInput, now: str, before: Rating | None) -> Rating:
    """The item of a rating."""
    if before is not None:
        note = before.note if wanted.note is None else wanted.note
        return before.with_(Rating.stars(wanted.stars), Rating.note(note), Rating.updated_at(now))
    return Rating(user_id=user_id, site_id=site_id, stars=wanted.stars, note=wanted.note or "", updated_at=now)
