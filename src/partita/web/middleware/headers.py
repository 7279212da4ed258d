"""Security headers on every answer, whoever made it."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ALWAYS = {
    "x-content-type-options": "nosniff",
    # Addresses of ours may be secrets (a link to somebody's submission): they are told to nobody else.
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), interest-cohort=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Pages and answers are made for whoever asks.
    "cache-control": "private, no-cache",
}
_WITH_HTTPS = {"strict-transport-security": "max-age=31536000"}


class SecurityHeaders:
    """Adds what an answer does not say itself."""

    def __init__(self, app: ASGIApp, *, secure: bool, files: str | None = None) -> None:
        self._app = app
        wanted = {"content-security-policy": _policy(files), **_ALWAYS, **(_WITH_HTTPS if secure else {})}
        self._headers = [(name.encode(), value.encode()) for name, value in wanted.items()]
        self._names = {name for name, _ in self._headers}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                said = message.get("headers", ())
                own = self._names.intersection(name.lower() for name, _ in said)
                added = [header for header in self._headers if header[0] not in own] if own else self._headers
                message["headers"] = [*said, *added]
            await send(message)

        await self._app(scope, receive, answer)


def _policy(files: str | None) -> str:
    """Nothing but our own; and pictures and uploads where the files are, if that is another site."""
    elsewhere = f" {files}" if files else ""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"img-src 'self' data:{elsewhere}",
            f"connect-src 'self'{elsewhere}",
            "font-src 'self'",
            f"form-action 'self'{elsewhere}",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )
