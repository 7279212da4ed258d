"""What people show of themselves, and what of theirs they take with them."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.apps.fus.inputs import ProfileForm
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.apps.fus.service.history import PROFILE_FIELDS
from partita.kit.forms import Parsed, filled
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""

    def form_page(request: Request, form: Parsed[Any]) -> Response:
        return render(request, "fus/my_profile.html", form=form)

    @pages.get("/me/profile", Fus.RATE)
    async def mine(request: Request, viewer: CurrentViewer) -> Response:
        return form_page(request, filled(ProfileForm, await service.profiles.mine(viewer)))

    @pages.post("/me/profile", Fus.RATE, keeps=ProfileForm)
    async def save_profile(request: Request, viewer: CurrentViewer) -> Response:
        async def save(wanted: ProfileForm) -> Response:
            await service.profiles.save(viewer, wanted)
            if wanted.is_public:
                return redirect(f"/fus/people/{viewer.username}", flash="Everybody sees this page now.")
            return redirect("/fus/me/profile", flash="Nobody else sees your profile.")

        async def again(form: Parsed[ProfileForm]) -> Response:
            return form_page(request, form)

        async def stored() -> Parsed[ProfileForm]:
            return filled(ProfileForm, await service.profiles.mine(viewer))

        return await edited(request, ProfileForm, save, again, stored, fields=PROFILE_FIELDS, back="/fus/me/profile")

    @pages.get("/people/{username}", Access.PUBLIC)
    async def profile(request: Request, username: str) -> Response:
        return render(request, "fus/profile.html", found=await service.profiles.public(username))
