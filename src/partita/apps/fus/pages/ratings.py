"""Rating a site, and the viewer's ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.fus.inputs import RatingForm
from partita.apps.fus.pages.sites import site_page
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Rating
from partita.apps.fus.service import FusService
from partita.apps.fus.service.mine import MOST_RATINGS, RatingSort
from partita.kit.answers import Cursor
from partita.kit.forms import MOST_FIELDS, Parsed, submitted
from partita.kit.pages import confirm, local, redirect, render, with_message
from partita.kit.permissions import Access
from partita.kit.problems import NotFound
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20
SORTS: dict[RatingSort, str] = {
    "newest": "Newest first",
    "oldest": "Oldest first",
    "most": "Most stars",
    "fewest": "Fewest stars",
    "title": "By title",
}
Words = Annotated[str, Query(max_length=200)]
Short = Annotated[str, Query(max_length=10)]
Back = Annotated[str, Query(max_length=2000)]


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    @pages.get("/me/ratings", Access.SIGNED_IN)
    async def mine(
        request: Request,
        viewer: CurrentViewer,
        q: Words = "",
        stars: Short = "",
        sort: Short = "",
        cursor: Cursor = None,
    ) -> Response:
        """The viewer's ratings; parameters that make no sense are ignored."""
        order: RatingSort = next((each for each in SORTS if each == sort), "newest")
        chosen = _stars(stars) or 0
        page = await service.mine.ratings(viewer, text=q, stars=chosen, sort=order, limit=_PAGE, cursor=cursor)
        return render(
            request,
            "fus/my_ratings.html",
            page=page,
            by_stars=_histogram(page.by_stars or {}, lambda each: _narrowed(request, stars=each)),
            browsing={"q": q, "stars": chosen, "sort": order},
            sorts=list(SORTS.items()),
            most=MOST_RATINGS,
        )

    @pages.get("/ratings", Access.PUBLIC)
    async def by_value(request: Request, stars: Short = "5", cursor: Cursor = None) -> Response:
        """Everybody's ratings with so many stars."""
        chosen = _stars(stars) or 5
        page = await service.ratings.with_stars(chosen, limit=_PAGE, cursor=cursor)
        return render(request, "fus/ratings.html", page=page, stars=chosen)

    @pages.get("/sites/{site_id}/ratings", Access.PUBLIC)
    async def of_site(request: Request, site_id: str, stars: Short = "", cursor: Cursor = None) -> Response:
        """Who gave a site so many stars; at first the number that most people gave."""
        site = await service.sites.site(site_id)
        counts = dict(enumerate(site.rating_histogram, 1))
        chosen = _stars(stars) or max(counts, key=lambda each: (counts[each], each))
        page = await service.ratings.of_site(site_id, chosen, limit=_PAGE, cursor=cursor)
        bars = _histogram(counts, lambda each: f"/fus/sites/{site_id}/ratings?stars={each}")
        return render(request, "fus/site_ratings.html", site=site, page=page, stars=chosen, histogram=bars)

    @pages.post("/sites/{site_id}/rating", Fus.RATE, keeps=RatingForm)
    async def rate(request: Request, viewer: CurrentViewer, site_id: str) -> Response:
        """From a site's page with a note, or from a list by a click on a star, which leaves the note as it is."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            back = local(str(sent.get("next", "")), f"/fus/sites/{site_id}")
            empty_note = sent.get("note") == ""

        async def save(rating: RatingForm) -> Response:
            wanted = rating.model_copy(update={"note": ""}) if empty_note else rating
            before = await service.ratings.mine(viewer, site_id)
            stars = (await service.ratings.rate(viewer, site_id, wanted)).stars
            undo = _undo(site_id, before, stars, back)
            if "hx-request" in request.headers:
                return with_message(await part(request, site_id, stars, back, undo), "Rating saved.")
            return redirect(back, flash="Rating saved.", undo=undo)

        async def again(form: Parsed[RatingForm]) -> Response:
            return await site_page(request, service, viewer, site_id, rating_form=form)

        return await submitted(request, RatingForm, save, again)

    async def part(request: Request, site_id: str, stars: int | None, back: str, undo: str) -> Response:
        """The stars of one site, for a list in a browser with script."""
        site = await service.sites.site(site_id)
        return render(request, "fus/rating.html", site=site, stars=stars, back=back, undo=undo)

    @pages.post("/sites/{site_id}/rating/undo", Fus.RATE)
    async def undo(
        request: Request, viewer: CurrentViewer, site_id: str, stars: Short = "", next: Back = ""
    ) -> Response:
        """Give the stars again that there were before, or none; a note stays unless there was no rating."""
        back = local(next, f"/fus/sites/{site_id}")
        before = _stars(stars)
        if before is not None:
            await service.ratings.rate(viewer, site_id, RatingForm(stars=before))
        else:
            with suppress(NotFound):  # somebody pressed it twice
                await service.ratings.remove(viewer, site_id)
        if "hx-request" in request.headers:
            return with_message(await part(request, site_id, before, back, ""), "Undone.", "info")
        return redirect(back, flash="Undone.", kind="info")

    @pages.get("/sites/{site_id}/rating/remove", Fus.RATE)
    async def remove_form(request: Request, site_id: str) -> Response:
        site = await service.sites.site(site_id)
        return confirm(
            request,
            f"Remove your rating of “{site.title}”?",
            "Your stars and your note will be deleted.",
            button="Remove",
            keep=f"/fus/sites/{site_id}",
        )

    @pages.post("/sites/{site_id}/rating/remove", Fus.RATE)
    async def remove(viewer: CurrentViewer, site_id: str) -> Response:
        await service.ratings.remove(viewer, site_id)
        return redirect(f"/fus/sites/{site_id}", flash="Rating removed.", kind="info")


def _stars(text: str) -> int | None:
    return int(text) if text in ("1", "2", "3", "4", "5") else None


def _undo(site_id: str, before: Rating | None, now: int, back: str) -> str:
    """Where the button “Undo” posts to; nothing if only the note was changed."""
    if before is not None and before.stars == now:
        return ""
    asked = {"stars": before.stars if before is not None else 0, "next": back}
    return f"/fus/sites/{site_id}/rating/undo?{urlencode(asked)}"


def _histogram(counts: Mapping[int, int], address: Callable[[int], str]) -> list[tuple[str, int, str]]:
    """Bars from five stars down; each leads to its ratings, if there are any."""
    return [
        (
            f"{stars} {'star' if stars == 1 else 'stars'}",
            counts.get(stars, 0),
            address(stars) if counts.get(stars) else "",
        )
        for stars in range(5, 0, -1)
    ]


def _narrowed(request: Request, **changes: object) -> str:
    """The address of this list with other filters, at its beginning."""
    kept = {name: value for name, value in request.query_params.items() if name not in ("cursor", "back")}
    return f"{request.url.path}?{urlencode({**kept, **changes})}"
