"""Responses for people: a rendered page, a confirmation, or a redirect with a message."""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Mapping
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from partita.kit.flashes import COOKIE, SECRET_COOKIE, Flash, Kind
from partita.kit.forms import Parsed
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Problem
from partita.kit.serving import Application, Serving, serving
from partita.store.reads import reads_so_far, things_read

THEME_COOKIE = "theme"
THEMES = ("light", "dark", "system")
PAGES_BYTES = 8_000_000
"""How much memory pages for visitors may take."""
_UPLOADING = b"x-upload-progress"
_LONGEST_QUERY = 1_000
_KEY_BYTES = 2_000
_READ_BYTES = 1_500
"""Of each item that was read: the page's key holds it."""

PANEL = Markup("<!--developer-->")
"""The placeholder of the developer panel; what people type is escaped, so it cannot occur elsewhere."""


NOT_KEPT = {"Cache-Control": "no-store"}
"""Headers of a page that shows a secret, or an address of mail: browsers keep no copy of it."""
SECRET_ADDRESS = {**NOT_KEPT, "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}
"""Headers of a page that whoever knows its address may see."""


def render(
    request: Request,
    template: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    refused: Problem | None = None,
    **context: Any,
) -> Response:
    """A page from a template. Every template also gets `viewer`, `system`, `path` and `shell`.

    A page that shows a refused form again has the status and headers of that problem, as the API would. The problem is
    that of `form`, or `refused` if the page has several forms.

    A page for visitors is cached until an item that was read for it changes, and for at most a minute, because pages
    show relative times.
    """
    form = context.get("form")
    problem = refused or (form.problem if isinstance(form, Parsed) else None)
    if problem is not None:
        status, headers = problem.status, {**(headers or {}), **problem.headers}
    served = serving(request)
    flash = getattr(request.state, "notice", None) or served.flashes.read(request)
    key = _key(request, template) if flash is None and status == 200 else None
    parts = served.pages.get(key) if key is not None else None
    if parts is None:
        parts = _parts(served, request, template, flash, context)
        if key is not None:
            served.pages.add(key, parts, sum(map(len, parts)) + _KEY_BYTES + _READ_BYTES * things_read())
    page = RenderedPage(request, parts, status, headers)
    if flash is not None:
        page.delete_cookie(COOKIE, path="/")
    if SECRET_COOKIE in request.cookies:
        page.delete_cookie(SECRET_COOKIE, path=request.url.path)
    return page


class RenderedPage(HTMLResponse):
    """A page, of which all but the developer panel is the same for others."""

    def __init__(
        self, request: Request, parts: tuple[bytes, ...], status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        self.parts = parts
        self.given_headers = headers
        panel = serving(request).frame.panel(request).encode() if len(parts) > 1 else b""
        super().__init__(panel.join(parts), status, headers)


def confirm(
    request: Request,
    question: str,
    consequence: str,
    *,
    button: str,
    keep: str,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The page that asks before something final; its button posts to the same URL, `keep` is the URL to go back to."""
    return render(
        request, "confirm.html", headers=headers, question=question, consequence=consequence, button=button, keep=keep
    )


def redirect(url: str, *, flash: str = "", kind: Kind = "good", undo: str = "", secret: str = "") -> Response:
    """A redirect (303), with a message that the next page shows once; `undo` is where its button “Undo” posts to.

    `shown_once` reads the secret on that page.
    """
    return _Redirect(url, Flash(flash, kind, undo) if flash else None, secret)


def with_message(response: Response, text: str, kind: Kind = "good") -> Response:
    """A part of a page, with a message for whoever had it replaced by script; plain pages send `redirect(flash=…)`."""
    # ASCII, as headers are.
    response.headers["HX-Trigger"] = json.dumps({"told": {"text": text, "kind": kind}})
    return response


def shown_once(request: Request) -> str:
    """A secret that a redirect brought to this page; empty if it was shown before."""
    return serving(request).flashes.read_secret(request)


def local(url: str | None, otherwise: str = "/") -> str:
    """The URL if it is a path on this site, so that a link cannot redirect people elsewhere."""
    if not url or not url.startswith("/") or url[1:2] in ("/", "\\") or len(url) > 2000:
        return otherwise
    # Browsers drop tabs and line ends from URLs, so `/\t/elsewhere.example` would lead there.
    return otherwise if any(character < "!" or character in "\\\x7f" for character in url) else url


def theme_of(request: Request) -> str:
    """The theme in the cookie."""
    theme = request.cookies.get(THEME_COOKIE, "")
    return theme if theme in THEMES else "system"


def _key(request: Request, template: str) -> Hashable:
    """Everything that a visitor's page depends on; None if the page is not cached."""
    viewer: Viewer = getattr(request.state, "viewer", NOBODY)
    query: bytes = request.scope["query_string"]
    if viewer.signed_in or request.method not in ("GET", "HEAD") or len(query) > _LONGEST_QUERY:
        return None
    reads = reads_so_far()
    if reads is None:
        return None
    return template, request.url.path, query, theme_of(request), int(time.time()) // 60, reads


def _parts(
    served: Serving, request: Request, template: str, flash: Flash | None, context: Mapping[str, Any]
) -> tuple[bytes, ...]:
    """A page before and after the developer panel, which differs for each request."""
    text = served.templates.get_template(template).render({**served.frame.around(request, flash), **context})
    return tuple(part.encode() for part in text.split(PANEL))


class _Redirect(RedirectResponse):
    """A redirect that signs its message when it is sent, since only then it knows the application.

    A script that uploads is told where to go instead: it would follow a redirect by itself, and the message would be
    shown to nobody.
    """

    def __init__(self, url: str, flash: Flash | None, secret: str = "") -> None:
        super().__init__(url, status_code=303)
        self._flash = flash
        self._secret = (url, secret)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if any(name == _UPLOADING for name, _ in scope["headers"]):
            self.status_code = 200
            self.headers["X-Location"] = self.headers["Location"]
            del self.headers["Location"]
        app: Application = scope["app"]
        if self._flash is not None:
            app.serving.flashes.send(self, self._flash)
        if self._secret[1]:
            app.serving.flashes.send_secret(self, *self._secret)
        await super().__call__(scope, receive, send)
