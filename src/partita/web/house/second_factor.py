"""The pages of one's second factor: adding, recovery codes, removing."""

from __future__ import annotations

from typing import Any

import segno
from fastapi import Request
from markupsafe import Markup
from pydantic import BaseModel, SecretStr
from starlette.responses import Response

from partita.kit.forms import Parsed, submitted
from partita.kit.pages import NOT_KEPT, confirm, redirect, render, shown_once
from partita.kit.permissions import Access, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.suite import Suite
from partita.web.recognise import SECOND_FACTOR_PATH


class _Code(BaseModel):
    code: SecretStr = SecretStr("")


def routes(suite: Suite) -> Routes:
    """The pages."""
    pages = Routes("", tag="house", pages=True)
    accounts = suite.kit.accounts

    async def page(request: Request, viewer: Viewer, form: Parsed[Any], *, codes: tuple[str, ...] = ()) -> Response:
        person = await accounts.people.get(viewer.id)
        setup = None if person.second_factor else await accounts.second_factors.setup(viewer)
        return render(
            request,
            "account/second_factor.html",
            headers=NOT_KEPT,
            form=form,
            person=person,
            setup=setup,
            picture="" if setup is None else _picture(setup.address),
            codes=codes,
            left=await accounts.second_factors.recovery_codes_left(viewer) if person.second_factor else 0,
        )

    @pages.get(SECOND_FACTOR_PATH, Access.SIGNED_IN)
    async def second_factor(request: Request, viewer: CurrentViewer) -> Response:
        return await page(request, viewer, Parsed(None), codes=tuple(shown_once(request).split()))

    @pages.post(f"{SECOND_FACTOR_PATH}/begin", Access.SIGNED_IN)
    async def begin(viewer: CurrentViewer) -> Response:
        await accounts.second_factors.begin(viewer)
        return redirect(SECOND_FACTOR_PATH)

    @pages.post(f"{SECOND_FACTOR_PATH}/add", Access.SIGNED_IN)
    async def add(request: Request, viewer: CurrentViewer) -> Response:
        async def save(form: _Code) -> Response:
            codes = await accounts.second_factors.add(viewer, form.code.get_secret_value())
            return redirect(SECOND_FACTOR_PATH, flash="Second factor added.", secret=" ".join(codes))

        return await submitted(request, _Code, save, lambda form: page(request, viewer, form))

    @pages.post(f"{SECOND_FACTOR_PATH}/codes", Access.SIGNED_IN)
    async def renew_codes(viewer: CurrentViewer) -> Response:
        codes = await accounts.second_factors.renew_recovery_codes(viewer)
        return redirect(SECOND_FACTOR_PATH, flash="The old recovery codes no longer work.", secret=" ".join(codes))

    @pages.get(f"{SECOND_FACTOR_PATH}/remove", Access.SIGNED_IN)
    async def ask_to_remove(request: Request) -> Response:
        return confirm(
            request,
            "Remove your second factor?",
            "Whoever knows your password can sign in then.",
            button="Remove",
            keep=SECOND_FACTOR_PATH,
        )

    @pages.post(f"{SECOND_FACTOR_PATH}/remove", Access.SIGNED_IN)
    async def remove(viewer: CurrentViewer) -> Response:
        await accounts.second_factors.remove(viewer)
        return redirect(SECOND_FACTOR_PATH, flash="Second factor removed.", kind="info")

    return pages


def _picture(address: str) -> Markup:
    """The QR code, black on white in dark mode too: not every app reads the other way round."""
    code = segno.make(address, error="m", micro=False)
    return Markup(code.svg_inline(scale=4, border=4, dark="#000", light="#fff", svgclass=None, lineclass=None))
