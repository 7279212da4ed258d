"""Groups and their members over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from partita.apps.fus.api.people import PersonView
from partita.apps.fus.inputs import GroupEdit, NewGroup
from partita.apps.fus.permissions import Fus
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor, Json, Limit
from partita.kit.permissions import Access
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.views import From, ListOf, View, listed

_MEMBER = "/groups/{name}/members/{user_id}"


class GroupView(View):
    """A group."""

    name: str
    description: str
    permissions: list[str]
    member_count: Annotated[int, From("number_of_members")]
    created_at: str
    updated_at: str
    revision: int = Field(description="Send it with an edit to have the edit refused if somebody else was faster.")


class MemberView(View):
    """A member of a group."""

    group_name: Annotated[str, From("membership.group_name")]
    user_id: Annotated[str, From("membership.user_id")]
    added_at: Annotated[str, From("membership.added_at")]
    added_by: Annotated[str, From("membership.added_by")]
    person: PersonView


class GroupLogEntry(View):
    """A change of a group or its members."""

    at: Annotated[str, From("entry.at")]
    by: Annotated[str, From("entry.by")]
    action: Annotated[str, From("entry.action")]
    details: Annotated[dict[str, Any], From("entry.details")]


class Permissions(View):
    """Permissions as groups store them."""

    items: list[str]


def add(api: Routes, service: FusService) -> None:
    """Declare the routes."""

    @api.get("/groups", Fus.MANAGE_GROUPS, response_model=ListOf[GroupView], refuses=[400, 422])
    async def groups(limit: Limit = 20, cursor: Cursor = None) -> Json:
        """All groups, by name."""
        return Json(listed(GroupView, await service.groups.groups(limit=limit, cursor=cursor)))

    @api.post("/groups", Fus.MANAGE_GROUPS, status_code=201, response_model=GroupView, refuses=[409, 422])
    async def create_group(viewer: CurrentViewer, group: NewGroup) -> Json:
        """Create a group that grants permissions you hold."""
        created = await service.groups.create(viewer, group)
        return Json(GroupView.of(created), 201, {"Location": f"/api/fus/groups/{created.name}"})

    @api.get("/permissions", Fus.MANAGE_GROUPS, response_model=Permissions)
    async def permissions() -> Json:
        """Every permission of the suite that a group could grant."""
        return Json(Permissions(items=sorted(service.groups.permissions)).model_dump())

    @api.get("/groups/{name}", Fus.MANAGE_GROUPS, response_model=GroupView, refuses=[404])
    async def group(name: str) -> Json:
        """A group."""
        return Json(GroupView.of(await service.groups.group(name)))

    @api.patch("/groups/{name}", Fus.MANAGE_GROUPS, response_model=GroupView, refuses=[400, 404, 409, 422])
    async def edit_group(viewer: CurrentViewer, name: str, edit: GroupEdit) -> Json:
        """Edit a group; fields that are left out stay as they are."""
        return Json(GroupView.of(await service.groups.edit(viewer, name, edit)))

    @api.delete("/groups/{name}", Fus.MANAGE_GROUPS, status_code=204, refuses=[404, 409])
    async def delete_group(viewer: CurrentViewer, name: str) -> None:
        """Delete a group. It grants nothing from now on."""
        await service.groups.delete(viewer, name)

    @api.get("/groups/{name}/log", Fus.MANAGE_GROUPS, response_model=ListOf[GroupLogEntry], refuses=[400, 422])
    async def group_log(name: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The changes of a group and its members, newest first."""
        return Json(listed(GroupLogEntry, await service.groups.log(name, limit=limit, cursor=cursor)))

    @api.get("/groups/{name}/members", Fus.MANAGE_GROUPS, response_model=ListOf[MemberView], refuses=[400, 404, 422])
    async def members(name: str, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The members of a group."""
        return Json(listed(MemberView, await service.groups.members(name, limit=limit, cursor=cursor)))

    @api.get(_MEMBER, Fus.MANAGE_GROUPS, response_model=MemberView, refuses=[404])
    async def member(name: str, user_id: str) -> Json:
        """A member of a group."""
        return Json(MemberView.of(await service.groups.member(name, user_id)))

    @api.put(_MEMBER, Fus.MANAGE_GROUPS, response_model=MemberView, refuses=[404, 409])
    async def add_member(viewer: CurrentViewer, name: str, user_id: str) -> Json:
        """Add somebody to a group."""
        return Json(MemberView.of(await service.groups.add_member(viewer, name, user_id)))

    @api.delete(_MEMBER, Fus.MANAGE_GROUPS, status_code=204, refuses=[404, 409])
    async def remove_member(viewer: CurrentViewer, name: str, user_id: str) -> None:
        """Remove somebody from a group."""
        await service.groups.remove_member(viewer, name, user_id)

    @api.get("/me/groups", Access.SIGNED_IN, response_model=ListOf[GroupView], refuses=[400, 422])
    async def my_groups(viewer: CurrentViewer, limit: Limit = 20, cursor: Cursor = None) -> Json:
        """The groups you are in, by name, with what each grants."""
        return Json(listed(GroupView, await service.groups.mine(viewer, limit=limit, cursor=cursor)))
