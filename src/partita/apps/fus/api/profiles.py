"""Profiles over HTTP."""

from __future__ import annotations

from pydantic import Field

from partita.apps.fus.api.people import PersonView
from partita.apps.fus.api.sites import SiteSummary
from partita.apps.fus.inputs import ProfileEdit
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Json
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import View


class ProfileView(View):
    """What you show of yourself."""

    is_public: bool
    about: str
    revision: int = Field(description="Send it with an edit to have the edit refused if it was changed meanwhile.")


class LikedSiteView(View):
    """A site that somebody likes."""

    stars: int
    site: SiteSummary


class PublicProfileView(View):
    """What somebody shows of themselves."""

    person: PersonView
    about: str
    likes: list[LikedSiteView]


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""

    @api.get("/me/profile", Access.SIGNED_IN, response_model=ProfileView)
    async def my_profile(viewer: CurrentViewer) -> Json:
        """Your profile."""
        return Json(ProfileView.of(await service.profiles.mine(viewer)))

    @api.put("/me/profile", Fus.RATE, response_model=ProfileView, refuses=[409, 422])
    async def save_profile(viewer: CurrentViewer, profile: ProfileEdit) -> Json:
        """Show what you like to everybody, or hide it."""
        return Json(ProfileView.of(await service.profiles.save(viewer, profile)))

    @api.get("/people/{username}", Access.PUBLIC, response_model=PublicProfileView, refuses=[404])
    async def public_profile(username: str) -> Json:
        """What somebody likes: the latest sites to which they gave four or five stars."""
        return Json(PublicProfileView.of(await service.profiles.public(username)))
