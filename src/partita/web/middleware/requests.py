"""Gives each request an id, logs it and counts it."""

from __future__ import annotations

import logging
import re
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partita.kit.clock import Ids
from partita.kit.permissions import Viewer
from partita.web.metrics import Metrics

_SANE = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_STATIC = "/static"
_FAILED = 400
_log = logging.getLogger("partita.requests")


class Requests:
    """The outermost middleware, so that it logs and counts the response that is sent."""

    def __init__(self, app: ASGIApp, *, ids: Ids, metrics: Metrics) -> None:
        self._app = app
        self._ids = ids
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        name = _id_in_header(scope) or self._ids.new()
        state = scope.setdefault("state", {})
        state["request_id"] = name
        header = (b"x-request-id", name.encode())
        # HEAD is GET without the body; the routes know only GET.
        method: str = scope["method"]
        bodiless = method == "HEAD"
        if bodiless:
            scope = {**scope, "method": "GET"}  # a copy: the server must still see HEAD
            state["head"] = True
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), header]
            elif bodiless and message["type"] == "http.response.body":
                message = {"type": "http.response.body", "body": b"", "more_body": message.get("more_body", False)}
            await send(message)

        self._metrics.running.inc()
        try:
            await self._app(scope, receive, answer)
        finally:
            self._metrics.running.dec()
            seconds = time.perf_counter() - begun
            route = _route(scope)
            self._metrics.request(method, route, status or 500, seconds)
            # What pages are made of comes a dozen at a time, and would push everything else out of sight.
            level = logging.DEBUG if route.startswith(_STATIC) and status < _FAILED else logging.INFO
            if _log.isEnabledFor(level):
                viewer: Viewer | None = state.get("viewer")
                # Neither path nor query: they may contain secrets.
                fields = {
                    "method": method,
                    "route": route,
                    "status": status or 500,
                    "ms": round(seconds * 1000, 2),
                    "request_id": name,
                    "user": viewer.user_id if viewer else None,
                }
                # Made by hand: looking up the calling line would take a third of the time.
                _log.handle(_log.makeRecord(_log.name, level, "", 0, "request", (), None, extra=fields))


def _id_in_header(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            return value.decode() if _SANE.fullmatch(value) else None
    return None


def _route(scope: Scope) -> str:
    """The route's path template: few values, and no ids."""
    return getattr(scope.get("route"), "path", None) or "-"
