"""Responses for visitors that stay the same until something is written.

A steady route shows nothing but what its URL, the tables and the search index say, and does nothing besides. As long as
neither has been written to, by this process or another, the response is the same, and is made once. Nothing is out of
date: each request asks SQLite whether anything was committed since, which takes a few microseconds. The developer panel
shows the requests that made the page.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Hashable
from typing import Any

from fastapi import Request
from starlette.responses import Response

from partita.kit.pages import RenderedPage
from partita.kit.serving import serving

STEADY_BYTES = 8_000_000
"""How much memory responses may take; one alone no more than a 64th of that."""
_LONGEST_QUERY = 1_000
_RESPONSE_BYTES = 2_000
_PERSONAL = frozenset({b"authorization", b"cookie"})

Handle = Callable[[Request], Coroutine[Any, Any, Response]]
WhenKept = Callable[[Request], None]


def steadily(handle: Handle, when_kept: WhenKept | None = None) -> Handle:
    """A handler that makes a response once for as long as it stays the same. `when_kept` is called with each request
    that gets a response which was made before."""

    async def answer(request: Request) -> Response:
        key = await _key(request)
        if key is None:
            return await handle(request)
        kept = serving(request).steady
        known = kept.get(key)
        if known is not None:
            response, request.state.calls = known
            if when_kept is not None:
                when_kept(request)
            if isinstance(response, RenderedPage):
                return RenderedPage(request, response.parts, headers=response.given_headers)
            return response
        response = await handle(request)
        if _is_for_everybody(response):
            kept.add(key, (response, getattr(request.state, "calls", None)), len(response.body) + _RESPONSE_BYTES)
        return response

    return answer


async def _key(request: Request) -> Hashable:
    """Everything that a visitor's response depends on; None for somebody who may be known, and if nobody can tell
    whether something was written. The minute is in it because pages tell relative times, and links expire."""
    scope = request.scope
    query: bytes = scope["query_string"]
    if scope["method"] != "GET" or "head" in scope["state"] or len(query) > _LONGEST_QUERY:
        return None
    for name, _ in scope["headers"]:
        if name in _PERSONAL or name.startswith(b"hx-"):
            return None
    state = await serving(request).state_of_data()
    return None if state is None else (scope["path"], query, int(time.time()) // 60, state)


def _is_for_everybody(response: Response) -> bool:
    """Whether a response is whole and has nothing for one person in it."""
    return response.status_code == 200 and "set-cookie" not in response.headers and bool(getattr(response, "body", b""))
