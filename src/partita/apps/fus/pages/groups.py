"""Groups and their members, for people who manage them; and for everybody, the groups they are in."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from partita.apps.fus.inputs import GroupForm, MemberInput, NewGroup
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Group
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, filled, submitted
from partita.kit.pages import confirm, redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.stale import edited

_PAGE = 50
_LOG = 10
Words = Annotated[str, Query(max_length=200)]
Identity = Annotated[str, Query(max_length=320)]


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""
    groups = service.groups

    def form_page(request: Request, viewer: Viewer, form: Parsed[Any], group: Group | None = None) -> Response:
        choices = groups.choices(viewer)
        lacking = [] if group is None else groups.lacking(viewer, group)
        return render(request, "fus/edit_group.html", form=form, group=group, choices=choices, lacking=lacking)

    @pages.get("/me/groups", Access.SIGNED_IN)
    async def mine(request: Request, viewer: CurrentViewer, q: Words = "", cursor: Cursor = None) -> Response:
        page = await service.mine.groups(viewer, text=q, limit=_PAGE, cursor=cursor)
        return render(request, "fus/my_groups.html", page=page, permissions=groups.permissions, browsing={"q": q})

    @pages.get("/groups", Fus.MANAGE_GROUPS)
    async def overview(request: Request, cursor: Cursor = None) -> Response:
        return render(request, "fus/groups.html", page=await groups.groups(limit=_PAGE, cursor=cursor))

    # No group can have the name ~new, so this page hides none.
    @pages.get("/groups/~new", Fus.MANAGE_GROUPS)
    async def create_form(request: Request, viewer: CurrentViewer) -> Response:
        return form_page(request, viewer, Parsed(None))

    @pages.post("/groups/~new", Fus.MANAGE_GROUPS, keeps=NewGroup)
    async def create(request: Request, viewer: CurrentViewer) -> Response:
        async def save(new: NewGroup) -> Response:
            group = await groups.create(viewer, new)
            return redirect(f"/fus/groups/{group.name}", flash="Group created. Now add its members.")

        async def again(form: Parsed[NewGroup]) -> Response:
            return form_page(request, viewer, form)

        return await submitted(request, NewGroup, save, again)

    async def group_page(
        request: Request, viewer: Viewer, name: str, form: Parsed[Any], cursor: str | None = None
    ) -> Response:
        group = await groups.group(name)
        return render(
            request,
            "fus/group.html",
            group=group,
            lacking=groups.lacking(viewer, group),
            members=await groups.members(name, limit=_PAGE, cursor=cursor),
            log=await groups.log(name, limit=_LOG),
            form=form,
        )

    @pages.get("/groups/{name}", Fus.MANAGE_GROUPS)
    async def group(request: Request, viewer: CurrentViewer, name: str, cursor: Cursor = None) -> Response:
        return await group_page(request, viewer, name, Parsed(None), cursor)

    @pages.get("/groups/{name}/log", Fus.MANAGE_GROUPS)
    async def log(request: Request, name: str, cursor: Cursor = None) -> Response:
        page = await groups.log(name, limit=_PAGE, cursor=cursor)
        return render(request, "fus/group_log.html", name=name, page=page)

    @pages.get("/groups/{name}/edit", Fus.MANAGE_GROUPS)
    async def edit_form(request: Request, viewer: CurrentViewer, name: str) -> Response:
        group = await groups.group(name)
        return form_page(request, viewer, filled(GroupForm, group), group)

    @pages.post("/groups/{name}/edit", Fus.MANAGE_GROUPS, keeps=GroupForm)
    async def edit(request: Request, viewer: CurrentViewer, name: str) -> Response:
        group = await groups.group(name)

        async def save(edit: GroupForm) -> Response:
            # The form has no boxes for permissions that the viewer does not hold: they stay.
            kept = [each for each in group.permissions if not viewer.may(each)]
            wanted = tuple(dict.fromkeys((*kept, *edit.permissions)))
            await groups.edit(viewer, name, edit.model_copy(update={"permissions": wanted}))
            return redirect(f"/fus/groups/{name}", flash="Changes saved.")

        async def again(form: Parsed[GroupForm]) -> Response:
            return form_page(request, viewer, form, group)

        async def stored() -> Parsed[GroupForm]:
            now = filled(GroupForm, await groups.group(name))
            changeable = [each for each in now.values.get("permissions", []) if viewer.may(each)]
            return replace(now, values={**now.values, "permissions": changeable})

        back = f"/fus/groups/{name}"
        return await edited(request, GroupForm, save, again, stored, fields=groups.fields, back=back)

    @pages.get("/groups/{name}/delete", Fus.MANAGE_GROUPS)
    async def delete_form(request: Request, name: str) -> Response:
        await groups.group(name)
        return confirm(
            request,
            f"Delete the group “{name}”?",
            "Its members will lose what it grants. Its history will be kept.",
            button="Delete",
            keep=f"/fus/groups/{name}",
        )

    @pages.post("/groups/{name}/delete", Fus.MANAGE_GROUPS)
    async def delete(viewer: CurrentViewer, name: str) -> Response:
        await groups.delete(viewer, name)
        return redirect("/fus/groups", flash=f"Group {name} deleted.", kind="info")

    # -- members

    @pages.post("/groups/{name}/members", Fus.MANAGE_GROUPS, keeps=MemberInput)
    async def add_member(request: Request, viewer: CurrentViewer, name: str) -> Response:
        async def save(wanted: MemberInput) -> Response:
            account = await groups.person(wanted.person)
            await groups.add_member(viewer, name, account.user_id)
            return redirect(f"/fus/groups/{name}", flash=f"{account.name} added.")

        async def again(form: Parsed[MemberInput]) -> Response:
            return await group_page(request, viewer, name, form)

        return await submitted(request, MemberInput, save, again)

    @pages.get("/groups/{name}/members/complete", Fus.MANAGE_GROUPS)
    async def complete(request: Request, viewer: CurrentViewer, name: str, person: Identity = "") -> Response:
        """Options for the field of a new member."""
        return render(request, "people_options.html", people=await groups.suggest(viewer, name, person))

    @pages.get("/groups/{name}/members/{user_id}/remove", Fus.MANAGE_GROUPS)
    async def remove_form(request: Request, name: str, user_id: str) -> Response:
        member = await groups.member(name, user_id)
        return confirm(
            request,
            f"Remove {member.person.name} from the group?",
            f"They will lose what “{name}” grants.",
            button="Remove",
            keep=f"/fus/groups/{name}",
        )

    @pages.post("/groups/{name}/members/{user_id}/remove", Fus.MANAGE_GROUPS)
    async def remove_member(viewer: CurrentViewer, name: str, user_id: str) -> Response:
        await groups.remove_member(viewer, name, user_id)
        return redirect(f"/fus/groups/{name}", flash="Member removed.", kind="info")
