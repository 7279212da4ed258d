"""Curators over HTTP: applying, deciding, following, agreement."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from partita.apps.worthwatch.api.people import PersonView, UserView, shown
from partita.apps.worthwatch.inputs import ApplicationInput, DecisionInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.service import WorthWatchService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access, authorize
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed

Status = Annotated[
    Literal["pending", "approved", "suspended"],
    Query(description="Everybody may list approved curators; the others need the permission to decide."),
]


class ApplicationView(View):
    """An application with its decision."""

    user_id: str
    applied_at: str
    statement: str
    links: list[str]
    sample_list: str | None
    decision: Literal["approved", "declined", "suspended"] | None
    reason: str | None
    decided_at: str | None


class StandingView(View):
    """How far you are on the way to being a curator."""

    curator_status: Literal["pending", "approved", "suspended"] | None
    may_apply: bool
    again_on: str | None = Field(description="The day from which you can apply again.")
    application: ApplicationView | None = Field(description="The last one.")


class DecidedView(PersonView):
    """Somebody after a decision."""

    curator_status: Literal["pending", "approved", "suspended"] | None


class ComparedView(View):
    """A title with both ratings."""

    content_type: Annotated[Literal["MOVIE", "SHOW"], From("title.content_type")]
    content_id: Annotated[str, From("title.content_id")]
    title: Annotated[str, From("title.title")]
    mine: int
    theirs: int


class ToRate(View):
    """A title that they have rated and you have not."""

    content_type: Literal["MOVIE", "SHOW"]
    content_id: str
    title: str


class AgreementView(View):
    """How far you agree with a curator."""

    common: int = Field(description="Titles that both have rated.")
    percent: int | None = Field(description="None with fewer than five titles in common.")
    missing: int = Field(description="How many more it takes.")
    loved: list[ComparedView]
    differ: list[ComparedView]
    to_rate: list[ToRate]


class FollowView(View):
    """That you follow a curator."""

    curator_id: Annotated[str, From("curator")]
    followed_at: str


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    curators = service.curators

    @api.get("/me/curator-application", Access.SIGNED_IN, response_model=StandingView)
    async def my_application(viewer: CurrentViewer) -> Json:
        """How far you are on the way to being a curator."""
        found = await curators.standing(viewer)
        application = None if found.application is None else ApplicationView.of(found.application)
        status = None if found.user is None else found.user.curator_status
        return Json(StandingView.of(found, curator_status=status, application=application))

    @api.post(
        "/me/curator-application",
        WorthWatch.APPLY,
        status_code=201,
        response_model=ApplicationView,
        refuses=[409, 422],
    )
    async def apply_as_curator(viewer: CurrentViewer, application: ApplicationInput) -> Json:
        """Apply as a curator."""
        return Json(ApplicationView.of(await curators.apply(viewer, application)), 201)

    @api.get("/curators", Access.PUBLIC, response_model=ListOf[UserView], refuses=[400, 401, 403, 422])
    async def curators_by_status(
        viewer: CurrentViewer, status: Status = "approved", limit: Limit = 20, cursor: Cursor = None
    ) -> Json:
        """Curators; for moderators those of another status too."""
        if status != "approved":
            authorize(viewer, WorthWatch.DECIDE)
        page = await curators.with_status(status, limit=limit, cursor=cursor)
        return Json({"items": [shown(user) for user in page], "next_cursor": page.next_cursor})

    @api.get("/applications", WorthWatch.DECIDE, response_model=ListOf[ApplicationView], refuses=[400, 422])
    async def applications(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """Applications that wait, oldest first."""
        page = await curators.waiting(limit=limit, cursor=cursor)
        answers = [ApplicationView.of(each.application) for each in page]
        return Json({"items": answers, "next_cursor": page.next_cursor})

    @api.post("/curators/{user_id}/approve", WorthWatch.DECIDE, response_model=DecidedView, refuses=[404, 409, 422])
    async def approve(viewer: CurrentViewer, user_id: str, decision: DecisionInput) -> Json:
        """Let an applicant publish, or a suspended curator again; their lists return."""
        return Json(DecidedView.of(await curators.approve(viewer, user_id, decision.reason)))

    @api.post("/curators/{user_id}/decline", WorthWatch.DECIDE, response_model=DecidedView, refuses=[404, 409, 422])
    async def decline(viewer: CurrentViewer, user_id: str, decision: DecisionInput) -> Json:
        """Turn an application down, with a reason."""
        return Json(DecidedView.of(await curators.decline(viewer, user_id, decision.reason)))

    @api.post("/curators/{user_id}/suspend", WorthWatch.DECIDE, response_model=DecidedView, refuses=[404, 409, 422])
    async def suspend(viewer: CurrentViewer, user_id: str, decision: DecisionInput) -> Json:
        """Hide a curator and all their lists."""
        return Json(DecidedView.of(await curators.suspend(viewer, user_id, decision.reason)))

    @api.get("/curators/{user_id}/agreement", Access.SIGNED_IN, response_model=AgreementView, refuses=[404])
    async def agreement(viewer: CurrentViewer, user_id: str) -> Json:
        """How far you agree with a curator."""
        return Json(AgreementView.of(await service.agreements.with_curator(viewer, user_id)))

    @api.get("/following", Access.SIGNED_IN, response_model=ListOf[PersonView], refuses=[400, 422])
    async def following(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The curators whom you follow, newest first."""
        return Json(listed(PersonView, await service.follows.mine(viewer, limit=limit, cursor=cursor)))

    @api.put("/following/{curator_id}", WorthWatch.LIST, response_model=FollowView, refuses=[404, 409])
    async def follow(viewer: CurrentViewer, curator_id: str) -> Json:
        """Follow a curator; twice changes nothing."""
        return Json(FollowView.of(await service.follows.follow(viewer, curator_id)))

    @api.delete("/following/{curator_id}", WorthWatch.LIST, status_code=204, refuses=[409])
    async def unfollow(viewer: CurrentViewer, curator_id: str) -> None:
        """Follow a curator no longer."""
        await service.follows.unfollow(viewer, curator_id)
