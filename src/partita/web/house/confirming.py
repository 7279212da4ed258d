"""The page that asks for the password or a code again, before something dangerous."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, SecretStr
from starlette.responses import Response

from partita.kit.forms import Parsed, submitted
from partita.kit.kept_forms import KEPT_PATH
from partita.kit.pages import local, redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.suite import Suite
from partita.web.recognise import CONFIRMING_PATH, remember

Next = Annotated[str, Query(max_length=2000)]


class _Confirmation(BaseModel):
    password: SecretStr = SecretStr("")
    code: SecretStr = SecretStr("")
    next: str = ""


def routes(suite: Suite) -> Routes:
    """The page."""
    pages = Routes("", tag="house", pages=True)
    settings, accounts = suite.kit.settings, suite.kit.accounts

    async def page(request: Request, viewer: Viewer, next: str, form: Parsed[Any]) -> Response:
        return render(
            request,
            "account/confirm.html",
            form=form,
            next=local(next, ""),
            needs_code=await accounts.confirmations.needs_code(viewer),
            minutes=settings.confirm_minutes,
        )

    @pages.get(CONFIRMING_PATH, Access.SIGNED_IN)
    async def ask(request: Request, viewer: CurrentViewer, next: Next = "") -> Response:
        return await page(request, viewer, next, Parsed(None))

    @pages.post(CONFIRMING_PATH, Access.SIGNED_IN)
    async def confirm(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: _Confirmation) -> Response:
            session = await accounts.confirmations.confirm(
                viewer, password=form.password.get_secret_value(), code=form.code.get_secret_value()
            )
            back = local(form.next, "/account")
            if back.startswith(f"{KEPT_PATH}/"):
                answer = redirect(f"{back}?confirmed=1")  # which says so itself
            else:
                answer = redirect(back, flash="Thank you. Please try again now.", kind="info")
            remember(answer, settings, session.token)
            return answer

        async def again(form: Parsed[_Confirmation]) -> Response:
            return await page(request, viewer, str(form.values.get("next", "")), form)

        return await submitted(request, _Confirmation, save, again)

    return pages
