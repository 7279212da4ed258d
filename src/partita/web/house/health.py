"""Liveness, readiness and metrics."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import JSONResponse, Response

from partita.dynamo.errors import DynamoError
from partita.kit.permissions import Access, House, authorize
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.schema import tally
from partita.kit.settings import is_loopback
from partita.kit.suite import Suite
from partita.web.metrics import Metrics


def routes(suite: Suite, metrics: Metrics) -> Routes:
    """The routes for monitoring."""
    routes = Routes("", tag="house", pages=True)

    @routes.get("/healthz", Access.PUBLIC, faceless=True)
    async def alive() -> Response:
        return JSONResponse({"status": "ok"})

    @routes.get("/readyz", Access.PUBLIC, faceless=True)
    async def ready() -> Response:
        try:
            await suite.kit.store.get(tally("ready", "0", 0))
        except DynamoError as error:
            return JSONResponse({"status": "unavailable", "tables": error.code}, 503)
        return JSONResponse({"status": "ok"})

    @routes.get("/metrics", Access.PUBLIC)
    async def counted(request: Request, viewer: CurrentViewer) -> Response:
        """For requests from the same machine, and for viewers with the permission."""
        if not (request.client and is_loopback(request.client.host) and "x-forwarded-for" not in request.headers):
            authorize(viewer, House.READ_METRICS)
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return routes
