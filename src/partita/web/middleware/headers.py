"""Security headers for every response."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ALWAYS = {
    "x-content-type-options": "nosniff",
    # Our URLs may be secret (a link to a submission), so other sites must not see them.
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), interest-cohort=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Responses depend on the viewer.
    "cache-control": "private, no-cache",
}
_WITH_HTTPS = {"strict-transport-security": "max-age=31536000"}


class SecurityHeaders:
    """Adds the headers that a response does not set itself."""

    def __init__(self, app: ASGIApp, *, secure: bool, files: str | None = None) -> None:
        self._app = app
        headers = {"content-security-policy": _policy(files), **_ALWAYS, **(_WITH_HTTPS if secure else {})}
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._names = {name for name, _ in self._headers}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = message.get("headers", ())
                own = self._names.intersection(name.lower() for name, _ in present)
                added = [header for header in self._headers if header[0] not in own] if own else self._headers
                message["headers"] = [*present, *added]
            await send(message)

        await self._app(scope, receive, answer)


def _policy(files: str | None) -> str:
    """The Content-Security-Policy: only our own site, and the site of the files for pictures, films and uploads."""
    elsewhere = f" {files}" if files else ""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"img-src 'self' data:{elsewhere}",
            f"connect-src 'self'{elsewhere}",
            f"media-src 'self'{elsewhere}",
            "font-src 'self'",
            "manifest-src 'self'",
            f"form-action 'self'{elsewhere}",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )
