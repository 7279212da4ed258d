"""The application that is measured: the suite, and for each measured answer a constant one of its size."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.responses import Response

from partita.bootstrap import build
from partita.commands.serve import uncollected
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from partita.kit.settings import read_settings
from partita.web.app import create_app


def application() -> FastAPI:
    """What the server process serves."""
    with uncollected():
        return create_app(build(read_settings()), more=(_constants("json"), _constants("html")))


def _constants(kind: str) -> Routes:
    """Answers that cost nothing to make, on a route like those of the API or those of pages."""
    constants = Routes(f"/constant-{kind}", tag="bench", pages=kind == "html")
    bodies: dict[int, bytes] = {}
    media_type = "application/json" if kind == "json" else "text/html; charset=utf-8"

    @constants.get("/{size}", Access.PUBLIC, include_in_schema=False)
    async def constant(size: int) -> Response:
        """A body of one size."""
        return Response(bodies.setdefault(size, b"x" * size), media_type=media_type)

    return constants


if __name__ == "__main__":
    import uvicorn

    from partita.commands.serve import _config

    settings = read_settings()
    config = _config(settings, application)
    config.host, config.port = settings.host, settings.port
    uvicorn.Server(config).run()
