"""The HTTP application: routes of the systems and the house, static files, middleware."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.middleware import Middleware

from partita import __version__
from partita.heaps import given_back
from partita.kit.flashes import Flashes
from partita.kit.kept_forms import KeptForms
from partita.kit.keys import signing_keys
from partita.kit.live import Streams
from partita.kit.pages import PAGES_BYTES
from partita.kit.permissions import Access
from partita.kit.routes import Declaration, Routes
from partita.kit.serving import Application, Serving
from partita.kit.sharing.studio import Studio
from partita.kit.steady import STEADY_BYTES
from partita.kit.suite import Suite
from partita.kit.system import Highlight, Link
from partita.table.recent import Recent
from partita.web import errors, openapi
from partita.web.above import PagesAbove
from partita.web.assets import Assets
from partita.web.calls import collect
from partita.web.house import house_routes
from partita.web.house.sharing import robots_route
from partita.web.last_person import LastPerson
from partita.web.metrics import Metrics
from partita.web.middleware.body_limit import BodyLimit
from partita.web.middleware.compress import Compress
from partita.web.middleware.cross_site import CrossSite
from partita.web.middleware.headers import SecurityHeaders
from partita.web.middleware.hosts import Hosts, names_of
from partita.web.middleware.last_resort import LastResort
from partita.web.middleware.observe import Observe
from partita.web.middleware.requests import Requests
from partita.web.recognise import Recognition, session_cookie
from partita.web.shell import Shells
from partita.web.signpost import Signpost
from partita.web.templates import environment


def create_app(suite: Suite, *, packages: tuple[Path, ...] | None = None, more: Iterable[Routes] = ()) -> Application:
    """The application of a suite. `packages` are folders of npm packages, if not the default ones; `more` are other
    routes."""
    settings = suite.kit.settings
    assets = Assets(
        packages,
        {system.name: system.hue for system in suite.systems},
        {system.name: system.static for system in suite.systems if system.static is not None},
    )
    metrics = Metrics()
    app = Application(
        title="Partita",
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan(suite),
        middleware=[
            Middleware(Requests, ids=suite.kit.ids, metrics=metrics),
            Middleware(SecurityHeaders, secure=settings.secure, files=suite.kit.files.origin),
            Middleware(Compress),
            Middleware(LastResort),
            Middleware(Hosts, names=names_of(settings)),
            Middleware(CrossSite, base_url=settings.base_url, cookie=session_cookie(settings)),
            Middleware(BodyLimit),
            *([Middleware(Observe)] if settings.dev_panel else []),
        ],
    )
    templates = environment(
        assets,
        [system.templates for system in suite.systems if system.templates is not None],
        file_url=suite.kit.files.url,
        base_url=settings.base_url,
        permission_label=lambda permission: suite.kit.accounts.policy.label(permission),
        system_permission_label=lambda permission: suite.kit.accounts.policy.label_with_system(permission),
        role_label=lambda role: suite.kit.accounts.policy.role_label(role),
    )
    app.serving = Serving(
        recognise=Recognition(suite.kit.accounts, settings, suite.kit.notifications.unread_count),
        templates=templates,
        frame=Shells(suite, assets, templates),
        flashes=Flashes(signing_keys(settings, "flash"), settings.secure),
        pages=Recent(PAGES_BYTES),
        base_url=settings.base_url,
        studio=Studio(),
        steady=Recent(STEADY_BYTES),
        state_of_data=_state_of_data(suite),
        kept=KeptForms(suite.kit.store, clock=suite.kit.clock, ids=suite.kit.ids, limits=suite.kit.limits),
        last_person=LastPerson.of(settings).user_id,
        streams=Streams(),
    )
    _check_icons(suite, assets)
    served = (*house_routes(suite, assets, metrics), *_of_systems(suite), *more)
    served = (*served, robots_route(settings.base_url, served))
    served = (*served, openapi.routes(app, suite))
    app.declarations = [each for routes in served for each in routes.declarations]
    _check_permissions(suite, app.declarations)
    errors.install(app, PagesAbove(app.declarations))
    app.router.middleware_stack = Signpost(app.router.app, app.declarations)
    suite.kit.tables.observe(metrics.call)
    suite.kit.tables.observe_unreadable(metrics.unreadable)
    if settings.dev_panel:
        suite.kit.tables.observe(collect)
    return app


def _state_of_data(suite: Suite) -> Callable[[], Awaitable[Hashable | None]]:
    """What differs after every write."""
    tables, search = suite.kit.tables, suite.kit.search

    async def state() -> Hashable | None:
        in_tables = tables.state()
        in_search = None if in_tables is None else await search.state()
        return None if in_search is None else (in_tables, in_search)

    return state


def _check_icons(suite: Suite, assets: Assets) -> None:
    icons = set(re.findall(r'symbol id="([\w-]+)"', assets.text("icons.svg")))
    for system in suite.systems:
        lines: tuple[Link | Highlight, ...] = (*system.navigation, *system.highlights)
        for icon in (system.icon, *(line.icon for line in lines if line.icon)):
            if icon not in icons:
                raise ValueError(f"{system.name}: there is no icon {icon!r}; these exist: {', '.join(sorted(icons))}")


def _check_permissions(suite: Suite, declarations: Iterable[Declaration]) -> None:
    known = {*map(str, Access), *suite.kit.accounts.policy.known}
    for each in declarations:
        if each.permission not in known:
            raise ValueError(f"{each.path} needs {each.permission!r}, which is not a permission of any system")


def _of_systems(suite: Suite) -> Iterator[Routes]:
    for system in suite.systems:
        yield from (routes for routes in (system.api, system.pages) if routes is not None)


def _lifespan(suite: Suite) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        """Run the change handlers with the application; then close the suite."""
        async with suite.running(), given_back():
            yield

    return lifespan
