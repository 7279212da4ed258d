"""Responses of the API: JSON as the service made it, not validated a second time."""

from __future__ import annotations

import json
from base64 import b64encode
from decimal import Decimal
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
        try:
            return orjson.dumps(content, default=_plain)
        except TypeError:  # such as a whole number of more than 64 bits
            return json.dumps(content, default=_plain, separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    """What a table holds and JSON has no type for; other programs write anything into values without a form."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, bytes):
        return b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} has no JSON")


Revision = Annotated[
    int | None, Query(ge=1, description="The revision that you decide on; refused with 409 if it has changed since.")
]
Limit = Annotated[int, Query(ge=1, le=100, description="The most entries to return.")]
Cursor = Annotated[str | None, Query(max_length=8192, description="`next_cursor` of the previous page.")]


def address_of(request: Request) -> str:
    """The client's network address, by which requests without a sign-in are counted."""
    return request.client.host if request.client is not None else "unknown"
