"""Routes that declare who may use them: each needs a permission, or `Access.PUBLIC`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.responses import Response

from partita.kit.parameters import PARSED_BYTES, Handle, Parsed, is_noting, noting, parsed_once, suits
from partita.kit.permissions import Access, Viewer, authorize, require_write
from partita.kit.problems import NotFound
from partita.kit.serving import serving
from partita.kit.steady import WhenKept, steadily
from partita.kit.unknown import refusing_unknown
from partita.store.reads import remember_reads
from partita.table.recent import Recent

F = TypeVar("F", bound=Callable[..., Any])

MOST_BYTES = 1_000_000
"""The largest body a route takes unless it says otherwise."""
PUBLIC_BYTES = 100_000
"""The same of the API's routes that need no account."""


async def viewer_of(request: Request) -> Viewer:
    """Who sent the request; looked up once per request."""
    viewer: Viewer | None = getattr(request.state, "viewer", None)
    if viewer is None:
        viewer = await serving(request).recognise(request)
        request.state.viewer = viewer
    return viewer


CurrentViewer = Annotated[Viewer, Depends(viewer_of)]
"""The parameter of a route that needs the viewer."""


def operation_name(route: APIRoute) -> str:
    """`kelifax_submit`: the system and the function."""
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name


@dataclass(frozen=True)
class Declaration:
    """A route as it was declared."""

    path: str
    method: str
    permission: str
    function: Callable[..., Any]
    make: Callable[[], APIRoute]

    @cached_property
    def route(self) -> APIRoute:
        """The route for FastAPI, which examines its parameters. For the thousand routes of the suite that takes
        longer than everything else at the start of a process, and few of them are used at once: so each is made when
        it is asked for."""
        return self.make()


class Routes:
    """A group of routes under one prefix, each with the permission it needs."""

    def __init__(self, prefix: str, *, tag: str, pages: bool = False, house: bool = False) -> None:
        self.pages = pages
        self.prefix = prefix
        self.tag = tag
        self._system = "" if house else tag
        self._parsed: Parsed = Recent(PARSED_BYTES)
        self.declarations: list[Declaration] = []

    @property
    def router(self) -> APIRouter:
        """All routes for FastAPI."""
        return APIRouter(routes=[each.route for each in self.declarations])

    def get(self, path: str, permission: str, **settings: Any) -> Callable[[F], F]:
        return self.route("GET", path, permission, **settings)

    def post(self, path: str, permission: str, **settings: Any) -> Callable[[F], F]:
        return self.route("POST", path, permission, **settings)

    def put(self, path: str, permission: str, **settings: Any) -> Callable[[F], F]:
        return self.route("PUT", path, permission, **settings)

    def patch(self, path: str, permission: str, **settings: Any) -> Callable[[F], F]:
        return self.route("PATCH", path, permission, **settings)

    def delete(self, path: str, permission: str, **settings: Any) -> Callable[[F], F]:
        return self.route("DELETE", path, permission, **settings)

    def route(
        self,
        method: str,
        path: str,
        permission: str,
        *,
        refuses: Sequence[int] = (),
        most_bytes: int | None = None,
        faceless: bool = False,
        polled: bool = False,
        steady: bool = False,
        when_kept: WhenKept | None = None,
        keeps: type[BaseModel] | None = None,
        **settings: Any,
    ) -> Callable[[F], F]:
        """Declare a route. `refuses` are the error statuses that its documentation lists. A `faceless` route responds
        to everybody alike, so no session is looked up. A `polled` one is asked by pages of themselves, and keeps no
        session alive that nobody uses. A `steady` one shows nothing but what the URL, the tables and the search index
        say, and does nothing besides: visitors get the same response until something is written. What it must do for
        each of them all the same, such as counting, is `when_kept`.
        `keeps` is the model of the form that a page sends: if its sender has to sign in again, what was typed is kept.
        Such a route reads it with `submitted` or `edited`."""

        if most_bytes is None:
            small = permission == Access.PUBLIC and not self.pages and method != "GET"
            most_bytes = PUBLIC_BYTES if small else MOST_BYTES
        if steady and (method != "GET" or permission != Access.PUBLIC):
            raise ValueError(f"{method} {path} cannot be steady: only what everybody may get is kept")
        if faceless and permission != Access.PUBLIC:
            raise ValueError(f"{method} {path} needs {permission}, so it cannot be faceless")

        def declare(function: F) -> F:
            def make() -> APIRoute:
                # A page shows who is signed in; public data is the same for everybody, unless the route takes the
                # viewer.
                looks = not faceless and (self.pages or permission != Access.PUBLIC)
                writes = method != "GET" and permission == Access.SIGNED_IN
                asking = _asking(permission, self._system if writes else None, polled)
                route_class = APIRoute if faceless else asking if looks else _Open
                if steady:
                    route_class = _steady(route_class, when_kept)
                remembered = suits(function, method, path) and _returns_response(function)
                return self._route(
                    path,
                    noting(function, self._parsed) if remembered else function,
                    methods=[method],
                    route_class_override=route_class,
                    openapi_extra=extra,
                    **settings,
                )

            extra: dict[str, Any] = {"x-permission": str(permission), "x-refuses": list(refuses)}
            if most_bytes != MOST_BYTES:
                extra["x-most-bytes"] = most_bytes
            if keeps is not None:
                extra["x-keeps"] = keeps
            extra = {**settings.pop("openapi_extra", {}), **extra}
            if self.pages:
                settings.setdefault("response_class", Response)
                settings.setdefault("response_model", None)
            if settings.get("status_code") == 204:
                settings.setdefault("response_class", Response)  # no content, no content type
            self.declarations.append(Declaration(f"{self.prefix}{path}", method, str(permission), function, make))
            return function

        return declare

    def _route(self, path: str, function: Callable[..., Any], **settings: Any) -> APIRoute:
        router = APIRouter(
            prefix=self.prefix,
            tags=[self.tag],
            include_in_schema=not self.pages,
            generate_unique_id_function=operation_name,
        )
        router.add_api_route(path, function, **settings)
        (route,) = router.routes
        assert isinstance(route, APIRoute)  # FastAPI makes one of the class it is given
        return route


