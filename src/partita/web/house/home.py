"""The start page, the theme, static files."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Form, Request
from starlette.responses import Response

from partita.kit.pages import THEME_COOKIE, THEMES, local, redirect, render
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from partita.kit.sharing import Head
from partita.kit.suite import Suite
from partita.kit.system import Headline, System
from partita.web.assets import Assets

_A_YEAR = 365 * 86400
_HEADLINES = 4


def routes(suite: Suite, assets: Assets) -> Routes:
    """Routes that belong to no system."""
    routes = Routes("", tag="house", pages=True)

    @routes.get("/", Access.PUBLIC)
    async def home(request: Request) -> Response:
        """Every system with its purpose and news."""
        news = await asyncio.gather(*(_news(system) for system in suite.systems))
        entries = list(zip(suite.systems, news, strict=True))
        return render(request, "home.html", page_head=Head("/", _purpose(suite)), entries=entries)

    @routes.post("/theme", Access.PUBLIC)
    async def choose_theme(theme: Annotated[str, Form()], next: Annotated[str, Form()] = "/") -> Response:
        """Without JavaScript: set the cookie and show the same page again."""
        answer = redirect(local(next))
        if theme in THEMES:
            secure = suite.kit.settings.secure
            answer.set_cookie(THEME_COOKIE, theme, max_age=_A_YEAR, path="/", samesite="lax", secure=secure)
        return answer

    @routes.get("/static/{name:path}", Access.PUBLIC, faceless=True)
    async def static(request: Request, name: str) -> Response:
        return await assets.serve(request, name)

    @routes.get("/favicon.ico", Access.PUBLIC, faceless=True)
    async def favicon(request: Request) -> Response:
        return await assets.serve(request, "icon.svg")

    return routes


async def _news(system: System) -> tuple[Headline, ...]:
    return () if system.news is None else (await system.news())[:_HEADLINES]


def _purpose(suite: Suite) -> str:
    return " ".join(f"{system.title}: {system.purpose}" for system in suite.systems)
