"""Signing in, up and out, and resetting a forgotten password."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Request
from pydantic import BaseModel, SecretStr
from starlette.responses import Response

from partita.kit.accounts import ADDRESS_PATH, RESET_PATH, CodeRequired, NewSession
from partita.kit.answers import address_of
from partita.kit.forms import Parsed, submitted
from partita.kit.pages import NOT_KEPT, SECRET_ADDRESS, local, redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import BadRequest, Conflict, Problem, SignInRequired
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.suite import Suite
from partita.web.last_person import LastPerson
from partita.web.recognise import (
    PASSWORD_PATH,
    forget,
    forget_ticket,
    remember,
    remember_ticket,
    session_cookie,
    ticket_cookie,
)

Next = Annotated[str, Query(max_length=2000)]
_LONGEST_TOKEN = 300
Token = Annotated[str, Query(max_length=_LONGEST_TOKEN)]
_CODE_PATH = "/sign-in/code"


class _SignIn(BaseModel):
    identity: str = ""
    password: SecretStr = SecretStr("")
    next: str = ""


class _Code(BaseModel):
    code: SecretStr = SecretStr("")
    next: str = ""


class _SignUp(BaseModel):
    username: str = ""
    email: str = ""
    name: str = ""
    password: SecretStr = SecretStr("")
    next: str = ""


class _Forgotten(BaseModel):
    email: str = ""


class _Reset(BaseModel):
    token: str = ""
    new: SecretStr = SecretStr("")


def routes(suite: Suite) -> Routes:
    """The pages for signing in and up."""
    pages = Routes("", tag="house", pages=True)
    settings, accounts = suite.kit.settings, suite.kit.accounts
    last_person = LastPerson.of(settings)

    async def enter(request: Request, identity: str, password: str, next: str, flash: str = "") -> Response:
        """Sign in: always begins a new session and ends the browser's previous one. With a second factor, a page
        that asks for a code comes first."""
        try:
            session = await accounts.sessions.sign_in(
                identity,
                password,
                user_agent=request.headers.get("user-agent", ""),
                address=address_of(request),
                replacing=request.cookies.get(session_cookie(settings)),
            )
        except CodeRequired as required:
            to_code = redirect(_leading_to(_CODE_PATH, next))
            remember_ticket(to_code, settings, required.ticket)
            return to_code
        return entered(session, next, flash)

    def entered(session: NewSession, next: str, flash: str = "") -> Response:
        changing = session.account.must_change_password
        answer = redirect(_leading_to(PASSWORD_PATH, next)) if changing else redirect(local(next), flash=flash)
        remember(answer, settings, session.token)
        last_person.remember(answer, session.account.user_id)
        forget_ticket(answer, settings)
        return answer

    async def sign_in_page(request: Request, next: str, form: Parsed[Any]) -> Response:
        return render(request, "account/sign_in.html", form=form, next=local(next, ""), settings=settings)

    @pages.get("/sign-in", Access.PUBLIC)
    async def sign_in_form(request: Request, viewer: CurrentViewer, next: Next = "") -> Response:
        return redirect(local(next)) if viewer.signed_in else await sign_in_page(request, next, Parsed(None))

    @pages.post("/sign-in", Access.PUBLIC)
    async def sign_in(request: Request) -> Response:
        async def save(form: _SignIn) -> Response:
            return await enter(request, form.identity, form.password.get_secret_value(), form.next)

        return await submitted(request, _SignIn, save, lambda form: sign_in_page(request, _next(form), form))

    async def code_page(request: Request, next: str, form: Parsed[Any]) -> Response:
        return render(request, "account/code.html", form=form, next=local(next, ""), headers=NOT_KEPT)

    @pages.get(_CODE_PATH, Access.PUBLIC)
    async def code_form(request: Request, viewer: CurrentViewer, next: Next = "") -> Response:
        if viewer.signed_in:
            return redirect(local(next))
        if ticket_cookie(settings) not in request.cookies:
            return redirect(_leading_to("/sign-in", next))
        return await code_page(request, next, Parsed(None))

    @pages.post(_CODE_PATH, Access.PUBLIC)
    async def enter_code(request: Request) -> Response:
        async def save(form: _Code) -> Response:
            try:
                session = await accounts.sessions.finish_sign_in(
                    request.cookies.get(ticket_cookie(settings), ""),
                    form.code.get_secret_value(),
                    user_agent=request.headers.get("user-agent", ""),
                    replacing=request.cookies.get(session_cookie(settings)),
                )
            except SignInRequired as problem:
                again = redirect(_leading_to("/sign-in", form.next), flash=problem.detail, kind="warn")
                forget_ticket(again, settings)
                return again
            return entered(session, form.next)

        return await submitted(request, _Code, save, lambda form: code_page(request, _next(form), form))

    async def sign_up_page(request: Request, next: str, form: Parsed[Any]) -> Response:
        return render(request, "account/sign_up.html", form=form, next=local(next, ""), open=settings.sign_up)

    @pages.get("/sign-up", Access.PUBLIC)
    async def sign_up_form(request: Request, viewer: CurrentViewer, next: Next = "") -> Response:
        return redirect(local(next)) if viewer.signed_in else await sign_up_page(request, next, Parsed(None))

    @pages.post("/sign-up", Access.PUBLIC)
    async def sign_up(request: Request) -> Response:
        async def save(form: _SignUp) -> Response:
            password = form.password.get_secret_value()
            account = await accounts.registration.sign_up(
                form.username, form.email, form.name, password, address=address_of(request)
            )
            sent = f"We have sent a link to {form.email.strip()}: open it to confirm your address."
            return await enter(request, account.username, password, form.next, f"Welcome, {account.name}. {sent}")

        return await submitted(request, _SignUp, save, lambda form: sign_up_page(request, _next(form), form))

    @pages.post("/sign-out", Access.PUBLIC)
    async def sign_out(viewer: CurrentViewer) -> Response:
        await accounts.sessions.sign_out(viewer)
        answer = redirect("/", flash="You are signed out.", kind="info")
        forget(answer, settings)
        return answer

    async def forgotten_page(request: Request, form: Parsed[Any]) -> Response:
        return render(request, "account/forgotten.html", form=form, settings=settings)

    @pages.get("/account/forgotten", Access.PUBLIC)
    async def forgotten_form(request: Request) -> Response:
        return await forgotten_page(request, Parsed(None))

    @pages.post("/account/forgotten", Access.PUBLIC)
    async def forgotten(request: Request) -> Response:
        async def save(form: _Forgotten) -> Response:
            await accounts.resets.request(form.email, address=address_of(request))
            text = "If there is an account with this address, you will get a link by mail. It is valid for one hour."
            return redirect("/sign-in", flash=text, kind="info")

        return await submitted(request, _Forgotten, save, lambda form: forgotten_page(request, form))

    @pages.get(ADDRESS_PATH, Access.SIGNED_IN)
    async def address_form(request: Request, viewer: CurrentViewer, token: Token = "") -> Response:
        """Asks before it confirms: programs that look at mail open links too."""
        try:
            address = await accounts.addresses.check(viewer, token)
        except BadRequest as problem:
            return render(request, "account/address_link.html", refused=problem, problem=problem)
        return render(request, "account/address.html", address=address, token=token, headers=NOT_KEPT)

    @pages.post(ADDRESS_PATH, Access.SIGNED_IN)
    async def confirm_address(request: Request, viewer: CurrentViewer) -> Response:
        async with request.form() as sent:
            token = str(sent.get("token", ""))[:_LONGEST_TOKEN]
        try:
            person = await accounts.addresses.confirm(viewer, token)
        except (BadRequest, Conflict) as problem:
            return render(request, "account/address_link.html", refused=problem, problem=problem)
        return redirect("/account", flash=f"{person.email} is confirmed.")

    def used_up(request: Request, problem: Problem) -> Response:
        """The page without a form, since the link cannot be used."""
        return render(request, "account/link_used.html", refused=problem, problem=problem)

    @pages.get(RESET_PATH, Access.PUBLIC)
    async def reset_form(request: Request, token: Token = "") -> Response:
        try:
            await accounts.resets.check(token)
        except Problem as problem:
            return used_up(request, problem)
        return render(request, "account/reset.html", form=Parsed(None), token=token, headers=SECRET_ADDRESS)

    @pages.post(RESET_PATH, Access.PUBLIC)
    async def reset(request: Request) -> Response:
        async def save(form: _Reset) -> Response:
            try:
                await accounts.resets.complete(form.token, form.new.get_secret_value())
            except BadRequest as problem:
                return used_up(request, problem)
            answer = redirect("/sign-in", flash="Password changed. Sign in with the new one.")
            forget(answer, settings)
            return answer

        async def again(form: Parsed[_Reset]) -> Response:
            return render(
                request, "account/reset.html", form=form, token=form.values.get("token", ""), headers=SECRET_ADDRESS
            )

        return await submitted(request, _Reset, save, again)

    return pages


def _next(form: Parsed[Any]) -> str:
    """The page to go to after the form."""
    return str(form.values.get("next", ""))


def _leading_to(path: str, next: str) -> str:
    """A page of signing in that leads to another afterwards."""
    return f"{path}?{urlencode({'next': local(next)})}" if local(next, "") else path
