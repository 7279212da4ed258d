"""Limits the size of request bodies, per route."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partita.kit.routes import MOST_BYTES, most_bytes


class BodyTooLarge(HTTPException):
    """The body is larger than the route allows. An `HTTPException`, since FastAPI passes on only those while it reads a
    body."""

    def __init__(self, most: int) -> None:
        super().__init__(
            413,
            f"The request is larger than {most:,} bytes. Send less.",
            {"Connection": "close"},  # the rest of the body is not read
        )


class BodyLimit:
    """Counts the bytes that are read; refuses a Content-Length above the limit before reading."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        announced = _announced(scope)
        most: int | None = None
        so_far = 0

        async def counted() -> Message:
            nonlocal most, so_far
            if most is None:  # the first read comes after routing, so the route is known
                most = most_bytes(scope.get("route"))
                if announced > most:
                    raise BodyTooLarge(most)
            message = await receive()
            so_far += len(message.get("body", b""))
            if so_far > most:
                raise BodyTooLarge(most)
            return message

        await self._app(scope, counted, send)


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else MOST_BYTES
    return 0
