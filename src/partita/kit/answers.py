"""Answers of the API: JSON as it is given, without a second check of what the service made."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import Query, Request
from starlette.responses import Response


class Json(Response):
    """JSON. A route still declares its `response_model`, for the documentation."""

    media_type = "application/json"

    def __init__(self, content: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        super().__init__(content, status, headers)

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content)


def listed(items: Any, next_cursor: str | None) -> Json:
    """A page of a list."""
    return Json({"items": items, "next_cursor": next_cursor})


Limit = Annotated[int, Query(ge=1, le=100, description="How many at most.")]
Cursor = Annotated[
    str | None, Query(max_length=8192, description="`next_cursor` of the page before, to go on after it.")
]


def address_of(request: Request) -> str:
    """Whom to count requests by that nobody has signed in for."""
    return request.client.host if request.client is not None else "unknown"
