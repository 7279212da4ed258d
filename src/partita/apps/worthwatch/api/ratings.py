"""Ratings, reviews, and the lists that a title is on, over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from partita.apps.worthwatch.api.titles import TitleSummary, average_of
from partita.apps.worthwatch.inputs import RatingInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import ContentType, Rating
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.ratings import PublicRating, RatedTitle
from partita.apps.worthwatch.service.reasons import OnList
from partita.apps.worthwatch.service.tiles import curator_name
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed

_MINE = "/ratings/{content_type}/{content_id}"
_CONTENT = "/content/{content_type}/{content_id}"


class MyRating(View):
    """Your rating of a title."""

    content_type: ContentType
    content_id: str
    rating: int
    review: str | None
    has_spoilers: bool
    rated_at: str


class MyRatedTitle(MyRating):
    """Your rating with its title."""

    title: TitleSummary | None = Field(description="Null if the title is gone.")


class RatingView(View):
    """A rating that everybody may see."""

    user_id: Annotated[str, From("rating.user_id")]
    username: str | None = Field(description="Null if they have left.")
    is_curator: bool
    rating: Annotated[int, From("rating.rating")]
    review: Annotated[str | None, From("rating.review")]
    has_spoilers: bool
    rated_at: Annotated[str, From("rating.rated_at")]


class RatingsView(View):
    """What a title's ratings add up to, and those that everybody may see: reviews, and ratings of curators."""

    average: float | None
    count: int
    ratings: list[int] = Field(description="How many people gave 1, 2, … 10.")
    items: list[RatingView] = Field(description="Perhaps fewer than the limit: members' ratings are only counted.")
    next_cursor: str | None = Field(alias="next_cursor")


class OnListView(View):
    """A public list with a title, and what its curator says there."""

    watchlist_id: Annotated[str, From("watchlist.watchlist_id")]
    title: Annotated[str, From("watchlist.title")]
    curator_id: Annotated[str, From("watchlist.curator_id")]
    curator_name: str
    item_count: Annotated[int, From("watchlist.item_count")]
    curator_note: Annotated[str | None, From("item.curator_note")]
    note_spoils: bool
    published_at: Annotated[str | None, From("watchlist.published_at")]


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    ratings = service.ratings

    @api.get("/ratings", Access.SIGNED_IN, response_model=ListOf[MyRatedTitle], refuses=[400, 422])
    async def my_ratings(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Your ratings, newest first."""
        page = await ratings.my_ratings(viewer, limit=limit, cursor=cursor)
        return Json({"items": list(map(_rated, page)), "next_cursor": page.next_cursor})

    @api.get(_MINE, Access.SIGNED_IN, response_model=MyRating, refuses=[404, 422])
    async def my_rating(viewer: CurrentViewer, content_type: ContentType, content_id: str) -> Json:
        """Your rating of a title."""
        return Json(_mine(await ratings.mine(viewer, content_type, content_id)))

    @api.put(_MINE, WorthWatch.RATE, response_model=MyRating, refuses=[404, 409, 422])
    async def rate(viewer: CurrentViewer, content_type: ContentType, content_id: str, wanted: RatingInput) -> Json:
        """Rate a title from 1 to 10, with a review if you like; that marks it as seen."""
        return Json(_mine(await ratings.rate(viewer, content_type, content_id, wanted)))

    @api.delete(_MINE, WorthWatch.RATE, status_code=204, refuses=[404, 409, 422])
    async def remove_rating(viewer: CurrentViewer, content_type: ContentType, content_id: str) -> None:
        """Remove your rating and review; the title stays seen."""
        await ratings.remove(viewer, content_type, content_id)

    @api.get(f"{_CONTENT}/ratings", Access.PUBLIC, response_model=RatingsView, refuses=[400, 404, 422])
    async def of_title(content_type: ContentType, content_id: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """What the ratings of a title add up to, and those that everybody may see."""
        title = await service.titles.title(content_type, content_id)
        page = await ratings.public(content_type, content_id, limit=limit, cursor=cursor)
        sums = {"average": average_of(title), "count": title.rating_count or 0, "ratings": list(title.histogram)}
        return Json({**sums, "items": RatingView.each(page, **_PUBLIC), "next_cursor": page.next_cursor})

    @api.get(f"{_CONTENT}/reviews", Access.PUBLIC, response_model=ListOf[RatingView], refuses=[400, 404, 422])
    async def reviews(content_type: ContentType, content_id: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The reviews of a title, newest first."""
        await service.titles.title(content_type, content_id)
        page = await ratings.reviews(content_type, content_id, limit=limit, cursor=cursor)
        return Json(listed(RatingView, page, **_PUBLIC))

    @api.get(f"{_CONTENT}/lists", Access.PUBLIC, response_model=ListOf[OnListView], refuses=[400, 404, 422])
    async def lists_with_title(
        content_type: ContentType, content_id: str, limit: Limit = 20, cursor: Cursor = None
    ) -> Json:
        """Public lists with a title, and why it is there."""
        await service.titles.title(content_type, content_id)
        page = await service.reasons.on_lists(content_type, content_id, limit=limit, cursor=cursor)
        return Json(listed(OnListView, page, curator_name=_curator_name, note_spoils=_note_spoils))


def _mine(rating: Rating) -> dict[str, Any]:
    return MyRating.of(rating, has_spoilers=bool(rating.has_spoilers))


def _rated(each: RatedTitle) -> dict[str, Any]:
    return {**_mine(each.rating), "title": None if each.title is None else TitleSummary.of(each.title)}


def _username(each: PublicRating) -> str | None:
    return None if each.by is None else each.by.username


def _by_curator(each: PublicRating) -> bool:
    return each.by is not None and each.by.approved


def _spoils(each: PublicRating) -> bool:
    return bool(each.rating.has_spoilers)


def _curator_name(each: OnList) -> str:
    return curator_name(each.curator)


def _note_spoils(each: OnList) -> bool:
    return bool(each.item.note_spoils)


_PUBLIC = {"username": _username, "is_curator": _by_curator, "has_spoilers": _spoils}
