"""People over HTTP: one's own profile, others', one's data, leaving."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from partita.apps.worthwatch.inputs import LeavingInput, ProfileEdit
from partita.apps.worthwatch.permissions import WorthWatch
from partita.apps.worthwatch.schema import User
from partita.apps.worthwatch.service import WorthWatchService
from partita.apps.worthwatch.service.people import no_such_person
from partita.kit.answers import Json
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, View


class FavouriteView(View):
    """One of somebody's favourite titles."""

    content_type: Annotated[Literal["MOVIE", "SHOW"], From("type")]
    content_id: Annotated[str, From("id")]
    title: str
    year: int | None


class PersonView(View):
    """Somebody in a list."""

    user_id: str
    username: str
    avatar_url: str | None
    is_curator: bool


class UserView(PersonView):
    """Somebody as everybody may know them."""

    bio: str | None
    favourites: list[FavouriteView]
    follower_count: int
    live_list_count: int
    created_at: str


class MyProfile(UserView):
    """Your own profile."""

    email: str
    curator_status: Literal["pending", "approved", "suspended"] | None
    mail: Literal["never", "weekly"]
    hide_averages: bool
    updated_at: str


class Leave(View):
    """What happens after leaving."""

    keeps_lists: bool = Field(description="Whether your published lists stay, without a name.")


def person(user: User | None) -> dict[str, Any] | None:
    """Somebody in a list; None if they have left."""
    return None if user is None else PersonView.of(user)


def shown(user: User, view: type[UserView] = UserView, **more: Any) -> dict[str, Any]:
    """Somebody with what is missing spelled out."""
    return view.of(
        user,
        favourites=FavouriteView.each(user.favourites or ()),
        follower_count=user.follower_count or 0,
        live_list_count=user.live_list_count or 0,
        **more,
    )


def _mine(user: User) -> dict[str, Any]:
    return shown(user, MyProfile, mail=user.mail or "never", hide_averages=bool(user.hide_averages))


def add(api: Routes, service: WorthWatchService) -> None:
    """Declare the routes."""

    @api.get("/me", Access.SIGNED_IN, response_model=MyProfile, refuses=[404])
    async def me(viewer: CurrentViewer) -> Json:
        """Your profile; there is none before your first own action."""
        user = await service.people.mine(viewer)
        if user is None:
            raise no_such_person()
        return Json(_mine(user))

    @api.patch("/me", WorthWatch.LIST, response_model=MyProfile, refuses=[400, 409, 422, 429])
    async def edit_me(viewer: CurrentViewer, edit: ProfileEdit) -> Json:
        """Change your profile; fields that are left out stay as they are. It is made if there is none."""
        return Json(_mine(await service.people.edit(viewer, edit)))

    @api.delete("/me", Access.SIGNED_IN, status_code=202, response_model=Leave, refuses=[404, 409, 422])
    async def leave(viewer: CurrentViewer, leaving: LeavingInput | None = None) -> Json:
        """Leave WorthWatch: profile, shelves, private lists and ratings go; your account of the suite stays."""
        wanted = leaving or LeavingInput()
        return Json(Leave.of(await service.leaving.leave(viewer, keep_lists=wanted.keep_lists)), 202)

    @api.get("/me/export", Access.SIGNED_IN, response_model=dict[str, Any], refuses=[404])
    async def export_my_data(viewer: CurrentViewer) -> Json:
        """Everything of yours."""
        name = 'attachment; filename="worthwatch.json"'
        return Json(await service.own_data.export(viewer), headers={"Content-Disposition": name})

    @api.get("/users/{user_id}", Access.PUBLIC, response_model=UserView, refuses=[404])
    async def one_user(user_id: str) -> Json:
        """Somebody's profile; a suspended curator has none."""
        return Json(shown(await service.curators.visible_person(user_id)))
