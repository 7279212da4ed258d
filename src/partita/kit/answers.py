"""Responses of the API: JSON as the service made it, not validated a second time."""

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


Revision = Annotated[
    int | None, Query(ge=1, description="The revision that you decide on; refused with 409 if it has changed since.")
]
Limit = Annotated[int, Query(ge=1, le=100, description="The most entries to return.")]
Cursor = Annotated[str | None, Query(max_length=8192, description="`next_cursor` of the previous page.")]


def address_of(request: Request) -> str:
    """The client's network address, by which requests without a sign-in are counted."""
    return request.client.host if request.client is not None else "unknown"
