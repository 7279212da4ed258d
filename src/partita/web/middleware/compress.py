"""Compresses pages, feeds, drawings and JSON with gzip, to about a tenth of their size."""

from __future__ import annotations

import zlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_WORTH_IT = 1_000
_LEVEL = 4
_GZIP = 16 + zlib.MAX_WBITS
_KINDS = (
    b"text/html",
    b"application/json",
    b"application/problem+json",
    b"application/atom+xml",
    b"application/rss+xml",
    b"application/xml",
    b"image/svg+xml",
)


class Compress:
    """Compresses responses that are sent in one piece; streams and files are left as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _reads_gzip(scope):
            await self._app(scope, receive, send)
            return
        held: Message | None = None

        async def answer(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _suits(message):
                held = message  # wait for the body, to know its size
                return
            if held is not None:
                begun, held = held, None
                body = message.get("body", b"")
                if message["type"] == "http.response.body" and not message.get("more_body") and len(body) >= _WORTH_IT:
                    compressed = zlib.compress(body, _LEVEL, _GZIP)
                    message = {**message, "body": compressed}
                    begun = {**begun, "headers": _headers(begun, len(compressed))}
                await send(begun)
            await send(message)

        await self._app(scope, receive, answer)


def _reads_gzip(scope: Scope) -> bool:
    return any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"])


def _suits(message: Message) -> bool:
    headers = {name.lower(): value for name, value in message.get("headers", ())}
    return b"content-encoding" not in headers and headers.get(b"content-type", b"").startswith(_KINDS)


def _headers(message: Message, length: int) -> list[tuple[bytes, bytes]]:
    kept = [(name, value) for name, value in message["headers"] if name.lower() != b"content-length"]
    return [
        *kept,
        (b"content-length", str(length).encode()),
        (b"content-encoding", b"gzip"),
        (b"vary", b"Accept-Encoding"),
    ]
