"""Ratings: everybody's stars count for all, everybody's notes are their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from partita.apps.fus import schema
from partita.apps.fus.counting import NeverCounted, stars, unknown
from partita.apps.fus.filling import Filled, filled
from partita.apps.fus.inputs import RatingInput
from partita.apps.fus.people import People, Person
from partita.apps.fus.schema import Rating, Site
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.store.store import AsyncStore
from partita.table import ChangedMeanwhileError, Check, Delete, KeyPartError, Put, Query, Transaction, Update


@dataclass(frozen=True, slots=True)
class RatedSite:
    """A rating with the site it is about, for whoever gave it."""

    rating: Rating
    site: Site


@dataclass(frozen=True, slots=True)
class GivenStars:
    """Somebody's stars as everybody may see them: there is no note in this."""

    stars: int
    at: str
    site: Site
    person: Person


class Ratings:
    """One rating per person and site; a site's sums change in the same transaction, so they are exact."""

    def __init__(self, kit: Kit, people: People) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people

    async def rate(self, viewer: Viewer, site_id: str, said: RatingInput) -> Rating:
        """Give a site stars, or other stars than before; a note that is not mentioned stays."""

        async def attempt() -> Rating:
            before = await self._mine(viewer, site_id)
            rating = rating_of(viewer.id, site_id, said, stamp(self._kit.clock), before)
            await give(self._store, before, rating, None if before is None else before.as_stored(Rating.counted_stars))
            return rating

        return await self._store.attempt(attempt)

    async def remove(self, viewer: Viewer, site_id: str) -> None:
        """Take stars and note back."""

        async def attempt() -> None:
            before = await self._mine(viewer, site_id)
            if before is None:
                raise NotFound("You have not rated this site.")
            gone = Delete(before.own_key).unless_changed(before, Rating.stars, Rating.counted_stars)
            counted = before.as_stored(Rating.counted_stars)
            if counted is None:  # another program's, which nobody counted
                await self._store.write(gone)
                return
            try:
                await self._store.transact(Transaction(gone, stars(site_id, counted, None)))
            except (NotFound, NeverCounted):  # the site is gone or was written over, and with it what was counted
                await self._store.write(gone)

        await self._store.attempt(attempt)

    async def mine(self, viewer: Viewer, site_id: str) -> Rating | None:
        """What the viewer gave."""
        return await self._mine(viewer, site_id) if viewer.signed_in else None

    async def mine_of(self, viewer: Viewer, site_ids: Iterable[str]) -> dict[str, int]:
        """The viewer's stars for several sites."""
        wanted = list(site_ids)
        if not viewer.signed_in or not wanted:
            return {}
        keys = [Rating.key(Rating.user_id(viewer.id), Rating.site_id(site_id)) for site_id in wanted]
        found = await self._store.batch_get(keys)
        return {rating.site_id: rating.stars for rating in found if rating is not None}

    async def my_ratings(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Filled[RatedSite]:
        """Everything the viewer has rated, newest first; what they commented costs nothing here."""

        async def follow(ratings: Sequence[Rating]) -> list[RatedSite]:
            sites = await self._sites(ratings)
            return [RatedSite(rating, sites[rating.site_id]) for rating in ratings if rating.site_id in sites]

        return await filled(self._store, schema.my_ratings(viewer.id), follow, limit=limit, after=cursor)

    async def with_stars(self, stars: int, *, limit: int = 20, cursor: str | None = None) -> Filled[GivenStars]:
        """Who gave so many stars to what."""
        return await self._given(schema.ratings_with(stars), limit, cursor)

    async def _given(self, query: Query[Rating], limit: int, cursor: str | None) -> Filled[GivenStars]:
        async def follow(ratings: Sequence[Rating]) -> list[GivenStars]:
            sites = await self._sites(ratings)
            people = await self._people.named(rating.user_id for rating in ratings)
            return [
                GivenStars(rating.stars, rating.updated_at, sites[rating.site_id], people[rating.user_id])
                for rating in ratings
                if rating.site_id in sites
            ]

        return await filled(self._store, query, follow, limit=limit, after=cursor)

    async def _sites(self, ratings: Sequence[Rating]) -> dict[str, Site]:
        wanted = tuple(dict.fromkeys(rating.site_id for rating in ratings))
        found = await self._store.batch_get(schema.sites_found(wanted).keys)
        return {site.site_id: site for site in found if site is not None}

    async def _mine(self, viewer: Viewer, site_id: str) -> Rating | None:
        try:
            return await self._store.get(schema.my_rating(viewer.id, site_id).consistently())
        except KeyPartError:  # no id is written like this
            raise unknown(site_id) from None


def rating_of(user_id: str, site_id: str, said: RatingInput, now: str, before: Rating | None) -> Rating:
    """The item of a rating."""
    if before is not None:
        note = before.note if said.note is None else said.note
        return before.with_(Rating.stars(said.stars), Rating.note(note), Rating.updated_at(now))
    return Rating(user_id=user_id, site_id=site_id, stars=said.stars, note=said.note or "", updated_at=now)


async def give(store: AsyncStore, before: Rating | None, after: Rating, held: int | None) -> None:
    """Write a rating and count it: instead of what the site's sums hold of it, or as a new one."""
    try:
        await store.transact(Transaction(*rated(before, after, held)))
    except NeverCounted:  # another program wrote over the site
        await store.transact(Transaction(*rated(before, after, None)))


def rated(
    before: Rating | None, after: Rating, held: int | None = None
) -> tuple[Put[Rating] | Update[Site] | Check[Site], ...]:
    """The rating and what it changes on its site; both or neither, and only where the rating is still what it was."""
    if before is None:
        own = Put(after).if_new().otherwise(lambda found: ChangedMeanwhileError("Your rating", found))
    else:
        own = Put(after).unless_changed(before, Rating.stars, Rating.updated_at, Rating.counted_stars)
    return stars(after.site_id, held, after.stars), own
