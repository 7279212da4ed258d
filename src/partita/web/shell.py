"""The frame of every page: navigation, search, message and developer panel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup
from starlette.requests import Request

from partita import __version__
from partita.kit.flashes import Flash
from partita.kit.pages import PANEL, theme_of
from partita.kit.permissions import NOBODY, House, Viewer
from partita.kit.suite import Suite
from partita.kit.system import Link
from partita.web.assets import Assets
from partita.web.calls import Calls
from partita.web.panel import panel

_HOUSE = (
    Link("People", "/admin/users", House.MANAGE_USERS, "users"),
    Link("Jobs", "/admin/jobs", House.MANAGE_JOBS, "clock"),
    Link("Outbox", "/admin/outbox", House.READ_OUTBOX, "mail"),
)
_LONGEST_SHOWN = 200
_SAFE = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Shell:
    """The values of a page's frame."""

    rail: Markup
    """The navigation at the side: the systems, and the pages of the current one that the viewer may see."""
    menu: Markup
    """The same in the top bar of narrow windows."""
    theme: str
    flash: Flash | None
    unread: int | None
    """How many notifications the viewer has not read; None if that is not known."""
    here: str
    sign_in: str
    searched: str
    htmx: bool
    styles: str
    """The URL of the system's own stylesheet; empty if it has none."""
    script: str
    """The URL of the system's own script; empty if it has none."""
    request_id: str
    panel: Markup = PANEL
    version: str = __version__


GUESSES = frozenset({"/sign-in", "/sign-up", "/account/forgotten", "/account/reset"})
"""Pages on which people say who they are."""


class Shells:
    """Makes the frame of pages for each request."""

    def __init__(self, suite: Suite, assets: Assets, templates: Environment) -> None:
        self._systems = suite.systems
        self._templates = templates
        self._by_name = {system.name: system for system in suite.systems}
        self._assets = assets
        self._htmx = "vendor/htmx.min.js" in assets
        self._developer = suite.kit.settings.dev_panel
        self._code = Markup(templates.from_string('{{ icon("code") }}').render())
        self._navigation = lru_cache(maxsize=512)(self._render_navigation)

    def around(self, request: Request, flash: Flash | None) -> dict[str, Any]:
        """The values that every template gets."""
        path = request.url.path
        system = self._by_name.get(path.split("/", 2)[1])
        viewer: Viewer = getattr(request.state, "viewer", NOBODY)
        links = tuple(link for link in system.navigation if viewer.may(link.permission)) if system else ()
        here = f"{path}?{request.url.query}" if request.url.query else path
        house = tuple(link for link in _HOUSE if viewer.may(link.permission))
        place = (system.name if system else "", links, house, _nearest((*links, *house), path))
        rail, menu = self._navigation(*place, front=system is not None and path == f"/{system.name}")
        shell = Shell(
            rail=rail,
            menu=menu,
            theme=theme_of(request),
            flash=flash,
            unread=getattr(request.state, "unread", None),
            here=here if request.method in _SAFE else path,
            sign_in=sign_in_path(request),
            searched=request.query_params.get("q", "")[:_LONGEST_SHOWN],
            htmx=self._htmx,
            styles=self._assets.of_system(system.name, ".css") if system else "",
            script=self._assets.of_system(system.name, ".js") if system else "",
            request_id=_request_id(request),
        )
        return {"request": request, "viewer": viewer, "system": system, "path": path, "shell": shell}

    def panel(self, request: Request) -> str:
        """The developer panel: the DynamoDB requests of this HTTP request, for whoever may see them. How many there are
        tells whether something exists, so nobody else does, and no page that answers a guess has it."""
        viewer: Viewer = getattr(request.state, "viewer", NOBODY)
        guesses = request.url.path in GUESSES or getattr(request.state, "problem", False)
        if not self._developer or guesses or not viewer.may(House.READ_REQUESTS):
            return ""
        calls = getattr(request.state, "calls", None) or Calls()
        return panel(calls, _request_id(request), self._code)

    def _render_navigation(
        self, system: str, links: tuple[Link, ...], house: tuple[Link, ...], link: str, *, front: bool
    ) -> tuple[Markup, Markup]:
        """The navigation; cached, since it is the same on many pages and for many people."""
        template = self._templates.get_template("parts/navigation.html")
        context: dict[str, Any] = {"system": system, "links": links, "house": house, "link": link}
        context |= {"systems": self._systems, "front": front and not link}
        rail, menu = (Markup(template.render(context, place=place)) for place in ("rail", "menu"))
        return rail, menu


def sign_in_path(request: Request) -> str:
    """The sign-in page that leads back to where the request came from."""
    path = request.url.path
    if request.method not in _SAFE or path in ("/", "/sign-in", "/sign-up", "/sign-out"):
        return "/sign-in"
    here = f"{path}?{request.url.query}" if request.url.query else path
    return f"/sign-in?next={quote(here, safe='/')}"


def _request_id(request: Request) -> str:
    return str(getattr(request.state, "request_id", ""))


def _nearest(links: tuple[Link, ...], path: str) -> str:
    """The link that a page belongs to: the longest that its path begins with."""
    fitting = [link.path for link in links if path == link.path or path.startswith(f"{link.path}/")]
    return max(fitting, key=len, default="")
