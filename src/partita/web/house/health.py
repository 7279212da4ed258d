"""Liveness, readiness and metrics."""

from __future__ import annotations

import asyncio
import shutil
from urllib.parse import urlsplit

from fastapi import Request
from starlette.responses import JSONResponse, Response

from partita.dynamo.errors import DynamoError, StorageMissingError
from partita.kit.files import S3Files
from partita.kit.permissions import Access, House, authorize
from partita.kit.routes import CurrentViewer, Routes
from partita.kit.schema import tally
from partita.kit.settings import Settings
from partita.kit.suite import Suite
from partita.loopback import is_loopback
from partita.store.answers import ConnectionFailedError
from partita.web.metrics import Metrics

_READY_SECONDS = 2.0
_RETRY_AFTER = 2
_OF_PROXIES = frozenset({"forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"})


def routes(suite: Suite, metrics: Metrics) -> Routes:
    """The routes for monitoring."""
    routes = Routes("", tag="house", pages=True)
    # A site with a name of its own has a proxy in front, often on this machine: then all requests come from here.
    site_is_local = is_loopback(urlsplit(suite.kit.settings.base_url).hostname or "")

    @routes.get("/healthz", Access.PUBLIC, faceless=True)
    async def alive() -> Response:
        return JSONResponse({"status": "ok"})

    @routes.get("/readyz", Access.PUBLIC, faceless=True)
    async def ready() -> Response:
        try:
            suite.kit.tables.check_present()
            async with asyncio.timeout(_READY_SECONDS):
                await suite.kit.store.get(tally("ready", "0", 0))
        except StorageMissingError:
            return _unavailable(tables="their file was deleted or replaced")
        except TimeoutError:
            return _unavailable(tables="no answer")
        except ConnectionFailedError:
            return _unavailable(tables="the endpoint does not answer")
        except DynamoError as error:
            return _unavailable(tables=error.code)
        if not await _files_answer(suite):
            return _unavailable(files="the endpoint does not answer")
        try:
            if not _has_room(suite.kit.settings):
                return _unavailable(disk="almost full")
        except FileNotFoundError:  # with tables elsewhere, it has the search index
            return _unavailable(disk="the data folder is gone")
        return JSONResponse({"status": "ok"})

    @routes.get("/metrics", Access.PUBLIC)
    async def counted(request: Request, viewer: CurrentViewer) -> Response:
        """For viewers with the permission; if the site is served to this machine alone, for requests from it."""
        if not (site_is_local and _from_this_machine(request)):
            authorize(viewer, House.READ_METRICS)
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return routes


def _unavailable(**why: str) -> Response:
    return JSONResponse({"status": "unavailable", **why}, 503, {"Retry-After": str(_RETRY_AFTER)})


async def _files_answer(suite: Suite) -> bool:
    files = suite.kit.files
    if not isinstance(files, S3Files):
        return True
    try:
        async with asyncio.timeout(_READY_SECONDS):
            return await files.answers()
    except TimeoutError:
        return False


def _has_room(settings: Settings) -> bool:
    """Whether the disk of the data folder takes more: to be told before writes are refused."""
    least = settings.least_free_mb * 1_000_000
    return not least or shutil.disk_usage(settings.data).free >= least


def _from_this_machine(request: Request) -> bool:
    """Whether a request came from this machine, by no proxy. Headers can only say that there was one."""
    if request.client is None or not is_loopback(request.client.host) or not is_loopback(request.url.hostname or ""):
        return False
    return not any(name in _OF_PROXIES or name.startswith("x-forwarded") for name in request.headers)
