"""Limits the size of request bodies, per route; of JSON, also how many values it has, and how much is read at once.

What Python makes of small values takes up to 35 times their bytes, and the errors of a body that fits no model take
more. So JSON with very many is refused before it is read, and of bodies with many one is worked on at a time.
"""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partita.kit.routes import MOST_BYTES, most_bytes
from partita.weight import weight

MOST_WEIGHT = 1_000_000
"""What the values of a JSON body may take: some 25,000 of them."""
_HEAVY = 64_000
"""From here on one at a time."""


class BodyTooLarge(HTTPException):
    """The body is larger than the route allows. An `HTTPException`, since FastAPI passes on only those while it reads a
    body."""

    def __init__(self, most: int) -> None:
        super().__init__(
            413,
            f"The request is larger than {most:,} bytes. Send less.",
            {"Connection": "close"},  # the rest of the body is not read
        )


class TooManyValues(HTTPException):
    """A JSON body would take too much memory."""

    def __init__(self) -> None:
        super().__init__(413, "The request has too many values. Send it in several parts.")


class BodyLimit:
    """Counts the bytes that are read; refuses a Content-Length above the limit before reading."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._heavy = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        announced = _announced(scope)
        most: int | None = None
        so_far = 0
        json = b"json" in _header(scope, b"content-type").lower()
        has_turn = False

        async def counted() -> Message:
            nonlocal most, so_far, has_turn
            if most is None:  # the first read comes after routing, so the route is known
                most = most_bytes(scope.get("route"))
                if announced > most:
                    raise BodyTooLarge(most)
            pieces = list[bytes]()
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return message
                so_far += len(message.get("body", b""))
                if so_far > most:
                    raise BodyTooLarge(most)
                if not json:
                    return message
                pieces.append(message.get("body", b""))
                if not message.get("more_body", False):
                    break
            body = b"".join(pieces)
            values = weight(body, plain=_HEAVY)
            if values > MOST_WEIGHT:
                raise TooManyValues
            if values > _HEAVY and not has_turn:
                await self._heavy.acquire()
                has_turn = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def answered(message: Message) -> None:
            leave()  # what is sent now may be read slowly
            await send(message)

        def leave() -> None:
            nonlocal has_turn
            if has_turn:
                has_turn = False
                self._heavy.release()

        try:
            await self._app(scope, counted, answered)
        finally:
            leave()


def _announced(scope: Scope) -> int:
    value = _header(scope, b"content-length")
    return (int(value) if value.isdigit() else MOST_BYTES) if value else 0


def _header(scope: Scope, wanted: bytes) -> bytes:
    return next((bytes(value) for name, value in scope["headers"] if name == wanted), b"")
