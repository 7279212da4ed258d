"""What routes and pages need from the application; made in `web`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from partita.kit.permissions import Viewer

if TYPE_CHECKING:
    from jinja2 import Environment

    from partita.kit.flashes import Flash, Flashes
    from partita.kit.kept_forms import KeptForms
    from partita.kit.live import Streams
    from partita.kit.routes import Declaration
    from partita.kit.sharing.studio import Studio
    from partita.table.recent import Recent


class Frame(Protocol):
    """The frame of every page around its content."""

    def around(self, request: Request, flash: Flash | None) -> dict[str, Any]:
        """The values that every template gets: `request`, `viewer`, `system`, `path`, `shell`."""

    def panel(self, request: Request) -> str:
        """The developer panel for this request; empty if it is switched off."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What the application provides to every request."""

    recognise: Callable[[Request], Awaitable[Viewer]]
    """Who sent a request."""
    templates: Environment
    frame: Frame
    flashes: Flashes
    pages: Recent[Hashable, tuple[bytes, ...]]
    """Cached pages for visitors."""
    base_url: str
    """The URL of the site, for links that are read elsewhere."""
    studio: Studio
    """Draws the pictures beside links."""
    steady: Recent[Hashable, tuple[Response, Any]]
    """Responses of steady routes, each with the DynamoDB requests that made it."""
    state_of_data: Callable[[], Awaitable[Hashable | None]]
    """Differs once anything was written to the tables or the search index; None if nobody can tell."""
    kept: KeptForms
    """Forms whose senders have to sign in again."""
    last_person: Callable[[Request], str | None]
    """Who signed in last with the browser of a request."""
    streams: Streams
    """Server-sent events that are open."""


class Application(FastAPI):
    """A FastAPI application with its `Serving`, and routes that are made when they are asked for."""

    serving: Serving
    declarations: Sequence[Declaration] = ()

    @property
    def routes(self) -> list[BaseRoute]:
        """All routes; a request is led to its own without them."""
        return [*(each.route for each in self.declarations), *super().routes]


def serving(request: Request) -> Serving:
    """The `Serving` of a request's application."""
    app: Application = request.scope["app"]
    return app.serving
