"""Answers that people see: a rendered page, or a redirect with a message for the page that follows."""

from __future__ import annotations

import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import orjson
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from partita.kit.labels import with_labels
from partita.kit.permissions import NOBODY, Viewer
from partita.kit.problems import Problem
from partita.table.recent import Recent

if TYPE_CHECKING:
    from jinja2 import Environment

FLASH_COOKIE = "partita-flash"
THEME_COOKIE = "theme"
THEMES = ("light", "dark", "system")
_FLASH_SECONDS = 60
_LONGEST_FLASH = 400
_SIGNATURE_BYTES = 16
_LONGEST_QUERY = 1_000
_KEY_BYTES = 2_000
MADE_PAGES_BYTES = 16_000_000

Kind = Literal["good", "info", "warn", "bad"]


PANEL = Markup("<!--developer-->")
"""Where a page has the developer panel: text that people typed is escaped, so it is nowhere else."""


def render(
    request: Request,
    template: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    refused: Problem | None = None,
    same: Hashable = None,
    **context: Any,
) -> Response:
    """A page from a template. What every page shows comes from the application: `viewer`, `system`, `path`, `shell`.

    A form that is shown again because a service has refused it answers with the status and the headers of that
    problem (`refused`), as the API does: whoever was too fast is told when to try again.

    Where a page says what it is made of (`same`: everything it shows but who looks at it and its address), it is made
    once for all who are not signed in, and anew when that has changed, or after a minute for what tells the time.
    """
    if refused is not None:
        status, headers = refused.status, {**(headers or {}), **refused.headers}
    flash = read_flash(request)
    made: Recent[Hashable, tuple[bytes, ...]] = request.app.state.made_pages
    key = _key(request, template, same) if same is not None and flash is None and status == 200 else None
    parts = made.get(key) if key is not None else None
    if parts is None:
        parts = _parts(request, template, flash, context)
        if key is not None:
            made.add(key, parts, sum(map(len, parts)) + _KEY_BYTES)
    body = parts[0] if len(parts) == 1 else parts[0] + request.app.state.panel(request).encode() + parts[1]
    page = HTMLResponse(body, status, headers)
    if flash is not None:
        page.delete_cookie(FLASH_COOKIE, path="/")
    return page


def _key(request: Request, template: str, same: Hashable) -> Hashable:
    """What a page for nobody in particular depends on; None for somebody's, and for addresses that nobody links to."""
    viewer: Viewer = getattr(request.state, "viewer", NOBODY)
    query: bytes = request.scope["query_string"]
    if viewer.signed_in or len(query) > _LONGEST_QUERY:
        return None
    return template, request.url.path, query, request.method, theme_of(request), int(time.time()) // 60, same


def theme_of(request: Request) -> str:
    """The theme that somebody has chosen."""
    theme = request.cookies.get(THEME_COOKIE, "")
    return theme if theme in THEMES else "system"


def _parts(request: Request, template: str, flash: Flash | None, context: Mapping[str, Any]) -> tuple[bytes, ...]:
    """A page before and after the developer panel, which is another one each time."""
    templates: Environment = request.app.state.templates
    shell: dict[str, Any] = request.app.state.shell(request, flash)
    text = templates.get_template(template).render({**shell, **context})
    return tuple(part.encode() for part in with_labels(text).split(PANEL))


def redirect(url: str, *, flash: str = "", kind: Kind = "good") -> Response:
    """To another page, by GET, with a message that is shown there once."""
    return _Redirect(url, Flash(flash[:_LONGEST_FLASH], kind) if flash else None)


def local(url: str | None, otherwise: str = "/") -> str:
    """The address where it is a path of this site; addresses from outside must not lead away from it."""
    if not url or not url.startswith("/") or url[1:2] in ("/", "\\") or len(url) > 2000:
        return otherwise
    # Browsers drop tabs and line ends from addresses, so `/\t/elsewhere.example` would lead there.
    return otherwise if any(character < "!" or character in "\\\x7f" for character in url) else url


@dataclass(frozen=True, slots=True)
class Flash:
    """A message for the next page."""

    text: str
    kind: Kind = "good"


def read_flash(request: Request) -> Flash | None:
    """The message that came with the request, where we sent it and not long ago."""
    cookie = request.cookies.get(FLASH_COOKIE)
    if not cookie:
        return None
    try:
        raw = urlsafe_b64decode(cookie.encode("ascii") + b"=" * (-len(cookie) % 4))
    except ValueError:
        return None
    signature, payload = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
    keys: tuple[bytes, ...] = request.app.state.flash_keys
    if not any(hmac.compare_digest(signature, _sign(key, payload)) for key in keys):
        return None
    kind, text, until = orjson.loads(payload)
    return Flash(text, kind) if time.time() < until else None


class _Redirect(RedirectResponse):
    """A redirect that signs its message when it is sent, since only then it knows the application."""

    def __init__(self, url: str, flash: Flash | None) -> None:
        super().__init__(url, status_code=303)
        self._flash = flash

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._flash is not None:
            state = scope["app"].state
            until = int(time.time()) + _FLASH_SECONDS
            payload = orjson.dumps([self._flash.kind, self._flash.text, until])
            value = urlsafe_b64encode(_sign(state.flash_keys[0], payload) + payload).decode().rstrip("=")
            self.set_cookie(
                FLASH_COOKIE,
                value,
                max_age=_FLASH_SECONDS,
                path="/",
                httponly=True,
                samesite="lax",
                secure=state.suite.kit.settings.secure,
            )
        await super().__call__(scope, receive, send)


def _sign(key: bytes, payload: bytes) -> bytes:
    return hmac.digest(key, payload, "sha256")[:_SIGNATURE_BYTES]
