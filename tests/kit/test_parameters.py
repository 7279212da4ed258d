"""Query parameters are parsed once for each text, and nothing else of a request is remembered."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from fastapi import FastAPI, Query, Request
from pydantic import AfterValidator
from starlette.responses import Response

from partita.kit.answers import Json
from partita.kit.permissions import Access
from partita.kit.routes import Routes
from tests.web.visitor import Visitor

PARSED: list[str] = []

pytestmark = pytest.mark.anyio


def _note(text: str) -> str:
    PARSED.append(text)
    return text


Noted = Annotated[str, AfterValidator(_note)]


@pytest.fixture
def client() -> Visitor:
    PARSED.clear()
    routes = Routes("/p", tag="p")

    @routes.get("/list", Access.PUBLIC)
    async def listed(
        request: Request,
        q: Noted = "",
        tag: Annotated[tuple[str, ...], Query()] = (),
        n: Annotated[int, Query(le=9)] = 1,
    ) -> Json:
        return Json({"q": q, "tag": tag, "n": n, "agent": request.headers["x-agent"]})

    @routes.get("/changeable", Access.PUBLIC)
    async def changeable(q: Noted = "", tag: Annotated[list[str], Query()] = []) -> Json:  # noqa: B006
        tag.append("changed")
        return Json(tag)

    @routes.get("/plain", Access.PUBLIC)
    async def plain(q: Noted = "", n: int = 1) -> dict[str, Any]:
        return {"q": q, "n": n}

    @routes.get("/response", Access.PUBLIC)
    async def response(response: Response, q: Noted = "") -> Json:
        response.headers["x-more"] = q
        return Json({"q": q})

    app = FastAPI()
    app.include_router(routes.router)
    return Visitor(app)


async def test_the_same_text_is_parsed_once_and_the_request_is_each_ones_own(client: Visitor) -> None:
    for agent in ("a", "b", "c"):
        answer = await client.get("/p/list?q=x&tag=1&tag=2&n=3", x_agent=agent)
        assert answer.json == {"q": "x", "tag": ["1", "2"], "n": 3, "agent": agent}
    assert PARSED == ["x"]
    assert (await client.get("/p/list?q=y", x_agent="a")).json["q"] == "y"
    assert PARSED == ["x", "y"]


async def test_what_is_refused_is_refused_each_time(client: Visitor) -> None:
    for _ in range(3):
        assert (await client.get("/p/list?q=x&n=10", x_agent="a")).status == 422


async def test_values_that_could_be_changed_are_parsed_each_time(client: Visitor) -> None:
    for _ in range(3):
        assert (await client.get("/p/changeable?q=z&tag=1")).json == ["1", "changed"]
    assert PARSED == ["z"] * 3


@pytest.mark.parametrize("path", ["/p/plain?q=z", "/p/response?q=z"])
async def test_routes_that_leave_more_to_fastapi_are_left_to_it(client: Visitor, path: str) -> None:
    for _ in range(2):
        assert (await client.get(path)).json["q"] == "z"
    assert PARSED == ["z", "z"]
