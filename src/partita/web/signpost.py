"""Routing by the first segment of a path (the second under /api), instead of trying all routes in turn."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.routing import Match, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from partita.kit.routes import Declaration


class Signpost:
    """Comes before the application's router, which gets all other paths."""

    def __init__(self, otherwise: ASGIApp, declarations: Iterable[Declaration]) -> None:
        self._otherwise = otherwise
        self._grouped: dict[str, list[Declaration]] = {}
        for each in declarations:
            if "{" in _beginning(each.path):
                raise ValueError(f"{each.method} {each.path} needs a fixed first segment in its path")
            self._grouped.setdefault(_beginning(each.path), []).append(each)
        self._routers: dict[str, Router] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        router = self._router(_beginning(scope["path"])) if scope["type"] == "http" else None
        await (router or self._otherwise)(scope, receive, send)

    def _router(self, beginning: str) -> Router | None:
        """The routes of a group, whose paths are read at its first request."""
        router = self._routers.get(beginning)
        if router is None and beginning in self._grouped:
            router = self._routers[beginning] = Router([_Way(each) for each in self._grouped[beginning]])
        return router


class _Way(Route):
    """Finds out whether a path is that of a route; FastAPI's own is made once the first request comes for it."""

    def __init__(self, declaration: Declaration) -> None:
        super().__init__(declaration.path, declaration.function, methods=[declaration.method])
        self._declaration = declaration

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, found = super().matches(scope)
        return (match, found) if match is Match.NONE else self._declaration.route.matches(scope)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._declaration.route.handle(scope, receive, send)


def _beginning(path: str) -> str:
    first, _, rest = path[1:].partition("/")
    return f"api/{rest.partition('/')[0]}" if first == "api" else first
