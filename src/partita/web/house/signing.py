"""Signing in, up and out, and the way back in for those who forgot their password."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, SecretStr
from starlette.responses import Response

from partita.kit.accounts import RESET_PATH
from partita.kit.answers import address_of
from partita.kit.forms import Parsed, parse
from partita.kit.pages import local, redirect, render
from partita.kit.permissions import Access
from partita.kit.problems import BadRequest, Problem
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.suite import Suite
from partita.web.recognise import PASSWORD_PATH, forget, remember, session_cookie

NOTHING_TYPED: Parsed[BaseModel] = Parsed(None)
Next = Annotated[str, Query(max_length=2000)]


class _SignIn(BaseModel):
    identity: str = ""
    password: SecretStr = SecretStr("")
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
    """The door of the house."""
    pages = Routes("", tag="house", pages=True)
    settings, accounts = suite.kit.settings, suite.kit.accounts

    async def enter(request: Request, identity: str, password: str, next: str, flash: str = "") -> Response:
        """Sign in: always a new session, and whatever the browser had before ends."""
        session = await accounts.sign_in(
            identity,
            password,
            user_agent=request.headers.get("user-agent", ""),
            address=address_of(request),
            replacing=request.cookies.get(session_cookie(settings)),
        )
        changing = session.account.must_change_password
        answer = redirect(PASSWORD_PATH) if changing else redirect(local(next), flash=flash)
        remember(answer, settings, session.token)
        return answer

    def ask_to_sign_in(
        request: Request, next: str, form: Parsed[_SignIn] | Parsed[BaseModel], refused: Problem | None = None
    ) -> Response:
        return render(
            request, "account/sign_in.html", refused=refused, form=form, next=local(next, ""), settings=settings
        )

    @pages.get("/sign-in", Access.PUBLIC)
    async def sign_in_form(request: Request, viewer: CurrentViewer, next: Next = "") -> Response:
        return redirect(local(next)) if viewer.signed_in else ask_to_sign_in(request, next, NOTHING_TYPED)

    @pages.post("/sign-in", Access.PUBLIC)
    async def sign_in(request: Request) -> Response:
        async with request.form() as sent:
            form = parse(_SignIn, sent)
        said = form.value or _SignIn()
        try:
            return await enter(request, said.identity, said.password.get_secret_value(), said.next)
        except Problem as problem:
            return ask_to_sign_in(request, said.next, form.refused(problem), problem)

    @pages.get("/sign-up", Access.PUBLIC)
    async def sign_up_form(request: Request, viewer: CurrentViewer, next: Next = "") -> Response:
        if viewer.signed_in:
            return redirect(local(next))
        return render(request, "account/sign_up.html", form=NOTHING_TYPED, next=local(next, ""), open=settings.sign_up)

    @pages.post("/sign-up", Access.PUBLIC)
    async def sign_up(request: Request) -> Response:
        async with request.form() as sent:
            form = parse(_SignUp, sent)
        said = form.value or _SignUp()
        password = said.password.get_secret_value()
        try:
            made = await accounts.sign_up(said.username, said.email, said.name, password, address=address_of(request))
        except Problem as problem:
            return render(
                request,
                "account/sign_up.html",
                refused=problem,
                form=form.refused(problem),
                next=local(said.next, ""),
                open=settings.sign_up,
            )
        return await enter(request, made.username, password, said.next, f"Welcome, {made.name}.")

    @pages.post("/sign-out", Access.PUBLIC)
    async def sign_out(viewer: CurrentViewer) -> Response:
        await accounts.sign_out(viewer)
        answer = redirect("/", flash="You are signed out.", kind="info")
        forget(answer, settings)
        return answer

    @pages.get("/account/forgotten", Access.PUBLIC)
    async def forgotten_form(request: Request) -> Response:
        return render(request, "account/forgotten.html", form=NOTHING_TYPED, settings=settings)

    @pages.post("/account/forgotten", Access.PUBLIC)
    async def forgotten(request: Request) -> Response:
        async with request.form() as sent:
            form = parse(_Forgotten, sent)
        try:
            await accounts.request_reset(form.value.email if form.value else "", address=address_of(request))
        except Problem as problem:
            again = form.refused(problem)
            return render(request, "account/forgotten.html", refused=problem, form=again, settings=settings)
        text = "If there is an account with this address, a link is on its way. It works for an hour."
        return redirect("/sign-in", flash=text, kind="info")

    def used_up(request: Request, problem: Problem) -> Response:
        """No form: whatever is typed into it would be refused."""
        return render(request, "account/link_used.html", refused=problem, problem=problem)

    @pages.get(RESET_PATH, Access.PUBLIC)
    async def reset_form(request: Request, token: Annotated[str, Query(max_length=300)] = "") -> Response:
        try:
            await accounts.check_reset(token)
        except Problem as problem:
            return used_up(request, problem)
        return render(request, "account/reset.html", form=NOTHING_TYPED, token=token)

    @pages.post(RESET_PATH, Access.PUBLIC)
    async def reset(request: Request) -> Response:
        async with request.form() as sent:
            form = parse(_Reset, sent)
        said = form.value or _Reset()
        try:
            await accounts.reset_password(said.token, said.new.get_secret_value())
        except BadRequest as problem:
            return used_up(request, problem)
        except Problem as problem:
            again = form.refused(problem)
            return render(request, "account/reset.html", refused=problem, form=again, token=said.token)
        answer = redirect("/sign-in", flash="Your password is changed. Sign in with the new one.")
        forget(answer, settings)
        return answer

    return pages
