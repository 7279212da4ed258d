"""The pages of one's own account: name, email address, password, sessions, API tokens."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, Field, SecretStr
from starlette.responses import Response

from partita.kit.accounts import ApiToken
from partita.kit.avatars import Avatars
from partita.kit.files import UPLOAD_BODY, ImageRefused, WrongKind
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import NOT_KEPT, confirm, local, redirect, render, shown_once
from partita.kit.permissions import Access, Viewer
from partita.kit.problems import Conflict, Invalid, NotFound, TooLarge, TooMany
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.suite import Suite
from partita.web.browsers import browser_of
from partita.web.recognise import PASSWORD_PATH, WORKS_ONCE, forget, remember

_DAYS = 90
_SENT = "We have sent a link to {}. Open it to confirm the address."


class _Name(BaseModel):
    name: str = ""


class _Email(BaseModel):
    email: str = ""
    password: SecretStr = SecretStr("")


class _Password(BaseModel):
    old: SecretStr = SecretStr("")
    new: SecretStr = SecretStr("")
    revoke_tokens: bool = False
    next: Annotated[str, Field(max_length=2000)] = ""


class _Token(BaseModel):
    name: str = ""
    scopes: list[str] = Field(default=[])
    days: int = _DAYS


def routes(suite: Suite) -> Routes:
    """The account pages."""
    pages = Routes("", tag="house", pages=True)
    settings, accounts, avatars = suite.kit.settings, suite.kit.accounts, Avatars(suite.kit)

    async def overview(request: Request, viewer: Viewer, **forms: Parsed[Any]) -> Response:
        person = await accounts.people.get(viewer.id)
        return render(
            request,
            "account/overview.html",
            refused=next((form.problem for form in forms.values()), None),
            person=person,
            reasons=await accounts.permissions.reasons_for(person),
            by_system=accounts.policy.choices,
            everything=accounts.policy.known,
            pending=await accounts.addresses.pending(person.user_id),
            sends_mail=settings.mail == "smtp",
            headers=NOT_KEPT,
            name_form=forms.get("name_form", Parsed(None, {"name": person.name})),
            email_form=forms.get("email_form", Parsed(None, {"email": person.email or ""})),
        )

    @pages.get("/account", Access.SIGNED_IN)
    async def account(request: Request, viewer: CurrentViewer) -> Response:
        return await overview(request, viewer)

    @pages.post("/account/name", Access.SIGNED_IN, keeps=_Name)
    async def change_name(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: _Name) -> Response:
            await accounts.profile.change_name(viewer, form.name)
            return redirect("/account", flash="Name changed.")

        return await submitted(request, _Name, save, lambda form: overview(request, viewer, name_form=form))

    @pages.post("/account/picture", Access.SIGNED_IN, most_bytes=UPLOAD_BODY)
    async def change_picture(request: Request, viewer: CurrentViewer) -> Response:
        try:
            data = await avatars.receive(request)
            await avatars.set(viewer, data)
        except (Invalid, ImageRefused, WrongKind, TooLarge, TooMany, Conflict) as problem:
            said = problem.errors[0].message if problem.errors else problem.detail
            return redirect("/account#picture", flash=said, kind="bad")
        return redirect("/account#picture", flash="Picture removed." if data is None else "Picture saved.")

    @pages.post("/account/email", Access.SIGNED_IN, keeps=_Email)
    async def change_email(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: _Email) -> Response:
            address = await accounts.addresses.change(viewer, form.email, form.password.get_secret_value())
            words = "This is your address already." if address is None else _SENT.format(address)
            return redirect("/account", flash=words, kind="info")

        return await submitted(request, _Email, save, lambda form: overview(request, viewer, email_form=form))

    @pages.post("/account/email/again", Access.SIGNED_IN)
    async def send_address_link_again(viewer: CurrentViewer) -> Response:
        return redirect("/account", flash=_SENT.format(await accounts.addresses.send_again(viewer)), kind="info")

    # -- password

    async def password_page(request: Request, form: Parsed[Any]) -> Response:
        onward = local(str(form.values.get("next", "")), "")
        return render(request, "account/password.html", form=form, why=WORKS_ONCE, onward=onward)

    @pages.get(PASSWORD_PATH, Access.SIGNED_IN)
    async def password_form(request: Request, next: Annotated[str, Query(max_length=2000)] = "") -> Response:
        return await password_page(request, Parsed(None, {"next": next}))

    @pages.post(PASSWORD_PATH, Access.SIGNED_IN)
    async def change_password(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: _Password) -> Response:
            session = await accounts.profile.change_password(
                viewer,
                form.old.get_secret_value(),
                form.new.get_secret_value(),
                revoke_tokens=form.revoke_tokens,
            )
            answer = redirect(
                local(form.next, "/" if viewer.must_change_password else "/account"),
                flash="Password changed. You are signed out everywhere else.",
            )
            remember(answer, settings, session.token)
            return answer

        return await submitted(request, _Password, save, lambda form: password_page(request, form))

    # -- sessions

    @pages.get("/account/sessions", Access.SIGNED_IN)
    async def sessions(request: Request, viewer: CurrentViewer) -> Response:
        active = await accounts.sessions.list(viewer)
        return render(
            request, "account/sessions.html", sessions=[(each, browser_of(each.user_agent)) for each in active]
        )

    @pages.post("/account/sessions/{session_id}/end", Access.SIGNED_IN)
    async def end_session(viewer: CurrentViewer, session_id: str) -> Response:
        await accounts.sessions.revoke(viewer, session_id)
        if session_id == viewer.session_id:
            answer = redirect("/", flash="You are signed out.", kind="info")
            forget(answer, settings)
            return answer
        return redirect("/account/sessions", flash="Browser signed out.")

    @pages.post("/account/sessions/end-others", Access.SIGNED_IN)
    async def end_other_sessions(viewer: CurrentViewer) -> Response:
        await accounts.sessions.revoke_others(viewer)
        return redirect("/account/sessions", flash="All other browsers signed out.")

    # -- API tokens

    async def tokens_page(
        request: Request, viewer: Viewer, form: Parsed[Any] | None = None, *, new: str = ""
    ) -> Response:
        return render(
            request,
            "account/tokens.html",
            headers=NOT_KEPT if new else None,
            tokens=await accounts.tokens.list(viewer),
            form=form or Parsed(None, {"days": str(_DAYS)}),
            new=new,
            scopes=accounts.policy.choices(viewer.permissions),
        )

    @pages.get("/account/tokens", Access.SIGNED_IN)
    async def tokens(request: Request, viewer: CurrentViewer) -> Response:
        return await tokens_page(request, viewer, new=shown_once(request))

    @pages.post("/account/tokens", Access.SIGNED_IN, keeps=_Token)
    async def create_token(request: Request, viewer: CurrentViewer) -> Response:
        """Create a token; only the next page shows it."""

        async def save(form: _Token) -> Response:
            token = await accounts.tokens.create(viewer, form.name, form.scopes, form.days)
            return redirect("/account/tokens", secret=token.text)

        return await submitted(request, _Token, save, lambda form: tokens_page(request, viewer, form))

    @pages.get("/account/tokens/{token_id}/revoke", Access.SIGNED_IN)
    async def ask_to_revoke(request: Request, viewer: CurrentViewer, token_id: str) -> Response:
        token = await _token(viewer, token_id)
        return confirm(
            request,
            f"Revoke “{token.name}”?",
            "Programs that use it stop working at once.",
            button="Revoke",
            keep="/account/tokens",
        )

    @pages.post("/account/tokens/{token_id}/revoke", Access.SIGNED_IN)
    async def revoke_token(viewer: CurrentViewer, token_id: str) -> Response:
        await accounts.tokens.revoke(viewer, token_id)
        return redirect("/account/tokens", flash="Token revoked.")

    async def _token(viewer: Viewer, token_id: str) -> ApiToken:
        for token in await accounts.tokens.list(viewer):
            if token.token_id == token_id:
                return token
        raise NotFound("This token has already been revoked.")

    return pages
