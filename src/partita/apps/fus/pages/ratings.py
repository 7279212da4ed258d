"""Rating a site, and the viewer's ratings."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.inputs import RatingForm
from partita.apps.fus.pages.sites import site_page
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor
from partita.kit.forms import MOST_FIELDS, Parsed, submitted
from partita.kit.pages import confirm, local, redirect, render, with_message
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 20


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    @pages.get("/me/ratings", Access.SIGNED_IN)
    async def mine(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await service.ratings.my_ratings(viewer, limit=_PAGE, cursor=cursor)
        return render(request, "fus/my_ratings.html", page=page)

    @pages.post("/sites/{site_id}/rating", Fus.RATE, keeps=RatingForm)
    async def rate(request: Request, viewer: CurrentViewer, site_id: str) -> Response:
        """From a site's page with a note, or from a list by a click on a star, which leaves the note as it is."""
        async with request.form(max_fields=MOST_FIELDS) as sent:
            back = local(str(sent.get("next", "")), f"/fus/sites/{site_id}")
            empty_note = sent.get("note") == ""

        async def save(rating: RatingForm) -> Response:
            wanted = rating.model_copy(update={"note": ""}) if empty_note else rating
            stars = (await service.ratings.rate(viewer, site_id, wanted)).stars
            if "hx-request" in request.headers:
                site = await service.sites.site(site_id)
                return with_message(
                    render(request, "fus/rating.html", site=site, stars=stars, back=back), "Rating saved."
                )
            return redirect(back, flash="Rating saved.")

        async def again(form: Parsed[RatingForm]) -> Response:
            return await site_page(request, service, viewer, site_id, rating_form=form)

        return await submitted(request, RatingForm, save, again)

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
