"""Ratings over HTTP. A note is in the views for its author only."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from partita.apps.fus.api.people import PersonView
from partita.apps.fus.api.sites import SiteSummary
from partita.apps.fus.inputs import RatingInput
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.mine import RatingSort
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed

MyWords = Annotated[str, Query(max_length=200, description="Words of the site or of your note.")]
MyStars = Annotated[int, Query(ge=0, le=5, description="Only ratings with so many stars; 0: all.")]
MySort = Annotated[RatingSort, Query(description="The order: by time, by stars, or by the title of the site.")]
StarsWanted = Annotated[int, Query(ge=1, le=5, description="How many stars.")]


class MyRating(View):
    """Your own rating; nobody else sees the note."""

    site_id: str
    stars: int
    note: str
    updated_at: str


class MyRatedSite(View):
    """Your own rating with its site; nobody else sees the note."""

    site_id: Annotated[str, From("rating.site_id")]
    stars: Annotated[int, From("rating.stars")]
    note: Annotated[str, From("rating.note")]
    updated_at: Annotated[str, From("rating.updated_at")]
    site: SiteSummary


class GivenStarsView(View):
    """Stars as everybody sees them."""

    site_id: Annotated[str, From("site.site_id")]
    stars: int
    updated_at: str
    by: PersonView
    site: SiteSummary


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""

    @api.get("/sites/{site_id}/rating", Access.SIGNED_IN, response_model=MyRating, refuses=[404])
    async def my_rating(viewer: CurrentViewer, site_id: str) -> Json:
        """Your rating of a site."""
        return Json(MyRating.of(await service.ratings.my_rating(viewer, site_id)))

    @api.put("/sites/{site_id}/rating", Fus.RATE, response_model=MyRating, refuses=[404, 409, 422])
    async def rate(viewer: CurrentViewer, site_id: str, rating: RatingInput) -> Json:
        """Give a site one to five stars, and keep a note for yourself."""
        return Json(MyRating.of(await service.ratings.rate(viewer, site_id, rating)))

    @api.delete("/sites/{site_id}/rating", Fus.RATE, status_code=204, refuses=[404, 409])
    async def remove_rating(viewer: CurrentViewer, site_id: str) -> None:
        """Remove your rating."""
        await service.ratings.remove(viewer, site_id)

    @api.get("/me/ratings", Access.SIGNED_IN, response_model=ListOf[MyRatedSite], refuses=[400, 422])
    async def my_ratings(
        viewer: CurrentViewer,
        q: MyWords = "",
        stars: MyStars = 0,
        sort: MySort = "newest",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Json:
        """Your ratings; with words, stars or another order than newest first, the newest 1,000 of them."""
        if q.strip() or stars or sort != "newest":
            page = await service.mine.ratings(viewer, text=q, stars=stars, sort=sort, limit=limit, cursor=cursor)
            return Json(listed(MyRatedSite, page))
        return Json(listed(MyRatedSite, await service.ratings.my_ratings(viewer, limit=limit, cursor=cursor)))

    @api.get("/sites/{site_id}/ratings", Access.PUBLIC, response_model=ListOf[GivenStarsView], refuses=[400, 404, 422])
    async def site_ratings(site_id: str, stars: StarsWanted, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Who gave a site so many stars."""
        page = await service.ratings.of_site(site_id, stars, limit=limit, cursor=cursor)
        return Json(listed(GivenStarsView, page))

    @api.get("/ratings", Access.PUBLIC, response_model=ListOf[GivenStarsView], refuses=[400, 422])
    async def ratings(stars: StarsWanted, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Everybody's ratings with so many stars."""
        return Json(listed(GivenStarsView, await service.ratings.with_stars(stars, limit=limit, cursor=cursor)))
