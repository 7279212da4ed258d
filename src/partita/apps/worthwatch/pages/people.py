"""One's own profile: name, bio, favourites, mail, data, leaving."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.worthwatch.inputs import LeavingInput, ProfileEdit, ProfileForm, TitleInput
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import User
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.tiles import tile_of_ref
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.problems import Conflict
from partita.kit.routes import CurrentViewer, Routes

_PROFILE = "/worthwatch/profile"
_MOST_FAVOURITES = 4


def add(pages: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""
    people = service.people

    async def profile_page(
        request: Request, viewer: Viewer, form: Parsed[Any] | None = None, find: str = ""
    ) -> Response:
        me = await people.mine(viewer)
        named = me.username if me else viewer.name or viewer.username
        form = form or filled(ProfileForm, me or ProfileForm(username=named[:30].ljust(3, "_")))
        form.values.setdefault("mail", "never")
        return render(
            request,
            "worthwatch/profile.html",
            form=form,
            me=me,
            name=named,
            favourites=tuple(map(tile_of_ref, me.favourites or ())) if me else (),
            find=find,
            found=await service.suggestions.titles(find) if find.strip() else (),
            most=_MOST_FAVOURITES,
        )

    @pages.get("/profile", Access.SIGNED_IN)
    async def profile(
        request: Request, viewer: CurrentViewer, find: Annotated[str, Query(max_length=200)] = ""
    ) -> Response:
        return await profile_page(request, viewer, find=find)

    @pages.post("/profile", WorthWatch.LIST, keeps=ProfileForm)
    async def edit(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: ProfileForm) -> Response:
            await people.edit(viewer, ProfileEdit(**form.model_dump()))
            return redirect(_PROFILE, flash="Profile saved.")

        async def again(form: Parsed[ProfileForm]) -> Response:
            return await profile_page(request, viewer, form)

        return await submitted(request, ProfileForm, save, again)

    @pages.post("/profile/favourites", WorthWatch.LIST)
    async def add_favourite(request: Request, viewer: CurrentViewer) -> Response:
        async def save(title: TitleInput) -> Response:
            kept = [each for each in _favourites(await people.me(viewer)) if each != title]
            if len(kept) >= _MOST_FAVOURITES:
                raise Conflict("You have four favourites. Remove one first.", code="enough_favourites")
            await people.edit(viewer, ProfileEdit(favourites=(*kept, title)))
            return redirect(f"{_PROFILE}#favourites", flash="Favourite added.")

        async def again(form: Parsed[TitleInput]) -> Response:
            text = form.errors.get("") or "Choose one of the titles."
            return redirect(f"{_PROFILE}#favourites", flash=text, kind="bad")

        return await submitted(request, TitleInput, save, again)

    @pages.post("/profile/favourites/remove", WorthWatch.LIST)
    async def remove_favourite(request: Request, viewer: CurrentViewer) -> Response:
        async def save(title: TitleInput) -> Response:
            kept = tuple(each for each in _favourites(await people.me(viewer)) if each != title)
            await people.edit(viewer, ProfileEdit(favourites=kept))
            return redirect(f"{_PROFILE}#favourites", flash="Favourite removed.", kind="info")

        async def again(form: Parsed[TitleInput]) -> Response:
            return redirect(f"{_PROFILE}#favourites", flash=form.errors.get("", "Nothing was removed."), kind="bad")

        return await submitted(request, TitleInput, save, again)

    @pages.get("/profile/leave", Access.SIGNED_IN)
    async def leave_form(request: Request, viewer: CurrentViewer) -> Response:
        return render(request, "worthwatch/leave.html", me=await people.mine(viewer), form=Parsed(None))

    @pages.post("/profile/leave", Access.SIGNED_IN, keeps=LeavingInput)
    async def leave(request: Request, viewer: CurrentViewer) -> Response:
        async def save(leaving: LeavingInput) -> Response:
            await service.leaving.leave(viewer, keep_lists=leaving.keep_lists)
            return redirect("/worthwatch", flash="You have left WorthWatch. Your data are being removed.", kind="info")

        async def again(form: Parsed[LeavingInput]) -> Response:
            return render(request, "worthwatch/leave.html", me=await people.mine(viewer), form=form)

        return await submitted(request, LeavingInput, save, again)


def _favourites(user: User) -> list[TitleInput]:
    return [TitleInput(content_type=each.type, content_id=each.id) for each in user.favourites or ()]
