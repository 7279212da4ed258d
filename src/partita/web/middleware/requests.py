"""Each request gets a name, a line in the log and a place in the metrics."""

from __future__ import annotations

import logging
import re
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partita.kit.clock import Ids
from partita.kit.permissions import Viewer
from partita.web.metrics import Metrics

_SANE = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_log = logging.getLogger("partita.requests")


class Requests:
    """The outermost: what it logs and counts is what was sent."""

    def __init__(self, app: ASGIApp, *, ids: Ids, metrics: Metrics) -> None:
        self._app = app
        self._ids = ids
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.perf_counter()
        name = _given_name(scope) or self._ids.new()
        state = scope.setdefault("state", {})
        state["request_id"] = name
        header = (b"x-request-id", name.encode())
        # HEAD is GET without the body; the routes know only GET.
        method: str = scope["method"]
        bodiless = method == "HEAD"
        if bodiless:
            scope = {**scope, "method": "GET"}  # a copy: the server must know that no body follows
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
            if _log.isEnabledFor(logging.INFO):
                viewer: Viewer | None = state.get("viewer")
                # Neither path nor query: links that are secrets would be in the log.
                told = {
                    "method": method,
                    "route": route,
                    "status": status or 500,
                    "ms": round(seconds * 1000, 2),
                    "request_id": name,
                    "user": viewer.user_id if viewer else None,
                }
                # Made by hand: to find out which line logs this would take a third of the time.
                _log.handle(_log.makeRecord(_log.name, logging.INFO, "", 0, "request", (), None, extra=told))


def _given_name(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            return value.decode() if _SANE.fullmatch(value) else None
    return None


def _route(scope: Scope) -> str:
    """The route's template, so that there are few of them and nobody's ids among them."""
    return getattr(scope.get("route"), "path", None) or "-"
