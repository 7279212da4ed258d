"""The application that is measured: the suite, and for each measured answer a constant one of its size."""

from __future__ import annotations

from fastapi import FastAPI, Request
from starlette.responses import Response

from partita.bootstrap import build
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from partita.kit.settings import read_settings
from partita.web.app import create_app


def application() -> FastAPI:
    """What the server process serves."""
    app = create_app(build(read_settings()))
    constants = Routes("/constant", tag="bench", pages=True)

    @constants.get("/{kind}/{size}", Access.PUBLIC)
    async def constant(request: Request, kind: str, size: int) -> Response:
        """A body of one size that costs nothing to make."""
        known: dict[tuple[str, int], bytes] = request.app.state.constants
        body = known.setdefault((kind, size), b"x" * size)
        return Response(body, media_type="application/json" if kind == "json" else "text/html; charset=utf-8")

    app.state.constants = {}
    app.include_router(constants.router)
    return app
