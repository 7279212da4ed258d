"""What every page shows around its content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from starlette.requests import Request

from partita import __version__
from partita.kit.pages import Flash
from partita.kit.permissions import NOBODY, House, Viewer
from partita.kit.suite import Suite
from partita.kit.system import Link, System
from partita.web.assets import Assets
from partita.web.calls import Calls

THEMES = ("light", "dark", "system")
THEME_COOKIE = "theme"

_HOUSE = (
    Link("People", "/admin/users", House.MANAGE_USERS, "users"),
    Link("Outbox", "/admin/outbox", House.READ_OUTBOX, "mail"),
)
_LONGEST_SHOWN = 200
_SAFE = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class Shell:
    """Rail, bar, message and panel."""

    systems: tuple[System, ...]
    links: tuple[Link, ...]
    """The current system's pages that the viewer may see."""
    link: str
    """The one of them that is shown."""
    house: tuple[Link, ...]
    theme: str
    flash: Flash | None
    inbox: str | None
    here: str
    sign_in: str
    searched: str
    htmx: bool
    developer: bool
    calls: Calls
    request_id: str
    version: str = __version__


class Shells:
    """Makes what pages show around their content, request by request."""

    def __init__(self, suite: Suite, assets: Assets) -> None:
        self._suite = suite
        self._by_name = {system.name: system for system in suite.systems}
        self._htmx = "vendor/htmx.min.js" in assets
        self._developer = suite.kit.settings.dev_panel
        self._inbox = next((system.inbox for system in suite.systems if system.inbox), None)

    def __call__(self, request: Request, flash: Flash | None) -> dict[str, Any]:
        path = request.url.path
        system = self._by_name.get(path.split("/", 2)[1])
        viewer: Viewer = getattr(request.state, "viewer", NOBODY)
        links = tuple(link for link in system.navigation if viewer.may(link.permission)) if system else ()
        here = f"{path}?{request.url.query}" if request.url.query else path
        theme = request.cookies.get(THEME_COOKIE, "system")
        shell = Shell(
            systems=self._suite.systems,
            links=links,
            link=_nearest(links, path),
            house=tuple(link for link in _HOUSE if viewer.may(link.permission)),
            theme=theme if theme in THEMES else "system",
            flash=flash,
            inbox=self._inbox,
            here=here if request.method in _SAFE else path,
            sign_in=sign_in_path(request),
            searched=request.query_params.get("q", "")[:_LONGEST_SHOWN],
            htmx=self._htmx,
            developer=self._developer,
            calls=getattr(request.state, "calls", None) or Calls(),
            request_id=getattr(request.state, "request_id", ""),
        )
        return {"request": request, "viewer": viewer, "system": system, "path": path, "shell": shell}


def sign_in_path(request: Request) -> str:
    """The sign-in page that leads back to where the request came from."""
    path = request.url.path
    if request.method not in _SAFE or path in ("/", "/sign-in", "/sign-up", "/sign-out"):
        return "/sign-in"
    here = f"{path}?{request.url.query}" if request.url.query else path
    return f"/sign-in?next={quote(here, safe='/')}"


def _nearest(links: tuple[Link, ...], path: str) -> str:
    """The link that a page belongs to: the longest that its path begins with."""
    fitting = [link.path for link in links if path == link.path or path.startswith(f"{link.path}/")]
    return max(fitting, key=len, default="")
