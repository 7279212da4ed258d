"""Collects the DynamoDB requests of a page."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from partita.web.calls import begin


class Observe:
    """For the developer panel, so not for the API."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith(("/api/", "/static/")):
            scope["state"]["calls"] = begin()
        await self._app(scope, receive, send)
