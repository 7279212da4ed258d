"""Pages for administrators: accounts with their roles, and the outbox."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from partita.kit.accounts import Account
from partita.kit.answers import Cursor
from partita.kit.files.headers import safe_headers
from partita.kit.forms import Parsed, submitted
from partita.kit.mail import Outbox
from partita.kit.pages import NOT_KEPT, confirm, redirect, render, shown_once
from partita.kit.permissions import House, Viewer, require_confirmation
from partita.kit.problems import Forbidden, NotFound
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.suite import Suite

_PAGE = 30
_ADDRESS = re.compile(r"https?://\S+")


class _NewPerson(BaseModel):
    username: str = ""
    email: str = ""
    name: str = ""
    roles: list[str] = Field(default=[])


class _Roles(BaseModel):
    roles: list[str] = Field(default=[])


def routes(suite: Suite) -> Routes:
    """The administration pages."""
    pages = Routes("/admin", tag="house", pages=True)
    accounts = suite.kit.accounts
    remains = suite.personal_data.remains

    # -- people

    @pages.get("/users", House.MANAGE_USERS)
    async def users(
        request: Request, viewer: CurrentViewer, q: Annotated[str, Query(max_length=200)] = "", cursor: Cursor = None
    ) -> Response:
        if q.strip():
            page = await accounts.people.search(viewer, q, limit=_PAGE, cursor=cursor)
        else:
            page = await accounts.people.list(viewer, limit=_PAGE, cursor=cursor)
        return render(request, "house/users.html", headers=NOT_KEPT, people=page, q=q)

    async def new_person_page(request: Request, form: Parsed[Any]) -> Response:
        return render(request, "house/new_user.html", form=form, roles=accounts.policy.role_choices())

    @pages.get("/users/new", House.MANAGE_USERS)
    async def new_user(request: Request) -> Response:
        return await new_person_page(request, Parsed(None))

    @pages.post("/users/new", House.MANAGE_USERS, keeps=_NewPerson)
    async def create_user(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: _NewPerson) -> Response:
            new = await accounts.administration.create_account(
                viewer, form.username, form.email, form.name, roles=form.roles
            )
            return redirect(f"/admin/users/{new.account.user_id}", secret=new.password)

        return await submitted(request, _NewPerson, save, lambda form: new_person_page(request, form))

    async def person_page(
        request: Request,
        viewer: Viewer,
        person: Account,
        form: Parsed[Any] | None = None,
        *,
        password: str = "",
    ) -> Response:
        return render(
            request,
            "house/user.html",
            headers=NOT_KEPT,
            person=person,
            form=form or Parsed(None, {"roles": sorted(person.roles)}),
            roles=accounts.policy.role_choices(),
            reasons=await accounts.permissions.reasons_for(person),
            by_system=accounts.policy.choices,
            everything=accounts.policy.known,
            password=password,
            itself=person.user_id == viewer.user_id,
            remains=remains,
        )

    @pages.get("/users/{user_id}", House.MANAGE_USERS)
    async def user(request: Request, viewer: CurrentViewer, user_id: str) -> Response:
        person = await accounts.people.get(user_id)
        return await person_page(request, viewer, person, password=shown_once(request))

    @pages.post("/users/{user_id}/roles", House.MANAGE_USERS, keeps=_Roles)
    async def set_roles(request: Request, viewer: CurrentViewer, user_id: str) -> Response:
        async def save(form: _Roles) -> Response:
            await accounts.administration.set_roles(viewer, user_id, form.roles)
            return redirect(f"/admin/users/{user_id}", flash="Roles saved.")

        async def again(form: Parsed[_Roles]) -> Response:
            return await person_page(request, viewer, await accounts.people.get(user_id), form)

        return await submitted(request, _Roles, save, again)

    @pages.post("/users/{user_id}/password", House.MANAGE_USERS)
    async def set_password(viewer: CurrentViewer, user_id: str) -> Response:
        """Set a one-time password; only the next page shows it."""
        return redirect(f"/admin/users/{user_id}", secret=await accounts.administration.set_password(viewer, user_id))

    @pages.get("/users/{user_id}/suspend", House.MANAGE_USERS)
    async def ask_to_suspend(request: Request, user_id: str) -> Response:
        person = await accounts.people.get(user_id)
        return confirm(
            request,
            f"Suspend {person.name}?",
            "They cannot sign in until you restore the account. Nothing of theirs is deleted.",
            button="Suspend",
            keep=f"/admin/users/{user_id}",
        )

    @pages.post("/users/{user_id}/suspend", House.MANAGE_USERS)
    async def suspend(viewer: CurrentViewer, user_id: str) -> Response:
        await accounts.administration.suspend(viewer, user_id)
        return redirect(f"/admin/users/{user_id}", flash="Account suspended.", kind="info")

    @pages.post("/users/{user_id}/restore", House.MANAGE_USERS)
    async def restore(viewer: CurrentViewer, user_id: str) -> Response:
        await accounts.administration.restore(viewer, user_id)
        return redirect(f"/admin/users/{user_id}", flash="Account restored.")

    @pages.get("/users/{user_id}/end-access", House.MANAGE_USERS)
    async def ask_to_end_access(request: Request, user_id: str) -> Response:
        person = await accounts.people.get(user_id)
        return confirm(
            request,
            f"Sign {person.name} out everywhere?",
            "All sessions and API tokens end. They must sign in again, and programs need new tokens.",
            button="Sign out everywhere",
            keep=f"/admin/users/{user_id}",
        )

    @pages.post("/users/{user_id}/end-access", House.MANAGE_USERS)
    async def end_access(viewer: CurrentViewer, user_id: str) -> Response:
        await accounts.administration.revoke_access(viewer, user_id)
        return redirect(f"/admin/users/{user_id}", flash="All sessions and tokens ended.")

    @pages.get("/users/{user_id}/remove-second-factor", House.MANAGE_USERS)
    async def ask_to_remove_second_factor(request: Request, user_id: str) -> Response:
        person = await accounts.people.get(user_id)
        return confirm(
            request,
            f"Remove the second factor of {person.name}?",
            "They sign in with the password alone, and are told by mail. Be sure that it is they who ask.",
            button="Remove",
            keep=f"/admin/users/{user_id}",
        )

    @pages.post("/users/{user_id}/remove-second-factor", House.MANAGE_USERS)
    async def remove_second_factor(viewer: CurrentViewer, user_id: str) -> Response:
        await accounts.administration.remove_second_factor(viewer, user_id)
        return redirect(f"/admin/users/{user_id}", flash="Second factor removed.", kind="info")

    # -- mail

    @pages.get("/outbox", House.READ_OUTBOX)
    async def outbox(request: Request, cursor: Cursor = None) -> Response:
        mail = suite.kit.mail
        page = await mail.page(limit=_PAGE, cursor=cursor) if isinstance(mail, Outbox) else None
        return render(request, "house/outbox.html", headers=NOT_KEPT, mail=page)

    @pages.get("/outbox/{mail_id}", House.READ_OUTBOX)
    async def one_mail(request: Request, viewer: CurrentViewer, mail_id: str) -> Response:
        """A mail that was kept; its links, which may let in whoever has them, only for who may manage its recipient."""
        if not isinstance(suite.kit.mail, Outbox):
            raise NotFound("Mail is sent, so there is no outbox.")
        mail = await suite.kit.mail.mail(mail_id)
        whole = await may_manage(viewer, mail.to)
        if whole:
            require_confirmation(viewer)
        text = mail.text if whole else _ADDRESS.sub("(a link that is not shown)", mail.text)
        return render(request, "house/mail.html", headers=NOT_KEPT, mail=mail, text=text, whole=whole)

    async def may_manage(viewer: Viewer, address: str) -> bool:
        """Whether somebody may do everything to whoever has this address; if nobody has, to everybody."""
        owner = await accounts.people.by_email(address)
        theirs = accounts.policy.known if owner is None else await accounts.permissions.of(owner)
        return viewer.may(House.MANAGE_USERS) and theirs <= viewer.permissions

    @pages.get("/outbox/{mail_id}/files/{number}", House.READ_OUTBOX)
    async def mail_file(viewer: CurrentViewer, mail_id: str, number: int) -> Response:
        """A file that went with a mail: to be saved, never shown, whatever it says it is."""
        if not isinstance(suite.kit.mail, Outbox):
            raise NotFound("Mail is sent, and not kept.")
        mail = await suite.kit.mail.mail(mail_id)
        if not await may_manage(viewer, mail.to):
            raise Forbidden("Files of mail are for those who may manage the account of its recipient.")
        require_confirmation(viewer)
        files = mail.files
        content = files[number].content if 0 <= number < len(files) else None
        if content is None:
            raise NotFound("This file was not kept.")
        headers = safe_headers("application/octet-stream", download_as=files[number].name)
        return Response(content, headers={**headers, **NOT_KEPT})

    return pages
