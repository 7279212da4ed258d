"""Server-sent events: what changes while something runs, until it has ended."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from partita.kit.problems import TooMany
from partita.kit.serving import serving

_LOOK_SECONDS = 0.5
_QUIET_SECONDS = 15.0
_STREAM_SECONDS = 50.0
"""After that the browser asks again, so that no proxy takes the connection for a dead one."""
MOST_AT_ONCE = 20
"""So many streams of one person in one process: each looks twice a second, and costs its sender nothing."""
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@dataclass(frozen=True, slots=True)
class State:
    """What there is to tell, and whether more will follow."""

    text: str
    """The parts of a page that change, or JSON."""
    more: bool


@dataclass(frozen=True, slots=True)
class Streams:
    """How many streams everybody has open."""

    _open: Counter[str] = field(default_factory=Counter)

    def begin(self, person: str) -> None:
        """Count one more, or refuse it."""
        if self._open[person] >= MOST_AT_ONCE:
            again = int(_STREAM_SECONDS)
            raise TooMany("You watch too many things at once. Close some of the pages.", retry_after=again)
        self._open[person] += 1

    def end(self, person: str) -> None:
        """Count one less; nothing is kept of people without any."""
        self._open[person] -= 1
        if not self._open[person]:
            del self._open[person]


def live(request: Request, look: Callable[[], Awaitable[State | None]]) -> Response:
    """The response: an event `state` with each new text, and `end` after the last. None from `look` ends it as well."""
    if request.method == "HEAD":
        return Response(media_type="text/event-stream", headers=_HEADERS)
    return _Live(serving(request).streams, request.state.viewer.id, _stream(look))


class _Live(StreamingResponse):
    """A stream that counts while it is open, also when its reader has gone away."""

    def __init__(self, streams: Streams, person: str, content: AsyncIterator[str]) -> None:
        super().__init__(content, media_type="text/event-stream", headers=_HEADERS)
        self._streams = streams
        self._person = person

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._streams.begin(self._person)
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._streams.end(self._person)


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
