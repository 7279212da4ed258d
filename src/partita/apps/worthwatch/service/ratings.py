"""Ratings and reviews: one per person and title; count, sum, ten bars and average change in the same transaction."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from partita.apps.worthwatch import schema
from partita.apps.worthwatch.inputs import RatingInput
from partita.apps.worthwatch.schema import MOVIE_RATING, SHOW_RATING, ContentType, Mine, Rating, User
from partita.apps.worthwatch.service import mine as marks
from partita.apps.worthwatch.service.labels import Ref, Title, title_get, title_key
from partita.apps.worthwatch.service.live import Write
from partita.apps.worthwatch.service.people import People
from partita.apps.worthwatch.service.titles import Titles, no_such_title
from partita.kit.clock import stamp
from partita.kit.kit import Kit
from partita.kit.lists import find, find_or, follow_page
from partita.kit.permissions import Viewer
from partita.kit.problems import NotFound
from partita.table import Aggregate, ChangedMeanwhileError, Check, Delete, Page, Put, Query, Transaction

TRIES = 100
"""An average is made of the sums that were read, so those who rate one title at one moment take turns; nobody is sent
away because others rate."""
_SAME = (
    Rating.rating,
    Rating.review,
    Rating.rated_at,
    Rating.has_spoilers,
    Rating.by_curator,
    Rating.counted_rating,
)


@dataclass(frozen=True, slots=True)
class RatedTitle:
    """A rating with its title; None if that is gone."""

    rating: Rating
    title: Title | None


@dataclass(frozen=True, slots=True)
class PublicRating:
    """A rating that everybody may see, and whose it is; None if they have left."""

    rating: Rating
    by: User | None


class Ratings:
    """What people think of titles."""

    def __init__(self, kit: Kit, people: People, titles: Titles) -> None:
        self._kit = kit
        self._store = kit.store
        self._people = people
        self._titles = titles

    # -- writing

    async def rate(self, viewer: Viewer, content_type: ContentType, content_id: str, wanted: RatingInput) -> Rating:
        """Rate a title, or rate it anew, which marks it as seen; a review that is left out stays."""
        await self._titles.title(content_type, content_id)
        await self._people.me(viewer)

        async def attempt() -> Rating:
            now = stamp(self._kit.clock)
            before = await find(self._store, schema.mine, viewer.id, content_type, content_id)
            was = before or marks.blank(viewer.id, (content_type, content_id))
            after, rating, writes = await self.writes(marks.seen(was, now), wanted, now)
            await self._store.transact(Transaction(*writes, *marks.changes(before, after)))
            return rating

        return await self._store.attempt(attempt, tries=TRIES)

    async def writes(self, mine: Mine, wanted: RatingInput, now: str) -> tuple[Mine, Rating, tuple[Write, ...]]:
        """What a rating writes, besides the mark, which is returned with it."""
        ref = mine.content_type, mine.content_id
        before = await find(self._store, schema.rating, mine.user_id, *ref)
        rating = _rating(mine.user_id, ref, wanted, now, before)
        if before is None:
            own = Put(rating).if_new().otherwise(lambda there: ChangedMeanwhileError("Your rating", there))
        else:
            own = Put(rating).unless_changed(before, *_SAME)
        counted = None if before is None else before.as_stored(Rating.counted_rating)
        sums = await self.sums(ref, counted, rating.rating)
        return mine.with_(Mine.rating(rating.rating)), rating, (own, *sums)

    async def remove(self, viewer: Viewer, content_type: ContentType, content_id: str) -> None:
        """Remove a rating and its review; the title stays seen."""

        async def attempt() -> None:
            before = await self.mine(viewer, content_type, content_id)
            gone = Delete(before.own_key).unless_changed(before, *_SAME)
            mark = await find(self._store, schema.mine, viewer.id, content_type, content_id)
            marked = () if mark is None else marks.changes(mark, mark.with_(Mine.rating(None)))
            sums = await self.sums((content_type, content_id), before.as_stored(Rating.counted_rating), None)
            await self._store.transact(Transaction(gone, *marked, *sums))

        await self._store.attempt(attempt, tries=TRIES)

    # -- what everybody may see

    async def show(self, rating: Rating) -> None:
        """Let everybody see a curator's rating; one with a review is seen anyway."""
        if rating.review or rating.by_curator:
            return
        by = await find(self._store, schema.user, rating.user_id)
        if by is not None and by.approved:
            await self._show(rating)

    async def show_all_of(self, user_id: str) -> None:
        """Let everybody see what somebody rated before they became a curator. No index is asked, since it may be late:
        what was rated a moment before would be missed by both, this and `show`."""
        async for rating in self._store.stream(schema.ratings_by(user_id).consistently()):
            if not (rating.review or rating.by_curator):
                await self._show(rating)

    async def _show(self, rating: Rating) -> None:
        """Mark a rating. One of another program is left alone until it is adopted: a write of ours says that its title
        has counted it. Its adoption is a change, which comes here."""
        if rating.stale():
            return
        shown = rating.with_(Rating.by_curator(True))
        with suppress(ChangedMeanwhileError):  # then another change is still to come
            await self._store.write(Put(shown).unless_changed(rating, *_SAME))

    # -- reading

    async def mine(self, viewer: Viewer, content_type: ContentType, content_id: str) -> Rating:
        """The viewer's rating of a title."""
        missing = NotFound("You have not rated this title.")
        return await find_or(missing, self._store, schema.rating, viewer.id, content_type, content_id)

    async def my_ratings(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[RatedTitle]:
        """What the viewer has rated, newest first."""
        return await self._with_titles(schema.rated_shelf(viewer.id), limit, cursor)

    async def my_reviews(self, viewer: Viewer, *, limit: int = 20, cursor: str | None = None) -> Page[RatedTitle]:
        """What the viewer has reviewed, newest first."""
        return await self._with_titles(schema.review_shelf(viewer.id), limit, cursor)

    async def reviews_by(self, user_id: str, *, limit: int = 20, cursor: str | None = None) -> Page[RatedTitle]:
        """What somebody has reviewed, newest first; whoever asks has checked that they can be seen."""
        return await self._with_titles(schema.review_shelf(user_id), limit, cursor)

    async def reviews(
        self, content_type: ContentType, content_id: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[PublicRating]:
        """The reviews of a title, newest first, without those of suspended curators."""
        return await self._public(schema.reviews_of(content_type, content_id), limit, cursor)

    async def public(
        self, content_type: ContentType, content_id: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[PublicRating]:
        """The ratings of a title that everybody may see: those with a review, and those of curators. The others are
        only counted. A page may hold fewer than `limit`, if curators among them are suspended."""
        return await self._public(schema.ratings_of(content_type, content_id), limit, cursor)

    async def _public(self, query: Query[Rating], limit: int, cursor: str | None) -> Page[PublicRating]:
        page = await self._store.page(query, limit=limit, after=cursor)
        people = await self._people.by_id(rating.user_id for rating in page.items)
        found = [PublicRating(rating, people.get(rating.user_id)) for rating in page.items]
        return Page(tuple(filter(_for_everybody, found)), page.next_cursor)

    async def _with_titles(self, query: Query[Rating], limit: int, cursor: str | None) -> Page[RatedTitle]:
        async def follow(ratings: Sequence[Rating]) -> list[RatedTitle]:
            titles = await self._titles.by_ref((each.content_type, each.content_id) for each in ratings)
            return [RatedTitle(each, titles.get((each.content_type, each.content_id))) for each in ratings]

        return await follow_page(self._store, query, follow, limit=limit, after=cursor)

    async def sums(self, ref: Ref, counted: int | None, after: int | None) -> tuple[Write, ...]:
        """The sums of a title with a rating more, less, or another. What another program has overwritten is not
        subtracted; that a title is gone, or stays as it is, is checked and not assumed."""
        title: Title | None = await self._store.get(title_get(*ref).consistently())
        key = title_key(*ref)
        if title is None:
            if after is not None:
                raise no_such_title()
            return (Check(key, key.absent()).otherwise(_changed),)
        if counted is not None and not contains(title, counted):
            counted = None
        sums = sums_of(title)
        as_it_was = key.present() if after is not None else key.unchanged_since(title, sums.count, sums.total)
        return sums.update(title, counted, after) or (Check(key, as_it_was).otherwise(_changed),)


def sums_of(title: Title) -> Aggregate[Any]:
    """Where a title keeps what its ratings add up to."""
    return MOVIE_RATING if title.content_type == "MOVIE" else SHOW_RATING


def contains(title: Title, rating: int) -> bool:
    """Whether a title's sums can contain a rating; not if another program has overwritten them."""
    count, total = title.rating_count or 0, title.rating_sum or 0
    return count >= 1 and total >= rating and title.histogram[rating - 1] >= 1


def _rating(user_id: str, ref: Ref, wanted: RatingInput, now: str, before: Rating | None) -> Rating:
    """A rating as it is to be; what is not mentioned stays."""
    review = (before.review if before else None) if wanted.review is None else wanted.review or None
    spoils = (before.has_spoilers if before else None) if wanted.has_spoilers is None else wanted.has_spoilers or None
    return Rating(
        user_id=user_id,
        content_type=ref[0],
        content_id=ref[1],
        rating=wanted.rating,
        review=review,
        rated_at=now,
        has_spoilers=spoils if review else None,
        by_curator=before.by_curator if before else None,
    )


def _for_everybody(each: PublicRating) -> bool:
    if each.by is not None and each.by.curator_status == "suspended":
        return False
    return bool(each.rating.review) or (each.by is not None and each.by.approved)


def _changed(there: Any) -> Exception:
    return ChangedMeanwhileError("The title", there)
