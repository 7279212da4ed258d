"""What people see and change of their own account: name, address, password, sessions, API tokens."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from pydantic import BaseModel, Field, SecretStr
from starlette.responses import Response

from partita.kit.accounts import ApiToken
from partita.kit.forms import Parsed, parse
from partita.kit.pages import redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.problems import NotFound, Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.suite import Suite
from partita.web.browsers import browser_of
from partita.web.house.signing import NOTHING_TYPED
from partita.web.recognise import PASSWORD_PATH, WORKS_ONCE, forget

_DAYS = 90


class _Name(BaseModel):
    name: str = ""


class _Email(BaseModel):
    email: str = ""
    password: SecretStr = SecretStr("")


class _Password(BaseModel):
    old: SecretStr = SecretStr("")
    new: SecretStr = SecretStr("")


class _Token(BaseModel):
    name: str = ""
    scopes: list[str] = Field(default=[])
    days: int = _DAYS


def routes(suite: Suite) -> Routes:
    """Pages of whoever is signed in."""
    pages = Routes("", tag="house", pages=True)
    settings, accounts = suite.kit.settings, suite.kit.accounts

    async def overview(request: Request, viewer: Viewer, refused: Problem | None = None, **forms: Any) -> Response:
        person = await accounts.account(viewer.id)
        shown: dict[str, Any] = {
            "name_form": Parsed(None, {"name": person.name}),
            "email_form": Parsed(None, {"email": person.email or ""}),
            "may": await accounts.reasons_for(person),
            "everything": accounts.policy.known,
            **forms,
        }
        return render(request, "account/overview.html", refused=refused, person=person, **shown)

    @pages.get("/account", Access.SIGNED_IN)
    async def account(request: Request, viewer: CurrentViewer) -> Response:
        return await overview(request, viewer)

    @pages.post("/account/name", Access.SIGNED_IN)
    async def change_name(request: Request, viewer: CurrentViewer) -> Response:
        async with request.form() as sent:
            form = parse(_Name, sent)
        try:
            await accounts.change_name(viewer, form.value.name if form.value else "")
        except Problem as problem:
            return await overview(request, viewer, problem, name_form=form.refused(problem))
        return redirect("/account", flash="Your name is changed.")

    @pages.post("/account/email", Access.SIGNED_IN)
    async def change_email(request: Request, viewer: CurrentViewer) -> Response:
        async with request.form() as sent:
            form = parse(_Email, sent)
        said = form.value or _Email()
        try:
            await accounts.change_email(viewer, said.email, said.password.get_secret_value())
        except Problem as problem:
            return await overview(request, viewer, problem, email_form=form.refused(problem))
        return redirect("/account", flash="Your address is changed.")

    # -- password

    @pages.get(PASSWORD_PATH, Access.SIGNED_IN)
    async def password_form(request: Request) -> Response:
        return render(request, "account/password.html", form=NOTHING_TYPED, why=WORKS_ONCE)

    @pages.post(PASSWORD_PATH, Access.SIGNED_IN)
    async def change_password(request: Request, viewer: CurrentViewer) -> Response:
        async with request.form() as sent:
            form = parse(_Password, sent)
        said = form.value or _Password()
        try:
            await accounts.change_password(viewer, said.old.get_secret_value(), said.new.get_secret_value())
        except Problem as problem:
            again = form.refused(problem)
            return render(request, "account/password.html", refused=problem, form=again, why=WORKS_ONCE)
        return redirect(
            "/" if viewer.must_change_password else "/account",
            flash="Your password is changed. Every other session was ended.",
        )

    # -- sessions

    @pages.get("/account/sessions", Access.SIGNED_IN)
    async def sessions(request: Request, viewer: CurrentViewer) -> Response:
        found = await accounts.sessions(viewer)
        return render(
            request, "account/sessions.html", sessions=[(each, browser_of(each.user_agent)) for each in found]
        )

    @pages.post("/account/sessions/{session_id}/end", Access.SIGNED_IN)
    async def end_session(viewer: CurrentViewer, session_id: str) -> Response:
        await accounts.revoke_session(viewer, session_id)
        if session_id == viewer.session_id:
            answer = redirect("/", flash="You are signed out.", kind="info")
            forget(answer, settings)
            return answer
        return redirect("/account/sessions", flash="That browser is signed out.")

    # -- API tokens

    async def tokens_page(
        request: Request,
        viewer: Viewer,
        form: Parsed[BaseModel] | Parsed[_Token],
        *,
        new: str = "",
        status: int = 200,
        refused: Problem | None = None,
    ) -> Response:
        return render(
            request,
            "account/tokens.html",
            status=status,
            refused=refused,
            headers={"Cache-Control": "no-store"} if new else None,
            tokens=await accounts.tokens(viewer),
            form=form,
            new=new,
            scopes=sorted(viewer.permissions),
        )

    @pages.get("/account/tokens", Access.SIGNED_IN)
    async def tokens(request: Request, viewer: CurrentViewer) -> Response:
        return await tokens_page(request, viewer, Parsed(None, {"days": str(_DAYS)}))

    @pages.post("/account/tokens", Access.SIGNED_IN)
    async def create_token(request: Request, viewer: CurrentViewer) -> Response:
        """The token is shown on this very answer, and never again."""
        async with request.form() as sent:
            form = parse(_Token, sent)
        if form.value is None:
            return await tokens_page(request, viewer, form, status=422)
        said = form.value
        try:
            made = await accounts.create_token(viewer, said.name, said.scopes, said.days)
        except Problem as problem:
            return await tokens_page(request, viewer, form.refused(problem), refused=problem)
        return await tokens_page(request, viewer, Parsed(None, {"days": str(_DAYS)}), new=made.text, status=201)

    @pages.get("/account/tokens/{token_id}/revoke", Access.SIGNED_IN)
    async def ask_to_revoke(request: Request, viewer: CurrentViewer, token_id: str) -> Response:
        return render(request, "account/revoke.html", token=await _token(viewer, token_id))

    @pages.post("/account/tokens/{token_id}/revoke", Access.SIGNED_IN)
    async def revoke_token(viewer: CurrentViewer, token_id: str) -> Response:
        await accounts.revoke_token(viewer, token_id)
        return redirect("/account/tokens", flash="The token is revoked.")

    async def _token(viewer: Viewer, token_id: str) -> ApiToken:
        for token in await accounts.tokens(viewer):
            if token.token_id == token_id:
                return token
        raise NotFound("There is no such token any more.")

    return pages
