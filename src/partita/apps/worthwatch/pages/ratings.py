"""Rating a title by one press, or with a review."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from partita.apps.worthwatch.inputs import RatingInput, ReviewForm
from partita.apps.worthwatch.pages.titles import path_of, title_page
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.addresses import CONTENT_TYPES, Kind
from partita.kit.forms import MOST_FIELDS, Parsed, submitted
from partita.kit.pages import confirm, redirect
from partita.kit.routes import CurrentViewer, Routes

_ONE = "/titles/{kind}/{content_id}/rating"


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""

    @pages.post(_ONE, WorthWatch.RATE, keeps=ReviewForm)
    async def rate(request: Request, viewer: CurrentViewer, kind: Kind, content_id: str) -> Response:
        """By one of ten buttons, which leave a review as it is, or by the form of a review."""
        title = await service.titles.title(CONTENT_TYPES[kind], content_id)
        async with request.form(max_fields=MOST_FIELDS) as sent:
            with_review = "review" in sent

        async def save(given: ReviewForm) -> Response:
            wanted = RatingInput(rating=given.rating)
            if with_review:
                wanted = RatingInput(rating=given.rating, review=given.review, has_spoilers=given.has_spoilers)
            await service.ratings.rate(viewer, title.content_type, title.content_id, wanted)
            said = "Your review is saved." if with_review and given.review else f"You gave it {given.rating} of 10."
            return redirect(path_of(title), flash=said)

        async def again(form: Parsed[ReviewForm]) -> Response:
            return await title_page(request, service, viewer, title, form)

        return await submitted(request, ReviewForm, save, again)

    @pages.get(f"{_ONE}/remove", WorthWatch.RATE)
    async def remove_form(request: Request, viewer: CurrentViewer, kind: Kind, content_id: str) -> Response:
        title = await service.titles.title(CONTENT_TYPES[kind], content_id)
        await service.ratings.mine(viewer, title.content_type, content_id)
        return confirm(
            request,
            f"Remove your rating of “{title.title}”?",
            "Your rating and your review will be deleted. The title stays seen.",
            button="Remove",
            keep=path_of(title),
        )

    @pages.post(f"{_ONE}/remove", WorthWatch.RATE)
    async def remove(viewer: CurrentViewer, kind: Kind, content_id: str) -> Response:
        title = await service.titles.title(CONTENT_TYPES[kind], content_id)
        await service.ratings.remove(viewer, title.content_type, content_id)
        return redirect(path_of(title), flash="Your rating is removed.", kind="info")
