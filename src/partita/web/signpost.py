"""Routing by the first segment of a path (the second under /api), instead of trying all routes in turn."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send


class Signpost:
    """Comes before the application's router, which gets all other paths."""

    def __init__(self, otherwise: ASGIApp, routers: Iterable[APIRouter]) -> None:
        self._otherwise = otherwise
        grouped: dict[str, list[BaseRoute]] = {}
        for route in (route for router in routers for route in router.routes):
            if not isinstance(route, APIRoute) or "{" in _beginning(route.path):
                raise ValueError(f"{route} needs a fixed first segment in its path")
            grouped.setdefault(_beginning(route.path), []).append(route)
        self._routers = {beginning: APIRouter(routes=routes) for beginning, routes in grouped.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        router = self._routers.get(_beginning(scope["path"])) if scope["type"] == "http" else None
        await (router or self._otherwise)(scope, receive, send)


def _beginning(path: str) -> str:
    first, _, rest = path[1:].partition("/")
    return f"api/{rest.partition('/')[0]}" if first == "api" else first
