"""Routes are made when the first request comes for them, and lead where FastAPI's own would."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastapi.routing import APIRoute

from partita.kit.permissions import Access
from partita.kit.routes import Declaration, Routes
from partita.kit.serving import Application
from partita.web.signpost import Signpost
from tests.web.conftest import Served, make
from tests.web.visitor import Visitor

pytestmark = pytest.mark.anyio


@pytest.fixture
async def fresh(tmp_path: Path) -> AsyncIterator[Visitor]:
    """Somebody at an application that nobody has used yet."""
    found = make(tmp_path)
    yield found.visitor()
    await found.suite.close()


def _made(app: Application) -> list[Declaration]:
    return [each for each in app.declarations if "route" in vars(each)]


async def test_an_application_makes_the_routes_that_requests_come_for(fresh: Visitor) -> None:
    app = fresh.app
    assert isinstance(app, Application)
    assert len(app.declarations) > 50
    assert _made(app) == []
    assert (await fresh.get("/healthz")).status == 200
    assert [each.path for each in _made(app)] == ["/healthz"]
    # What nobody knows is nobody's: no route is made to find that out.
    assert [(await fresh.get(path)).status for path in ("/attic", "/healthz/of/all", "/api")] == [404] * 3
    assert [each.path for each in _made(app)] == ["/healthz"]
    assert (await fresh.get("/api/openapi.json")).status == 200
    assert len(_made(app)) == len(app.declarations)


async def test_a_route_is_for_fastapi_what_was_declared(served: Served) -> None:
    app = served.app
    assert isinstance(app, Application)
    for each in app.declarations:
        assert isinstance(each.route, APIRoute)
        extra = each.route.openapi_extra or {}
        assert (each.route.path, each.route.methods) == (each.path, {each.method})
        assert extra["x-permission"] == each.permission
        assert each.route is each.route


async def test_a_path_that_begins_with_a_parameter_is_refused() -> None:
    routes = Routes("", tag="attic")

    @routes.get("/{room}/chest", Access.PUBLIC)
    async def chest(room: str) -> str:
        return room

    with pytest.raises(ValueError, match=r"GET /\{room\}/chest needs a fixed first segment"):
        Signpost(Application(), routes.declarations)
