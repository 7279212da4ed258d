"""For administrators: people with their roles, and the mail that was kept instead of sent."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from partita.kit.accounts import Account
from partita.kit.answers import Cursor
from partita.kit.forms import Parsed, parse
from partita.kit.mail import Outbox
from partita.kit.pages import redirect, render
from partita.kit.permissions import ADMIN, House, Viewer
from partita.kit.problems import NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.suite import Suite
from partita.web.house.signing import NOTHING_TYPED

_PAGE = 30


class _NewPerson(BaseModel):
    username: str = ""
    email: str = ""
    name: str = ""
    roles: list[str] = Field(default=[])


class _Roles(BaseModel):
    roles: list[str] = Field(default=[])


def routes(suite: Suite) -> Routes:
    """The office."""
    pages = Routes("/admin", tag="house", pages=True)
    accounts = suite.kit.accounts

    def role_choices() -> list[tuple[str, str, str]]:
        """Every role there is: what to send, what to show, what it means."""
        known = [(ADMIN, "Administrator", "Everything in every system")]
        return known + [
            (f"{system.name}:{role}", f"{system.title} {role}", ", ".join(_actions(granted)))
            for system in suite.systems
            for role, granted in system.roles.items()
        ]

    # -- people

    @pages.get("/users", House.MANAGE_USERS)
    async def users(
        request: Request, viewer: CurrentViewer, q: Annotated[str, Query(max_length=200)] = "", cursor: Cursor = None
    ) -> Response:
        if q.strip():
            page = await accounts.search_accounts(viewer, q, limit=_PAGE, cursor=cursor)
        else:
            page = await accounts.list_accounts(viewer, limit=_PAGE, cursor=cursor)
        return render(request, "house/users.html", people=page, q=q)

    @pages.get("/users/new", House.MANAGE_USERS)
    async def new_user(request: Request) -> Response:
        return render(request, "house/new_user.html", form=NOTHING_TYPED, roles=role_choices())

    @pages.post("/users/new", House.MANAGE_USERS)
    async def create_user(request: Request, viewer: CurrentViewer) -> Response:
        async with request.form() as sent:
            form = parse(_NewPerson, sent)
        said = form.value or _NewPerson()
        try:
            made = await accounts.create_account(viewer, said.username, said.email, said.name, roles=said.roles)
        except Problem as problem:
            refused = form.refused(problem)
            return render(request, "house/new_user.html", status=problem.status, form=refused, roles=role_choices())
        return await person_page(request, viewer, made.account, password=made.password, status=201)

    async def person_page(
        request: Request,
        viewer: Viewer,
        person: Account,
        form: Parsed[_Roles] | None = None,
        *,
        password: str = "",
        status: int = 200,
    ) -> Response:
        return render(
            request,
            "house/user.html",
            status=status,
            headers={"Cache-Control": "no-store"} if password else None,
            person=person,
            form=form or Parsed(None, {"roles": sorted(person.roles)}),
            roles=role_choices(),
            may=await accounts.reasons_for(person),
            everything=accounts.policy.known,
            password=password,
            itself=person.user_id == viewer.user_id,
        )

    @pages.get("/users/{user_id}", House.MANAGE_USERS)
    async def user(request: Request, viewer: CurrentViewer, user_id: str) -> Response:
        return await person_page(request, viewer, await accounts.account(user_id))

    @pages.post("/users/{user_id}/roles", House.MANAGE_USERS)
    async def set_roles(request: Request, viewer: CurrentViewer, user_id: str) -> Response:
        async with request.form() as sent:
            form = parse(_Roles, sent)
        try:
            person = await accounts.set_roles(viewer, user_id, form.value.roles if form.value else [])
        except Problem as problem:
            known = await accounts.account(user_id)
            return await person_page(request, viewer, known, form.refused(problem), status=problem.status)
        return redirect(f"/admin/users/{user_id}", flash=f"{person.name} has these roles from now on.")

    @pages.post("/users/{user_id}/password", House.MANAGE_USERS)
    async def set_password(request: Request, viewer: CurrentViewer, user_id: str) -> Response:
        """A one-time password, shown on this very answer and never again."""
        password = await accounts.set_password(viewer, user_id)
        return await person_page(request, viewer, await accounts.account(user_id), password=password)

    @pages.get("/users/{user_id}/suspend", House.MANAGE_USERS)
    async def ask_to_suspend(request: Request, user_id: str) -> Response:
        return render(request, "house/suspend.html", person=await accounts.account(user_id))

    @pages.post("/users/{user_id}/suspend", House.MANAGE_USERS)
    async def suspend(viewer: CurrentViewer, user_id: str) -> Response:
        person = await accounts.suspend(viewer, user_id)
        return redirect(f"/admin/users/{user_id}", flash=f"{person.name} cannot sign in any more.", kind="info")

    @pages.post("/users/{user_id}/restore", House.MANAGE_USERS)
    async def restore(viewer: CurrentViewer, user_id: str) -> Response:
        person = await accounts.restore(viewer, user_id)
        return redirect(f"/admin/users/{user_id}", flash=f"{person.name} can sign in again.")

    @pages.get("/users/{user_id}/end-access", House.MANAGE_USERS)
    async def ask_to_end_access(request: Request, user_id: str) -> Response:
        return render(request, "house/end_access.html", person=await accounts.account(user_id))

    @pages.post("/users/{user_id}/end-access", House.MANAGE_USERS)
    async def end_access(viewer: CurrentViewer, user_id: str) -> Response:
        await accounts.revoke_access(viewer, user_id)
        return redirect(f"/admin/users/{user_id}", flash="Every session and token was ended.")

    # -- mail

    @pages.get("/outbox", House.READ_OUTBOX)
    async def outbox(request: Request, cursor: Cursor = None) -> Response:
        mail = suite.kit.mail
        page = await mail.page(limit=_PAGE, cursor=cursor) if isinstance(mail, Outbox) else None
        return render(request, "house/outbox.html", mail=page)

    @pages.get("/outbox/{mail_id}", House.READ_OUTBOX)
    async def one_mail(request: Request, mail_id: str) -> Response:
        if not isinstance(suite.kit.mail, Outbox):
            raise NotFound("Mail is sent, and not kept.")
        found = await suite.kit.mail.mail(mail_id)
        return render(request, "house/mail.html", headers={"Cache-Control": "no-store"}, mail=found)

    return pages


def _actions(permissions: frozenset[str]) -> list[str]:
    """`kelifax:resource:approve` as “resource approve”."""
    return sorted(" ".join(permission.split(":")[1:]) for permission in permissions)
