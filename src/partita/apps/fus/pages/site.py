"""One site: what it is, what people think of it, and what the viewer does."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.fus.comments import Said
from partita.apps.fus.filling import Filled
from partita.apps.fus.formats import comment_name, host_of
from partita.apps.fus.inputs import CommentInput, RatingForm, RatingInput
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import STARS, Rating, Site
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, parse
from partita.kit.pages import local, redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.problems import Problem, TooMany
from partita.kit.routes import CurrentViewer, Routes

COMMENTS = 50


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    async def shown(
        request: Request,
        viewer: Viewer,
        site: Site,
        *,
        status: int = 200,
        refused: Problem | None = None,
        rating_form: Parsed[Any] | None = None,
        comment_form: Parsed[Any] | None = None,
        newest_first: bool = False,
        cursor: str | None = None,
    ) -> Response:
        mine = await service.ratings.mine(viewer, site.site_id)
        comments = await service.comments.of_site(
            site.site_id, newest_first=newest_first, limit=COMMENTS, cursor=cursor
        )
        return render(
            request,
            "fus/site.html",
            status=status,
            refused=refused,
            site=site,
            host=host_of(site.url),
            average=STARS.mean(site),
            histogram=_histogram(site),
            mine=mine,
            rating_form=rating_form or _filled(mine),
            **_comments(comments, comment_form, newest_first),
        )

    @pages.get("/sites/{site_id}", Access.PUBLIC)
    async def detail(
        request: Request,
        viewer: CurrentViewer,
        site_id: str,
        comments: Annotated[str, Query(max_length=10)] = "oldest",
        cursor: Cursor = None,
    ) -> Response:
        site = await service.sites.site(site_id)
        return await shown(request, viewer, site, newest_first=comments == "newest", cursor=cursor)

    # -- stars

    @pages.post("/sites/{site_id}/rating", Fus.RATE)
    async def rate(request: Request, viewer: CurrentViewer, site_id: str) -> Response:
        """From the site's page with a note, or from a list by a click on a star."""
        async with request.form() as sent:
            form = parse(RatingForm, sent)
            noted = "note" in sent
            back = local(str(sent.get("next", "")), f"/fus/sites/{site_id}")
        if form.value is None:
            return await shown(request, viewer, await service.sites.site(site_id), status=422, rating_form=form)
        said = RatingInput(stars=form.value.stars, note=form.value.note if noted else None)
        rating = await service.ratings.rate(viewer, site_id, said)
        if "hx-request" in request.headers:
            site = await service.sites.site(site_id)
            return render(request, "fus/rating.html", site=site, stars=rating.stars, mean=STARS.mean, back=back)
        return redirect(back, flash="Your stars count.")

    @pages.get("/sites/{site_id}/rating/remove", Fus.RATE)
    async def remove_form(request: Request, site_id: str) -> Response:
        return render(request, "fus/remove_rating.html", site=await service.sites.site(site_id))

    @pages.post("/sites/{site_id}/rating/remove", Fus.RATE)
    async def remove(viewer: CurrentViewer, site_id: str) -> Response:
        await service.ratings.remove(viewer, site_id)
        return redirect(f"/fus/sites/{site_id}", flash="Your rating is taken back.", kind="info")

    # -- comments

    @pages.post("/sites/{site_id}/comments", Fus.COMMENT)
    async def comment(request: Request, viewer: CurrentViewer, site_id: str) -> Response:
        async with request.form() as sent:
            form = parse(CommentInput, sent)
        live = "hx-request" in request.headers
        refused: Problem | None = None
        if form.value is not None:
            try:
                await service.comments.write(viewer, site_id, form.value)
                form = Parsed(None)
            except TooMany as problem:
                form, refused = replace(form, errors={"body": problem.detail}), problem
        site = await service.sites.site(site_id, consistent=True)
        many = (site.comment_count or 0) > COMMENTS
        if not live and not form.errors:
            newest = "?comments=newest" if many else ""
            return redirect(f"/fus/sites/{site_id}{newest}#comments", flash="Your comment is there.")
        status = 422 if form.errors else 200
        if not live:
            return await shown(request, viewer, site, status=status, refused=refused, comment_form=form)
        found = await service.comments.of_site(site_id, newest_first=many, limit=COMMENTS)
        return render(
            request, "fus/comments.html", status=status, refused=refused, site=site, **_comments(found, form, many)
        )


def _comments(found: Filled[Said], form: Parsed[Any] | None, newest_first: bool) -> dict[str, Any]:
    return {
        "comments": found.entries,
        "next_cursor": found.next_cursor,
        "newest_first": newest_first,
        "comment_form": form or Parsed(None),
        "comment_name": comment_name,
    }


def _histogram(site: Site) -> list[tuple[str, int]]:
    """Five stars first, as people read it."""
    counted = list(enumerate(site.rating_histogram, 1))
    return [("1 star" if stars == 1 else f"{stars} stars", count) for stars, count in reversed(counted)]


def _filled(mine: Rating | None) -> Parsed[Any]:
    return Parsed(None) if mine is None else Parsed(None, {"stars": str(mine.stars), "note": mine.note})
