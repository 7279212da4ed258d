"""Server-sent events: what changes while something runs, until it has ended."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

_LOOK_SECONDS = 0.5
_QUIET_SECONDS = 15.0
_STREAM_SECONDS = 50.0
"""After that the browser asks again, so that no proxy takes the connection for a dead one."""
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@dataclass(frozen=True, slots=True)
class State:
    """What there is to tell, and whether more will follow."""

    text: str
    """The parts of a page that change, or JSON."""
    more: bool


def live(request: Request, look: Callable[[], Awaitable[State | None]]) -> Response:
    """The response: an event `state` with each new text, and `end` after the last. None from `look` ends it as well."""
    if request.method == "HEAD":
        return Response(media_type="text/event-stream", headers=_HEADERS)
    return StreamingResponse(_stream(look), media_type="text/event-stream", headers=_HEADERS)


async def _stream(look: Callable[[], Awaitable[State | None]]) -> AsyncIterator[str]:
    begun = told = time.monotonic()
    before = ""
    yield "retry: 2000\n\n"
    while (now := await look()) is not None:
        if now.text != before:
            yield _event("state", now.text)
            before, told = now.text, time.monotonic()
        elif time.monotonic() - told > _QUIET_SECONDS:
            yield ":\n\n"
            told = time.monotonic()
        if not now.more:
            yield _event("end", "")
            return
        if _stopping() or time.monotonic() - begun > _STREAM_SECONDS:
            return
        await asyncio.sleep(_LOOK_SECONDS)


def _event(name: str, text: str) -> str:
    lines = "\n".join(f"data: {line}" for line in text.splitlines()) or "data:"
    return f"event: {name}\n{lines}\n\n"


def _stopping() -> bool:
    """Whether the server has been told to stop: it waits for open answers, so this one must end."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return bool(getattr(server, "should_exit", False))
