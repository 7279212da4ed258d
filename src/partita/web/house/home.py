"""The start page, the theme, static files."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

from fastapi import Form, Request
from starlette.responses import Response

from partita.kit.pages import THEME_COOKIE, THEMES, local, redirect, render
from partita.kit.permissions import Access, Viewer
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.sharing import Head
from partita.kit.suite import Suite
from partita.kit.system import Headline, Highlight, System
from partita.web.assets import Assets

_A_YEAR = 365 * 86400
_HEADLINES = 4


def routes(suite: Suite, assets: Assets) -> Routes:
    """Routes that belong to no system."""
    routes = Routes("", tag="house", pages=True)

    @routes.get("/", Access.PUBLIC)
    async def home(request: Request, viewer: CurrentViewer) -> Response:
        """What waits for the viewer, and every system with its news and what is theirs in it."""
        entries = await asyncio.gather(*(_entry(system, viewer) for system in suite.systems))
        return render(
            request,
            "home.html",
            page_head=Head("/", _purpose(suite)),
            waiting=[(entry.system, each) for entry in entries for each in entry.waiting],
            entries=[entry for entry in entries if entry.system.pages],
            sign_up=suite.kit.settings.sign_up,
            planned=[entry.system for entry in entries if not entry.system.pages],
        )

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


@dataclass(frozen=True, slots=True)
class Counted:
    """A highlight with its number."""

    highlight: Highlight
    number: int | None

    @property
    def shown(self) -> str:
        """The number as people read it: `12`, `20+`, or nothing."""
        if self.number is None:
            return ""
        return f"{self.number:,}" + ("+" if 0 < self.highlight.most <= self.number else "")


@dataclass(frozen=True, slots=True)
class Entry:
    """A system on the start page, as one person sees it."""

    system: System
    news: tuple[Headline, ...]
    highlights: tuple[Counted, ...]
    is_open: bool
    """Whether the viewer may look into it."""

    @property
    def waiting(self) -> list[Counted]:
        """The work that waits in it."""
        return [each for each in self.highlights if each.highlight.waits and each.number]

    @property
    def mine(self) -> list[Counted]:
        """What is the viewer's, with its number."""
        return [each for each in self.highlights if not each.highlight.waits and each.number is not None]

    @property
    def steps(self) -> list[Highlight]:
        """What the viewer can do there."""
        return [each.highlight for each in self.highlights if each.highlight.count is None]


async def _entry(system: System, viewer: Viewer) -> Entry:
    """The reads of all systems and lines run at the same time."""
    allowed = [each for each in system.highlights if viewer.may(each.permission)]
    counting = asyncio.gather(*(_number(each, viewer) for each in allowed))
    news, numbers = await asyncio.gather(_news(system, viewer), counting)
    highlights = tuple(Counted(each, number) for each, number in zip(allowed, numbers, strict=True))
    return Entry(system, news, highlights, system.open_to(viewer))


async def _news(system: System, viewer: Viewer) -> tuple[Headline, ...]:
    if system.news is not None:
        return (await system.news())[:_HEADLINES]
    if system.news_for is not None and system.open_to(viewer):
        return (await system.news_for(viewer))[:_HEADLINES]
    return ()


def _purpose(suite: Suite) -> str:
    return " ".join(f"{system.title}: {system.purpose}" for system in suite.systems)


async def _number(highlight: Highlight, viewer: Viewer) -> int | None:
    return None if highlight.count is None else await highlight.count(viewer)