class _Open(APIRoute):
    """Routes for everybody: sessions are not looked up, but an invalid token is refused."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = _handler(self, super().get_route_handler())

        async def answer(request: Request) -> Response:
            if any(name == b"authorization" for name, _ in request.scope["headers"]):
                await viewer_of(request)
            return await handle(request)

        return answer


def _steady(route_class: type[APIRoute], when_kept: WhenKept | None) -> type[APIRoute]:
    """Routes whose responses are kept until something is written."""

    class Steady(route_class):  # type: ignore[misc, valid-type]
        def get_route_handler(self) -> Handle:
            return steadily(super().get_route_handler(), when_kept)

    return Steady


def _handler(route: APIRoute, handle: Handle) -> Handle:
    """A handler that refuses parameters which a route of the API does not know, and parses the same query once if the
    route was declared so. Addresses of pages bring parameters of others: of campaigns, of search engines."""
    if route.include_in_schema:
        handle = refusing_unknown(route, handle)
    return parsed_once(route.dependant, handle, viewer_of) if is_noting(route.endpoint) else handle


def _returns_response(function: Callable[..., Any]) -> bool:
    """Whether FastAPI has nothing to make of what a function returns."""
    declared = function.__annotations__.get("return")
    returned = function.__globals__.get(declared) if isinstance(declared, str) else declared
    return isinstance(returned, type) and issubclass(returned, Response)


@cache
def _asking(permission: str, writes_in: str | None, polled: bool = False) -> type[APIRoute]:
    """Routes that check the permission first, before the body is read. `writes_in` is the system in which a route
    changes something that needs no permission but an account; None for others."""

    class Asking(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = _handler(self, super().get_route_handler())

            async def answer(request: Request) -> Response:
                request.state.polled = polled
                viewer = await viewer_of(request)
                authorize(viewer, permission)
                if writes_in is not None:
                    require_write(viewer, writes_in)
                if getattr(request.state, "restored", False) and keeps(self) is None:
                    raise NotFound("Nothing is kept here.")
                method = request.scope["method"]
                if not viewer.signed_in and method in ("GET", "HEAD"):
                    remember_reads()  # pages for visitors are kept as long as these stay the same
                if getattr(request.state, "head", False):
                    request.scope["method"] = "HEAD"  # the router saw it as GET
                return await handle(request)

            return answer

    return Asking


def keeps(route: Any) -> type[BaseModel] | None:
    """The model of the form that is kept if its sender has to sign in again."""
    extra = getattr(route, "openapi_extra", None) or {}
    model: type[BaseModel] | None = extra.get("x-keeps")
    return model


def most_bytes(route: Any) -> int:
    """The largest body that a route takes."""
    extra = getattr(route, "openapi_extra", None) or {}
    return int(extra.get("x-most-bytes", MOST_BYTES))
