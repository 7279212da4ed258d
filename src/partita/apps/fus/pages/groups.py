"""Groups and their members, for those who manage them; and for everybody, the groups they are in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import Request
from pydantic import BaseModel
from starlette.responses import Response

from partita.apps.fus.inputs import GroupEdit, GroupForm, NewGroup
from partita.apps.fus.permissions import Fus
from partita.apps.fus.schema import Group
from partita.apps.fus.service import FusService
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, parse
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.problems import NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes

_PAGE = 50
_LOG = 10

Choices = list[tuple[str, list[tuple[str, str, bool]]]]


class MemberForm(BaseModel):
    """Whom to add."""

    person: str = ""


def add(pages: Routes, service: FusService) -> None:
    """Declare the routes."""
    groups = service.groups

    def form_page(
        request: Request,
        viewer: Viewer,
        form: Parsed[Any],
        group: Group | None = None,
        refused: Problem | None = None,
    ) -> Response:
        known = choices(groups.permissions, viewer)
        status = 422 if form.errors else 200
        return render(
            request, "fus/edit_group.html", status=status, refused=refused, form=form, group=group, choices=known
        )

    @pages.get("/me/groups", Access.SIGNED_IN)
    async def mine(request: Request, viewer: CurrentViewer, cursor: Cursor = None) -> Response:
        page = await groups.mine(viewer, limit=_PAGE, cursor=cursor)
        return render(request, "fus/my_groups.html", page=page, known=groups.permissions)

    @pages.get("/groups", Fus.MANAGE_GROUPS)
    async def overview(request: Request, cursor: Cursor = None) -> Response:
        return render(request, "fus/groups.html", page=await groups.groups(limit=_PAGE, cursor=cursor))

    # No group can be called ~new, so that none hides behind this page.
    @pages.get("/groups/~new", Fus.MANAGE_GROUPS)
    async def create_form(request: Request, viewer: CurrentViewer) -> Response:
        return form_page(request, viewer, Parsed(None))

    @pages.post("/groups/~new", Fus.MANAGE_GROUPS)
    async def create(request: Request, viewer: CurrentViewer) -> Response:
        async with request.form() as sent:
            form = parse(NewGroup, sent)
        if form.value is None:
            return form_page(request, viewer, form)
        try:
            made = await groups.create(viewer, form.value)
        except Problem as problem:
            return form_page(request, viewer, form.refused(problem), refused=problem)
        return redirect(f"/fus/groups/{made.name}", flash="The group is there. Now add its members.")

    async def group_page(
        request: Request,
        name: str,
        form: Parsed[Any],
        cursor: str | None = None,
        refused: Problem | None = None,
    ) -> Response:
        return render(
            request,
            "fus/group.html",
            refused=refused,
            group=await groups.group(name),
            members=await groups.members(name, limit=_PAGE, cursor=cursor),
            log=await groups.log(name, limit=_LOG),
            form=form,
        )

    @pages.get("/groups/{name}", Fus.MANAGE_GROUPS)
    async def group(request: Request, name: str, cursor: Cursor = None) -> Response:
        return await group_page(request, name, Parsed(None), cursor)

    @pages.get("/groups/{name}/log", Fus.MANAGE_GROUPS)
    async def log(request: Request, name: str, cursor: Cursor = None) -> Response:
        page = await groups.log(name, limit=_PAGE, cursor=cursor)
        return render(request, "fus/group_log.html", name=name, page=page)

    @pages.get("/groups/{name}/edit", Fus.MANAGE_GROUPS)
    async def edit_form(request: Request, viewer: CurrentViewer, name: str) -> Response:
        known = await groups.group(name)
        values = {
            "description": known.description,
            "permissions": list(known.permissions),
            "revision": known.revision,
        }
        return form_page(request, viewer, Parsed(None, values), known)

    @pages.post("/groups/{name}/edit", Fus.MANAGE_GROUPS)
    async def edit(request: Request, viewer: CurrentViewer, name: str) -> Response:
        known = await groups.group(name)
        async with request.form() as sent:
            form = parse(GroupForm, sent)
        if form.value is None:
            return form_page(request, viewer, form, known)
        # Boxes that the viewer may not tick are not sent: what they stand for stays as it is.
        kept = [each for each in known.permissions if not viewer.may(each)]
        wanted = GroupEdit(
            description=form.value.description,
            permissions=tuple(dict.fromkeys((*kept, *form.value.permissions))),
            revision=form.value.revision,
        )
        try:
            await groups.edit(viewer, name, wanted)
        except NotFound:
            raise
        except Problem as problem:
            return form_page(request, viewer, form.refused(problem), known, refused=problem)
        return redirect(f"/fus/groups/{name}", flash="The changes are saved.")

    @pages.get("/groups/{name}/delete", Fus.MANAGE_GROUPS)
    async def delete_form(request: Request, name: str) -> Response:
        return render(request, "fus/delete_group.html", group=await groups.group(name))

    @pages.post("/groups/{name}/delete", Fus.MANAGE_GROUPS)
    async def delete(viewer: CurrentViewer, name: str) -> Response:
        await groups.delete(viewer, name)
        return redirect("/fus/groups", flash=f"The group {name} is deleted.", kind="info")

    # -- members

    @pages.post("/groups/{name}/members", Fus.MANAGE_GROUPS)
    async def add_member(request: Request, viewer: CurrentViewer, name: str) -> Response:
        async with request.form() as sent:
            form = parse(MemberForm, sent)
        try:
            somebody = await groups.somebody(form.value.person if form.value is not None else "")
            await groups.add_member(viewer, name, somebody.user_id)
        except NotFound:
            raise
        except Problem as problem:
            return await group_page(request, name, form.refused(problem), refused=problem)
        return redirect(f"/fus/groups/{name}", flash=f"{somebody.name} is in the group.")

    @pages.get("/groups/{name}/members/{user_id}/remove", Fus.MANAGE_GROUPS)
    async def remove_form(request: Request, name: str, user_id: str) -> Response:
        return render(request, "fus/remove_member.html", name=name, member=await groups.member(name, user_id))

    @pages.post("/groups/{name}/members/{user_id}/remove", Fus.MANAGE_GROUPS)
    async def remove_member(viewer: CurrentViewer, name: str, user_id: str) -> Response:
        await groups.remove_member(viewer, name, user_id)
        return redirect(f"/fus/groups/{name}", flash="They are out of the group.", kind="info")


def choices(known: Iterable[str], viewer: Viewer) -> Choices:
    """Every permission by its system: word, what it is about, and whether the viewer could grant it."""
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for permission in sorted(known):
        system, _, rest = permission.partition(":")
        found.setdefault(system, []).append((permission, rest.replace(":", " "), viewer.may(permission)))
    return list(found.items())
