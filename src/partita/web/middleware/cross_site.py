"""Protection against cross-site request forgery: writes must come from our own pages, or have an API token."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from partita.kit.problems import Forbidden
from partita.web.errors import answer_with
from partita.web.recognise import bears_token

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OURS = frozenset({"same-origin", "none"})


class CrossSite:
    """Refuses forged requests by the headers `Sec-Fetch-Site` and `Origin`."""

    def __init__(self, app: ASGIApp, *, base_url: str, cookie: str) -> None:
        self._app = app
        self._origin = _origin(base_url)
        self._cookie = cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in _SAFE:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        if self._ours(request):
            await self._app(scope, receive, send)
            return
        problem = Forbidden(
            "This request came from another site. Open the page here and try again; "
            "programs use an API token instead of a cookie.",
            code="cross_site",
        )
        response = await answer_with(request, problem)
        await response(scope, receive, send)

    def _ours(self, request: Request) -> bool:
        if bears_token(request):
            return True  # another site cannot make a browser send a token, and cookies are then ignored
        site = request.headers.get("sec-fetch-site")
        if site is not None:
            return site in _OURS
        origin = request.headers.get("origin")
        if origin is not None:
            return origin == self._origin or _host(origin) == request.headers.get("host", "").lower()
        return (
            self._cookie not in request.cookies
        )  # browsers send one of the headers; a program without a cookie is anonymous


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def _host(origin: str) -> str | None:
    """The host of an origin; None for `null`, the origin of a sandboxed frame, and for what is no origin."""
    try:
        return urlsplit(origin).netloc.lower() or None
    except ValueError:
        return None
