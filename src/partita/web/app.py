"""The HTTP application: systems, house, static files, and what every request passes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI
from starlette.middleware import Middleware

from partita import __version__
from partita.kit.keys import signing_keys
from partita.kit.pages import MADE_PAGES_BYTES
from partita.kit.routes import Routes
from partita.kit.suite import Suite
from partita.table.recent import Recent
from partita.web import errors, openapi
from partita.web.assets import Assets
from partita.web.calls import collect
from partita.web.house import house_routes
from partita.web.metrics import Metrics
from partita.web.middleware.body_limit import BodyLimit
from partita.web.middleware.compress import Compress
from partita.web.middleware.cross_site import CrossSite
from partita.web.middleware.headers import SecurityHeaders
from partita.web.middleware.last_resort import LastResort
from partita.web.middleware.observe import Observe
from partita.web.middleware.requests import Requests
from partita.web.recognise import recognise, session_cookie
from partita.web.shell import Shells
from partita.web.signpost import Signpost
from partita.web.templates import environment


def create_app(
    suite: Suite, *, assets: Assets | None = None, styleguide: bool = False, more: Iterable[Routes] = ()
) -> FastAPI:
    """The application for a suite; `styleguide` adds a page that shows every component, `more` are other routes."""
    settings = suite.kit.settings
    assets = assets or Assets()
    metrics = Metrics()
    app = FastAPI(
        title="Partita",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=openapi.operation_name,
        lifespan=_lifespan(suite),
        middleware=[
            Middleware(Requests, ids=suite.kit.ids, metrics=metrics),
            Middleware(SecurityHeaders, secure=settings.secure, files=suite.kit.files.origin),
            Middleware(Compress),
            Middleware(LastResort),
            Middleware(CrossSite, base_url=settings.base_url, cookie=session_cookie(settings)),
            Middleware(BodyLimit),
            *([Middleware(Observe)] if settings.dev_panel else []),
        ],
    )
    app.state.suite = suite
    app.state.viewers = recognise
    app.state.templates = environment(assets, [system.name for system in suite.systems])
    shells = Shells(suite, assets, app.state.templates)
    app.state.shell, app.state.panel, app.state.made_pages = shells, shells.panel, Recent(MADE_PAGES_BYTES)
    app.state.flash_keys = signing_keys(settings, "flash")
    errors.install(app)
    served = (*house_routes(suite, assets, metrics, styleguide=styleguide), *_of_systems(suite), *more)
    routers = [routes.router for routes in (*served, openapi.routes(app, suite))]
    for router in routers:
        app.include_router(router)
    app.router.middleware_stack = Signpost(app.router.app, routers)
    suite.kit.tables.observe(metrics.call)
    suite.kit.tables.observe_unreadable(metrics.unreadable)
    if settings.dev_panel:
        suite.kit.tables.observe(collect)
    return app


def _of_systems(suite: Suite) -> Iterator[Routes]:
    for system in suite.systems:
        yield from (routes for routes in (system.api, system.pages) if routes is not None)


def _lifespan(suite: Suite) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        """While the application runs, so does what reacts to changes; when it ends, the suite is closed."""
        async with suite.running():
            yield

    return lifespan
